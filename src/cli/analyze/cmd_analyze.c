/* spmodel analyze: the main job. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/print.h"
#include "cli/analyze/run_options.h"
#include "cli/core/command.h"
#include "cli/core/mpi_job.h"
#include "cli/core/process.h"
#include "cli/core/terminal.h"
#include "io/files/places.h"
#include "session/mpi/mpi_run.h"
#include "session/own/own.h"
#include "session/record/format_model.h"
#include "sys/machine/pages.h"

/* Rank 0 tells for all. */
static int show(const struct sp_analyze_arguments *a, const struct sp_mpi_result *r,
                const struct sp_mpi_options *options, const struct sp_mpi_advice *advice,
                const struct sp_mpi_trial *trial, const char *command)
{
    struct sp_error err;
    struct sp_record record = {0};
    const enum sp_status status = sp_mpi_record(r, options, command, &record, &err);
    if (status == SP_OK && advice)
        sp_mpi_record_advice(advice, r, options, trial, &record);
    const int code =
        status == SP_OK ? sp_output_record(&record, &a->output, &a->common) : sp_report_error(&err);
    sp_record_free(&record);
    return code;
}

/* The run with the partition that the model likes best, and as it was again. Collective. */
static enum sp_status try_best(const struct sp_mpi *mpi, const struct sp_mpi_world *world,
                               const struct sp_mpi_options *options, const struct sp_mpi_advice *advice,
                               const struct sp_mpi_result *first, struct sp_mpi_trial *trial,
                               struct sp_error *err)
{
    struct sp_mpi_options other = *options;
    struct sp_mpi_result with, again;
    other.partition = advice->other[advice->best].partition;
    enum sp_status status = sp_mpi_run(mpi, world, &other, &with, err);
    if (status != SP_OK)
        return status;
    status = sp_mpi_run(mpi, world, options, &again, err);
    if (status == SP_OK) {
        *trial = sp_mpi_trial_of(first, &with, &again);
        sp_mpi_result_free(&again);
    }
    sp_mpi_result_free(&with);
    return status;
}

/* Collective; the exit code, of rank 0 that of what it has shown. */
static int advise_and_show(const struct sp_analyze_arguments *a, const struct sp_mpi *mpi,
                           const struct sp_mpi_world *world, const struct sp_mpi_result *r,
                           const struct sp_mpi_options *options, struct sp_mpi_exchange *exchange,
                           const char *command)
{
    struct sp_error err;
    struct sp_mpi_advice advice;
    struct sp_mpi_trial trial;
    const bool asked = !a->output.asked[SP_OPTION_NO_HINTS];
    bool tried = false;
    enum sp_status status = asked ? sp_mpi_advise(mpi, world, options, r, exchange, &advice, &err) : SP_OK;
    if (status == SP_OK && asked && a->output.asked[SP_OPTION_TRY_HINTS] && advice.best >= 0) {
        status = try_best(mpi, world, options, &advice, r, &trial, &err);
        tried = status == SP_OK;
    }
    if (status != SP_OK)
        return world->rank == 0 ? sp_report_error(&err) : sp_exit_code(status);
    return world->rank == 0 ? show(a, r, options, asked ? &advice : NULL, tried ? &trial : NULL, command) : 0;
}

static int analyze_one_of_ranks(const struct sp_analyze_arguments *a, const struct sp_mpi *mpi,
                                const struct sp_mpi_world *world, const struct sp_mpi_options *options,
                                struct sp_mpi_exchange *exchange, const char *command)
{
    struct sp_error err;
    struct sp_mpi_result result;
    const enum sp_status status = sp_mpi_run(mpi, world, options, &result, &err);
    if (status != SP_OK)
        return world->rank == 0 ? sp_report_error(&err) : sp_exit_code(status);
    double code = advise_and_show(a, mpi, world, &result, options, exchange, command);
    code = mpi->most(code);
    sp_mpi_result_free(&result);
    return (int)code;
}

