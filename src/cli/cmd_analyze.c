/* spmodel analyze: the main job. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/follow_recording.h"
#include "cli/machine_paths.h"
#include "cli/op_options.h"
#include "cli/options.h"
#include "cli/run_options.h"
#include "cli/terminal.h"
#include "cli/this_machine.h"
#include "session/analyze_gpu.h"
#include "session/format_model.h"
#include "session/try_hints.h"
#include "sys/meminfo.h"
#include "sys/pages.h"

enum {
    KEY_DEVICE = SP_KEY_PRIVATE,
    KEY_ISA,
    KEY_BYTES,
    KEY_REQUIRE_BYTES,
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
    KEY_TRY_HINTS
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
    {"between", KEY_BETWEEN, "OPS", 0, "Stream a solver's vectors between executions, for example axpy,dot",
     2},
    {"budget", KEY_BUDGET, "T", 0, "Time for the samples, for example 5s (default 1.5s)", 2},
    {"runs", KEY_RUNS, "N", 0, "Measure in N processes, one after the other (default 1)", 2},
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
     "Exit code 1 when bandwidth:F or model:F is not reached (fraction of the roof; of the model's speed)",
     3},
    {0},
};

struct arguments {
    struct sp_common_options common;
    struct sp_op_options op;
    struct sp_run_options run;
    enum sp_cache_mode cache;
    bool drop_zeros;
    const char *bytes;
    bool all_formats, require_bytes, try_hints;
    bool on_gpu;
    int gpu;         /* among those that the process may see */
    bool cpu_option; /* one was given that has a meaning on CPUs only */
    char **matrix;
    int n_matrices;
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
        argp_error(state, "--%s takes a number from %g to %g, not '%s'", option, lo, hi, arg);
}

static void set_count(struct argp_state *state, const char *option, const char *arg, int64_t hi, int *out)
{
    int64_t n = 0;
    if (sp_parse_count(arg, &n) || n < 1 || n > hi)
        argp_error(state, "--%s takes a whole number from 1 to %lld, not '%s'", option, (long long)hi, arg);
    *out = (int)n;
}

static void set_bytes(struct argp_state *state, const char *arg)
{
    if (!sp_byte_source_knows(arg) && strcmp(arg, "cupti") != 0)
        argp_error(state, "--bytes takes auto, likwid, perf, papi, cupti, sim or replay:FILE, not '%s'", arg);
}

static void set_device(struct argp_state *state, const char *arg, struct arguments *a)
{
    int64_t n = 0;
    const bool numbered = strncmp(arg, "gpu:", 4) == 0;
    a->on_gpu = numbered || strcmp(arg, "gpu") == 0;
    if ((!a->on_gpu && strcmp(arg, "cpu") != 0) || (numbered && (sp_parse_count(arg + 4, &n) || n > 1023)))
        argp_error(state, "--device takes cpu, gpu or gpu:N, not '%s'", arg);
    a->gpu = (int)n;
}

static void set_isa(struct argp_state *state, const char *arg, struct sp_analyze_options *o)
{
    static const char *const isa_words[] = {"avx512", "avx2", "portable", NULL};
    o->isa = strncmp(arg, "cuda", 4) == 0 ? arg : isa_words[sp_pick(state, "isa", arg, isa_words)];
}

/* Options that belong to the other device. */
static void check_device(struct argp_state *state, const struct arguments *a)
{
    const struct sp_analyze_options *o = &a->run.analyze;
    const bool isa_of_gpu = o->isa && strncmp(o->isa, "cuda", 4) == 0;
    if (!a->on_gpu) {
        if (isa_of_gpu || strcmp(a->bytes, "cupti") == 0)
            argp_error(state, "%s is for GPUs: add --device gpu", isa_of_gpu ? o->isa : "--bytes cupti");
        return;
    }
    if (o->isa && !isa_of_gpu)
        argp_error(state, "--isa %s is for CPUs; on a GPU cuda-thread, cuda-lanes ...", o->isa);
    if (a->cpu_option || a->run.schedule_given || o->store_nt != SP_CHOICE_AUTO)
        argp_error(state,
                   "--threads, --schedule, --store, --pages, --no-pin, --between, --runs and --sim-... "
                   "are for CPUs, not for --device gpu");
    if (strcmp(a->bytes, "auto") != 0 && strcmp(a->bytes, "cupti") != 0 && strcmp(a->bytes, "sim") != 0)
        argp_error(state, "--bytes %s is for CPUs; on a GPU auto, cupti or sim", a->bytes);
}

