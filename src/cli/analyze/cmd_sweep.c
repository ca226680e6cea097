/* spmodel sweep: which configuration is the fastest for this matrix on this machine. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/analyze/analyze_output.h"
#include "cli/core/command.h"
#include "cli/core/options.h"
#include "cli/core/stage.h"
#include "io/matrix/matrix_load.h"
#include "session/sweep/record_sweep.h"
#include "sys/machine/pages.h"

enum {
    KEY_FORMAT = SP_KEY_PRIVATE,
    KEY_C,
    KEY_SIGMA,
    KEY_REORDER,
    KEY_SCHEDULE,
    KEY_PRECISION,
    KEY_INDEX,
    KEY_RHS,
    KEY_STORE,
    KEY_PREFETCH,
    KEY_BUDGET,
    KEY_POINT,
    KEY_EXHAUSTIVE,
    KEY_COLD,
    KEY_MACHINE,
    KEY_NO_PLOTS
};

static const struct argp_option options[] = {
    {NULL, 0, NULL, 0,
     "What is scanned (comma-separated; the first value of each is the run that others are compared with):",
     1},
    {"format", KEY_FORMAT, "LIST", 0,
     "Default crs,sell:8,1,sell:8,64,sell:32,1,sell:32,256,sellu:8,1, of symmetric matrices also half, of "
     "wide ones striped",
     1},
    {"chunk", KEY_C, "LIST", 0, "With --sigma: adds sell:C,SIGMA for every C and SIGMA that go together", 1},
    {"sigma", KEY_SIGMA, "LIST", 0, "Sorting scopes for --chunk (default 1,64,256,4096)", 1},
    {"reorder", KEY_REORDER, "LIST", 0, "Default none,rcm for square matrices", 1},
    {"threads", 't', "LIST", 0, "Default: all cores, then half of them, ..., 1", 1},
    {"schedule", KEY_SCHEDULE, "LIST", 0, "Default nnz,cyclic:64,merge", 1},
    {"precision", KEY_PRECISION, "LIST", 0, "Default f64 (c128 for complex matrices)", 1},
    {"index", KEY_INDEX, "LIST", 0, "Default i32,d16", 1},
    {"rhs", KEY_RHS, "LIST", 0, "SpMMV with these numbers of vectors; times are for the work of the run", 1},
    {"prefetch", KEY_PREFETCH, "LIST", 0, "Entries by which x is prefetched ahead, for example 0,64", 1},
    {"store", KEY_STORE, "LIST", 0, "plain, nt; default: as the program chooses", 1},
    {NULL, 0, NULL, 0, "How:", 2},
    {"budget", KEY_BUDGET, "T", 0, "Measuring time of all rows together, for example 5m (default 1m)", 2},
    {"point", KEY_POINT, "T", 0, "Time for the samples of one point (default 400ms)", 2},
    {"exhaustive", KEY_EXHAUSTIVE, NULL, 0, "Measure every combination, however long it takes", 2},
    {"cold", KEY_COLD, NULL, 0, "Caches are emptied before each execution", 2},
    {"machine", KEY_MACHINE, "M", 0,
     "Ceilings from a machine file or a name; default: this machine, measured once", 2},
    {"out", 'o', "DIR", 0, "Directory for the record (default: this one)", 3},
    {0},
};

struct arguments {
    struct sp_common_options common;
    struct sp_output_options output;
    struct sp_sweep_options sweep;
    struct sp_analyze_options run;
    const char *list[SP_MAX_AXES]; /* as typed, NULL: the default; by enum axis */
    const char *chunks, *sigmas, *matrix, *machine;
};

enum axis { REORDER, FORMAT, PRECISION, INDEX, RHS, STORE, PREFETCH, SCHEDULE, THREADS, N_AXES };

/* Orders first, then what is stored, then who does it. */
static const struct {
    const char *option;
    int group;
} axes[N_AXES] = {
    {"--reorder", 0}, {"--format", 1},   {"--precision", 1}, {"--index", 1},   {"--rhs", 1},
    {"--store", 1},   {"--prefetch", 1}, {"--schedule", 2},  {"--threads", 2},
};