static int run_all_of_ranks(struct sp_analyze_arguments *a, const struct sp_mpi *mpi,
                            const struct sp_mpi_world *world, const char *command)
{
    struct sp_meminfo memory;
    struct sp_terminal terminal;
    const struct sp_request *q = &a->request;
    const struct sp_progress progress =
        sp_terminal_open(&terminal, world->rank == 0 ? a->common.verbosity : -1);
    struct sp_watch reading = {&progress, "reading the matrix"};
    struct sp_mpi_options options = {.partition = a->partition ? a->partition : "rows",
                                     .each_reads = a->each_reads,
                                     .load = {.use = SP_LOAD_ANALYSIS,
                                              .drop_zeros = q->drop_zeros,
                                              .progress = sp_watch_show,
                                              .interrupted = sp_watch_stop,
                                              .context = &reading},
                                     .n_threads = q->analyze.n_threads,
                                     .budget_s = q->analyze.budget_s > 0 ? q->analyze.budget_s : 1.5,
                                     .max_samples = q->analyze.max_samples,
                                     .seed = a->common.seed,
                                     .machine = q->analyze.machine_name,
                                     .progress = world->rank == 0 ? &progress : NULL,
                                     .watch = {sp_mpi_job_wait, NULL}};
    if (sp_meminfo_read("", &memory, NULL) == SP_OK) /* the ranks of a node share it */
        options.load.memory_limit_B = (double)memory.available_B / (a->each_reads ? world->n_node_ranks : 1);
    if (world->rank > 0)
        options.load.progress = NULL;
    struct sp_mpi_exchange exchange = {.is_measured = false};
    int code = 0;
    for (int i = 0; i < a->n_matrices && code != sp_exit_code(SP_INTERRUPTED); i++) {
        options.matrix = a->matrix[i];
        code = sp_worse_exit(code, analyze_one_of_ranks(a, mpi, world, &options, &exchange, command));
        sp_terminal_clear(&terminal);
    }
    return code;
}

/* What the distributed product has not got: other operations, formats, orders, devices. */
static enum sp_status refuse(const struct sp_analyze_arguments *a, struct sp_error *err)
{
    static const enum sp_option taken[] = {SP_OPTION_THREADS,    SP_OPTION_SAMPLES,   SP_OPTION_BUDGET,
                                           SP_OPTION_DROP_ZEROS, SP_OPTION_FORMAT,    SP_OPTION_REORDER,
                                           SP_OPTION_PRECISION,  SP_OPTION_DEVICE,    SP_OPTION_NO_HINTS,
                                           SP_OPTION_NO_PLOTS,   SP_OPTION_MPI,       SP_OPTION_HTML,
                                           SP_OPTION_FAIL_BELOW, SP_OPTION_ANONYMOUS, SP_OPTION_REQUIRE_CLEAN,
                                           SP_OPTION_TRY_HINTS,  SP_OPTION_RANKS,     SP_OPTION_MACHINE};
    const struct sp_request *q = &a->request;
    if (q->op.op != SP_OP_SPMV || q->op.order != SP_ROW_MAJOR || q->on_gpu || q->all_formats ||
        strcmp(q->analyze.format, "crs") != 0 || q->analyze.precision > 0 ||
        (q->reorder && strcmp(q->reorder, "none") != 0))
        return sp_fail(err, SP_USAGE, "leave the other options out, or " SP_O_MPI,
                       SP_O_MPI " runs SpMV in CRS and f64 on CPUs, in the order of the file");
    for (int o = 0; o < SP_N_OPTIONS; o++) {
        bool is_taken = !a->output.asked[o];
        for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
            is_taken = is_taken || (int)taken[i] == o;
        if (!is_taken)
            return sp_fail(err, SP_USAGE, "leave it out, or " SP_O_MPI, "%s has no meaning with " SP_O_MPI,
                           sp_run_options[o].typed);
    }
    return SP_OK;
}

