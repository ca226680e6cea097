/* spmodel analyze: the main job. */
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "cli/analyze/analyze_mpi.h"
#include "cli/analyze/run_options.h"
#include "cli/core/command.h"
#include "cli/core/mpi_job.h"
#include "cli/core/process.h"
#include "cli/core/terminal.h"
#include "io/files/places.h"
#include "session/own/own.h"
#include "session/record/format_model.h"
#include "sys/machine/meminfo.h"

/* Not an exit code: the format cannot be had here, which is no failure while another one can. */
enum { LEFT_OUT = -1 };

/* What one width has said is not repeated for the next: *said is the last error. */
static int report_once(const struct sp_error *err, struct sp_error *said)
{
    const bool is_said = strcmp(err->what, said->what) == 0 && strcmp(err->remedy, said->remedy) == 0;
    *said = *err;
    return is_said ? sp_exit_code(err->status) : sp_report_error(err);
}

static int analyze_one(const struct sp_analyze_arguments *a, const struct sp_subject *subject,
                       const char *format, int32_t width, struct sp_record *record, struct sp_error *said,
                       const struct sp_progress *progress, struct sp_terminal *terminal)
{
    struct sp_error err;
    const enum sp_status status = sp_request_run(&a->request, subject, format, width, progress, record, &err);
    sp_terminal_clear(terminal);
    int code = 0;
    if (status == SP_ABSENT && a->request.all_formats &&
        !a->request.require_bytes) { /* the others can still be compared */
        sp_progress_remark(progress, false, "format %s is left out: %s", format, err.what);
        return LEFT_OUT;
    }
    if (status != SP_OK)
        code = report_once(&err, said);
    if (record->root)
        code = sp_worse_exit(code, sp_output_record(record, &a->output, &a->common));
    return code;
}

/* One format with every width; several widths make a series, with a table and a plot. */
static int analyze_format(const struct sp_analyze_arguments *a, const struct sp_subject *subject,
                          const char *format, const struct sp_progress *progress,
                          struct sp_terminal *terminal)
{
    struct sp_record record[SP_MOST_WIDTHS] = {{0}};
    const struct sp_record *series[SP_MOST_WIDTHS];
    struct sp_error said = {0};
    int code = 0, n = 0, n_left_out = 0;
    for (int i = 0; i < a->request.op.n_widths && code != sp_exit_code(SP_INTERRUPTED); i++) {
        const int one =
            analyze_one(a, subject, format, a->request.op.width[i], &record[i], &said, progress, terminal);
        n_left_out += one == LEFT_OUT;
        code = sp_worse_exit(code, one == LEFT_OUT ? 0 : one);
        if (sp_record_node(&record[i], SP_F_TABLE))
            series[n++] = &record[i];
    }
    if (n > 1)
        code = sp_worse_exit(code, sp_output_series(series, n, &a->output, &a->common));
    for (int i = 0; i < a->request.op.n_widths; i++)
        sp_record_free(&record[i]);
    return n_left_out == a->request.op.n_widths ? LEFT_OUT : code;
}

static int analyze_formats(const struct sp_analyze_arguments *a, const struct sp_subject *subject,
                           const struct sp_progress *progress, struct sp_terminal *terminal)
{
    if (!a->request.all_formats || sp_csr_is_complex(&subject->matrix))
        return analyze_format(a, subject, a->request.all_formats ? "crs" : a->request.analyze.format,
                              progress, terminal);
    int code = 0, n_done = 0;
    struct sp_error err;
    const char *const *format = a->request.on_gpu ? sp_gpu_format_every(a->request.analyze.op)
                                                  : sp_format_every(a->request.analyze.op);
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
    const struct sp_load_options load = sp_request_loading(&a->request, paths.cache, &watch);
    if (sp_subject_open(name, &load, a->request.reorder, progress, &subject, &err) != SP_OK) {
        sp_terminal_clear(terminal);
        return sp_report_error(&err);
    }
    sp_terminal_clear(terminal);
    struct sp_analyze_arguments here = *a;
    struct sp_meminfo memory; /* the matrix has taken its share */
    if (sp_meminfo_read("", &memory, NULL) == SP_OK)
        here.request.analyze.memory_B = (double)memory.available_B;
    a = &here;
    if (subject.facts.remark[0])
        sp_progress_remark(progress, false, "%s", subject.facts.remark);
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
    for (int i = 0; i < a->n_matrices && code != sp_exit_code(SP_INTERRUPTED); i++)
        code = sp_worse_exit(code, analyze_matrix(a, a->matrix[i], progress, terminal));
    return code;
}