static void set_time(struct argp_state *state, const char *option, const char *arg, double *out)
{
    if (sp_parse_seconds(arg, out) || *out <= 0)
        sp_usage_error(state, "--%s takes a time such as 5m, 30s or 200ms, not '%s'", option, arg);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    static const enum axis axis_of[] = {
        [KEY_FORMAT - SP_KEY_PRIVATE] = FORMAT,     [KEY_REORDER - SP_KEY_PRIVATE] = REORDER,
        [KEY_SCHEDULE - SP_KEY_PRIVATE] = SCHEDULE, [KEY_PRECISION - SP_KEY_PRIVATE] = PRECISION,
        [KEY_INDEX - SP_KEY_PRIVATE] = INDEX,       [KEY_RHS - SP_KEY_PRIVATE] = RHS,
        [KEY_STORE - SP_KEY_PRIVATE] = STORE,       [KEY_PREFETCH - SP_KEY_PRIVATE] = PREFETCH};
    struct arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->common;
        return 0;
    case KEY_FORMAT:
    case KEY_REORDER:
    case KEY_SCHEDULE:
    case KEY_PRECISION:
    case KEY_INDEX:
    case KEY_RHS:
    case KEY_STORE:
    case KEY_PREFETCH:
        a->list[axis_of[key - SP_KEY_PRIVATE]] = arg;
        return 0;
    case 't':
        a->list[THREADS] = arg;
        return 0;
    case KEY_C:
        a->chunks = arg;
        return 0;
    case KEY_SIGMA:
        a->sigmas = arg;
        return 0;
    case KEY_BUDGET:
        set_time(state, "budget", arg, &a->sweep.budget_s);
        return 0;
    case KEY_POINT:
        set_time(state, "point", arg, &a->sweep.point_s);
        return 0;
    case KEY_EXHAUSTIVE:
        a->sweep.exhaustive = true;
        return 0;
    case KEY_COLD:
        a->run.state = SP_COLD;
        return 0;
    case KEY_MACHINE:
        a->machine = a->run.machine_name = arg;
        return 0;
    case 'o':
        a->output.directory = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 0)
            sp_usage_error(state, "one matrix, please; '%s' is a second one", arg);
        a->matrix = arg;
        return 0;
    case ARGP_KEY_END:
        if (!a->matrix)
            sp_usage_error(state, "give a matrix: a .mtx file, - for standard input, or gen:KIND");
        if (a->sigmas && !a->chunks)
            sp_usage_error(state, "--sigma goes with --chunk");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static bool is_there(const struct sp_sweep_axis *axis, const char *value)
{
    for (int i = 0; i < axis->n; i++)
        if (strcmp(axis->value[i], value) == 0)
            return true;
    return false;
}

/* sell:C,SIGMA for all that go together, behind the formats that are there. */
static enum sp_status add_chunks(const char *chunks, const char *sigmas, struct sp_sweep_axis *formats,
                                 struct sp_error *err)
{
    struct sp_sweep_axis C, sigma;
    enum sp_status status = sp_sweep_axis_parse("--chunk", 0, chunks, &C, err);
    if (status == SP_OK)
        status = sp_sweep_axis_parse("--sigma", 0, sigmas, &sigma, err);
    for (int i = 0; status == SP_OK && i < C.n; i++)
        for (int k = 0; status == SP_OK && k < sigma.n; k++) {
            int64_t c = 0, s = 0;
            char value[sizeof formats->value[0]];
            if (sp_parse_count(C.value[i], &c) || sp_parse_count(sigma.value[k], &s) || c < 1 || s < 1 ||
                c > INT32_MAX || s > INT32_MAX)
                return sp_fail(err, SP_USAGE, NULL,
                               "--chunk and --sigma take whole numbers, not '%s' and '%s'", C.value[i],
                               sigma.value[k]);
            snprintf(value, sizeof value, "sell:%d,%d", (int)c, (int)s);
            if ((s > 1 && s % c != 0) || is_there(formats, value))
                continue;
            if (formats->n == SP_MAX_AXIS_VALUES)
                return sp_fail(err, SP_USAGE, "scan fewer of them", "more than %d formats",
                               SP_MAX_AXIS_VALUES);
            strcpy(formats->value[formats->n++], value);
        }
    return status;
}

/* "8,4,2,1". */
static const char *thread_list(int n, char *text, size_t size)
{
    text[0] = '\0';
    for (; n >= 1; n /= 2) {
        const size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%d", used ? "," : "", n);
    }
    return text;
}

