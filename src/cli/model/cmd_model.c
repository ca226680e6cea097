#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/print.h"
#include "base/status.h"
#include "base/text.h"
#include "cli/analyze/run_options.h"
#include "cli/core/command.h"
#include "cli/core/options.h"
#include "cli/core/output.h"
#include "cli/core/terminal.h"
#include "cli/model/model_output.h"
#include "io/files/places.h"
#include "io/machine/machine_file.h"
#include "io/matrix/matrix_load.h"
#include "io/ranks/rank_files.h"
#include "model/cache/partition.h"
#include "model/machine.h"
#include "plots/plot.h"
#include "session/measure/machine.h"
#include "session/record/format_model.h"
#include "sparse/formats/format.h"
#include "sys/machine/identity.h"

struct sp_model_machines {
    struct sp_machine *machine; /* [n] owned */
    int n;
    bool all;           /* every described one was asked for */
    char env_key[20];   /* of the environment that this runs in, where machines are named; "": not known */
    char left_out[512]; /* names and cores of those that model_machines_fit() left out, "" */
};

enum { MAX_MACHINES = 64 };

static void model_machines_free(struct sp_model_machines *m)
{
    for (int i = 0; i < m->n; i++)
        sp_machine_free(&m->machine[i]);
    free(m->machine);
    *m = (struct sp_model_machines){0};
}

static enum sp_status add_machine(struct sp_model_machines *m, const char *path, int verbosity,
                                  struct sp_error *err)
{
    char remarks[512];
    if (m->n == MAX_MACHINES)
        return sp_fail(err, SP_USAGE, "name fewer", "more than %d machines", MAX_MACHINES);
    enum sp_status status = sp_machine_file_read(path, &m->machine[m->n], remarks, sizeof remarks, err);
    if (status != SP_OK)
        return status;
    if (*remarks && verbosity >= 0)
        sp_print(stderr, "spmodel: remark: %s\n", remarks);
    m->n++;
    return SP_OK;
}

/* What analyses remember of this one. */
static enum sp_status add_this(struct sp_model_machines *m, const char *directory, struct sp_error *err)
{
    if (m->n == MAX_MACHINES)
        return sp_fail(err, SP_USAGE, "name fewer", "more than %d machines", MAX_MACHINES);
    const enum sp_status status = sp_machine_remembered(directory, 0, &m->machine[m->n], err);
    m->n += status == SP_OK;
    return status;
}

/* A name is of the first directory that has it; a later one of that name is not listed. */
static bool is_listed(const struct sp_model_machines *m, const char *path)
{
    const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    for (int i = 0; i < m->n; i++)
        if (strncmp(m->machine[i].name, base, strlen(m->machine[i].name)) == 0 &&
            strcmp(base + strlen(m->machine[i].name), ".json") == 0)
            return true;
    return false;
}

static enum sp_status add_all(struct sp_model_machines *m, const char *const *directory, int verbosity,
                              struct sp_error *err)
{
    for (; *directory; directory++) {
        char **paths;
        int n;
        enum sp_status status = sp_machine_file_list(*directory, &paths, &n, err);
        for (int i = 0; status == SP_OK && i < n; i++)
            if (!is_listed(m, paths[i]))
                status = add_machine(m, paths[i], verbosity, err);
        sp_machine_file_unlist(paths, n);
        if (status != SP_OK)
            return status;
    }
    return m->n > 0 ? SP_OK
                    : sp_fail(err, SP_ABSENT, "make one: spmodel machine measure", "no machine is described");
}

/* Where this runs; what cannot be read is not known. */
static void read_here(struct sp_model_machines *m)
{
    struct sp_topology topology;
    struct sp_identity identity;
    if (sp_topology_read(&topology, NULL) != SP_OK)
        return;
    sp_identity_read("", &topology, &identity);
    snprintf(m->env_key, sizeof m->env_key, "%s", identity.env_key);
    sp_topology_free(&topology);
}

/* `names` as typed: names, "this" and files separated by commas, or "all"; NULL: one machine
 * without name and ceilings, for traffic only. Remarks go to stderr unless verbosity is below 0. */
