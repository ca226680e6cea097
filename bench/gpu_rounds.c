/* Rounds of all candidates in turn, and who was the fastest. */
#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/reading.h"
#include "gpu_bench.h"

/* Reads other data until nothing else is in the L2. */
static void scrub(const struct device *d)
{
    struct sp_gpu_ceiling_case c = {.kind = SP_GPU_CEILING_LOAD, .bytes = d->arena_B, .repetitions = 1};
    struct sp_error err;
    double value, seconds;
    if (d->module->ceilings->sample(d->arena, &c, &value, &seconds, &err) != SP_OK)
        bench_fail(&err);
}

void bench_measure(struct bench *b)
{
    struct sp_error err;
    const double seconds = b->settings->seconds;
    for (int i = 0; i < b->settings->n_rounds; i++) {
        if (i > 0 && seconds > 0 && sp_now() - b->begun_at > seconds) {
            printf("  %d of %d rounds in %g s\n", i, b->settings->n_rounds, seconds);
            return;
        }
        for (int k = 0; k < b->n_rows; k++) {
            struct row *row = &b->rows[k];
            if (bench_run_row(b, row, row->repetitions, &row->warm_s[i], &err) != SP_OK)
                bench_fail(&err);
            row->warm_s[i] /= (double)row->repetitions;
            scrub(b->device);
            if (bench_run_row(b, row, 1, &row->cold_s[i], &err) != SP_OK)
                bench_fail(&err);
        }
        b->n_rounds = i + 1;
    }
}

static bool is_ours(const struct row *row)
{
    return !row->peer;
}

static double bytes_of(const struct sp_layout *l)
{
    return sp_layout_matrix_bytes(l) + sp_layout_array_bytes(l, SP_ARRAY_X) +
           sp_layout_array_bytes(l, SP_ARRAY_ROWS) + sp_layout_array_bytes(l, SP_ARRAY_Y);
}

void bench_print_row(const struct bench *b, const struct row *row)
{
    const int n = b->n_rounds;
    const double warm = sp_median(row->warm_s, n), cold = sp_median(row->cold_s, n);
    const double bytes = bytes_of(&row->form->layout), flops = sp_workload_flops(&row->form->workload);
    char before[32] = "";
    if (row->peer)
        snprintf(before, sizeof before, "%.3g ms before", row->preprocess_s * 1e3);
    printf("  %-44s warm %9.2f us  cold %9.2f us  %8.1f Gflop/s  %6.2f B/nnz  %5.1f %% of the roof  %s\n",
           row->name, warm * 1e6, cold * 1e6, flops / warm * 1e-9, bytes / (double)b->matrix.n_nz,
           100 * bytes / cold / b->device->roof, before);
}

/* Of ours or of the peers that of least median time, NULL: none. */
static const struct row *best(const struct bench *b, bool ours, bool cold)
{
    const struct row *found = NULL;
    double least = INFINITY;
    for (int k = 0; k < b->n_rows; k++) {
        const struct row *row = &b->rows[k];
        const double t = sp_median(cold ? row->cold_s : row->warm_s, b->n_rounds);
        if (is_ours(row) == ours && t < least) {
            least = t;
            found = row;
        }
    }
    return found;
}

/* Ours that the model chose, NULL: it knows none of them. */
static const struct row *chosen(const struct bench *b)
{
    const struct row *found = NULL;
    for (int k = 0; k < b->n_rows; k++)
        if (is_ours(&b->rows[k]) && isfinite(b->rows[k].expected_s) &&
            (!found || b->rows[k].expected_s < found->expected_s))
            found = &b->rows[k];
    return found;
}

double bench_print_ratio(const struct bench *b, bool cold)
{
    const struct row *fastest = best(b, true, cold), *their = best(b, false, cold);
    const struct row *our = chosen(b) ? chosen(b) : fastest;
    double ratio[MAX_ROUNDS];
    if (our && our != fastest)
        printf("  %s: the model chose %s, %s is faster\n", cold ? "cold" : "warm", our->name, fastest->name);
    if (!our || !their)
        return NAN;
    for (int i = 0; i < b->n_rounds; i++)
        ratio[i] = cold ? their->cold_s[i] / our->cold_s[i] : their->warm_s[i] / our->warm_s[i];
    struct sp_value v = sp_median_interval(ratio, b->n_rounds, SP_MEASURED);
    printf("  %s: %s is %.3f (%.3f to %.3f) times as fast as %s\n", cold ? "cold" : "warm", our->name,
           v.value, v.lo, v.hi, their->name);
    return v.value;
}