/* Formats to sweep where none are named: half storage of what is symmetric, stripes where x has several. */
static const char *format_list(const struct arguments *a, const struct sp_subject *subject, char *text,
                               size_t size)
{
    const struct sp_csr *matrix = &subject->matrix;
    const struct sp_estimate *s = &subject->structure.value_symmetry;
    const bool symmetric = s->known && s->value >= 1 && s->error == 0;
    if (sp_csr_is_complex(matrix))
        return "crs";
    if (a->list[RHS])
        return "crs,sell:8,1,sell:8,64,sell:32,256";
    snprintf(text, size, "crs,sell:8,1,sell:8,64,sell:32,1,sell:32,256,sellu:8,1%s%s",
             symmetric ? ",half" : "", matrix->n_c > 2 * SP_DEFAULT_STRIPE ? ",striped" : "");
    return text;
}

/* The axes and the run that their first values make. */
static enum sp_status settle(struct arguments *a, const struct sp_subject *subject, struct sp_error *err)
{
    const struct sp_csr *matrix = &subject->matrix;
    const bool square = matrix->n_r == matrix->n_c, complex = sp_csr_is_complex(matrix);
    char threads[96], formats[96];
    const char *defaults[N_AXES] = {
        [REORDER] = square ? "none,rcm" : "none",
        [FORMAT] = format_list(a, subject, formats, sizeof formats),
        [INDEX] = a->list[RHS] || complex ? NULL : "i32,d16",
        [SCHEDULE] = "nnz,cyclic:64,merge",
        [THREADS] = thread_list(sp_topology_default_threads(a->run.topology), threads, sizeof threads),
    };
    enum sp_status status = SP_OK;
    a->sweep.n_axes = 0;
    for (int i = 0; i < N_AXES && status == SP_OK; i++) {
        const char *list = a->list[i] ? a->list[i] : defaults[i];
        struct sp_sweep_axis *axis = &a->sweep.axis[a->sweep.n_axes];
        if (!list)
            continue;
        status = sp_sweep_axis_parse(axes[i].option, axes[i].group, list, axis, err);
        a->sweep.n_axes++;
        if (status == SP_OK && i == FORMAT && a->chunks)
            status = add_chunks(a->chunks, a->sigmas ? a->sigmas : "1,64,256,4096", axis, err);
    }
    return status;
}

/* Every value must be one that its option takes: said before anything is run. */
static enum sp_status check_values(const struct sp_sweep_options *o, struct sp_error *err)
{
    for (int i = 0; i < o->n_axes; i++)
        for (int k = 0; k < o->axis[i].n; k++) {
            char change[80];
            snprintf(change, sizeof change, "%s %s", o->axis[i].option, o->axis[i].value[k]);
            enum sp_status status = sp_variant_check(change, err);
            if (status != SP_OK)
                return status;
        }
    return SP_OK;
}

/* What the first values of the axes say, in the run's options. */
static void take_first(struct arguments *a, struct sp_variant *first)
{
    *first = sp_variant_none();
    for (int i = 0; i < a->sweep.n_axes; i++) {
        char change[80];
        snprintf(change, sizeof change, "%s %s", a->sweep.axis[i].option, a->sweep.axis[i].value[0]);
        sp_variant_add(first, change, NULL); /* checked */
    }
    a->run = sp_variant_options(first, &a->run);
    if (first->r > 0)
        a->run.op = SP_OP_SPMMV;
}

static int sweep(struct arguments *a, struct sp_subject *subject, const struct sp_progress *progress,
                 struct sp_terminal *terminal)
{
    struct sp_error err;
    struct sp_sweep result = {0};
    struct sp_record record = {0};
    enum sp_status status = sp_sweep_run(subject, &a->run, &a->sweep, progress, &result, &err), made = SP_OK;
    sp_terminal_clear(terminal);
    int code = status == SP_OK ? 0 : sp_report_error(&err);
    if (result.n > 0)
        made = sp_record_new(subject->name, &record, &err);
    if (result.n > 0 && made == SP_OK) {
        sp_record_set_text(&record, "status", status == SP_OK ? "complete" : "interrupted");
        sp_record_sweep(&record, subject, &a->run, &result, a->sweep.budget_s);
        code = sp_worse_exit(code, sp_output_record(&record, &a->output, &a->common));
    }
    sp_record_free(&record);
    sp_sweep_free(&result);
    return made == SP_OK ? code : sp_report_error(&err);
}