static enum sp_status model_machines_read(const char *names, int verbosity, struct sp_model_machines *m,
                                          struct sp_error *err)
{
    void *memory;
    *m = (struct sp_model_machines){0};
    enum sp_status status = sp_new_array(MAX_MACHINES, sizeof *m->machine, "machines", &memory, err);
    if (status != SP_OK)
        return status;
    m->machine = memory;
    if (!names) { /* one without a name and without ceilings: traffic only */
        m->n = 1;
        return SP_OK;
    }
    struct sp_machine_paths where;
    read_here(m);
    sp_machine_paths_find(&where);
    m->all = strcmp(names, "all") == 0;
    if (m->all)
        status = add_all(m, where.directory, verbosity, err);
    else
        while (*names && status == SP_OK) {
            char name[512], path[1024];
            size_t n = strcspn(names, ",");
            snprintf(name, sizeof name, "%.*s", (int)n, names);
            names += n + (names[n] == ',');
            if (strcmp(name, "this") == 0) {
                status = add_this(m, where.cache, err);
                continue;
            }
            status = sp_machine_file_find(name, where.directory, path, sizeof path, err);
            if (status == SP_OK)
                status = add_machine(m, path, verbosity, err);
        }
    if (status != SP_OK)
        model_machines_free(m);
    return status;
}

static void leave_out(struct sp_model_machines *m, int i)
{
    size_t used = strlen(m->left_out);
    if (used + 80 < sizeof m->left_out)
        snprintf(m->left_out + used, sizeof m->left_out - used, "%s%s (%d cores)", used ? ", " : "",
                 m->machine[i].name, m->machine[i].n_cores);
    sp_machine_free(&m->machine[i]);
    memmove(&m->machine[i], &m->machine[i + 1], (size_t)(m->n - i - 1) * sizeof *m->machine);
    m->n--;
}

/* Of "all", those with fewer cores than n_threads (0: not asked) are left out. SP_USAGE where
 * threads are asked of GPUs only. */
static enum sp_status model_machines_fit(struct sp_model_machines *m, int n_threads, struct sp_error *err)
{
    int n_cpus = 0;
    for (int i = 0; i < m->n; i++)
        n_cpus += m->machine[i].kind == SP_CPU;
    if (n_threads <= 0)
        return SP_OK;
    if (n_cpus == 0)
        return sp_fail(err, SP_USAGE, "leave it out", "--threads counts threads of a CPU, %s is a GPU",
                       m->machine[0].name);
    for (int i = m->n - 1; m->all && i >= 0; i--)
        if (m->machine[i].kind == SP_CPU && m->machine[i].n_cores < n_threads) {
            leave_out(m, i);
            n_cpus--;
        }
    return n_cpus > 0 ? SP_OK
                      : sp_fail(err, SP_USAGE, "ask for fewer", "no described CPU has %d cores", n_threads);
}

static const char all_ways[] = "=all";

/* --partition in place of what the machine files say. */
static enum sp_status divide_caches(const char *partition, struct sp_model_machines *m, struct sp_error *err)
{
    enum sp_status status = SP_OK;
    for (int i = 0; partition && status == SP_OK && i < m->n; i++)
        if (m->machine[i].kind == SP_GPU)
            status = sp_fail(err, SP_USAGE, "leave it out", "caches of a GPU are not divided, %s is one",
                             m->machine[i].name);
        else if (strcmp(partition, "none") == 0)
            sp_partition_clear(&m->machine[i]);
        else
            status = sp_partition_set(partition, &m->machine[i], err);
    return status;
}

/* --partition L2:matrix=all: the caches stay whole; *arrays: whose divisions are asked for. */
static enum sp_status ask_all_ways(const char *partition, struct sp_model_machines *m, uint32_t *arrays,
                                   struct sp_error *err)
{
    char one[128];
    struct sp_machine divided = m->machine[0];
    const int length = (int)(strlen(partition) - strlen(all_ways));
    snprintf(one, sizeof one, "%.*s=1", length, partition);
    if (divided.kind == SP_GPU)
        return divide_caches(one, m, err);
    enum sp_status status =
        m->n == 1 ? sp_partition_set(one, &divided, err)
                  : sp_fail(err, SP_USAGE, "name one", "all divisions are those of one machine");
    const struct sp_cache *llc = sp_machine_llc(&divided);
    if (status == SP_OK && (strchr(one, ',') || !llc || llc->partition.ways == 0))
        status = sp_fail(err, SP_USAGE, "give the others a number",
                         "all divisions are those of the last level, here L%d", llc ? llc->level : 0);
    if (status != SP_OK)
        return status;
    *arrays = llc->partition.arrays;
    sp_partition_clear(&m->machine[0]);
    return SP_OK;
}

static bool asks_all_ways(const char *partition)
{
    const size_t n = partition ? strlen(partition) : 0, tail = strlen(all_ways);
    return n > tail && strcmp(partition + n - tail, all_ways) == 0;
}

/* spmodel model: what the model says, without running anything. */

enum {
    KEY_ALPHA = SP_KEY_PRIVATE,
    KEY_PARTITION,
    KEY_BETA,
    KEY_LONGEST,
    KEY_VOLUME,
    KEY_SIZES,
    KEY_W,
    KEY_PLOT,
    KEY_RANKS,
    KEY_PER_NODE,
    KEY_NETWORK
};

