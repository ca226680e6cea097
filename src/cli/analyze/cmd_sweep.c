/* spmodel sweep: which configuration is the fastest for this matrix on this machine. */
#include <assert.h>
#include <string.h>

#include "base/text.h"
#include "cli/analyze/analyze_output.h"
#include "cli/analyze/run_options.h"
#include "cli/core/command.h"
#include "cli/core/options.h"
#include "cli/core/terminal.h"
#include "session/sweep/sweep.h"
#include "sparse/formats/format.h"
#include "sys/machine/pages.h"

enum { KEY_C = SP_KEY_PRIVATE, KEY_SIGMA, KEY_POINT, KEY_EXHAUSTIVE };

#define SWEPT "crs,sell:8,1,sell:8,64,sell:32,1,sell:32,256,sellu:8,1"
static const char formats_help[] = "Default " SWEPT
#define SPMV_FORMAT(ID, NAME, NUMBERS, NOTE, SWEPT_TOO, ...) SWEPT_TOO
#include "base/option/formats.inc"
    ;

static const struct argp_option options[] = {
    {NULL, 0, NULL, 0,
     "What is scanned (comma-separated; the first value of each is the run that others are compared with):",
     1},
    {&SP_O_FORMAT[2], SP_KEY_OF(FORMAT), "LIST", 0, formats_help, 1},
    {"chunk", KEY_C, "LIST", 0, "With --sigma: adds sell:C,SIGMA for every C and SIGMA that go together", 1},
    {"sigma", KEY_SIGMA, "LIST", 0, "Sorting scopes for --chunk (default 1,64,256,4096)", 1},
    {&SP_O_REORDER[2], SP_KEY_OF(REORDER), "LIST", 0, "Default none,rcm for square matrices", 1},
    {&SP_O_THREADS[2], 't', "LIST", 0, "Default: all cores, then half of them, ..., 1", 1},
    {&SP_O_SCHEDULE[2], SP_KEY_OF(SCHEDULE), "LIST", 0, "Default nnz,cyclic:64,merge", 1},
    {&SP_O_PRECISION[2], SP_KEY_OF(PRECISION), "LIST", 0, "Default f64 (c128 for complex matrices)", 1},
    {&SP_O_INDEX[2], SP_KEY_OF(INDEX), "LIST", 0, "Default i32,d16", 1},
    {&SP_O_RHS[2], SP_KEY_OF(RHS), "LIST", 0,
     "SpMMV with these numbers of vectors; times are for the work of the run", 1},
    {&SP_O_PREFETCH[2], SP_KEY_OF(PREFETCH), "LIST", 0,
     "Entries by which x is prefetched ahead, for example 0,64", 1},
    {&SP_O_STORE[2], SP_KEY_OF(STORE), "LIST", 0, "plain, nt; default: as the program chooses", 1},
    {NULL, 0, NULL, 0, "How:", 2},
    {&SP_O_BUDGET[2], SP_KEY_OF(BUDGET), "T", 0,
     "Measuring time of all rows together, for example 5m (default 1m)", 2},
    {"point", KEY_POINT, "T", 0, "Time for the samples of one point (default 400ms)", 2},
    {"exhaustive", KEY_EXHAUSTIVE, NULL, 0, "Measure every combination, however long it takes", 2},
    {&SP_O_COLD[2], SP_KEY_OF(COLD), NULL, 0, "Caches are emptied before each execution", 2},
    {&SP_O_MACHINE[2], SP_KEY_OF(MACHINE), "M", 0,
     "Ceilings from a machine file or a name; default: this machine, measured once", 2},
    {"out", 'o', "DIR", 0, "Directory for the record (default: this one)", 3},
    {0},
};

struct arguments {
    struct sp_common_options common;
    struct sp_output_options output;
    struct sp_sweep_options sweep;
    struct sp_analyze_options run;
    const char *list[SP_N_OPTIONS]; /* as typed, NULL: the default */
    const char *chunks, *sigmas, *matrix, *machine;
};