static int run_matrix(struct arguments *a, const struct sp_progress *progress, struct sp_terminal *terminal)
{
    struct sp_error err;
    struct sp_subject subject;
    struct sp_variant first;
    struct sp_watch watch = {progress, "reading the matrix"};
    struct sp_load_options load = {.n_threads = sp_topology_default_threads(a->run.topology),
                                   .allocator = &sp_allocator_huge,
                                   .use = SP_LOAD_ANALYSIS,
                                   .memory_limit_B = a->run.memory_B,
                                   .progress = sp_watch_show,
                                   .interrupted = sp_watch_stop,
                                   .context = &watch};
    const char *order = a->list[REORDER];
    char first_order[48];
    snprintf(first_order, sizeof first_order, "%.*s", order ? (int)strcspn(order, ",") : 4,
             order ? order : "none");
    enum sp_status status = sp_subject_open(a->matrix, &load, NULL, progress, &subject, &err);
    if (status == SP_OK)
        status = sp_subject_reorder(&subject, first_order, load.allocator, progress, &err);
    sp_terminal_clear(terminal);
    if (status == SP_OK)
        status = settle(a, &subject, &err);
    if (status == SP_OK)
        status = check_values(&a->sweep, &err);
    int code;
    if (status == SP_OK) {
        take_first(a, &first);
        code = sweep(a, &subject, progress, terminal);
    } else {
        code = sp_report_error(&err);
    }
    sp_subject_free(&subject);
    return code;
}

static int run_all(struct arguments *a)
{
    struct sp_error err;
    struct sp_stage stage;
    a->run.seed = a->common.seed;
    if (sp_stage_open(SP_STAGE_CPU, a->machine, a->common.verbosity, &a->run, &stage, &err) != SP_OK)
        return sp_report_error(&err);
    int code = run_matrix(a, &stage.progress, &stage.terminal);
    sp_stage_close(&stage);
    return code;
}

static const struct argp_child children[] = {
    {&sp_common_seed_argp, 0, "Common options:", 90}, {&sp_memory_argp, 0, NULL, 90}, {0}};
static const struct argp argp = {options,
                                 parse,
                                 "MATRIX",
                                 "Measures configurations beside each other and names the best: orders, "
                                 "formats, schedules, threads. What the "
                                 "model shows to be slower than the best so far is left out and listed; "
                                 "differences within the noise are "
                                 "ties.\v"
                                 "Groups are scanned one after the other, each around the best so far: "
                                 "orders; formats with precisions, "
                                 "indices and vectors; schedules with threads.",
                                 children,
                                 NULL,
                                 NULL};

static int run(int argc, char **argv)
{
    struct arguments a = {.sweep = {.budget_s = 60, .point_s = 0.4},
                          .run = {.format = "crs",
                                  .schedule = "nnz",
                                  .precision = -1,
                                  .budget_s = 1.5,
                                  .max_samples = 60,
                                  .no_hints = true},
                          .output = {.directory = ".", .no_plots = true}};
    char command[4096];
    sp_join_command(argc, argv, command, sizeof command);
    a.run.command = command;
    sp_parse(&argp, argc, argv, &a);
    int code = sp_output_open(&a.output, &a.common);
    return code ? code : sp_output_close(&a.output, &a.common, run_all(&a));
}

static const struct sp_example examples[] = {
    {"spmodel sweep --budget 10s matrix.mtx", "what is the fastest, as far as 10 seconds tell", "0 5"},
    {"spmodel sweep --chunk 8,32 --sigma 1,256 --threads 1 --exhaustive matrix.mtx",
     "every SELL-C-sigma of these beside CRS, on one thread", "0 5"},
    {0},
};

extern const struct sp_command sp_cmd_sweep;
const struct sp_command sp_cmd_sweep = {
    .name = "sweep",
    .arguments = "MATRIX",
    .summary = "measure formats, orders, schedules and threads beside each other",
    .run = run,
    .page = {&argp, examples, "5 6", "analyze reorder formats"},
};