static const char formats_help[] =
#define SPMV_FORMAT(ID, NAME, NUMBERS, ...) ", " #NAME NUMBERS
#include "base/option/formats.inc"
#define DENSE_FORMAT(ID, NAME, NUMBERS, ...) ", " #NAME NUMBERS
#include "base/option/formats.inc"
    ", all (default for several machines); may be repeated";

static const struct argp_option options[] = {
    {&SP_O_MACHINE[2], SP_KEY_OF(MACHINE), "NAME,...", 0,
     "Described machines (the beginning of a name, where that is enough), files, this (what is remembered "
     "of this one), or all; without: traffic only",
     0},
    {"sizes", KEY_SIZES, "N_R,N_C,N_NZ", 0, "Sizes instead of a matrix", 0},
    {&SP_O_FORMAT[2], SP_KEY_OF(FORMAT), "F", 0, &formats_help[2], 0},
    {"alpha", KEY_ALPHA, "A", 0,
     "min (default: x loaded once), sim (simulated; default for several machines), or a number", 0},
    {"partition", KEY_PARTITION, "LEVEL:ARRAYS=WAYS", 0,
     "With --alpha sim: ways of a cache kept for some arrays, for example L2:matrix=5 (values and indices; "
     "vectors are the others; as a "
     "sector cache or CAT); several with commas; =all: every division of the last level in one pass; none: "
     "leave "
     "the machine's caches undivided. With --ranks: how rows are divided, rows (default), nnz, metis, "
     "scotch, or a "
     "file with the part of each row",
     0},
    {&SP_O_RANKS[2], KEY_RANKS, "N,...", 0,
     "SpMV over so many MPI ranks: halo, messages, and with --machine and --network times, efficiency and "
     "what would "
     "help; 2,4,...,4096 goes on as it begins",
     0},
    {&SP_O_RANKS_PER_NODE[2], KEY_PER_NODE, "N", 0,
     "With --ranks: ranks of a node (default: as many as the machine has cores for)", 0},
    {&SP_O_NETWORK[2], KEY_NETWORK, "NAME", 0,
     "With --ranks: a described network or a file; a second one behind a comma for messages inside a node "
     "(slingshot-10,shm)",
     0},
    {"beta", KEY_BETA, "B", 0, "n_nz over stored entries of SELL, where only sizes are known", 0},
    {"longest", KEY_LONGEST, "N", 0,
     "Entries of the longest row, where only sizes are known: a thread of SELL on a GPU takes a step for "
     "each",
     0},
    {"volume", KEY_VOLUME, "V", 0, "Turn the model around: alpha from V bytes, for example 258e6", 0},
    {"w", KEY_W, "W", 0,
     "Bytes moved per byte of y: 2 plain stores (default), 1 non-temporal or evaded (GPU: default)", 0},
    {&SP_O_PRECISION[2], SP_KEY_OF(PRECISION), "P", 0,
     "f64 (default), f32, mixed (values f32, vectors f64), c128; spmm and sddmm also f16, bf16", 0},
    {&SP_O_ROW_PTR[2], SP_KEY_OF(ROW_PTR), "B", 0,
     "Bytes of a row pointer: 4 or 8 (default: 4 while that counts the nonzeros)", 0},
    {&SP_O_INDEX[2], SP_KEY_OF(INDEX), "I", 0,
     "i32 (default), i64, or d16: 16-bit offsets from a base (spmv in crs and sell)", 0},
    {&SP_O_SCHEDULE[2], SP_KEY_OF(SCHEDULE), "S", 0, "rows, nnz (default), cyclic[:N], merge", 0},
    {&SP_O_THREADS[2], 't', "N", 0, "Threads of CPUs; default: all cores of the machine", 0},
    {"plot", KEY_PLOT, "FILE", 0,
     "SpMV on GPUs: draw the levels and their roofs into FILE, .svg, .png or .pdf (several machines: a "
     "picture "
     "each, FILE-MACHINE); with --ranks: the times over ranks. Without it, GPUs with --format all are drawn "
     "as text below the table",
     0},
    {&SP_O_PAGES[2], SP_KEY_OF(PAGES), "P", 0,
     "Pages of x: huge (default) or small; what gathers wait for page tables then, with --alpha sim", 0},
    {&SP_O_COLD[2], SP_KEY_OF(COLD), NULL, 0, "The first execution: all data come from memory", 0},
    {0},
};

enum { MAX_FORMATS = 16, MAX_ASKED = MAX_FORMATS * SP_MOST_WIDTHS };