static void set_fail_below(struct argp_state *state, const char *arg, struct sp_output_options *o)
{
    const char *number = strchr(arg, ':');
    double f = 0;
    if (!number || sp_parse_number(number + 1, &f) || f <= 0)
        argp_error(state, "--fail-below takes bandwidth:F or model:F, for example bandwidth:0.8, not '%s'",
                   arg);
    else if (strncmp(arg, "bandwidth:", 10) == 0)
        o->fail_below_bandwidth = f;
    else if (strncmp(arg, "model:", 6) == 0)
        o->fail_below_model = f;
    else
        argp_error(state, "--fail-below knows bandwidth:F and model:F, not '%s'", arg);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    static const char *const page_words[] = {"huge", "small", NULL};
    static const char *const cache_words[] = {"none", "beside", "dir", NULL};
    struct arguments *a = state->input;
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
    case KEY_BUDGET:
        if (sp_parse_seconds(arg, &o->budget_s) || o->budget_s <= 0)
            argp_error(state, "--budget takes a time such as 5s, 200ms or 1m, not '%s'", arg);
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
            argp_error(state, "--cold and --between exclude each other");
        o->state = SP_BETWEEN;
        o->between = arg;
        o->n_between = count_between(arg);
        if (o->n_between < 0)
            argp_error(state, "--between takes a list of axpy, dot, norm, scale, copy, not '%s'", arg);
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
            argp_error(state, "--sim-policy takes lru, random or rrip, not '%s'", arg);
        o->policy = arg;
        return 0;
    case KEY_LLC:
        a->cpu_option = true;
        if (sp_parse_bytes(arg, &o->llc_B) || o->llc_B < 4096)
            argp_error(state, "--sim-llc takes a size such as 20MiB, not '%s'", arg);
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
        argp_error(
            state,
            "give a matrix: a .mtx file, - for standard input, or gen:KIND (spmodel generate lists them)");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Trials take so many times the budget of samples and what reading took, which tells the size. */
enum { TRIES_BUDGETS = 20 };

static int analyze_one(const struct arguments *a, const struct sp_subject *subject, const char *format,
                       int32_t width, struct sp_record *record, const struct sp_progress *progress,
                       struct sp_terminal *terminal)
{
    struct sp_analyze_options o = a->run.analyze;
    struct sp_error err;
    o.format = format;
    o.r = width;
    o.seed = a->common.seed;
    enum sp_status status =
        a->on_gpu      ? sp_analyze_gpu(subject, &o, progress, record, &err)
        : a->try_hints ? sp_analyze_and_try(subject, &o, TRIES_BUDGETS * (o.budget_s + subject->load_s),
                                            progress, record, &err)
                       : sp_analyze(subject, &o, progress, record, &err);
    sp_terminal_clear(terminal);
    int code = 0;
    if (status == SP_ABSENT && a->all_formats) { /* the others can still be compared */
        fprintf(stderr, "spmodel: remark: format %s is left out: %s\n", format, err.what);
        return 0;
    }
    if (status != SP_OK)
        code = sp_report_error(&err);
    if (record->root)
        code = sp_worse_exit(code, sp_output_record(record, &a->run.output, &a->common));
    return code;
}

/* One format with every width asked for; several make a series, which has a table and a plot of its own. */
static int analyze_format(const struct arguments *a, const struct sp_subject *subject, const char *format,
                          const struct sp_progress *progress, struct sp_terminal *terminal)
{
    struct sp_record record[SP_MOST_WIDTHS] = {{0}};
    const struct sp_record *series[SP_MOST_WIDTHS];
    int code = 0, n = 0;
    for (int i = 0; i < a->op.n_widths && code != sp_exit_code(SP_INTERRUPTED); i++) {
        code = sp_worse_exit(code,
                             analyze_one(a, subject, format, a->op.width[i], &record[i], progress, terminal));
        if (sp_record_node(&record[i], "table"))
            series[n++] = &record[i];
    }
    if (n > 1)
        code = sp_worse_exit(code, sp_output_series(series, n, &a->run.output, &a->common));
    for (int i = 0; i < a->op.n_widths; i++)
        sp_record_free(&record[i]);
    return code;
}

static int analyze_formats(const struct arguments *a, const struct sp_subject *subject,
                           const struct sp_progress *progress, struct sp_terminal *terminal)
{
    if (!a->all_formats || sp_csr_is_complex(&subject->matrix))
        return analyze_format(a, subject, a->all_formats ? "crs" : a->run.analyze.format, progress, terminal);
    int code = 0;
    const char *const *format =
        a->on_gpu ? sp_gpu_format_every(a->run.analyze.op) : sp_format_every(a->run.analyze.op);
    for (; *format && code != sp_exit_code(SP_INTERRUPTED); format++)
        code = sp_worse_exit(code, analyze_format(a, subject, *format, progress, terminal));
    return code;
}

static int analyze_matrix(const struct arguments *a, const char *name, const struct sp_progress *progress,
                          struct sp_terminal *terminal)
{
    struct sp_machine_paths paths;
    sp_machine_paths_find(&paths);
    struct sp_error err;
    struct sp_subject subject;
    struct sp_watch watch = {progress, "reading the matrix"};
    struct sp_load_options load = {
        .n_threads = a->run.analyze.n_threads > 0 ? a->run.analyze.n_threads
                                                  : sp_topology_default_threads(a->run.analyze.topology),
        .allocator = a->run.analyze.small_pages ? NULL : &sp_allocator_huge,
        .memory_limit_B = a->run.analyze.memory_B,
        .cache = a->cache,
        .cache_dir = paths.cache,
        .drop_zeros = a->drop_zeros,
        .progress = sp_watch_show,
        .interrupted = sp_watch_stop,
        .context = &watch,
    };
    if (sp_subject_open(name, &load, a->run.reorder, progress, &subject, &err) != SP_OK) {
        sp_terminal_clear(terminal);
        return sp_report_error(&err);
    }
    sp_terminal_clear(terminal);
    struct arguments here = *a;
    struct sp_meminfo memory; /* the matrix has taken its share */
    if (sp_meminfo_read("", &memory, NULL) == SP_OK)
        here.run.analyze.memory_B = (double)memory.available_B;
    a = &here;
    if (subject.facts.remark[0] && a->common.verbosity >= 0)
        fprintf(stderr, "spmodel: remark: %s\n", subject.facts.remark);
    int code = analyze_formats(a, &subject, progress, terminal);
    sp_subject_free(&subject);
    return code;
}

/* CUDA counts the devices that this variable names from 0, so that the N-th is the first. */
static void choose_gpu(int n)
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    char one[96];
    for (int i = 0; visible && i < n; i++) {
        visible = strchr(visible, ',');
        visible += visible != NULL;
    }
    if (n == 0)
        return;
    if (getenv("CUDA_VISIBLE_DEVICES"))
        snprintf(one, sizeof one, "%.*s", visible ? (int)strcspn(visible, ",") : 0, visible ? visible : "");
    else
        snprintf(one, sizeof one, "%d", n);
    setenv("CUDA_VISIBLE_DEVICES", one, 1);
}

