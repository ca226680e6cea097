#include "cli/analyze/arguments.h"

#include <limits.h>
#include <string.h>

#include "base/text.h"

enum {
    KEY_DEVICE = SP_KEY_PRIVATE,
    KEY_ISA,
    KEY_BYTES,
    KEY_REQUIRE_BYTES,
    KEY_REQUIRE_CLEAN,
    KEY_BUDGET,
    KEY_SAMPLES,
    KEY_RUNS,
    KEY_BETWEEN,
    KEY_PAGES,
    KEY_NO_PIN,
    KEY_CACHE,
    KEY_DROP_ZEROS,
    KEY_SKEW,
    KEY_POLICY,
    KEY_LLC,
    KEY_FAIL_BELOW,
    KEY_TRY_HINTS,
    KEY_ANONYMOUS
};

static const struct argp_option options[] = {
    {"device", KEY_DEVICE, "D", 0, "cpu (default), gpu, gpu:N: what runs the kernel", 1},
    {"threads", 't', "N", 0, "Threads; default one for each core that may be used", 1},
    {"isa", KEY_ISA, "ISA", 0,
     "avx512, avx2, portable; default: the fastest kernel, found by a short measurement. On a GPU "
     "cuda-thread, "
     "cuda-lanes ...; default: the fastest by the model",
     1},
    {"pages", KEY_PAGES, "P", 0, "huge (default) or small", 1},
    {"no-pin", KEY_NO_PIN, NULL, 0, "Do not bind threads to processors", 1},
    {"bytes", KEY_BYTES, "SOURCE", 0,
     "Where bytes come from: auto (default: the best that is trusted), likwid, perf, papi, sim, replay:FILE; "
     "of a GPU cupti",
     2},
    {"require-bytes", KEY_REQUIRE_BYTES, NULL, 0, "Fail with exit code 4 unless bytes are measured", 2},
    {"require-clean", KEY_REQUIRE_CLEAN, NULL, 0,
     "Exit with code 5 unless the machine was clean: nothing disturbed more than a tenth of the samples, and "
     "the "
     "roof can be",
     2},
    {"between", KEY_BETWEEN, "OPS", 0, "Stream a solver's vectors between executions, for example axpy,dot",
     2},
    {"budget", KEY_BUDGET, "T", 0,
     "Measuring time of the whole analysis, for example 5s (default 1.5s); -v shows how it was shared", 2},
    {"runs", KEY_RUNS, "N", 0,
     "Measure in N processes, one after the other (default: 3 where that takes little time, else 1)", 2},
    {"samples", KEY_SAMPLES, "N", 0, "At most N samples (default 60)", 2},
    {"sim-llc", KEY_LLC, "SIZE", 0, "Simulated capacity of the last-level cache, for example 20MiB", 2},
    {"sim-policy", KEY_POLICY, "P", 0, "Simulated replacement in the last level: lru, random, rrip", 2},
    {"sim-skew", KEY_SKEW, "F", 0,
     "Simulated lag of each thread behind the one before, as a fraction of its work", 2},
    {"try-hints", KEY_TRY_HINTS, NULL, 0,
     "Apply every hint, alone and together, and measure what it brings; takes about 20 times --budget and "
     "what "
     "reading the matrix took",
     3},
    {"cache", KEY_CACHE, "WHERE", 0, "Keep a binary copy of text input: none (default), beside, dir", 3},
    {"drop-zeros", KEY_DROP_ZEROS, NULL, 0, "Leave out entries of the matrix whose value is 0", 1},
    {"fail-below", KEY_FAIL_BELOW, "WHAT:F", 0,
     "Exit code 1 when bandwidth:F or model:F is not reached (fraction of the roof; of the model's speed), 5 "
     "when it is not known",
     3},
    {"anonymous", KEY_ANONYMOUS, NULL, 0,
     "Leave host, paths, the matrix' name, commit and branch out of the record and all that is made of it",
     3},
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
    if (!sp_byte_source_knows(arg) && strcmp(arg, "cupti") != 0)
        sp_usage_error(state, "--bytes takes auto, likwid, perf, papi, cupti, sim or replay:FILE, not '%s'",
                       arg);
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
    static const char *const isa_words[] = {"avx512", "avx2", "portable", NULL};
    o->isa = strncmp(arg, "cuda", 4) == 0 ? arg : isa_words[sp_pick(state, "isa", arg, isa_words)];
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

static error_t parse(int key, char *arg, struct argp_state *state)
{
    static const char *const page_words[] = {"huge", "small", NULL};
    static const char *const cache_words[] = {"none", "beside", "dir", NULL};
    struct sp_analyze_arguments *a = state->input;
    struct sp_analyze_options *o = &a->run.analyze;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->run;
        state->child_inputs[1] = &a->op;
        state->child_inputs[2] = &a->common;
        return 0;
    case KEY_DEVICE:
        set_device(state, arg, a);
        return 0;
    case 't':
        set_count(state, "threads", arg, 4096, &o->n_threads);
        a->cpu_option = true;
        return 0;
    case KEY_ISA:
        set_isa(state, arg, o);
        return 0;
    case KEY_BYTES:
        set_bytes(state, arg);
        a->bytes = arg;
        return 0;
    case KEY_REQUIRE_BYTES:
        a->require_bytes = true;
        return 0;
    case KEY_REQUIRE_CLEAN:
        a->run.output.require_clean = true;
        return 0;
    case KEY_BUDGET:
        if (sp_parse_seconds(arg, &o->budget_s) || o->budget_s <= 0)
            sp_usage_error(state, "--budget takes a time such as 5s, 200ms or 1m, not '%s'", arg);
        return 0;
    case KEY_SAMPLES:
        set_count(state, "samples", arg, 100000, &o->max_samples);
        return 0;
    case KEY_RUNS:
        a->cpu_option = true;
        set_count(state, "runs", arg, 100, &o->n_runs);
        return 0;
    case KEY_BETWEEN:
        a->cpu_option = true;
        if (o->state == SP_COLD)
            sp_usage_error(state, "--cold and --between exclude each other");
        o->state = SP_BETWEEN;
        o->between = arg;
        o->n_between = count_between(arg);
        if (o->n_between < 0)
            sp_usage_error(state, "--between takes a list of axpy, dot, norm, scale, copy, not '%s'", arg);
        return 0;
    case KEY_PAGES:
        a->cpu_option = true;
        o->small_pages = sp_pick(state, "pages", arg, page_words) == 1;
        return 0;
    case KEY_NO_PIN:
        a->cpu_option = true;
        o->not_pinned = true;
        return 0;
    case KEY_CACHE:
        a->cache = (enum sp_cache_mode)sp_pick(state, "cache", arg, cache_words);
        return 0;
    case KEY_ANONYMOUS:
        a->run.output.anonymous = true;
        return 0;
    case KEY_DROP_ZEROS:
        a->drop_zeros = true;
        return 0;
    case KEY_SKEW:
        a->cpu_option = true;
        set_number(state, "sim-skew", arg, 0, 1, &o->skew);
        return 0;
    case KEY_POLICY:
        a->cpu_option = true;
        if (sp_policy_from_name(arg) < 0)
            sp_usage_error(state, "--sim-policy takes lru, random or rrip, not '%s'", arg);
        o->policy = arg;
        return 0;
    case KEY_LLC:
        a->cpu_option = true;
        if (sp_parse_bytes(arg, &o->llc_B) || o->llc_B < 4096)
            sp_usage_error(state, "--sim-llc takes a size such as 20MiB, not '%s'", arg);
        return 0;
    case KEY_TRY_HINTS:
        a->try_hints = true;
        return 0;
    case KEY_FAIL_BELOW:
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
        return ARGP_ERR_UNKNOWN;
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
                                             {&sp_common_measure_argp, 0, "Common options:", 90},
                                             {&sp_memory_argp, 0, NULL, 90},
                                             {0}};
const struct argp sp_analyze_argp = {
    options,
    parse,
    "MATRIX...",
    "Reads a matrix, runs a kernel on it under the clock, counts or simulates the bytes it moves, and "
    "says how "
    "fast it "
    "could run, how "
    "fast it does run, where the rest of the time goes, and what to do about it.\v"
    "MATRIX: .mtx, also .gz .xz .zst .bz2, a SuiteSparse NAME.tar.gz, a binary cache .spm, - (standard "
    "input), or a "
    "generated matrix such as gen:laplace3d:120.",
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