struct arguments {
    struct sp_common_options common;
    struct sp_op_options op;
    struct sp_model_request request;
    const char *format[MAX_FORMATS];
    bool all_formats;
    int n_formats;
    bool format_given;
    const char *machines;  /* as typed */
    const char *partition; /* as typed; NULL: the machine files' */
    const char *picture;   /* NULL: text, where all formats are shown */
    bool has_sizes;
    int64_t sizes[3];
    char **matrix;
    int n_matrices;
    struct sp_ranks_options ranks;
    struct sp_network network; /* of ranks.network */
    char command[4096];
};

static int parse_sizes(const char *text, int64_t sizes[3])
{
    for (int i = 0; i < 3; i++) {
        char word[32];
        size_t n = strcspn(text, ",");
        double x;
        if (n == 0 || n >= sizeof word)
            return -1;
        memcpy(word, text, n);
        word[n] = '\0';
        if (sp_parse_number(word, &x) || x < 1 || x > 9e15 || x != floor(x))
            return -1;
        sizes[i] = (int64_t)x;
        text += n;
        if ((i < 2) != (*text == ','))
            return -1;
        text += *text == ',';
    }
    return *text ? -1 : 0;
}

/* Chunks of a warp without sorting; blocks that matrix units take. */
static const char *const *of_gpus_only(enum sp_op op)
{
    static const char *const of_spmv[] = {"sell:32,1", NULL};
    static const char *const of_spmm[] = {"bcsr:8x1", "bcsr:16x8", NULL};
    static const char *const none[] = {NULL};
    return op == SP_OP_SPMV ? of_spmv : op == SP_OP_SPMM ? of_spmm : none;
}

static void add_every_format(struct arguments *a)
{
    a->request.every_format = true;
    const char *const *names = sp_format_choices(a->op.op);
    for (int i = 0; names[i] && a->n_formats < MAX_FORMATS; i++)
        a->format[a->n_formats++] = names[i];
    const char *const *of_gpus = of_gpus_only(a->op.op);
    for (int i = 0; of_gpus[i] && a->n_formats < MAX_FORMATS; i++)
        a->format[a->n_formats++] = of_gpus[i];
}

static void add_format(struct argp_state *state, struct arguments *a, const char *arg)
{
    struct sp_workload scratch = {0};
    struct sp_error err;
    a->format_given = true;
    if (strcmp(arg, "all") == 0)
        a->all_formats = true;
    else if (sp_workload_set_format(&scratch, arg, &err) != SP_OK)
        sp_usage_error(state, "%s; %s", err.what, err.remedy);
    else if (a->n_formats < MAX_FORMATS)
        a->format[a->n_formats++] = arg;
    else
        sp_usage_error(state, "at most %d formats", MAX_FORMATS);
}

static void set_positive(struct argp_state *state, const char *option, const char *arg, double lo, double hi,
                         double *out)
{
    if (sp_parse_number(arg, out) || !(*out >= lo && *out <= hi))
        sp_usage_error(state, "--%s takes a number from %g to %g, not '%s'", option, lo, hi, arg);
}

static void set_alpha(struct argp_state *state, const char *arg, struct sp_model_request *r)
{
    if (strcmp(arg, "min") == 0) {
        r->alpha_kind = SP_ALPHA_MIN;
    } else if (strcmp(arg, "sim") == 0) {
        r->alpha_kind = SP_ALPHA_SIM;
    } else {
        r->alpha_kind = SP_ALPHA_GIVEN;
        if (sp_parse_number(arg, &r->alpha) || !(r->alpha >= 0 && r->alpha <= 1e6))
            sp_usage_error(state, "--alpha takes min, sim or a number from 0 to 1e+06, not '%s'", arg);
    }
}

static void check_beta(struct argp_state *state, const struct arguments *a)
{
    struct sp_workload w = {0};
    struct sp_error err;
    if (a->n_matrices > 0)
        sp_usage_error(state, "--beta is for --sizes: the beta of a matrix follows from its row lengths");
    bool sell = false;
    for (int i = 0; i < a->n_formats; i++)
        sell |=
            sp_workload_set_format(&w, a->format[i], &err) == SP_OK && !sp_format_of(w.format)->plain_rows;
    if (!sell)
        sp_usage_error(state, "--beta is for SELL, CRS stores nothing but the nonzeros: add --format sell");
}

static void check_picture(struct argp_state *state, const struct arguments *a)
{
    const char *dot = strrchr(a->picture, '.');
    const int term = dot ? sp_term_from_name(dot + 1) : -1;
    if (term < 0 || term > SP_TERM_PNG)
        sp_usage_error(state, "--plot takes a file that ends in .svg, .png or .pdf, not '%s'", a->picture);
    if (a->has_sizes || a->n_matrices > 1)
        sp_usage_error(state, "--plot draws one matrix");
}

