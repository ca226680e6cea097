#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/print.h"
#include "cli/analyze/run_options.h"
#include "cli/core/command.h"
#include "cli/core/process.h"
#include "cli/machine/this_machine.h"
#include "session/analyze/analyze.h"
#include "session/own/own.h"
#include "session/record/format_model.h"
#include "session/record/recording.h"
#include "session/trial/try_hints.h"
#include "sys/machine/meminfo.h"
#include "sys/machine/pages.h"

static enum sp_status unknown(const struct sp_recording *r, const char *key, const char *text,
                              struct sp_error *err)
{
    return sp_fail_at(err, SP_INPUT, r->path, 0, 0, "name it on the command line, or mend the recording",
                      "its %s.%s '%s' is not known here", sp_field_path(SP_F_CONFIG), key, text);
}

/* "crs", "sell:32,256" as it was typed, or from its three fields. */
static enum sp_status follow_format(const struct sp_recording *r, struct sp_run_options *run,
                                    struct sp_error *err)
{
    const char *format = sp_recording_config(r, "format"), *option = sp_recording_config(r, "format_option");
    struct sp_workload tried = {0};
    int64_t C, sigma;
    if (!format || run->format_given)
        return SP_OK;
    if (option)
        snprintf(run->recorded_format, sizeof run->recorded_format, "%s", option);
    else if (sp_record_count(&r->record, SP_F_CONFIG_C, &C) &&
             sp_record_count(&r->record, SP_F_CONFIG_SIGMA, &sigma) &&
             strcmp(format, sp_run_options[SP_OPTION_FORMAT].otherwise) != 0)
        snprintf(run->recorded_format, sizeof run->recorded_format, "%s:%lld,%lld", format, (long long)C,
                 (long long)sigma);
    else
        snprintf(run->recorded_format, sizeof run->recorded_format, "%s", format);
    if (sp_workload_set_format(&tried, run->recorded_format, NULL) != SP_OK)
        return unknown(r, "format", run->recorded_format, err);
    run->analyze.format = run->recorded_format;
    return SP_OK;
}

static enum sp_status follow_words(const struct sp_recording *r, struct sp_run_options *run,
                                   struct sp_error *err)
{
    const char *schedule = sp_recording_config(r, "schedule"),
               *precision = sp_recording_config(r, "precision"), *index = sp_recording_config(r, "index");
    struct sp_workload tried = {0};
    if (schedule && !run->schedule_given) {
        if (sp_workload_set_schedule(&tried, schedule, NULL) != SP_OK)
            return unknown(r, "schedule", schedule, err);
        run->analyze.schedule = schedule;
    }
    if (precision && run->analyze.precision < 0) {
        run->analyze.precision = sp_precision_from_name(precision);
        if (run->analyze.precision < 0)
            return unknown(r, "precision", precision, err);
    }
    if (index && !run->index_given) {
        int known = sp_index_from_name(index);
        if (known < 0)
            return unknown(r, "index", index, err);
        run->analyze.index = (enum sp_index)known;
    }
    return SP_OK;
}

/* Operation, width and order of the operands, where the command line names no operation. */
static enum sp_status follow_op(const struct sp_recording *r, struct sp_op_options *o, struct sp_error *err)
{
    const char *op = sp_recording_config(r, "op"), *order = sp_recording_config(r, "order");
    int64_t width = 1;
    if (!op || o->op_given || o->width_option)
        return SP_OK;
    if (sp_op_from_name(op) < 0)
        return unknown(r, "op", op, err);
    o->op = (enum sp_op)sp_op_from_name(op);
    if (!sp_record_count(&r->record, SP_F_CONFIG_INNER, &width))
        sp_record_count(&r->record, SP_F_CONFIG_RHS, &width);
    if (width < 1 || width > SP_MAX_WIDTH)
        return sp_fail_at(err, SP_INPUT, r->path, 0, 0, "mend the recording",
                          "its width of the dense operands, %lld, is impossible", (long long)width);
    o->width[0] = (int32_t)width;
    o->n_widths = 1;
    o->order = order && strcmp(order, sp_order_name(SP_COLUMN_MAJOR)) == 0 ? SP_COLUMN_MAJOR : SP_ROW_MAJOR;
    return SP_OK;
}

static enum sp_status follow_caches(const struct sp_recording *r, struct sp_run_options *run,
                                    struct sp_error *err)
{
    const char *cache = sp_recording_config(r, "cache");
    if (!cache || run->analyze.state != SP_WARM || strcmp(cache, "warm") == 0)
        return SP_OK;
    if (strcmp(cache, "between") == 0)
        return sp_fail_at(err, SP_INPUT, r->path, 0, 0, "give the same --between as then",
                          "it was recorded with vectors streamed between executions, and does not say which");
    if (strcmp(cache, "cold") != 0)
        return unknown(r, "cache", cache, err);
    run->analyze.state = SP_COLD;
    return SP_OK;
}

