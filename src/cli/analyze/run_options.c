#include "cli/analyze/run_options.h"

#include <string.h>

#include "base/text.h"
#include "cli/machine/this_machine.h"
#include "sys/fault.h"
#include "sys/machine/meminfo.h"

static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "What is run:", 1},
    {NULL, 0, NULL, 0, "How it is observed:", 2},
    {NULL, 0, NULL, 0, "What comes out:", 3},
#define RUN_OPTION SP_ARGP_ROW
#include "base/option/run_options.inc"
    {0},
};

enum sp_option sp_option_of_key(int key)
{
    int i = 0;
    while (i < SP_N_OPTIONS && key != (sp_run_options[i].key ? sp_run_options[i].key : SP_KEY_OPTION + i))
        i++;
    return (enum sp_option)i;
}

int sp_pick(struct argp_state *state, const char *option, const char *arg, const char *words)
{
    const int word = sp_word_among(words, arg);
    char list[200] = "";
    size_t n = 0;
    for (const char *p = words; word < 0 && *p && n + 3 < sizeof list; p++)
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%c", *p == ' ' ? "," : "", *p);
    if (word < 0)
        sp_usage_error(state, "--%s takes %s, not '%s'", option, list, arg);
    return word < 0 ? 0 : word;
}

/* One that takes no value, and is only asked for. */
static error_t take_flag(int key, struct sp_output_options *o)
{
    const enum sp_option option = sp_option_of_key(key);
    if (option == SP_N_OPTIONS || sp_run_options[option].argument)
        return ARGP_ERR_UNKNOWN;
    o->asked[option] = true;
    return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct sp_run_options *r = state->input;
    int index;
    int64_t n;
    switch (key) {
    case SP_KEY_OF(FORMAT):
        r->analyze.format = arg;
        r->format_given = true;
        return 0;
    case SP_KEY_OF(PRECISION):
        r->analyze.precision = sp_precision_from_name(arg);
        if (r->analyze.precision < 0)
            sp_usage_error(state, "--precision takes f64, f32, mixed, c128, f16 or bf16, not '%s'", arg);
        return 0;
    case SP_KEY_OF(INDEX):
        index = sp_index_from_name(arg);
        if (index < 0)
            sp_usage_error(state, "--index takes i32, i64 or d16, not '%s'", arg);
        r->analyze.index = (enum sp_index)index;
        r->index_given = true;
        return 0;
    case SP_KEY_OF(ROW_PTR):
        r->analyze.row_ptr_B = sp_pick_of(state, SP_OPTION_ROW_PTR, arg) == 1 ? 8 : 4;
        return 0;
    case SP_KEY_OF(PREFETCH):
        if (sp_parse_count(arg, &n) || n < 0 || n > SP_MAX_PREFETCH)
            sp_usage_error(state, "--prefetch takes a number of entries from 0 to %d, not '%s'",
                           (int)SP_MAX_PREFETCH, arg);
        else
            r->analyze.prefetch = (int32_t)n;
        return 0;
    case SP_KEY_OF(SCHEDULE):
        r->analyze.schedule = arg;
        r->schedule_given = true;
        return 0;
    case SP_KEY_OF(STORE):
        r->analyze.store_nt = (enum sp_choice)sp_pick_of(state, SP_OPTION_STORE, arg);
        return 0;
    case SP_KEY_OF(REORDER):
        r->reorder = arg;
        return 0;
    case SP_KEY_OF(COLD):
        if (r->analyze.state == SP_BETWEEN)
            sp_usage_error(state, "--cold and --between exclude each other");
        r->analyze.state = SP_COLD;
        return 0;
    case SP_KEY_OF(MACHINE):
        r->machine = r->analyze.machine_name = arg;
        return 0;
    case 'o':
        r->output.directory = arg;
        return 0;
    case SP_KEY_OF(NO_HINTS):
        r->analyze.no_hints = true;
        return 0;
    case SP_KEY_OF(HTML):
        r->output.html_name = arg;
        return 0;
    default:
        return take_flag(key, &r->output);
    }
}

const struct argp sp_run_argp = {options, parse, NULL, NULL, NULL, NULL, NULL};

static const struct argp_option op_options[] = {
    {NULL, 0, NULL, 0, "What is computed:", 4},
#define OP_OPTION SP_ARGP_ROW
#include "base/option/run_options.inc"
    {0},
};