/* A text as a number that most() takes. */
static double number_of(const char *text)
{
    return text ? (double)(sp_hash64(text, strlen(text), 0) >> 11) : 0;
}

/* Ranks that are asked for different things would wait for each other, or take each other's
 * messages. Collective. */
static enum sp_status refuse_unequal(const struct sp_analyze_arguments *a, const struct sp_mpi *mpi,
                                     struct sp_error *err)
{
    const struct {
        const char *what;
        double is;
    } asked[] = {
        {"other numbers of matrices", a->n_matrices},
        {SP_O_PARTITION, number_of(a->partition)},
        {SP_O_EACH_READS, a->each_reads},
        {SP_O_DROP_ZEROS, a->request.drop_zeros},
        {SP_O_BUDGET, a->request.analyze.budget_s},
        {SP_O_SAMPLES, a->request.analyze.max_samples},
        {SP_O_SEED, (double)a->common.seed},
        {SP_O_NO_HINTS, a->output.asked[SP_OPTION_NO_HINTS]},
        {SP_O_TRY_HINTS, a->output.asked[SP_OPTION_TRY_HINTS]},
    };
    const char *differs = NULL;
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
        if (mpi->most(asked[i].is) != -mpi->most(-asked[i].is) && !differs)
            differs = asked[i].what;
    return differs
               ? sp_fail(err, SP_USAGE, "give every rank the same options; only " SP_O_THREADS " may differ",
                         "the ranks are asked for different things: %s", differs)
               : SP_OK;
}

/* All matrices, by all ranks of the job; the exit code, the same on each. Rank 0 alone prints and
 * writes. */
static int analyze_mpi(struct sp_analyze_arguments *a, const char *command)
{
    struct sp_error err;
    struct sp_mpi_job job;
    enum sp_status status = sp_mpi_job_begin(a->patience_s > 0 ? a->patience_s : 300, &job, &err);
    if (status != SP_OK)
        return sp_mpi_job_report_in_turn(&err);
    sp_mpi_job_wait(NULL, "the options");
    status = refuse(a, &err);
    if (status == SP_OK && a->n_ranks > 0 && a->n_ranks != job.world.n_ranks)
        status = sp_fail(&err, SP_USAGE, "leave " SP_O_RANKS " out, or mpirun",
                         "%d ranks are asked for, the job has %d", a->n_ranks, job.world.n_ranks);
    status = sp_mpi_agree(job.mpi, &job.world, status, &err);
    if (status == SP_OK)
        status = refuse_unequal(a, job.mpi, &err);
    int code = status == SP_OK ? 0 : sp_mpi_job_report(&err);
    if (code == 0 && job.world.rank == 0)
        code = sp_output_open(&a->output, &a->common);
    code = (int)job.mpi->most(code);
    sp_mpi_job_wait(NULL, NULL);
    if (code == 0) {
        code = run_all_of_ranks(a, job.mpi, &job.world, command);
        if (job.world.rank == 0)
            code = sp_output_close(&a->output, &a->common, code);
    }
    sp_mpi_job_end(&job);
    return code;
}

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
    if (sp_analyze_arguments(argc, argv, command, sizeof command, &a, &err) != SP_OK)
        return sp_report_error(&err);
    if (a.n_ranks > 0 && !sp_mpi_job_is_launched()) {
        if (argc >= MOST_TYPED)
            sp_fail(&err, SP_USAGE, "type mpirun -n N yourself", "more than %d words", MOST_TYPED - 2);
        else
            sp_mpi_job_launch(a.n_ranks, typed, &err);
        return sp_report_error(&err);
    }
    if (a.output.asked[SP_OPTION_MPI])
        return analyze_mpi(&a, command);
    if (sp_own_ask_check(&a.request.analyze.own, &err) != SP_OK)
        return sp_report_error(&err);
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
