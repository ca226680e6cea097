#include "cli/analyze/analyze_mpi.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/figures.h"
#include "base/print.h"
#include "base/samples.h"
#include "base/text.h"
#include "cli/core/mpi_job.h"
#include "cli/core/output.h"
#include "cli/core/terminal.h"
#include "session/mpi/mpi_run.h"
#include "sys/machine/meminfo.h"

/* ---- what is shown ---- */

static struct sp_value time_of(const struct sp_mpi_result *r, enum sp_mpi_mode mode)
{
    return sp_median_interval(r->time[mode].sample_s, r->time[mode].n, SP_MEASURED);
}

static void print_time(const char *label, struct sp_value t, FILE *out)
{
    char text[32], lo[32], hi[32];
    sp_print(out, "%s %s (%s … %s)", label, sp_text_seconds(text, sizeof text, t.value),
             sp_text_seconds(lo, sizeof lo, t.lo), sp_text_seconds(hi, sizeof hi, t.hi));
}

static void print_halo(const struct sp_mpi_result *r, FILE *out)
{
    char text[32];
    int64_t bytes = 0, n = 0;
    for (int64_t k = 0; k < r->n_pairs; k++) {
        bytes += r->pair[k].predicted_B;
        n += r->pair[k].predicted_B > 0;
    }
    sp_print(out, "HALO     %lld messages, %s B each product (predicted); ", (long long)n,
             sp_text_count(text, sizeof text, bytes));
    sp_print(out, "%s\n",
             r->n_wrong_pairs < 0 ? "counted: not known, libspmodel-pmpi.so is not in front of MPI"
                                  : "counted the same, to the byte, for all pairs of ranks");
}

static void print_ranks(const struct sp_mpi_result *r, bool whole, FILE *out)
{
    enum { SHOWN = 16 };
    const int shown = whole || r->world.n_ranks <= SHOWN ? r->world.n_ranks : SHOWN;
    char nnz[32], sent[32], received[32], local[32], exchange[32], roof[32];
    sp_print(out, "  %5s %10s %12s %7s  %12s %4s  %12s %4s  %9s %9s  %10s\n", "rank", "rows", "nonzeros",
             "remote", "sent B", "to", "received B", "from", "local", "exchange", "roof");
    for (int k = 0; k < shown; k++) {
        const struct sp_mpi_rank *p = &r->rank[k];
        const int64_t n = p->local_nz + p->remote_nz;
        sp_print(
            out, "  %5d %10lld %12s %5.1f %%  %12s %4d  %12s %4d  %9s %9s  %5s GB/s\n", k, (long long)p->n_r,
            sp_text_count(nnz, sizeof nnz, n), n > 0 ? 100.0 * (double)p->remote_nz / (double)n : 0,
            sp_text_count(sent, sizeof sent, 8 * p->n_sent), (int)p->n_to,
            sp_text_count(received, sizeof received, 8 * p->n_received), (int)p->n_from,
            sp_text_seconds(local, sizeof local, p->median_s[SP_MPI_LOCAL]),
            sp_text_seconds(exchange, sizeof exchange, p->median_s[SP_MPI_EXCHANGE]),
            p->scanned_B > 0 ? sp_figure(roof, sizeof roof, 1e-9 * p->scanned_B / p->median_s[SP_MPI_ROOF], 2)
                             : "?");
    }
    if (shown < r->world.n_ranks)
        sp_print(out, "  and %d more (-v)\n", r->world.n_ranks - shown);
    fputs("  local, exchange, roof: measured on all ranks at the same time; roof: the local block loaded, "
          "nothing "
          "else\n",
          out);
}

static void print_result(const struct sp_mpi_result *r, bool whole, FILE *out)
{
    char nnz[32];
    const struct sp_value apart = time_of(r, SP_MPI_APART), over = time_of(r, SP_MPI_OVERLAP);
    const double best_s = fmin(apart.value, over.value);
    sp_print(out, "RANKS    %s: %lld x %lld, %s nonzeros on %d rank%s of %d thread%s, %s   %s\n",
             r->facts.name, (long long)r->n_r, (long long)r->n_c, sp_text_count(nnz, sizeof nnz, r->n_nz),
             r->world.n_ranks, r->world.n_ranks == 1 ? "" : "s", (int)r->rank[0].n_threads,
             r->rank[0].n_threads == 1 ? "" : "s", r->partition, r->world.library);
    print_time("PRODUCT ", over, out);
    print_time(" overlapped, ", apart, out);
    sp_print(out, " one after the other; %.2f Gflop/s   measured\n", 2e-9 * (double)r->n_nz / best_s);
    print_time("PARTS    local", time_of(r, SP_MPI_LOCAL), out);
    print_time(", remote", time_of(r, SP_MPI_REMOTE), out);
    print_time(", exchange", time_of(r, SP_MPI_EXCHANGE), out);
    fputs("   each alone, the last rank\n", out);
    print_halo(r, out);
    fputs("RIGHT    every rank's rows are those of the reference, within rounding\n", out);
    print_ranks(r, whole, out);
}

/* ---- the record ---- */