/* A partition of the ways of a cache: "none", "L2:matrix=5". */
static bool is_of_ways(const char *partition)
{
    return strcmp(partition, "none") == 0 || strchr(partition, '=') ||
           (partition[0] == 'L' && partition[1] >= '1' && partition[1] <= '9' && strchr(":", partition[2]));
}

/* Ranks are asked for, or a partition of rows. */
static bool is_over_ranks(const struct arguments *a)
{
    return a->ranks.n_counts > 0 || a->ranks.per_node > 0 || a->ranks.network ||
           (a->partition && !is_of_ways(a->partition));
}

/* Neither ways nor rows: no word of theirs, and nothing that looks like a file with the part of
 * each row. */
static void check_partition(struct argp_state *state, const struct arguments *a)
{
    const char *p = a->partition;
    if (!p || a->ranks.n_counts > 0 || is_of_ways(p) || sp_division_of(p) || strpbrk(p, "./") ||
        (*p && access(p, F_OK) == 0))
        return;
    sp_usage_error(state,
                   "--partition takes LEVEL:ARRAYS=WAYS, for example L2:matrix=5, L2:matrix=all for every "
                   "division, or none; and with --ranks rows, nnz, metis, scotch or a file; not '%s'",
                   p);
}

static void check_ranks(struct argp_state *state, const struct arguments *a)
{
    if (a->ranks.n_counts == 0 && (!a->partition || sp_division_of(a->partition)))
        sp_usage_error(state, "say how many ranks: --ranks N, or --partition FILE with the part of each row");
    if (a->has_sizes)
        sp_usage_error(state, "--ranks needs the entries: name a matrix in place of --sizes");
    if (a->request.volume_B > 0 || a->request.alpha_kind == SP_ALPHA_GIVEN)
        sp_usage_error(state, "--ranks has x loaded once or simulated: --alpha min or sim, and no --volume");
    if (a->ranks.network && !a->machines)
        sp_usage_error(state, "--network is for times, which need a machine: add --machine NAME");
}

static void check_whole(struct argp_state *state, struct arguments *a)
{
    if (a->has_sizes == (a->n_matrices > 0))
        sp_usage_error(state, "%s",
                       a->has_sizes ? "give either --sizes or a matrix, not both"
                                    : "name a matrix, or give --sizes N_R,N_C,N_NZ");
    if (a->request.alpha_kind == SP_ALPHA_SIM && !a->machines)
        sp_usage_error(state, "--alpha sim simulates the caches of a machine: add --machine NAME");
    check_partition(state, a);
    if (is_over_ranks(a))
        check_ranks(state, a);
    else if (a->partition && a->request.alpha_kind != SP_ALPHA_SIM)
        sp_usage_error(state, "--partition divides caches that are simulated: add --alpha sim");
    if (a->request.beta > 0)
        check_beta(state, a);
    if (a->request.longest > 0 && a->n_matrices > 0)
        sp_usage_error(state, "--longest is for --sizes: a matrix has its rows");
    if (a->picture)
        check_picture(state, a);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *a = state->input;
    struct sp_model_request *r = &a->request;
    struct sp_error err;
    int word;
    double longest;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->op;
        state->child_inputs[1] = &a->common;
        r->workload.schedule = SP_SCHEDULE_NNZ;
        return 0;
    case SP_KEY_OF(MACHINE):
        a->machines = arg;
        return 0;
    case KEY_SIZES:
        a->has_sizes = true;
        if (parse_sizes(arg, a->sizes))
            sp_usage_error(
                state, "--sizes takes rows,columns,nonzeros, for example 278502,278502,39825786, not '%s'",
                arg);
        return 0;
    case SP_KEY_OF(FORMAT):
        add_format(state, a, arg);
        return 0;
    case KEY_ALPHA:
        set_alpha(state, arg, r);
        return 0;
    case KEY_PARTITION:
        a->partition = arg;
        return 0;
    case KEY_BETA:
        set_positive(state, "beta", arg, 1e-6, 1, &r->beta);
        return 0;
    case KEY_LONGEST:
        set_positive(state, "longest", arg, 1, 9e15, &longest);
        r->longest = (int64_t)longest;
        return 0;
    case KEY_VOLUME:
        if (sp_parse_bytes(arg, &r->volume_B) || r->volume_B <= 0)
            sp_usage_error(state, "--volume takes bytes, for example 258e6 or 258M, not '%s'", arg);
        return 0;
    case KEY_W:
        set_positive(state, "w", arg, 1, 2, &r->w);
        return 0;
    case SP_KEY_OF(PRECISION):
        if ((word = sp_precision_from_name(arg)) < 0)
            sp_usage_error(state, "--precision takes f64, f32, mixed, c128, f16 or bf16, not '%s'", arg);
        else
            r->workload.precision = (enum sp_precision)word;
        r->precision_given = true;
        return 0;
    case SP_KEY_OF(ROW_PTR):
        r->workload.row_ptr_B = sp_pick_of(state, SP_OPTION_ROW_PTR, arg) == 1 ? 8 : 4;
        return 0;
    case SP_KEY_OF(INDEX):
        if ((word = sp_index_from_name(arg)) < 0)
            sp_usage_error(state, "--index takes i32, i64 or d16, not '%s'", arg);
        else
            r->workload.index = (enum sp_index)word;
        return 0;
    case SP_KEY_OF(SCHEDULE):
        if (sp_workload_set_schedule(&r->workload, arg, &err) != SP_OK)
            sp_usage_error(state, "%s; %s", err.what, err.remedy);
        r->schedule_given = true;
        return 0;
    case 't':
        r->workload.n_threads = sp_pick_threads(state, arg);
        return 0;
    case KEY_PLOT:
        a->picture = arg;
        return 0;
    case KEY_RANKS:
        sp_ranks_counts_set(state, arg, &a->ranks);
        return 0;
    case KEY_PER_NODE:
        sp_ranks_per_node_set(state, arg, &a->ranks);
        return 0;
    case KEY_NETWORK:
        a->ranks.network = arg;
        return 0;
    case SP_KEY_OF(PAGES):
        r->small_pages = sp_pick_of(state, SP_OPTION_PAGES, arg) == 1;
        r->pages_given = true;
        return 0;
    case SP_KEY_OF(COLD):
        r->cold = true;
        return 0;
    case ARGP_KEY_ARGS:
        a->matrix = state->argv + state->next;
        a->n_matrices = state->argc - state->next;
        return 0;
    case ARGP_KEY_END:
        check_whole(state, a);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&sp_op_argp, 0, NULL, 0},
                                             {&sp_common_csv_argp, 0, "Common options:", 90},
                                             {&sp_memory_argp, 0, NULL, 90},
                                             {0}};