static int run_matrices(struct arguments *a, const struct sp_progress *progress, struct sp_terminal *terminal)
{
    int code = 0;
    a->run.analyze.op = a->op.op;
    a->run.analyze.order = a->op.order;
    for (int i = 0; i < a->n_matrices && code != sp_exit_code(SP_INTERRUPTED); i++)
        code = sp_worse_exit(code, analyze_matrix(a, a->matrix[i], progress, terminal));
    return code;
}

static int run_on_gpu(struct arguments *a, const struct sp_progress *progress, struct sp_terminal *terminal)
{
    struct sp_analyze_options *o = &a->run.analyze;
    o->count_on_gpu = strcmp(a->bytes, "sim") != 0;
    o->require_gpu_counts = a->require_bytes || strcmp(a->bytes, "cupti") == 0;
    return run_matrices(a, progress, terminal);
}

static int run_on_cpu(struct arguments *a, const struct sp_progress *progress, struct sp_terminal *terminal)
{
    struct sp_error err;
    struct sp_byte_source source;
    const struct sp_byte_request request = {.wanted = a->bytes,
                                            .required = a->require_bytes,
                                            .n_threads = a->run.analyze.n_threads,
                                            .machine = a->run.analyze.machine,
                                            .topology = a->run.analyze.topology,
                                            .memory_B = a->run.analyze.memory_B};
    enum sp_status status = sp_byte_source_choose(&request, progress, &source, &err);
    sp_terminal_clear(terminal);
    if (status == SP_OK && source.replayed)
        status = sp_follow_recording(&source.recording, &a->run, &a->op, &err);
    a->run.analyze.bytes = &source;
    int code = status == SP_OK ? run_matrices(a, progress, terminal) : sp_report_error(&err);
    sp_byte_source_close(&source);
    return code;
}