static int write_record(const struct sp_analyze_arguments *a, const struct sp_mpi_result *r, json_t *record)
{
    struct sp_error err;
    struct sp_atomic_file file;
    char stem[160], path[1300], when[32] = "";
    const time_t now = time(NULL);
    struct tm t;
    if (gmtime_r(&now, &t))
        strftime(when, sizeof when, "%Y%m%dT%H%M%SZ", &t);
    sp_file_stem(stem, sizeof stem, r->facts.name);
    for (int i = 1; i < 1000; i++) {
        char again[16] = "";
        if (i > 1)
            snprintf(again, sizeof again, "-%d", i);
        snprintf(path, sizeof path, "%s/%s.%s%s.ranks.json", a->output.directory, stem, when, again);
        if (access(path, F_OK) != 0)
            break;
    }
    enum sp_status status = sp_atomic_open(path, &file, &err);
    if (status == SP_OK && json_dumpf(record, file.stream, JSON_INDENT(1) | JSON_REAL_PRECISION(17)) != 0) {
        sp_atomic_abort(&file);
        status = sp_fail_at(&err, SP_OUTPUT, path, 0, 0, NULL, "the record cannot be written");
    } else if (status == SP_OK) {
        status = sp_atomic_commit(&file, &err);
    }
    FILE *json = a->output.json.stream;
    if (status == SP_OK && json &&
        (json_dumpf(record, json, JSON_INDENT(1) | JSON_REAL_PRECISION(17)) != 0 || fputc('\n', json) == EOF))
        status = sp_fail(&err, SP_OUTPUT, NULL, "the JSON cannot be written");
    if (status != SP_OK)
        return sp_report_error(&err);
    if (a->common.verbosity >= 0)
        sp_print(sp_sink_is_stdout(a->common.json) ? stderr : stdout, "saved  %s\n", path);
    return 0;
}

static int show(const struct sp_analyze_arguments *a, const struct sp_mpi_result *r, const char *command)
{
    if (!sp_sink_is_stdout(a->common.json) && a->common.verbosity >= 0)
        print_result(r, a->common.verbosity > 0, stdout);
    json_t *record = sp_mpi_record(r, command);
    const int code = write_record(a, r, record);
    json_decref(record);
    return code;
}

/* ---- running ---- */

static int analyze_one(const struct sp_analyze_arguments *a, const struct sp_mpi *mpi,
                       const struct sp_mpi_world *world, const struct sp_mpi_options *options,
                       const char *command)
{
    struct sp_error err;
    struct sp_mpi_result result;
    const enum sp_status status = sp_mpi_run(mpi, world, options, &result, &err);
    if (status != SP_OK)
        return world->rank == 0 ? sp_report_error(&err) : sp_exit_code(status);
    double code = world->rank == 0 ? show(a, &result, command) : 0;
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
                                     .progress = world->rank == 0 ? &progress : NULL,
                                     .watch = {sp_mpi_job_wait, NULL}};
    if (sp_meminfo_read("", &memory, NULL) == SP_OK) /* the ranks of a node share it */
        options.load.memory_limit_B = (double)memory.available_B / (a->each_reads ? world->n_node_ranks : 1);
    if (world->rank > 0)
        options.load.progress = NULL;
    int code = 0;
    for (int i = 0; i < a->n_matrices && code != sp_exit_code(SP_INTERRUPTED); i++) {
        options.matrix = a->matrix[i];
        code = sp_worse_exit(code, analyze_one(a, mpi, world, &options, command));
        sp_terminal_clear(&terminal);
    }
    return code;
}

/* What the distributed product has not got: other operations, formats, orders, devices; and all
 * that a record of the usual form is needed for. */
static enum sp_status refuse(const struct sp_analyze_arguments *a, struct sp_error *err)
{
    static const enum sp_option taken[] = {SP_OPTION_THREADS,    SP_OPTION_SAMPLES, SP_OPTION_BUDGET,
                                           SP_OPTION_DROP_ZEROS, SP_OPTION_FORMAT,  SP_OPTION_REORDER,
                                           SP_OPTION_PRECISION,  SP_OPTION_DEVICE,  SP_OPTION_NO_HINTS,
                                           SP_OPTION_NO_PLOTS,   SP_OPTION_MPI};
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
    if (a->common.csv || a->common.lines)
        return sp_fail(err, SP_USAGE, "take --json", "the record of " SP_O_MPI " is written as JSON alone");
    return SP_OK;
}

int sp_analyze_mpi(struct sp_analyze_arguments *a, const char *command)
{
    struct sp_error err;
    struct sp_mpi_job job;
    enum sp_status status = refuse(a, &err);
    if (status == SP_OK)
        status = sp_mpi_job_begin(a->patience_s > 0 ? a->patience_s : 300, &job, &err);
    if (status != SP_OK)
        return sp_mpi_job_report(&err);
    if (job.world.rank > 0) { /* the first writes for all */
        a->common.json = NULL;
    }
    int code = job.world.rank == 0 ? sp_output_open(&a->output, &a->common) : 0;
    code = (int)job.mpi->most(code);
    if (code == 0) {
        code = run_all(a, job.mpi, &job.world, command);
        if (job.world.rank == 0)
            code = sp_output_close(&a->output, &a->common, code);
    }
    sp_mpi_job_end(&job);
    return code;
}