/* Operation and width (into `op`), format, schedule, precision, index, stores, pages, order, threads and the
 * state of the caches, each where the recording says it and the command line does not. SP_INPUT: what it says
 * is not known here. Texts are borrowed from the recording or kept in `run`. */
static enum sp_status follow_recording(const struct sp_recording *r, struct sp_run_options *run,
                                       struct sp_op_options *op, struct sp_error *err)
{
    const char *order;
    bool nt;
    enum sp_status status = follow_format(r, run, err);
    if (status == SP_OK)
        status = follow_op(r, op, err);
    if (status == SP_OK)
        status = follow_words(r, run, err);
    if (status == SP_OK)
        status = follow_caches(r, run, err);
    if (run->analyze.store_nt == SP_CHOICE_AUTO && sp_record_flag(&r->record, SP_F_CONFIG_STORE_NT, &nt))
        run->analyze.store_nt = nt ? SP_CHOICE_ON : SP_CHOICE_OFF;
    const char *pages = sp_recording_config(r, "pages");
    run->analyze.small_pages = run->analyze.small_pages || (pages && strcmp(pages, "small") == 0);
    if (!run->reorder && sp_record_text(&r->record, SP_F_PROBLEM_REORDER, &order))
        run->reorder = order;
    if (run->analyze.n_threads == 0)
        run->analyze.n_threads = sp_recording_threads(r);
    return status;
}

/* spmodel analyze: the main job. */

/* Trials take so many times the budget of samples and what reading took, which tells the size. */
enum { TRIES_BUDGETS = 20 };
/* Not an exit code: the format cannot be had here, which is no failure while another one can. */
enum { LEFT_OUT = -1 };

static int analyze_one(const struct sp_analyze_arguments *a, const struct sp_subject *subject,
                       const char *format, int32_t width, struct sp_record *record,
                       const struct sp_progress *progress, struct sp_terminal *terminal)
{
    struct sp_analyze_options o = a->run.analyze;
    struct sp_error err;
    o.format = format;
    o.r = width;
    o.seed = a->common.seed;
    enum sp_status status =
        a->on_gpu                 ? sp_analyze_gpu(subject, &o, progress, record, &err)
        : sp_own_is_asked(&o.own) ? sp_analyze_own(subject, &o, progress, record, &err)
        : a->try_hints ? sp_analyze_and_try(subject, &o, TRIES_BUDGETS * (o.budget_s + subject->load_s),
                                            progress, record, &err)
                       : sp_analyze(subject, &o, progress, record, &err);
    sp_terminal_clear(terminal);
    int code = 0;
    if (status == SP_ABSENT && a->all_formats && !a->require_bytes) { /* the others can still be compared */
        if (a->common.verbosity >= 0)
            sp_print(stderr, "spmodel: remark: format %s is left out: %s\n", format, err.what);
        return LEFT_OUT;
    }
    if (status != SP_OK)
        code = sp_report_error(&err);
    if (record->root)
        code = sp_worse_exit(code, sp_output_record(record, &a->run.output, &a->common));
    return code;
}

/* One format with every width asked for; several make a series, which has a table and a plot of its own. */
static int analyze_format(const struct sp_analyze_arguments *a, const struct sp_subject *subject,
                          const char *format, const struct sp_progress *progress,
                          struct sp_terminal *terminal)
{
    struct sp_record record[SP_MOST_WIDTHS] = {{0}};
    const struct sp_record *series[SP_MOST_WIDTHS];
    int code = 0, n = 0, n_left_out = 0;
    for (int i = 0; i < a->op.n_widths && code != sp_exit_code(SP_INTERRUPTED); i++) {
        const int one = analyze_one(a, subject, format, a->op.width[i], &record[i], progress, terminal);
        n_left_out += one == LEFT_OUT;
        code = sp_worse_exit(code, one == LEFT_OUT ? 0 : one);
        if (sp_record_node(&record[i], SP_F_TABLE))
            series[n++] = &record[i];
    }
    if (n > 1)
        code = sp_worse_exit(code, sp_output_series(series, n, &a->run.output, &a->common));
    for (int i = 0; i < a->op.n_widths; i++)
        sp_record_free(&record[i]);
    return n_left_out == a->op.n_widths ? LEFT_OUT : code;
}

static int analyze_formats(const struct sp_analyze_arguments *a, const struct sp_subject *subject,
                           const struct sp_progress *progress, struct sp_terminal *terminal)
{
    if (!a->all_formats || sp_csr_is_complex(&subject->matrix))
        return analyze_format(a, subject, a->all_formats ? "crs" : a->run.analyze.format, progress, terminal);
    int code = 0, n_done = 0;
    struct sp_error err;
    const char *const *format =
        a->on_gpu ? sp_gpu_format_every(a->run.analyze.op) : sp_format_every(a->run.analyze.op);
    for (; *format && code != sp_exit_code(SP_INTERRUPTED); format++) {
        const int one = analyze_format(a, subject, *format, progress, terminal);
        n_done += one != LEFT_OUT;
        code = sp_worse_exit(code, one == LEFT_OUT ? 0 : one);
    }
    if (n_done > 0)
        return code;
    sp_fail(&err, SP_ABSENT, "name one with --format to see why", "none of the formats can be had here");
    return sp_report_error(&err);
}

