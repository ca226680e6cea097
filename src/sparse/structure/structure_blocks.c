#include <math.h>
#include <omp.h>
#include <stdlib.h>

#include "base/random.h"
#include "sparse/formats/blocks.h"
#include "sparse/structure/parts.h"

static const int32_t shapes[SP_STRUCTURE_BLOCKS][2] = {{2, 2}, {3, 3}, {4, 4}, {4, 8}, {8, 8}, {16, 16}};

/* Groups of GROUP rows are looked at: a multiple of every block height and of the 8 lanes of a chunk. */
enum { GROUP = 48, LANES = 8, N_COUNTS = SP_STRUCTURE_BLOCKS + 2 };
/* the counts of a group: blocks of each shape, then unit-stride slots and all slots */
enum { UNIT = SP_STRUCTURE_BLOCKS, SLOTS };

/* Diagonals that all eight rows share, which is what a unit-stride slot needs; and the slots of the chunk. */
static void count_slots(const struct sp_csr *a, int64_t first, int64_t end, int64_t *count)
{
    int64_t next[LANES], longest = 0, n = 0;
    for (int64_t r = first; r < end; r++) {
        int64_t length = a->row_ptr[r + 1] - a->row_ptr[r];
        longest = length > longest ? length : longest;
        next[r - first] = a->row_ptr[r];
    }
    count[SLOTS] += longest;
    if (end - first < LANES)
        return;
    for (int64_t k = a->row_ptr[first]; k < a->row_ptr[first + 1]; k++) {
        int64_t diagonal = a->col[k] - first;
        bool all = true;
        for (int lane = 1; lane < LANES && all; lane++) {
            int64_t row = first + lane;
            // NOLINTNEXTLINE(clang-analyzer-core.*): end - first is LANES here, so all are set
            while (next[lane] < a->row_ptr[row + 1] && a->col[next[lane]] - row < diagonal)
                next[lane]++;
            all = next[lane] < a->row_ptr[row + 1] && a->col[next[lane]] - row == diagonal;
        }
        n += all;
    }
    count[UNIT] += n;
}

/* Sums over groups from which ratios and their errors follow. */
struct sums {
    double y[N_COUNTS], yy[N_COUNTS], yx[N_COUNTS]; /* counts, squares, products with x */
    double x, xx;                                   /* entries of the group */
    double unit_slots;                              /* product of the last two counts */
};

static void add_group(const struct sp_csr *a, struct sp_block_walk *walk, int64_t group, struct sums *sum)
{
    int64_t count[N_COUNTS] = {0}, first = group * GROUP;
    int64_t end = first + GROUP < a->n_r ? first + GROUP : a->n_r;
    for (int b = 0; b < SP_STRUCTURE_BLOCKS; b++)
        for (int64_t i = first; i < end; i += shapes[b][0])
            count[b] += sp_block_walk_rows(walk, i, i + shapes[b][0], shapes[b][1]);
    for (int64_t i = first; i < end; i += LANES)
        count_slots(a, i, i + LANES < end ? i + LANES : end, count);
    double x = (double)(a->row_ptr[end] - a->row_ptr[first]);
    sum->x += x;
    sum->xx += x * x;
    for (int c = 0; c < N_COUNTS; c++) {
        double y = (double)count[c];
        sum->y[c] += y;
        sum->yy[c] += y * y;
        sum->yx[c] += y * x;
    }
    sum->unit_slots += (double)count[UNIT] * (double)count[SLOTS];
}

/* y/x with the error of a ratio estimate, from its sums. */
static struct sp_estimate ratio(double y, double yy, double yx, double x, double xx, bool sampled)
{
    if (x <= 0)
        return (struct sp_estimate){0, 0, false};
    double r = y / x, residual = yy - 2 * r * yx + r * r * xx;
    return (struct sp_estimate){r, sampled && residual > 0 ? 1.96 * sqrt(residual) / x : 0, true};
}

static void add_all(const struct sp_csr *a, struct sp_block_walk *walks, int64_t n_groups, int64_t stride,
                    struct sums *all)
{
    int64_t n_strata = (n_groups + stride - 1) / stride;
#pragma omp parallel
    {
        struct sums own = {0};
#pragma omp for schedule(dynamic, 64) nowait
        for (int64_t stratum = 0; stratum < n_strata; stratum++) {
            struct sp_random random = {sp_random_at(2, (uint64_t)stratum)};
            int64_t first = stratum * stride, n = first + stride < n_groups ? stride : n_groups - first;
            add_group(a, &walks[omp_get_thread_num()], first + sp_random_below(&random, n), &own);
        }
#pragma omp critical
        {
            all->x += own.x;
            all->xx += own.xx;
            all->unit_slots += own.unit_slots;
            for (int c = 0; c < N_COUNTS; c++) {
                all->y[c] += own.y[c];
                all->yy[c] += own.yy[c];
                all->yx[c] += own.yx[c];
            }
        }
    }
}

enum sp_status sp_structure_blocks(const struct sp_csr *a, struct sp_structure *s, struct sp_error *err)
{
    struct sp_pattern pattern = sp_csr_pattern(a);
    int n_threads = omp_get_max_threads();
    void *walks;
    enum sp_status status = sp_new_array(n_threads, sizeof(struct sp_block_walk),
                                         "the threads that look for blocks", &walks, err);
    if (status == SP_OK)
        status = sp_block_walks_make(&pattern, NULL, NULL, shapes[0][1], n_threads, walks, err);
    if (status != SP_OK) {
        free(walks);
        return status;
    }
    int64_t n_groups = (a->n_r + GROUP - 1) / GROUP;
    /* one group at random out of every `stride`: no period of the matrix can hide behind a fixed step */
    int64_t stride = a->n_nz / SP_STRUCTURE_SAMPLE + 1;
    if (stride > n_groups / 64)
        stride = n_groups / 64 > 1 ? n_groups / 64 : 1;
    bool sampled = stride > 1;
    struct sums all = {0};
    add_all(a, walks, n_groups, stride, &all);
    sp_block_walks_free(walks, n_threads);
    free(walks);
    for (int b = 0; b < SP_STRUCTURE_BLOCKS; b++) {
        struct sp_block_fill *block = &s->block[b];
        block->b_h = shapes[b][0];
        block->b_w = shapes[b][1];
        struct sp_estimate r = ratio(all.y[b], all.yy[b], all.yx[b], all.x, all.xx, sampled);
        if (!r.known)
            continue;
        double area = (double)(block->b_h * block->b_w), n_nz = (double)a->n_nz;
        block->n_e = (struct sp_estimate){r.value * n_nz, r.error * n_nz, true};
        block->beta = (struct sp_estimate){1 / (r.value * area), r.error / (r.value * r.value * area), true};
    }
    s->unit_share = ratio(all.y[UNIT], all.yy[UNIT], all.unit_slots, all.y[SLOTS], all.yy[SLOTS], sampled);
    return SP_OK;
}