/* Orders first, then what is stored, then who does it. */
static const struct {
    enum sp_option option;
    int group;
} axes[] = {
    {SP_OPTION_REORDER, 0},  {SP_OPTION_FORMAT, 1},   {SP_OPTION_PRECISION, 1},
    {SP_OPTION_INDEX, 1},    {SP_OPTION_RHS, 1},      {SP_OPTION_STORE, 1},
    {SP_OPTION_PREFETCH, 1}, {SP_OPTION_SCHEDULE, 2}, {SP_OPTION_THREADS, 2},
};
enum { N_AXES = sizeof axes / sizeof *axes };
static_assert(sizeof axes / sizeof *axes <= SP_MAX_AXES, "SP_MAX_AXES is too small");

static void set_time(struct argp_state *state, const char *option, const char *arg, double *out)
{
    if (sp_parse_seconds(arg, out) || *out <= 0)
        sp_usage_error(state, "--%s takes a time such as 5m, 30s or 200ms, not '%s'", option, arg);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *a = state->input;
    const enum sp_option option = sp_option_of_key(key);
    for (int i = 0; i < N_AXES; i++)
        if (axes[i].option == option) {
            a->list[option] = arg;
            return 0;
        }
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->common;
        return 0;
    case KEY_C:
        a->chunks = arg;
        return 0;
    case KEY_SIGMA:
        a->sigmas = arg;
        return 0;
    case SP_KEY_OF(BUDGET):
        set_time(state, "budget", arg, &a->sweep.budget_s);
        return 0;
    case KEY_POINT:
        set_time(state, "point", arg, &a->sweep.point_s);
        return 0;
    case KEY_EXHAUSTIVE:
        a->sweep.exhaustive = true;
        return 0;
    case SP_KEY_OF(COLD):
        a->run.state = SP_COLD;
        return 0;
    case SP_KEY_OF(MACHINE):
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
    struct sp_sweep_axis C = {.option = SP_N_OPTIONS}, sigma = C;
    bool any = false;
    enum sp_status status = sp_sweep_axis_parse("--chunk", chunks, &C, err);
    if (status == SP_OK)
        status = sp_sweep_axis_parse("--sigma", sigmas, &sigma, err);
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
            if (s > 1 && s % c != 0)
                continue;
            any = true;
            if (is_there(formats, value))
                continue;
            if (formats->n == SP_MAX_AXIS_VALUES)
                return sp_fail(err, SP_USAGE, "scan fewer of them", "more than %d formats",
                               SP_MAX_AXIS_VALUES);
            strcpy(formats->value[formats->n++], value);
        }
    if (status == SP_OK && !any)
        return sp_fail(err, SP_USAGE, "SIGMA is 1 or a multiple of C",
                       "no SIGMA of %s goes with a C of --chunk %s", sigmas, chunks);
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

/* Formats to sweep where none are named. */
static const char *format_list(const struct arguments *a, const struct sp_subject *subject, char *text,
                               size_t size)
{
    const struct sp_csr *matrix = &subject->matrix;
    const struct sp_estimate *s = &subject->structure.value_symmetry;
    const bool symmetric = s->known && s->value >= 1 && s->error == 0;
    if (sp_csr_is_complex(matrix))
        return "crs";
    if (a->list[SP_OPTION_RHS])
        return "crs,sell:8,1,sell:8,64,sell:32,256";
    snprintf(text, size, SWEPT);
    for (int i = 0; i < sp_n_formats; i++)
        if (sp_format_kinds[i]->is_swept && sp_format_kinds[i]->is_swept(matrix, symmetric))
            snprintf(text + strlen(text), size - strlen(text), ",%s", sp_format_kinds[i]->name);
    return text;
}