/* All matrices, once the command line has been understood. */
static int run_all(struct arguments *a)
{
    struct sp_error err;
    struct sp_terminal terminal;
    struct sp_progress progress = sp_terminal_open(&terminal, a->common.verbosity);
    struct sp_topology topology;
    struct sp_meminfo memory;
    struct sp_machine machine;
    if (sp_topology_read(&topology, &err) != SP_OK)
        return sp_report_error(&err);
    a->run.analyze.topology = &topology;
    if (sp_meminfo_read("", &memory, NULL) == SP_OK)
        a->run.analyze.memory_B = (double)memory.available_B;
    if (a->on_gpu)
        choose_gpu(a->gpu);
    enum sp_status status = a->on_gpu
                                ? sp_this_gpu(a->run.machine, &progress, a->common.verbosity, &machine, &err)
                                : sp_this_machine(a->run.machine, a->run.analyze.n_threads, &progress,
                                                  a->common.verbosity, &machine, &err);
    sp_terminal_clear(&terminal);
    int code;
    if (status == SP_OK) {
        a->run.analyze.machine = &machine;
        code = (a->on_gpu ? run_on_gpu : run_on_cpu)(a, &progress, &terminal);
        sp_machine_free(&machine);
    } else {
        code = sp_report_error(&err);
    }
    sp_topology_free(&topology);
    return code;
}

static int run(int argc, char **argv)
{
    static const struct argp_child children[] = {{&sp_run_argp, 0, NULL, 0},
                                                 {&sp_op_argp, 0, NULL, 0},
                                                 {&sp_common_seed_argp, 0, "Common options:", 90},
                                                 {0}};
    static const struct argp argp = {
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
    struct arguments a = {
        .bytes = "auto",
        .run = {.analyze =
                    {.format = "crs", .schedule = "nnz", .precision = -1, .budget_s = 1.5, .max_samples = 60},
                .output = {.directory = "."}}};
    char command[4096];
    sp_join_command(argc, argv, command, sizeof command);
    a.run.analyze.command = command;
    sp_parse(&argp, argc, argv, &a);
    struct sp_error err;
    if (sp_op_settle(&a.op, &err) != SP_OK)
        return sp_report_error(&err);
    a.all_formats = strcmp(a.run.analyze.format, "all") == 0;
    if (a.try_hints && (a.on_gpu || a.run.analyze.no_hints || strncmp(a.bytes, "replay:", 7) == 0)) {
        sp_fail(&err, SP_USAGE, "leave one of the two out", "--try-hints and %s exclude each other",
                a.on_gpu                 ? "--device gpu"
                : a.run.analyze.no_hints ? "--no-hints"
                                         : "--bytes replay:FILE");
        return sp_report_error(&err);
    }
    if (a.require_bytes && strcmp(a.bytes, "sim") == 0) {
        sp_fail(&err, SP_USAGE, "leave one of the two out",
                "--require-bytes and --bytes sim exclude each other");
        return sp_report_error(&err);
    }
    if (a.all_formats && strncmp(a.run.analyze.schedule, "merge", 5) == 0) {
        sp_fail(&err, SP_USAGE, "leave --schedule out, or name --format crs",
                "--format all has chunks of SELL, which the schedule merge cannot split");
        return sp_report_error(&err);
    }
    a.run.output.several = a.n_matrices > 1 || a.all_formats || a.op.n_widths > 1;
    int code = sp_output_open(&a.run.output, &a.common);
    return code ? code : sp_output_close(&a.run.output, run_all(&a));
}

const struct sp_command sp_cmd_analyze = {
    .name = "analyze",
    .arguments = "MATRIX...",
    .summary = "run a kernel on a matrix and explain its speed: the main job",
    .run = run,
};