static int run_on_cpu(struct sp_analyze_arguments *a, const struct sp_progress *progress,
                      struct sp_terminal *terminal)
{
    struct sp_error err;
    struct sp_byte_source source;
    const struct sp_byte_request request = {.wanted = a->request.bytes,
                                            .required = a->request.require_bytes,
                                            .n_threads = a->request.analyze.n_threads,
                                            .machine = a->request.analyze.machine,
                                            .topology = a->request.analyze.topology,
                                            .memory_B = a->request.analyze.memory_B};
    enum sp_status status = sp_byte_source_choose(&request, progress, &source, &err);
    sp_terminal_clear(terminal);
    if (status == SP_OK && source.replayed)
        status = sp_request_follow(&a->request, &source.recording, &err);
    a->request.analyze.bytes = &source;
    int code = status == SP_OK ? run_matrices(a, progress, terminal) : sp_report_error(&err);
    sp_byte_source_close(&source);
    return code;
}

/* All matrices, once the command line has been understood. */
static int run_all(struct sp_analyze_arguments *a)
{
    struct sp_error err;
    struct sp_stage stage;
    struct sp_terminal terminal;
    const bool on_gpu = a->request.on_gpu;
    if (on_gpu && a->request.analyze.gpu_api == SP_GPU_CUDA)
        choose_gpu(a->request.gpu);
    const struct sp_progress progress = sp_terminal_open(&terminal, a->common.verbosity);
    const enum sp_status status = sp_stage_open(on_gpu ? SP_STAGE_GPU : SP_STAGE_CPU, a->request.machine,
                                                &progress, &a->request.analyze, &stage, &err);
    sp_terminal_clear(&terminal);
    if (status != SP_OK)
        return sp_report_error(&err);
    int code = (on_gpu ? run_matrices : run_on_cpu)(a, &progress, &terminal);
    sp_stage_close(&stage);
    return code;
}

enum { MOST_TYPED = 4096 };

static int run(int argc, char **argv)
{
    struct sp_analyze_arguments a;
    struct sp_error err;
    char command[4096], *typed[MOST_TYPED];
    for (int i = 0; i <= argc && i < MOST_TYPED; i++) /* reading options changes their order */
        typed[i] = argv[i];
    typed[MOST_TYPED - 1] = NULL;
    if (sp_analyze_arguments(argc, argv, command, sizeof command, &a, &err) != SP_OK ||
        sp_own_ask_check(&a.request.analyze.own, &err) != SP_OK)
        return sp_report_error(&err);
    if (a.n_ranks > 0 && !sp_mpi_job_is_launched()) {
        if (argc >= MOST_TYPED)
            sp_fail(&err, SP_USAGE, "type mpirun -n N yourself", "more than %d words", MOST_TYPED - 2);
        else
            sp_mpi_job_launch(a.n_ranks, typed, &err);
        return sp_report_error(&err);
    }
    if (a.output.asked[SP_OPTION_MPI])
        return sp_analyze_mpi(&a, command);
    if (sp_mpi_job_n_launched() > 1 && sp_mpi_job_rank() == 0 && a.common.verbosity >= 0)
        sp_print(stderr,
                 "spmodel: remark: %d ranks make the same analysis, each by itself, and disturb each "
                 "other; --mpi makes one of them all\n",
                 sp_mpi_job_n_launched());
    int code = sp_output_open(&a.output, &a.common);
    return code ? code : sp_output_close(&a.output, &a.common, run_all(&a));
}

static const struct sp_example examples[] = {
    {"spmodel analyze matrix.mtx", "everything about y = A x in CRS", "0 5"},
    {"spmodel analyze --format sell:8,64 --runs 5 matrix.mtx", "SELL-C-sigma, measured in five processes",
     "0 5"},
    {"spmodel analyze --rhs 1,2,4,8 matrix.mtx", "block vectors: balance and speed over their number", "0 5"},
    {"spmodel analyze --fail-below bandwidth:0.8 --lines matrix.mtx",
     "a gate: exit code 1 below 80 % of the roof; one line a figure", "0 1 5"},
    {"spmodel analyze --mpi matrix.mtx",
     "distributed: as a rank of MPI behind mpirun -n 4, else as the only one", "0 4"},
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
    .is_measuring = true,
};
