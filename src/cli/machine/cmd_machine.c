#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "base/status.h"
#include "base/text.h"
#include "cli/analyze/run_options.h"
#include "cli/core/command.h"
#include "cli/core/mpi_job.h"
#include "cli/core/options.h"
#include "cli/core/output.h"
#include "cli/core/terminal.h"
#include "cli/machine/machine_text.h"
#include "io/files/part_file.h"
#include "io/files/places.h"
#include "io/machine/machine_file.h"
#include "io/ranks/rank_files.h"
#include "io/record/record.h"
#include "model/cache/capacity.h"
#include "session/measure/machine.h"
#include "session/measure/measure_plan.h"
#include "session/mpi/mpi_run.h"
#include "sys/machine/identity.h"
#include "track/judge/comparable.h"

/* Where two records were measured: the facts that make them comparable or not. */

/* Is it a file with a record? */
static bool is_record_file(const char *name)
{
    struct sp_record record = {0};
    const bool is = sp_record_read(name, &record, NULL) == SP_OK;
    sp_record_free(&record);
    return is;
}

static void print_side(FILE *out, char letter, const struct sp_record *r)
{
    sp_print(out, "%c  %s\n   environment %s, %s", letter, sp_words_text(r, SP_F_ID, "?"),
             sp_words_text(r, SP_F_ENV_KEY, "unknown"),
             sp_words_text(r, SP_F_ENV_IDENTITY_CPU, "CPU unknown"));
    const char *host = sp_words_text(r, SP_F_ENV_DETAIL_HOST, "");
    sp_print(out, "%s%s; ceilings of %s\n", *host ? ", host " : "", host,
             sp_words_text(r, SP_F_MACHINE_NAME, "?"));
}

/* The facts behind the key first, then the others. Returns how many of the key's differ. */
static int print_facts(FILE *out, const struct sp_differences *d)
{
    static const enum sp_record_field parts[] = {SP_F_ENV_IDENTITY, SP_F_ENV_DETAIL};
    int n = 0;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < d->n; i++) {
            const char *key = sp_difference_within(&d->one[i], parts[k]);
            if (!key)
                continue;
            n += k == 0;
            sp_print(out, "%-12s %-24s %s -> %s\n", k == 0 ? "differs" : "detail", key, d->one[i].a,
                     d->one[i].b);
        }
    return n;
}

static enum sp_status print_both(const struct sp_record *a, const struct sp_record *b, FILE *out,
                                 struct sp_error *err)
{
    struct sp_differences d;
    const enum sp_status status = sp_differences_find(a, b, false, &d, err);
    if (status != SP_OK)
        return status;
    print_side(out, 'A', a);
    print_side(out, 'B', b);
    const int n = print_facts(out, &d);
    sp_differences_free(&d);
    const char *key_a = sp_words_text(a, SP_F_ENV_KEY, ""), *key_b = sp_words_text(b, SP_F_ENV_KEY, "");
    if (!*key_a || !*key_b)
        fputs("a record does not say where it was measured: not comparable\n", out);
    else if (strcmp(key_a, key_b) == 0)
        fputs("the same environment: measurements can be compared\n", out);
    else if (n > 0)
        sp_print(out, "%d fact%s differ%s: not comparable\n", n, n == 1 ? "" : "s", n == 1 ? "s" : "");
    else
        fputs("the keys differ, of facts that the records do not list: not comparable\n", out);
    return *key_a && strcmp(key_a, key_b) == 0 ? SP_OK : SP_UNDECIDED;
}

/* Prints both environments and each fact that differs. SP_UNDECIDED: they differ, or a record does
 * not say where it was measured; SP_INPUT: one of them is no record. */
static enum sp_status environment_diff(const char *a, const char *b, FILE *out, struct sp_error *err)
{
    struct sp_record record[2] = {{0}, {0}};
    enum sp_status status = sp_record_read(a, &record[0], err);
    if (status == SP_OK)
        status = sp_record_read(b, &record[1], err);
    if (status == SP_OK)
        status = print_both(&record[0], &record[1], out, err);
    sp_record_free(&record[0]);
    sp_record_free(&record[1]);
    return status;
}

