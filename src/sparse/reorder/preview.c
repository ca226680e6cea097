#include "sparse/reorder/preview.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "sparse/csr/partition.h"
#include "sparse/formats/bcsr.h"
#include "sparse/formats/layout.h"

/* ---- places ---- */

struct places {
    int64_t lower, upper, profile;
    double distance;
};

/* A row of the matrix as it stands, in whose order memory is read fastest. */
static void add_row(const struct sp_permuted *p, int64_t row, struct places *sum)
{
    const int64_t i = sp_permuted_place(p, row), *row_ptr = p->pattern.row_ptr;
    if (row_ptr[row] == row_ptr[row + 1])
        return;
    int64_t first = INT64_MAX, last = -1, distance = 0;
    for (int64_t k = row_ptr[row]; k < row_ptr[row + 1]; k++) {
        int64_t j = sp_permuted_column(p, sp_pattern_col(&p->pattern, k));
        first = j < first ? j : first;
        last = j > last ? j : last;
        distance += j > i ? j - i : i - j;
    }
    sum->lower = i - first > sum->lower ? i - first : sum->lower;
    sum->upper = last - i > sum->upper ? last - i : sum->upper;
    sum->profile += i > first ? i - first : 0;
    sum->distance += (double)distance;
}

static void find_places(const struct sp_permuted *p, struct sp_preview *out)
{
    struct places all = {0};
#pragma omp parallel
    {
        struct places own = {0};
#pragma omp for schedule(dynamic, 1024) nowait
        for (int64_t row = 0; row < p->pattern.n_r; row++)
            add_row(p, row, &own);
#pragma omp critical
        {
            all.lower = own.lower > all.lower ? own.lower : all.lower;
            all.upper = own.upper > all.upper ? own.upper : all.upper;
            all.profile += own.profile;
            all.distance += own.distance;
        }
    }
    out->lower_bandwidth = all.lower;
    out->upper_bandwidth = all.upper;
    out->profile = all.profile;
    out->mean_distance = p->pattern.n_nz > 0 ? all.distance / (double)p->pattern.n_nz : 0;
}

/* ---- threads ---- */

static int64_t entries_of(const struct sp_partition *partition, const int64_t *row_ptr, int thread)
{
    if (partition->schedule == SP_SCHEDULE_MERGE)
        return partition->entry_begin[thread + 1] - partition->entry_begin[thread];
    int64_t n = 0, cursor = 0, first, end;
    while (sp_partition_next(partition, thread, &cursor, &first, &end))
        n += row_ptr[end] - row_ptr[first];
    return n;
}

static enum sp_status find_lambda(const struct sp_permuted *p, const struct sp_preview_options *o,
                                  struct sp_preview *out, struct sp_error *err)
{
    struct sp_partition partition;
    out->lambda = 1;
    enum sp_status status =
        sp_partition_make(o->schedule, o->block, o->n_threads, p->pattern.n_r, p->row_ptr, &partition, err);
    if (status != SP_OK)
        return status;
    int64_t most = 0;
    for (int t = 0; t < o->n_threads; t++) {
        int64_t n = entries_of(&partition, p->row_ptr, t);
        most = n > most ? n : most;
    }
    if (p->pattern.n_nz > 0)
        out->lambda = (double)most * o->n_threads / (double)p->pattern.n_nz;
    sp_partition_free(&partition);
    return SP_OK;
}

/* ---- blocks ---- */

/* Of one stratum of block rows one, with its entries; sums for a ratio. */
struct ratio_sums {
    double y, yy, yx, x, xx;
};

static void add_block_row(const struct sp_permuted *p, const struct sp_preview_options *o,
                          struct sp_block_walk *walk, int64_t block_row, struct ratio_sums *sum)
{
    const int64_t first = block_row * o->b_h;
    const int64_t end = first + o->b_h < p->pattern.n_r ? first + o->b_h : p->pattern.n_r;
    const double y = (double)sp_block_walk_rows(walk, first, end, o->b_w);
    const double x = (double)(p->row_ptr[end] - p->row_ptr[first]);
    sum->y += y;
    sum->yy += y * y;
    sum->yx += y * x;
    sum->x += x;
    sum->xx += x * x;
}

static struct ratio_sums count_blocks(const struct sp_permuted *p, const struct sp_preview_options *o,
                                      struct sp_block_walk *walks, int64_t n_block_rows, int64_t stride)
{
    const int64_t n_strata = (n_block_rows + stride - 1) / stride;
    struct ratio_sums all = {0}; /* of whole numbers: exact whatever the order */
#pragma omp parallel
    {
        struct ratio_sums own = {0};
#pragma omp for schedule(dynamic, 64) nowait
        for (int64_t stratum = 0; stratum < n_strata; stratum++) {
            struct sp_random random = {sp_random_at(3, (uint64_t)stratum)};
            int64_t first = stratum * stride;
            int64_t n = first + stride < n_block_rows ? stride : n_block_rows - first;
            add_block_row(p, o, &walks[omp_get_thread_num()], first + sp_random_below(&random, n), &own);
        }
#pragma omp critical
        {
            all.y += own.y;
            all.yy += own.yy;
            all.yx += own.yx;
            all.x += own.x;
            all.xx += own.xx;
        }
    }
    return all;
}

static enum sp_status find_blocks(const struct sp_permuted *p, const struct sp_preview_options *o,
                                  struct sp_preview *out, struct sp_error *err)
{
    const int n_threads = omp_get_max_threads();
    const int64_t n_block_rows = (p->pattern.n_r + o->b_h - 1) / o->b_h;
    int64_t stride = o->exact ? 1 : p->pattern.n_nz / SP_STRUCTURE_SAMPLE + 1;
    if (stride > n_block_rows / 64) /* few long rows: all of them */
        stride = 1;
    void *walks;
    enum sp_status status =
        sp_new_array(n_threads, sizeof(struct sp_block_walk), "the threads that count blocks", &walks, err);
    if (status == SP_OK)
        status = sp_block_walks_make(&p->pattern, p->row_perm, p->new_col, o->b_w, n_threads, walks, err);
    if (status == SP_OK) {
        struct ratio_sums s = count_blocks(p, o, walks, n_block_rows, stride);
        double ratio = s.x > 0 ? s.y / s.x : 0, scale = stride > 1 ? (double)p->pattern.n_nz : s.x;
        double residual = s.yy - 2 * ratio * s.yx + ratio * ratio * s.xx;
        double error = stride > 1 && residual > 0 && s.x > 0 ? 1.96 * sqrt(residual) / s.x : 0;
        out->n_e = (struct sp_estimate){stride > 1 ? ratio * scale : s.y, error * scale, p->pattern.n_nz > 0};
        sp_block_walks_free(walks, n_threads);
    }
    free(walks);
    return status;
}

enum sp_status sp_preview_order(const struct sp_permuted *p, const struct sp_preview_options *o,
                                struct sp_preview *out, struct sp_error *err)
{
    memset(out, 0, sizeof *out);
    const struct sp_pattern lengths = {p->pattern.n_r, p->pattern.n_c, p->pattern.n_nz,
                                       p->row_ptr,     NULL,           NULL};
    find_places(p, out);
    out->beta = sp_sell_beta(&lengths, o->C, o->sigma);
    enum sp_status status = find_lambda(p, o, out, err);
    if (status == SP_OK)
        status = find_blocks(p, o, out, err);
    if (status != SP_OK)
        memset(out, 0, sizeof *out);
    return status;
}
