#include "cli/analyze/analyze_mpi.h"

#include <string.h>

#include "base/hash.h"
#include "cli/core/mpi_job.h"
#include "cli/core/terminal.h"
#include "session/mpi/mpi_run.h"
#include "sys/machine/meminfo.h"

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

static int analyze_one(const struct sp_analyze_arguments *a, const struct sp_mpi *mpi,
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

static int run_all(struct sp_analyze_arguments *a, const struct sp_mpi *mpi, const struct sp_mpi_world *world,
                   const char *command)
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
        code = sp_worse_exit(code, analyze_one(a, mpi, world, &options, &exchange, command));
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
    if (q->op.op != SP_OP_SPMV || q->on_gpu || q->all_formats || strcmp(q->analyze.format, "crs") != 0 ||
        q->analyze.precision > 0 || (q->reorder && strcmp(q->reorder, "none") != 0))
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

int sp_analyze_mpi(struct sp_analyze_arguments *a, const char *command)
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
        code = run_all(a, job.mpi, &job.world, command);
        if (job.world.rank == 0)
            code = sp_output_close(&a->output, &a->common, code);
    }
    sp_mpi_job_end(&job);
    return code;
}