enum {
    KEY_QUICK = SP_KEY_PRIVATE,
    KEY_THREADS,
    KEY_ISA,
    KEY_NAME,
    KEY_BUDGET,
    KEY_SIZE,
    KEY_DEVICE,
    KEY_NETWORK,
    KEY_RENEW
};

struct options {
    struct sp_common_options common;
    const char *verb, *operand[2];
    int n_operands;
    const char *out, *network;
    bool on_gpu, renew;
    struct sp_measure_options measure;
};

static const struct argp_option options[] = {
    {"device", KEY_DEVICE, "cpu|gpu|opencl", 0,
     "measure: this machine's CPU (default), its first GPU or OpenCL device", 0},
    {"quick", KEY_QUICK, NULL, 0, "measure: at most about 10 s, 1 and all threads, fewer ceilings", 0},
    {"out", 'o', "FILE", 0, "measure: write the machine to FILE (its name is the machine's)", 0},
    {"threads", KEY_THREADS, "N", 0, "measure: up to N threads (default: one a core that is allowed)", 0},
    {"isa", KEY_ISA, "NAME", 0, "measure: avx512, avx2 or portable (default: the best here)", 0},
    {"name", KEY_NAME, "NAME", 0, "measure: name of the machine", 0},
    {"budget", KEY_BUDGET, "TIME", 0, "measure: measuring time (default 8s with --quick, else 90s)", 0},
    {"renew", KEY_RENEW, NULL, 0,
     "measure: forget what is remembered of this machine instead of adding to it", 0},
    {"network", KEY_NETWORK, "FILE", 0,
     "measure: latency and bandwidth between the ranks of an MPI job instead, into FILE: mpirun -n 2 spmodel "
     "machine measure --network FILE",
     0},
    {"size", KEY_SIZE, "BYTES", 0, "measure: working set of the memory level (default 256 MiB to 2 GiB)", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    double x;
    int place;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->common;
        return 0;
    case KEY_DEVICE:
        place = sp_pick_of(state, SP_OPTION_DEVICE, arg);
        o->on_gpu = place > 0;
        o->measure.gpu_api = place == 2 ? SP_GPU_OPENCL : SP_GPU_CUDA;
        return 0;
    case KEY_QUICK:
        o->measure.quick = true;
        return 0;
    case 'o':
        o->out = arg;
        return 0;
    case KEY_THREADS:
        o->measure.n_threads = sp_pick_threads(state, arg);
        return 0;
    case KEY_ISA:
        o->measure.isa = arg;
        return 0;
    case KEY_NAME:
        if (!*arg || strchr(arg, '/'))
            sp_usage_error(state, "--name takes a name without '/', not '%s'", arg);
        o->measure.name = arg;
        return 0;
    case KEY_BUDGET:
        if (sp_parse_seconds(arg, &x) || !(x > 0))
            sp_usage_error(state, "--budget takes a time such as 30s or 2m, not '%s'", arg);
        o->measure.budget_s = x;
        return 0;
    case KEY_NETWORK:
        o->network = arg;
        return 0;
    case KEY_RENEW:
        o->renew = true;
        return 0;
    case KEY_SIZE:
        if (sp_parse_bytes(arg, &x) || !(x >= 4 << 20) || x > 1e15)
            sp_usage_error(state, "--size takes 4MiB or more, up to 1000T, not '%s'", arg);
        o->measure.arena_B = (size_t)x;
        return 0;
    case ARGP_KEY_ARG:
        if (!o->verb)
            o->verb = arg;
        else if (o->n_operands < 2)
            o->operand[o->n_operands++] = arg;
        else
            sp_usage_error(state, "too many names: '%s'", arg);
        return 0;
    case ARGP_KEY_END:
        if (o->on_gpu && (o->measure.n_threads || o->measure.isa))
            sp_usage_error(state, "--threads and --isa are for CPUs, not for --device");
        if (o->network && (!o->verb || strcmp(o->verb, "measure") != 0))
            sp_usage_error(state, "--network is for `machine measure`");
        if (o->network &&
            (o->on_gpu || o->renew || o->out || o->measure.quick || o->measure.n_threads || o->measure.isa ||
             o->measure.name || o->measure.budget_s > 0 || o->measure.arena_B))
            sp_usage_error(state, "--network measures the network alone; leave the other options out");
        if (o->renew && (o->on_gpu || o->measure.isa || o->measure.arena_B))
            sp_usage_error(state,
                           "--renew is for this machine as it is: without --device gpu, --isa and --size");
        if (o->renew && (!o->verb || strcmp(o->verb, "measure") != 0))
            sp_usage_error(state, "--renew is for `machine measure`");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Reads the machine of that name; remarks go to stderr. */
static enum sp_status load(const struct options *o, const char *name, struct sp_machine *machine,
                           struct sp_error *err)
{
    struct sp_machine_paths paths;
    char path[1100], remarks[512];
    sp_machine_paths_find(&paths);
    if (strcmp(name, "this") == 0)
        return sp_machine_remembered(paths.cache, o->measure.n_threads, machine, err);
    enum sp_status status = sp_machine_file_find(name, paths.directory, path, sizeof path, err);
    if (status == SP_OK)
        status = sp_machine_file_read(path, machine, remarks, sizeof remarks, err);
    if (status == SP_OK && *remarks && o->common.verbosity >= 0)
        sp_print(stderr, "spmodel: remark: %s: %s\n", path, remarks);
    return status;
}

/* JSON to stdout or a file, as --json asks. */
static enum sp_status put_json(const char *where, const struct sp_machine *machine, struct sp_error *err)
{
    if (!sp_sink_is_stdout(where))
        return sp_machine_file_write(where, machine, err);
    char *text;
    enum sp_status status = sp_machine_to_json(machine, &text, err);
    if (status == SP_OK)
        fputs(text, stdout);
    free(text);
    return status;
}

static int fail(struct sp_machine *machine, const struct sp_error *err)
{
    sp_machine_free(machine);
    return sp_report_error(err);
}

static int run_list(const struct options *o)
{
    struct sp_machine_paths paths;
    int worst = 0, shown = 0;
    sp_machine_paths_find(&paths);
    if (o->common.json)
        fputs("[", stdout);
    for (int d = 0; paths.directory[d]; d++) {
        char **files;
        int n;
        struct sp_error err;
        if (sp_machine_file_list(paths.directory[d], &files, &n, &err) != SP_OK)
            return sp_report_error(&err);
        for (int i = 0; i < n; i++) {
            struct sp_machine m;
            if (sp_machine_file_read(files[i], &m, NULL, 0, &err) != SP_OK) {
                worst = sp_worse_exit(worst, sp_report_error(&err));
                continue;
            }
            if (o->common.json) {
                char *text = NULL;
                if (sp_machine_to_json(&m, &text, &err) == SP_OK)
                    sp_print(stdout, "%s%s", shown ? "," : "", text);
                free(text);
            } else {
                if (shown == 0)
                    puts("name             kind cores domains memory roof, GB/s   origin");
                sp_machine_list_line(stdout, &m, o->common.verbosity > 0);
                if (o->common.verbosity > 0)
                    sp_print(stdout, "    %s\n", files[i]);
            }
            shown++;
            sp_machine_free(&m);
        }
        sp_machine_file_unlist(files, n);
    }
    if (o->common.json)
        fputs("]\n", stdout);
    else if (shown == 0)
        puts("no described machine was found: `spmodel machine measure --out FILE` describes this one");
    else if (o->common.verbosity == 0)
        puts("domains: sockets/NUMA/caches; -v: all of each origin");
    return worst;
}

static int run_show(const struct options *o)
{
    struct sp_machine m = {0};
    struct sp_error err;
    if (load(o, o->operand[0], &m, &err) != SP_OK)
        return fail(&m, &err);
    if (o->common.json) {
        if (put_json(o->common.json, &m, &err) != SP_OK)
            return fail(&m, &err);
    } else {
        sp_machine_print(stdout, &m, o->common.verbosity > 0);
    }
    sp_machine_free(&m);
    return 0;
}

/* Of two records: where they were measured. */
static int run_diff_records(const struct options *o)
{
    struct sp_error err;
    const enum sp_status status = environment_diff(o->operand[0], o->operand[1], stdout, &err);
    return status == SP_OK || status == SP_UNDECIDED ? sp_exit_code(status) : sp_report_error(&err);
}

static int run_diff(const struct options *o)
{
    struct sp_machine a = {0}, b = {0};
    struct sp_error err;
    const bool record[2] = {is_record_file(o->operand[0]), is_record_file(o->operand[1])};
    if (record[0] && record[1])
        return run_diff_records(o);
    if (record[0] || record[1]) {
        sp_fail(&err, SP_USAGE, "two machines, or two records", "'%s' is a record and '%s' is none",
                o->operand[record[0] ? 0 : 1], o->operand[record[0] ? 1 : 0]);
        return sp_report_error(&err);
    }
    if (load(o, o->operand[0], &a, &err) != SP_OK || load(o, o->operand[1], &b, &err) != SP_OK) {
        sp_machine_free(&a);
        return fail(&b, &err);
    }
    int common = sp_machine_print_difference(stdout, &a, &b);
    sp_machine_free(&a);
    sp_machine_free(&b);
    return common > 0 ? 0 : sp_exit_code(SP_UNDECIDED);
}

/* The machine's name is its file's. */
static void name_after_file(const char *path, char *name, size_t size)
{
    const char *slash = strrchr(path, '/');
    snprintf(name, size, "%.60s", slash ? slash + 1 : path);
    char *dot = strrchr(name, '.');
    if (dot && strcmp(dot, ".json") == 0)
        *dot = '\0';
}

/* What was asked for under its own conditions (size, instructions) is not what analyses use. */
static void remember(const struct options *o, struct sp_machine *measured)
{
    struct sp_machine_paths paths;
    struct sp_error err;
    struct sp_machine sum;
    struct sp_cpuid cpu;
    sp_machine_paths_find(&paths);
    if (o->on_gpu || o->measure.isa || o->measure.arena_B || !paths.cache)
        return;
    if (o->renew)
        sp_machine_forget(paths.cache, measured->env_key);
    if (sp_machine_copy(measured, &sum, &err) != SP_OK)
        return;
    sp_cpuid_read("", &cpu); /* --name and --out are the file's */
    sp_measure_name(cpu.model, sum.n_cores, sum.name, sizeof sum.name);
    if (sp_machine_remember(paths.cache, o->measure.n_threads, &sum, &err) == SP_OK)
        sp_capacity_merge(measured, &sum);
    else if (o->common.verbosity >= 0)
        sp_print(stderr, "spmodel: remark: not remembered for analyses: %s\n", err.what);
    sp_machine_free(&sum);
}

/* ---- a network, by all ranks of a job ---- */

static void print_path(const char *what, const struct sp_network_path *p)
{
    char latency[32], bandwidth[32], rendezvous[32], size[32];
    if (!sp_value_known(p->latency_s))
        return;
    sp_print(stdout, "%s: latency %s, %s/s of a rank", what,
             sp_text_seconds(latency, sizeof latency, p->latency_s.value),
             sp_text_bytes(bandwidth, sizeof bandwidth, p->rank_Bps.value));
    if (p->rendezvous_B > 0)
        sp_print(stdout, ", %s more from %s on",
                 sp_text_seconds(rendezvous, sizeof rendezvous, p->rendezvous_s.value),
                 sp_text_bytes(size, sizeof size, p->rendezvous_B));
    if (sp_value_known(p->node_Bps))
        sp_print(stdout, ", %s/s of all ranks together",
                 sp_text_bytes(bandwidth, sizeof bandwidth, p->node_Bps.value));
    fputs("   measured\n", stdout);
}

static void print_points(const struct sp_network_points *p, const struct sp_network_path *path)
{
    char size[32], time[32], model[32];
    sp_print(stdout, "  %10s %10s %10s\n", "bytes", "measured", "modelled");
    for (int i = 0; i < p->n; i++) {
        const struct sp_messages one = {1, path->rendezvous_B > 0 && p->size_B[i] >= path->rendezvous_B,
                                        p->size_B[i], p->size_B[i]};
        sp_print(stdout, "  %10s %10s %10s\n", sp_text_bytes(size, sizeof size, p->size_B[i]),
                 sp_text_seconds(time, sizeof time, p->time_s[i]),
                 sp_text_seconds(model, sizeof model, sp_messages_time(path, &one)));
    }
}

static enum sp_status put_network(const struct options *o, const struct sp_network_points *points,
                                  struct sp_network *n, struct sp_error *err)
{
    const bool to_stdout = sp_sink_is_stdout(o->common.json);
    name_after_file(o->network, n->name, sizeof n->name);
    enum sp_status status = sp_network_file_write(o->network, n, err);
    if (status == SP_OK && to_stdout)
        return sp_put_json(sp_network_json(n), JSON_INDENT(1) | JSON_REAL_PRECISION(6), stdout, err);
    if (status == SP_OK && o->common.json)
        status = sp_network_file_write(o->common.json, n, err);
    if (status != SP_OK || o->common.verbosity < 0)
        return status;
    print_path("inside a node", &n->within);
    print_path("between nodes", &n->between);
    if (o->common.verbosity > 0)
        print_points(points, sp_value_known(n->within.latency_s) ? &n->within : &n->between);
    sp_print(stdout, "saved %s\n", o->network);
    return SP_OK;
}

static int run_network(const struct options *o)
{
    static const double patience_s = 120;
    const char *const file[2] = {o->network, sp_sink_is_stdout(o->common.json) ? NULL : o->common.json};
    struct sp_error err;
    struct sp_mpi_job job;
    struct sp_network network;
    struct sp_network_points points;
    enum sp_status status = sp_mpi_job_begin(patience_s, &job, &err);
    if (status != SP_OK)
        return sp_mpi_job_report_in_turn(&err);
    const bool first = job.world.rank == 0;
    status = sp_mpi_agree(job.mpi, &job.world, first ? sp_outputs_claim(file, 2, &err) : SP_OK, &err);
    if (status == SP_OK) {
        sp_mpi_job_wait(NULL, "measuring the network");
        status = sp_network_measure(job.mpi, &job.world, &points, &network, &err);
        if (status == SP_OK && first)
            status = put_network(o, &points, &network, &err);
        status = sp_mpi_agree(job.mpi, &job.world, status, &err);
    }
    sp_mpi_job_end(&job);
    return status == SP_OK ? 0 : sp_mpi_job_report(&err);
}

static int run_measure(struct options *o)
{
    if (o->network)
        return run_network(o);
    char name[64];
    struct sp_machine m = {0};
    struct sp_error err;
    if (o->out && !o->measure.name) {
        name_after_file(o->out, name, sizeof name);
        o->measure.name = name;
    }
    if (o->out) { /* a place that cannot be written shows before the work is done */
        struct sp_atomic_file file;
        if (sp_outputs_claim(&o->out, 1, &err) != SP_OK || sp_atomic_open(o->out, &file, &err) != SP_OK)
            return fail(&m, &err);
        sp_atomic_abort(&file);
    }
    if (o->common.json && !sp_sink_is_stdout(o->common.json) &&
        sp_outputs_claim(&o->common.json, 1, &err) != SP_OK)
        return fail(&m, &err);
    struct sp_terminal terminal;
    struct sp_measure_notes notes;
    struct sp_progress progress = sp_terminal_open(&terminal, o->common.verbosity);
    enum sp_status status =
        (o->on_gpu ? sp_machine_measure_gpu : sp_machine_measure)(&o->measure, &m, &notes, &progress, &err);
    sp_terminal_clear(&terminal);
    if (status == SP_OK)
        remember(o, &m);
    if (status == SP_OK && o->out)
        status = sp_machine_file_write(o->out, &m, &err);
    if (status == SP_OK && o->common.json)
        status = put_json(o->common.json, &m, &err);
    if (status != SP_OK)
        return fail(&m, &err);
    if (!o->common.json)
        sp_machine_print(stdout, &m, o->common.verbosity > 0);
    if (o->common.verbosity >= 0)
        sp_machine_print_notes(stderr, &notes);
    if (o->out && o->common.verbosity >= 0)
        sp_print(stderr, "saved %s\n", o->out);
    sp_machine_free(&m);
    return 0;
}

static const struct argp_child children[] = {{&sp_common_json_argp, 0, "Common options:", 90}, {0}};
static const struct argp argp = {
    options, parse, .args_doc = "list\nshow NAME\nmeasure\ndiff A B",
    .doc = "Described machines: their caches and ceilings, each number with its origin.\v"
           "NAME is a file, a name from `list`, or `this`: what analyses remember of this machine, to which "
           "each measurement is added (--renew: which it replaces); of two records, diff compares where they "
           "were measured. Bandwidths count the bytes that cross the level's interface; plain stores count "
           "twice outside L1, because a store that misses first reads its line.",
    .children = children};

static int run(int argc, char **argv)
{
    struct options o = {0};
    sp_parse(&argp, argc, argv, &o);
    static const struct {
        const char *verb;
        int n_operands;
    } verbs[] = {{"list", 0}, {"show", 1}, {"measure", 0}, {"diff", 2}};
    for (int i = 0; o.verb && i < 4; i++) {
        if (strcmp(o.verb, verbs[i].verb) != 0)
            continue;
        if (o.n_operands != verbs[i].n_operands) {
            struct sp_error err;
            sp_fail(&err, SP_USAGE,
                    verbs[i].n_operands > 0
                        ? "spmodel machine list has the names; `this` is what is remembered"
                        : "give it no name",
                    "`spmodel machine %s` takes %d name%s, %d given", o.verb, verbs[i].n_operands,
                    verbs[i].n_operands == 1 ? "" : "s", o.n_operands);
            return sp_report_error(&err);
        }
        return i == 0 ? run_list(&o) : i == 1 ? run_show(&o) : i == 2 ? run_measure(&o) : run_diff(&o);
    }
    struct sp_suggestion s = sp_suggestion_begin(o.verb ? o.verb : "");
    for (int i = 0; o.verb && i < 4; i++)
        sp_suggestion_offer(&s, verbs[i].verb, verbs[i].verb);
    struct sp_error err;
    sp_fail(&err, SP_USAGE, "spmodel machine list, show NAME, measure, or diff A B", "machine %s%s%s%s%s%s",
            o.verb ? "has no verb '" : "needs a verb", o.verb ? o.verb : "", o.verb ? "'" : "",
            s.shown ? "; did you mean '" : "", s.shown ? s.shown : "", s.shown ? "'?" : "");
    return sp_report_error(&err);
}

static const struct sp_example examples[] = {
    {"spmodel machine list", "the described machines", NULL},
    {"spmodel machine show icx-8360y", "one of them, every number with its origin", NULL},
    {"spmodel machine measure --quick --out this.json", "the ceilings of this machine", NULL},
    {"spmodel machine measure --quick --renew", "the same for all later analyses, whatever was remembered",
     NULL},
    {"spmodel machine show this",
     "what is remembered, when it was measured, and what it is worth; exit code 4: nothing yet", "0 4"},
    {"spmodel machine diff a100-sxm4-40gb h100-pcie-80gb", "two of them side by side", NULL},
    {"spmodel machine diff before.json after.json",
     "where two records were measured; exit code 5: not in the same place", "0 5"},
    {0},
};

const struct sp_command sp_cmd_machine = {
    .name = "machine",
    .arguments = "list | show NAME | measure | diff A B",
    .summary = "described machines; measure this one's ceilings",
    .run = run,
    .page = {&argp, examples, "5", "model doctor machine-files provenance"},
    .is_measuring = true,
};