static int analyze_matrix(const struct sp_analyze_arguments *a, const char *name,
                          const struct sp_progress *progress, struct sp_terminal *terminal)
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
        .use = SP_LOAD_ANALYSIS,
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
    struct sp_analyze_arguments here = *a;
    struct sp_meminfo memory; /* the matrix has taken its share */
    if (sp_meminfo_read("", &memory, NULL) == SP_OK)
        here.run.analyze.memory_B = (double)memory.available_B;
    a = &here;
    if (subject.facts.remark[0] && a->common.verbosity >= 0)
        sp_print(stderr, "spmodel: remark: %s\n", subject.facts.remark);
    sp_process_be_patient(20); /* what is known is written, with its plots */
    int code = analyze_formats(a, &subject, progress, terminal);
    sp_process_be_patient(1);
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
        visible = visible ? visible + 1 : NULL;
    }
    if (n == 0)
        return;
    if (getenv("CUDA_VISIBLE_DEVICES"))
        snprintf(one, sizeof one, "%.*s", visible ? (int)strcspn(visible, ",") : 0, visible ? visible : "");
    else
        snprintf(one, sizeof one, "%d", n);
    setenv("CUDA_VISIBLE_DEVICES", one, 1);
}

static int run_matrices(struct sp_analyze_arguments *a, const struct sp_progress *progress,
                        struct sp_terminal *terminal)
{
    int code = 0;
    a->run.analyze.op = a->op.op;
    a->run.analyze.order = a->op.order;
    for (int i = 0; i < a->n_matrices && code != sp_exit_code(SP_INTERRUPTED); i++)
        code = sp_worse_exit(code, analyze_matrix(a, a->matrix[i], progress, terminal));
    return code;
}

static int run_on_gpu(struct sp_analyze_arguments *a, const struct sp_progress *progress,
                      struct sp_terminal *terminal)
{
    struct sp_analyze_options *o = &a->run.analyze;
    o->count_on_gpu = strcmp(a->bytes, "sim") != 0;
    o->require_gpu_counts = a->require_bytes || strcmp(a->bytes, "cupti") == 0;
    return run_matrices(a, progress, terminal);
}

static int run_on_cpu(struct sp_analyze_arguments *a, const struct sp_progress *progress,
                      struct sp_terminal *terminal)
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
        status = follow_recording(&source.recording, &a->run, &a->op, &err);
    a->run.analyze.bytes = &source;
    int code = status == SP_OK ? run_matrices(a, progress, terminal) : sp_report_error(&err);
    sp_byte_source_close(&source);
    return code;
}

/* All matrices, once the command line has been understood. */
static int run_all(struct sp_analyze_arguments *a)
{
    struct sp_error err;
    struct sp_stage stage;
    if (a->on_gpu)
        choose_gpu(a->gpu);
    const enum sp_stage_kind kind = a->on_gpu ? SP_STAGE_GPU : SP_STAGE_CPU;
    if (sp_stage_open(kind, a->run.machine, a->common.verbosity, &a->run.analyze, &stage, &err) != SP_OK)
        return sp_report_error(&err);
    int code = (a->on_gpu ? run_on_gpu : run_on_cpu)(a, &stage.progress, &stage.terminal);
    sp_stage_close(&stage);
    return code;
}

static int run(int argc, char **argv)
{
    struct sp_analyze_arguments a;
    struct sp_error err;
    char command[4096];
    if (sp_analyze_arguments(argc, argv, command, sizeof command, &a, &err) != SP_OK ||
        sp_own_ask_check(&a.run.analyze.own, &err) != SP_OK)
        return sp_report_error(&err);
    int code = sp_output_open(&a.run.output, &a.common);
    return code ? code : sp_output_close(&a.run.output, &a.common, run_all(&a));
}

static const struct sp_example examples[] = {
    {"spmodel analyze matrix.mtx", "everything about y = A x in CRS", "0 5"},
    {"spmodel analyze --format sell:8,64 --runs 5 matrix.mtx", "SELL-C-sigma, measured in five processes",
     "0 5"},
    {"spmodel analyze --rhs 1,2,4,8 matrix.mtx", "block vectors: balance and speed over their number", "0 5"},
    {"spmodel analyze --fail-below bandwidth:0.8 --lines matrix.mtx",
     "a gate: exit code 1 below 80 % of the roof; one line a figure", "0 1 5"},
    {"spmodel analyze --device gpu matrix.mtx", "the same on a GPU; exit code 4 says what is missing",
     "0 4 5"},
    {0},
};

const struct sp_command sp_cmd_analyze = {
    .name = "analyze",
    .arguments = "MATRIX...",
    .summary = "run a kernel on a matrix and explain its speed: the main job",
    .run = run,
    .page = {&sp_analyze_argp, examples, "1 5 6", "info model sweep plot explain formats input provenance"},
};