static const struct argp argp = {
    options,
    parse,
    "[MATRIX...]",
    "Predict traffic, code balance, time and performance of a kernel without running it.\v"
    "MATRIX is a file, '-' or gen:...; --sizes takes its place where only sizes are known.\n\n"
    "One machine is shown in full, several in a table of their best formats (with -v in full, too). SpMV on "
    "GPUs with --format all is drawn below it, a picture for each.",
    children,
    NULL,
    NULL,
};

static void print_result(const struct arguments *a, const struct sp_model_result *result)
{
    bool several = result->n_machines > 1;
    sp_model_print_subject(result, stdout);
    if (!several || a->common.verbosity > 0 || a->request.volume_B > 0)
        sp_model_print(result, stdout);
    if (several)
        sp_model_print_machines(result, stdout);
}

/* Text stands below the table, where all formats of GPUs alone are compared. */
static enum sp_status plot_result(const struct arguments *a, const struct sp_model_result *result,
                                  bool printed, struct sp_error *err)
{
    if (a->picture)
        return sp_model_plot_images(result, a->picture, a->common.verbosity >= 0 && printed, err);
    if (printed && a->all_formats && a->common.verbosity >= 0 && sp_model_is_on_gpus(result))
        return sp_model_plot_text(result, err);
    return SP_OK;
}

static enum sp_status model_subject(const struct arguments *a, const struct sp_model_subject *subject,
                                    const struct sp_model_machines *machines,
                                    const struct sp_progress *progress, struct sp_terminal *terminal,
                                    struct sp_sinks *sinks, struct sp_error *err)
{
    struct sp_model_ask asked[MAX_ASKED];
    int n_asked = 0;
    for (int f = 0; f < a->n_formats; f++)
        for (int i = 0; i < a->op.n_widths; i++)
            asked[n_asked++] = (struct sp_model_ask){a->format[f], a->op.width[i]};
    void *memory;
    enum sp_status status = sp_new_array((int64_t)machines->n * n_asked * SP_MODEL_WAYS,
                                         sizeof(struct sp_model_row), "predictions", &memory, err);
    if (status != SP_OK)
        return status;
    struct sp_model_row *rows = memory;
    struct sp_model_result result = {subject,     &a->request,        rows,       0,
                                     machines->n, machines->left_out, a->command, machines->env_key};
    status = sp_model_rows_make(&a->request, subject, asked, n_asked, machines->machine, machines->n,
                                progress, rows, &result.n_rows, err);
    if (status == SP_OK && result.n_rows == 0)
        status =
            sp_fail(err, SP_ABSENT, "name one with --format",
                    "none of the formats fits %s of this matrix on the machines named", sp_op_name(a->op.op));
    sp_terminal_clear(terminal);
    const bool printed = !sinks->on_stdout;
    if (status == SP_OK && printed)
        print_result(a, &result);
    if (status == SP_OK)
        status = plot_result(a, &result, printed, err);
    if (status == SP_OK && sinks->csv.stream)
        sp_model_csv_rows(&result, sinks->csv.stream);
    if (status == SP_OK && sinks->json.stream)
        status = sp_model_write_json(&result, sinks->json.stream, err);
    sp_model_rows_free(rows, result.n_rows);
    return status;
}