static void set_widths(struct argp_state *state, struct sp_op_options *o, const char *option, const char *arg)
{
    if (o->width_option && strcmp(o->width_option, option) != 0)
        sp_usage_error(state, "--rhs is for spmmv, --inner for spmm, sddmm and fusedmm: give one of the two");
    o->width_option = option;
    o->n_widths = 0;
    for (const char *rest = arg; rest;) {
        char number[16];
        size_t length = strcspn(rest, ",");
        int64_t n = 0;
        if (length < sizeof number) {
            memcpy(number, rest, length);
            number[length] = '\0';
        }
        if (length >= sizeof number || o->n_widths == SP_MOST_WIDTHS || sp_parse_count(number, &n) || n < 1 ||
            n > SP_MAX_WIDTH) {
            sp_usage_error(state, "--%s takes at most %d numbers from 1 to %d, for example 1,2,4,8, not '%s'",
                           option, (int)SP_MOST_WIDTHS, (int)SP_MAX_WIDTH, arg);
            return;
        }
        bool again = false;
        for (int i = 0; i < o->n_widths; i++)
            again = again || o->width[i] == n;
        if (!again)
            o->width[o->n_widths++] = (int32_t)n;
        rest = rest[length] == ',' ? rest + length + 1 : NULL;
    }
}