/* The axes and the run that their first values make. */
static enum sp_status settle(struct arguments *a, const struct sp_subject *subject, struct sp_error *err)
{
    const struct sp_csr *matrix = &subject->matrix;
    const bool square = matrix->n_r == matrix->n_c, complex = sp_csr_is_complex(matrix);
    char threads[96], formats[96];
    const char *defaults[SP_N_OPTIONS] = {
        [SP_OPTION_REORDER] = square ? "none,rcm" : "none",
        [SP_OPTION_FORMAT] = format_list(a, subject, formats, sizeof formats),
        [SP_OPTION_INDEX] = a->list[SP_OPTION_RHS] || complex ? NULL : "i32,d16",
        [SP_OPTION_SCHEDULE] = "nnz,cyclic:64,merge",
        [SP_OPTION_THREADS] =
            thread_list(sp_topology_default_threads(a->run.topology), threads, sizeof threads),
    };
    enum sp_status status = SP_OK;
    a->sweep.n_axes = 0;
    for (int i = 0; i < N_AXES && status == SP_OK; i++) {
        const enum sp_option option = axes[i].option;
        const char *list = a->list[option] ? a->list[option] : defaults[option];
        struct sp_sweep_axis *axis = &a->sweep.axis[a->sweep.n_axes];
        if (!list)
            continue;
        *axis = (struct sp_sweep_axis){.option = option, .group = axes[i].group};
        status = sp_sweep_axis_parse(sp_run_options[option].typed, list, axis, err);
        a->sweep.n_axes++;
        if (status == SP_OK && option == SP_OPTION_FORMAT && a->chunks)
            status = add_chunks(a->chunks, a->sigmas ? a->sigmas : "1,64,256,4096", axis, err);
    }
    return status;
}

/* Every value must be one that its option takes: said before anything is run. */
static enum sp_status check_values(const struct sp_sweep_options *o, struct sp_error *err)
{
    for (int i = 0; i < o->n_axes; i++)
        for (int k = 0; k < o->axis[i].n; k++) {
            const struct sp_change change = sp_change_of(o->axis[i].option, o->axis[i].value[k]);
            enum sp_status status = sp_variant_check(&change, err);
            if (status != SP_OK)
                return status;
        }
    return SP_OK;
}

/* What the first values of the axes say, in the run's options. */
static void take_first(struct arguments *a, struct sp_variant *first)
{
    *first = (struct sp_variant){0};
    for (int i = 0; i < a->sweep.n_axes; i++) /* checked */
        sp_change_add(&first->change, a->sweep.axis[i].option, a->sweep.axis[i].value[0]);
    a->run = sp_variant_options(first, &a->run);
    if (sp_change_value(&first->change, SP_OPTION_RHS))
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
        sp_record_set_text(&record, SP_F_STATUS, status == SP_OK ? "complete" : "interrupted");
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
    const char *order = a->list[SP_OPTION_REORDER];
    char first_order[48];
    snprintf(first_order, sizeof first_order, "%.*s", order ? (int)strcspn(order, ",") : 4,
             order ? order : "none");
    enum sp_status status = sp_subject_open(a->matrix, &load, NULL, progress, &subject, &err);
    if (status == SP_OK && subject.matrix.n_nz == 0)
        status = sp_fail(&err, SP_INPUT, "name another", "matrix %s has no entries: there is nothing to scan",
                         subject.name);
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
    struct sp_terminal terminal;
    const struct sp_progress progress = sp_terminal_open(&terminal, a->common.verbosity);
    const enum sp_status status = sp_stage_open(SP_STAGE_CPU, a->machine, &progress, &a->run, &stage, &err);
    sp_terminal_clear(&terminal);
    if (status != SP_OK)
        return sp_report_error(&err);
    int code = run_matrix(a, &progress, &terminal);
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
    struct arguments a = {
        .sweep = {.budget_s = 60, .point_s = 0.4},
        .run = {.format = "crs",
                .schedule = "nnz",
                .precision = -1,
                .budget_s = 1.5,
                .max_samples = 60,
                .no_hints = true},
        .output = {.directory = ".", .is_sweep = true, .asked = {[SP_OPTION_NO_PLOTS] = true}}};
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
    .is_measuring = true,
};