static enum sp_status model_ranks(const struct arguments *a, const struct sp_csr *matrix, const char *name,
                                  const struct sp_model_machines *machines,
                                  const struct sp_progress *progress, struct sp_sinks *sinks,
                                  struct sp_error *err)
{
    const struct sp_machine *machine = *machines->machine[0].name ? &machines->machine[0] : NULL;
    struct sp_workload w = a->request.workload;
    w.matrix = matrix;
    if (w.n_threads < 1)
        w.n_threads = 1;
    if (sp_csr_is_complex(matrix) && !a->request.precision_given)
        w.precision = SP_C128;
    enum sp_status status = sp_workload_set_format(&w, "crs", err);
    if (status == SP_OK)
        status = sp_workload_check(&w, err);
    if (status != SP_OK)
        return status;
    struct sp_scaling_request request = {.n_counts = a->ranks.n_counts,
                                         .per_node = a->ranks.per_node,
                                         .n_threads = w.n_threads,
                                         .partition = a->partition ? a->partition : "rows",
                                         .workload = w,
                                         .w = a->request.w > 0 ? a->request.w : 2,
                                         .simulate = a->request.alpha_kind == SP_ALPHA_SIM,
                                         .cold = a->request.cold,
                                         .remedies = true,
                                         .machine = machine,
                                         .network = a->ranks.network ? &a->network : NULL};
    const struct sp_ranks_output to = {sinks, a->command, a->picture, a->common.verbosity};
    memcpy(request.count, a->ranks.count, sizeof request.count);
    return sp_ranks_model(&request, matrix, name, progress, &to, err);
}

static enum sp_status model_matrix(const struct arguments *a, const char *name,
                                   const struct sp_model_machines *machines, struct sp_progress *progress,
                                   struct sp_terminal *terminal, struct sp_sinks *sinks, struct sp_error *err)
{
    struct sp_csr matrix;
    struct sp_load_facts facts;
    struct sp_watch watch = {progress, "reading the matrix"};
    struct sp_load_options load = {
        .use = SP_LOAD_MODEL, .progress = sp_watch_show, .interrupted = sp_watch_stop, .context = &watch};
    enum sp_status status = sp_matrix_load(name, &load, &matrix, &facts, err);
    if (status != SP_OK)
        return status;
    if (matrix.n_nz == 0 || matrix.n_r == 0) {
        status = sp_fail(err, SP_INPUT, "name another matrix",
                         "matrix %s has no entries: there is nothing to model", facts.name);
    } else if (is_over_ranks(a)) {
        status = model_ranks(a, &matrix, facts.name, machines, progress, sinks, err);
    } else {
        struct sp_model_subject subject = {
            .n_r = matrix.n_r, .n_c = matrix.n_c, .n_nz = matrix.n_nz, .matrix = &matrix};
        snprintf(subject.name, sizeof subject.name, "%s", facts.name);
        status = model_subject(a, &subject, machines, progress, terminal, sinks, err);
    }
    sp_csr_free(&matrix);
    return status;
}

static int run_all(const struct arguments *a, const struct sp_model_machines *machines,
                   struct sp_sinks *sinks)
{
    struct sp_terminal terminal;
    struct sp_progress progress = sp_terminal_open(&terminal, a->common.verbosity);
    struct sp_error err;
    int code = 0;
    if (a->has_sizes) {
        struct sp_model_subject subject = {
            .name = "(sizes)", .n_r = a->sizes[0], .n_c = a->sizes[1], .n_nz = a->sizes[2]};
        if (model_subject(a, &subject, machines, &progress, &terminal, sinks, &err) != SP_OK)
            code = sp_report_error(&err);
    }
    for (int i = 0; i < a->n_matrices; i++) {
        if (i > 0 && !a->common.json && !a->common.csv)
            putchar('\n');
        enum sp_status status = model_matrix(a, a->matrix[i], machines, &progress, &terminal, sinks, &err);
        if (status == SP_OK)
            continue;
        sp_terminal_clear(&terminal);
        code = sp_worse_exit(code, sp_report_error(&err));
        if (status == SP_INTERRUPTED)
            break;
    }
    return code;
}