static error_t parse_op(int key, char *arg, struct argp_state *state)
{
    struct sp_op_options *o = state->input;
    switch (key) {
    case SP_KEY_OF(OP):
        if (sp_op_from_name(arg) < 0)
            sp_usage_error(state, "--op takes spmv, spmmv, spmm, sddmm or fusedmm, not '%s'", arg);
        else
            o->op = (enum sp_op)sp_op_from_name(arg);
        o->op_given = true;
        return 0;
    case SP_KEY_OF(RHS):
        set_widths(state, o, "rhs", arg);
        return 0;
    case SP_KEY_OF(INNER):
        set_widths(state, o, "inner", arg);
        return 0;
    case SP_KEY_OF(ORDER):
        if (strcmp(arg, "row") != 0 && strcmp(arg, "column") != 0)
            sp_usage_error(state, "--order takes row or column, not '%s'", arg);
        o->order = strcmp(arg, "column") == 0 ? SP_COLUMN_MAJOR : SP_ROW_MAJOR;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp sp_op_argp = {op_options, parse_op, NULL, NULL, NULL, NULL, NULL};

enum sp_status sp_op_settle(struct sp_op_options *o, struct sp_error *err)
{
    enum { DEFAULT_RHS = 8, DEFAULT_INNER = 64 };
    if (o->width_option && strcmp(o->width_option, "rhs") == 0 && !o->op_given)
        o->op = SP_OP_SPMMV;
    const char *wanted = o->op == SP_OP_SPMV ? NULL : o->op == SP_OP_SPMMV ? "rhs" : "inner";
    if (o->width_option && (!wanted || strcmp(wanted, o->width_option) != 0))
        return sp_fail(err, SP_USAGE, "--rhs is for --op spmmv, --inner for --op spmm, sddmm and fusedmm",
                       "--%s does not go with --op %s", o->width_option, sp_op_name(o->op));
    if (o->n_widths == 0)
        o->width[o->n_widths++] = o->op == SP_OP_SPMV    ? 1
                                  : o->op == SP_OP_SPMMV ? DEFAULT_RHS
                                                         : DEFAULT_INNER;
    return SP_OK;
}

static const struct argp_option analyze_options[] = {
#define ANALYZE_OPTION SP_ARGP_ROW
#include "base/option/run_options.inc"
    {0},
};

static int count_between(const char *text)
{
    static const struct {
        const char *name;
        int vectors;
    } ops[] = {{"axpy", 2}, {"dot", 2}, {"norm", 1}, {"scale", 1}, {"copy", 2}};
    int n = 0;
    while (*text) {
        size_t length = strcspn(text, ","), i;
        for (i = 0; i < sizeof ops / sizeof *ops; i++)
            if (strlen(ops[i].name) == length && strncmp(ops[i].name, text, length) == 0)
                break;
        if (i == sizeof ops / sizeof *ops)
            return -1;
        n += ops[i].vectors;
        text += length + (text[length] == ',');
    }
    return n > 0 ? n : -1;
}

static void set_number(struct argp_state *state, const char *option, const char *arg, double lo, double hi,
                       double *out)
{
    if (sp_parse_number(arg, out) || *out < lo || *out > hi)
        sp_usage_error(state, "--%s takes a number from %g to %g, not '%s'", option, lo, hi, arg);
}

static void set_count(struct argp_state *state, const char *option, const char *arg, int64_t hi, int *out)
{
    int64_t n = 0;
    if (sp_parse_count(arg, &n) || n < 1 || n > hi)
        sp_usage_error(state, "--%s takes a whole number from 1 to %lld, not '%s'", option, (long long)hi,
                       arg);
    *out = (int)n;
}

static void set_bytes(struct argp_state *state, const char *arg)
{
    static const char counters[] =
#define LIBRARY_COUNTER(NAME, ...) #NAME ", "
#define KERNEL_COUNTER             LIBRARY_COUNTER
#include "base/option/byte_counters.inc"
        "";
    if (!sp_byte_source_knows(arg) && strcmp(arg, "cupti") != 0)
        sp_usage_error(state, "--bytes takes auto, %scupti, sim or replay:FILE, not '%s'", counters, arg);
}

static void set_device(struct argp_state *state, const char *arg, struct sp_analyze_arguments *a)
{
    int64_t n = 0;
    const bool numbered = strncmp(arg, "gpu:", 4) == 0;
    a->on_gpu = numbered || strcmp(arg, "gpu") == 0;
    if ((!a->on_gpu && strcmp(arg, "cpu") != 0) || (numbered && (sp_parse_count(arg + 4, &n) || n > 1023)))
        sp_usage_error(state, "--device takes cpu, gpu or gpu:N, not '%s'", arg);
    a->gpu = (int)n;
}

static void set_isa(struct argp_state *state, const char *arg, struct sp_analyze_options *o)
{
    if (strncmp(arg, "cuda", 4) != 0)
        sp_pick(state, "isa", arg, "avx512 avx2 portable");
    o->isa = arg;
}

/* Options that belong to the other device. */
static void check_device(struct argp_state *state, const struct sp_analyze_arguments *a)
{
    const struct sp_analyze_options *o = &a->run.analyze;
    const bool isa_of_gpu = o->isa && strncmp(o->isa, "cuda", 4) == 0;
    if (!a->on_gpu) {
        if (isa_of_gpu || strcmp(a->bytes, "cupti") == 0)
            sp_usage_error(state, "%s is for GPUs: add --device gpu", isa_of_gpu ? o->isa : "--bytes cupti");
        return;
    }
    if (o->isa && !isa_of_gpu)
        sp_usage_error(state, "--isa %s is for CPUs; on a GPU cuda-thread, cuda-lanes ...", o->isa);
    if (a->cpu_option || a->run.schedule_given || o->store_nt != SP_CHOICE_AUTO)
        sp_usage_error(state,
                       "--threads, --schedule, --store, --pages, --no-pin, --between, --runs and --sim-... "
                       "are for CPUs, not for --device gpu");
    if (strcmp(a->bytes, "auto") != 0 && strcmp(a->bytes, "cupti") != 0 && strcmp(a->bytes, "sim") != 0)
        sp_usage_error(state, "--bytes %s is for CPUs; on a GPU auto, cupti or sim", a->bytes);
}

/* Caches let a run exceed the roof a little; a larger limit was meant in percent. */
#define MOST_SHARE 2

static void set_fail_below(struct argp_state *state, const char *arg, struct sp_output_options *o)
{
    const char *number = strchr(arg, ':');
    double f = 0;
    if (!number || sp_parse_number(number + 1, &f) || f <= 0)
        sp_usage_error(state,
                       "--fail-below takes bandwidth:F or model:F, for example bandwidth:0.8, not '%s'", arg);
    else if (f > MOST_SHARE)
        sp_usage_error(state, "--fail-below takes a share: %.*s:%g for %g %%, not '%s'", (int)(number - arg),
                       arg, f / 100, f, arg);
    else if (strncmp(arg, "bandwidth:", 10) == 0)
        o->fail_below_bandwidth = f;
    else if (strncmp(arg, "model:", 6) == 0)
        o->fail_below_model = f;
    else
        sp_usage_error(state, "--fail-below knows bandwidth:F and model:F, not '%s'", arg);
}

static error_t parse_analyze(int key, char *arg, struct argp_state *state)
{
    struct sp_analyze_arguments *a = state->input;
    struct sp_analyze_options *o = &a->run.analyze;
    const enum sp_option option = sp_option_of_key(key);
    if (option < SP_N_OPTIONS && !(sp_run_options[option].bits & SP_ON_GPU))
        a->cpu_option = true;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->run;
        state->child_inputs[1] = &a->op;
        state->child_inputs[2] = &a->common;
        return 0;
    case SP_KEY_OF(DEVICE):
        set_device(state, arg, a);
        return 0;
    case 't':
        set_count(state, "threads", arg, 4096, &o->n_threads);
        return 0;
    case SP_KEY_OF(ISA):
        set_isa(state, arg, o);
        return 0;
    case SP_KEY_OF(BYTES):
        set_bytes(state, arg);
        a->bytes = arg;
        return 0;
    case SP_KEY_OF(REQUIRE_BYTES):
        a->require_bytes = true;
        return 0;
    case SP_KEY_OF(BUDGET):
        if (sp_parse_seconds(arg, &o->budget_s) || o->budget_s <= 0)
            sp_usage_error(state, "--budget takes a time such as 5s, 200ms or 1m, not '%s'", arg);
        return 0;
    case SP_KEY_OF(SAMPLES):
        set_count(state, "samples", arg, 100000, &o->max_samples);
        return 0;
    case SP_KEY_OF(RUNS):
        set_count(state, "runs", arg, 100, &o->n_runs);
        return 0;
    case SP_KEY_OF(BETWEEN):
        if (o->state == SP_COLD)
            sp_usage_error(state, "--cold and --between exclude each other");
        o->state = SP_BETWEEN;
        o->between = arg;
        o->n_between = count_between(arg);
        if (o->n_between < 0)
            sp_usage_error(state, "--between takes a list of axpy, dot, norm, scale, copy, not '%s'", arg);
        return 0;
    case SP_KEY_OF(PAGES):
        o->small_pages = sp_pick_of(state, SP_OPTION_PAGES, arg) == 1;
        return 0;
    case SP_KEY_OF(NO_PIN):
        o->not_pinned = true;
        return 0;
    case SP_KEY_OF(CACHE):
        a->cache = (enum sp_cache_mode)sp_pick_of(state, SP_OPTION_CACHE, arg);
        return 0;
    case SP_KEY_OF(DROP_ZEROS):
        a->drop_zeros = true;
        return 0;
    case SP_KEY_OF(SIM_SKEW):
        set_number(state, "sim-skew", arg, 0, 1, &o->skew);
        return 0;
    case SP_KEY_OF(SIM_POLICY):
        if (sp_policy_from_name(arg) < 0)
            sp_usage_error(state, "--sim-policy takes lru, random or rrip, not '%s'", arg);
        o->policy = arg;
        return 0;
    case SP_KEY_OF(SIM_LLC):
        if (sp_parse_bytes(arg, &o->llc_B) || o->llc_B < 4096)
            sp_usage_error(state, "--sim-llc takes a size such as 20MiB, not '%s'", arg);
        return 0;
    case SP_KEY_OF(KERNEL):
        o->own.library = arg;
        return 0;
    case SP_KEY_OF(SIGNATURE):
        o->own.signature = arg;
        return 0;
    case SP_KEY_OF(KERNEL_LIMIT):
        if (sp_parse_seconds(arg, &o->own.limit_s) || o->own.limit_s <= 0)
            sp_usage_error(state, "--kernel-limit takes a time such as 30s, 500ms or 2m, not '%s'", arg);
        return 0;
    case SP_KEY_OF(TRY_HINTS):
        a->try_hints = true;
        return 0;
    case SP_KEY_OF(FAIL_BELOW):
        set_fail_below(state, arg, &a->run.output);
        return 0;
    case ARGP_KEY_ARGS:
        a->matrix = state->argv + state->next;
        a->n_matrices = state->argc - state->next;
        return 0;
    case ARGP_KEY_END:
        check_device(state, a);
        return 0;
    case ARGP_KEY_NO_ARGS:
        sp_usage_error(
            state,
            "give a matrix: a .mtx file, - for standard input, or gen:KIND (spmodel generate lists them)");
        return 0;
    default:
        return take_flag(key, &a->run.output);
    }
}

/* What may be given, and what excludes each other. */
static enum sp_status settle(struct sp_analyze_arguments *a, struct sp_error *err)
{
    enum sp_status status = sp_op_settle(&a->op, err);
    if (status != SP_OK)
        return status;
    a->all_formats = strcmp(a->run.analyze.format, "all") == 0;
    a->run.output.several = a->n_matrices > 1 || a->all_formats || a->op.n_widths > 1;
    if (a->try_hints && (a->on_gpu || a->run.analyze.no_hints || strncmp(a->bytes, "replay:", 7) == 0))
        return sp_fail(err, SP_USAGE, "leave one of the two out", "--try-hints and %s exclude each other",
                       a->on_gpu                 ? "--device gpu"
                       : a->run.analyze.no_hints ? "--no-hints"
                                                 : "--bytes replay:FILE");
    if (a->run.analyze.own.library && (a->on_gpu || a->try_hints || a->all_formats))
        return sp_fail(err, SP_USAGE, "leave one of the two out", "--kernel and %s exclude each other",
                       a->on_gpu      ? "--device gpu"
                       : a->try_hints ? "--try-hints"
                                      : "--format all");
    if (a->require_bytes && strcmp(a->bytes, "sim") == 0)
        return sp_fail(err, SP_USAGE, "leave one of the two out",
                       "--require-bytes and --bytes sim exclude each other");
    if (a->all_formats && strncmp(a->run.analyze.schedule, "merge", 5) == 0)
        return sp_fail(err, SP_USAGE, "leave --schedule out, or name --format crs",
                       "--format all has chunks of SELL, which the schedule merge cannot split");
    return SP_OK;
}

static const struct argp_child children[] = {{&sp_run_argp, 0, NULL, 0},
                                             {&sp_op_argp, 0, NULL, 0},
                                             {&sp_common_measure_argp, 0, "Common analyze_options:", 90},
                                             {&sp_memory_argp, 0, NULL, 90},
                                             {0}};
const struct argp sp_analyze_argp = {
    analyze_options,
    parse_analyze,
    "MATRIX...",
    "Reads a matrix, runs a kernel on it under the clock, counts or simulates the bytes it moves, and "
    "says how "
    "fast it "
    "could run, how "
    "fast it does run, where the rest of the time goes, and what to do about it.\v"
    "MATRIX: .mtx, .petsc, .npz or .rb, also .gz .xz .zst .bz2, a SuiteSparse NAME.tar.gz, a binary cache "
    ".spm, - (standard input), or a generated matrix such as gen:laplace3d:120.",
    children,
    NULL,
    NULL};

enum sp_status sp_analyze_arguments(int argc, char **argv, char *command, size_t size,
                                    struct sp_analyze_arguments *a, struct sp_error *err)
{
    *a = (struct sp_analyze_arguments){
        .bytes = "auto",
        .run = {.analyze =
                    {.format = "crs", .schedule = "nnz", .precision = -1, .budget_s = 1.5, .max_samples = 60},
                .output = {.directory = "."}}};
    sp_join_command(argc, argv, command, size);
    a->run.analyze.command = command;
    sp_parse(&sp_analyze_argp, argc, argv, a);
    return settle(a, err);
}

enum sp_status sp_stage_open(enum sp_stage_kind kind, const char *machine_name, int verbosity,
                             struct sp_analyze_options *o, struct sp_stage *s, struct sp_error *err)
{
    struct sp_meminfo memory;
    memset(s, 0, sizeof *s);
    s->progress = sp_terminal_open(&s->terminal, verbosity);
    enum sp_status status = sp_fault_check(err);
    if (status == SP_OK)
        status = sp_topology_read(&s->topology, err);
    if (status != SP_OK)
        return status;
    o->topology = &s->topology;
    if (sp_meminfo_read("", &memory, NULL) == SP_OK)
        o->memory_B = (double)memory.available_B;
    status = kind == SP_STAGE_GPU ? sp_this_gpu(machine_name, &s->progress, verbosity, &s->machine, err)
                                  : sp_this_machine(machine_name, o->n_threads, o->budget_s, &s->progress,
                                                    verbosity, &s->machine, err);
    sp_terminal_clear(&s->terminal);
    o->machine = &s->machine;
    if (status != SP_OK)
        sp_topology_free(&s->topology);
    return status;
}

void sp_stage_close(struct sp_stage *s)
{
    sp_machine_free(&s->machine);
    sp_topology_free(&s->topology);
}