/* What is not said: one machine is shown as asked for, several with what suits each. */
static void choose_defaults(struct arguments *a, int n_machines)
{
    a->request.last_level = n_machines > 1;
    a->request.workload.op = a->op.op;
    a->request.workload.order = a->op.order;
    if (a->all_formats)
        add_every_format(a);
    if (a->format_given)
        return;
    if (n_machines > 1 && !a->has_sizes && !(a->request.volume_B > 0))
        add_every_format(a);
    else
        a->format[a->n_formats++] = "crs";
}

/* What is asked for besides changes the times of ranks, or is refused. */
static enum sp_status check_ranks_of(const struct arguments *a, const struct sp_model_machines *machines,
                                     struct sp_error *err)
{
    const struct sp_model_request *r = &a->request;
    if (a->op.op != SP_OP_SPMV || a->op.order != SP_ROW_MAJOR || r->workload.index == SP_D16 ||
        r->schedule_given || r->pages_given || a->all_formats || a->n_formats > 1 ||
        (a->n_formats > 0 && strcmp(a->format[0], "crs") != 0))
        return sp_fail(err, SP_USAGE,
                       "leave --op, --rhs, --order, --format, --index d16, --schedule and --pages out",
                       "--ranks is for SpMV in CRS, as PETSc's MPIAIJ has it");
    if (machines->n > 1 || machines->machine[0].kind == SP_GPU)
        return sp_fail(err, SP_USAGE, "name one CPU", "--ranks predicts ranks of one kind of CPU node");
    return SP_OK;
}

static int run_ranks(const struct arguments *a, const struct sp_model_machines *machines,
                     struct sp_error *err)
{
    struct sp_sinks sinks;
    if (check_ranks_of(a, machines, err) != SP_OK)
        return sp_report_error(err);
    return sp_outputs_claim(&a->picture, 1, err) == SP_OK &&
                   sp_sinks_open(a->common.csv, a->common.json, &sinks, err) == SP_OK
               ? sp_sinks_close(&sinks, run_all(a, machines, &sinks))
               : sp_report_error(err);
}

static int run(int argc, char **argv)
{
    struct arguments a;
    memset(&a, 0, sizeof a);
    sp_join_command(argc, argv, a.command, sizeof a.command);
    sp_parse(&argp, argc, argv, &a);
    struct sp_error err;
    struct sp_model_machines machines;
    if (sp_op_settle(&a.op, &err) != SP_OK)
        return sp_report_error(&err);
    if (a.ranks.network && sp_network_find(a.ranks.network, &a.network, &err) != SP_OK)
        return sp_report_error(&err);
    if (model_machines_read(a.machines, a.common.verbosity, &machines, &err) != SP_OK)
        return sp_report_error(&err);
    if (is_over_ranks(&a)) {
        const int code = run_ranks(&a, &machines, &err);
        model_machines_free(&machines);
        return code;
    }
    if (model_machines_fit(&machines, a.request.workload.n_threads, &err) != SP_OK ||
        (asks_all_ways(a.partition) ? ask_all_ways(a.partition, &machines, &a.request.divide, &err)
                                    : divide_caches(a.partition, &machines, &err)) != SP_OK) {
        model_machines_free(&machines);
        return sp_report_error(&err);
    }
    choose_defaults(&a, machines.n);
    struct sp_sinks sinks;
    const int code = sp_outputs_claim(&a.picture, 1, &err) == SP_OK &&
                             sp_sinks_open(a.common.csv, a.common.json, &sinks, &err) == SP_OK
                         ? sp_sinks_close(&sinks, run_all(&a, &machines, &sinks))
                         : sp_report_error(&err);
    model_machines_free(&machines);
    return code;
}

static const struct sp_example examples[] = {
    {"spmodel model --sizes 278502,278502,39825786 --machine ivb-e5-2660v2", "a prediction from sizes alone",
     NULL},
    {"spmodel model --sizes 2056338,2056338,14600000 --volume 258e6", "alpha from bytes that were counted",
     NULL},
    {"spmodel model matrix.mtx --machine all", "every described machine in one table", NULL},
    {"spmodel model matrix.mtx --machine a100,h200 --format all",
     "SpMV on two GPUs, with a plot of the levels of each", "0 4"},
    {"spmodel model matrix.mtx --ranks 2,4,8 --machine icx-8360y --network aries",
     "SpMV over MPI ranks: halo, times, and what would help", NULL},
    {0},
};

const struct sp_command sp_cmd_model = {
    .name = "model",
    .arguments = "[MATRIX...]",
    .summary = "predict traffic, balance and performance on described machines, without running",
    .run = run,
    .page = {&argp, examples, NULL, "analyze machine explain formats machine-files"},
};
