/* Private to layout_sell*.c and offsets.c: which row goes into which lane and how many slots each chunk
 * has, known before the layout's arrays are allocated, so that these can be first touched by their threads.
 */
#ifndef SP_SPARSE_LAYOUT_SELL_PLAN_H
#define SP_SPARSE_LAYOUT_SELL_PLAN_H

#include "sparse/formats/layout_build.h"
#include "sparse/formats/offsets.h"

struct sp_sell_plan {
    int32_t C;
    int64_t n_r, n_chunks;
    int64_t *ptr;  /* [n_chunks + 1] slots of each chunk, after sp_sell_plan_sum() their first entry */
    int32_t *perm; /* [n_chunks C] as in sp_layout; NULL: natural order */
};

static inline int64_t sp_sell_plan_row(const struct sp_sell_plan *plan, int64_t chunk, int32_t lane)
{
    int64_t i = chunk * plan->C + lane;
    if (plan->perm)
        return plan->perm[i];
    return i < plan->n_r ? i : -1;
}

/* Sorts rows; the caller then sets ptr[k] to the slots of chunk k. */
enum sp_status sp_sell_plan_make(const struct sp_csr *a, int32_t C, int64_t sigma, int n_threads,
                                 struct sp_sell_plan *plan, struct sp_error *err);
void sp_sell_plan_free(struct sp_sell_plan *plan);
/* Entries of the longest row of a chunk. */
int64_t sp_sell_plan_longest(const struct sp_sell_plan *plan, const struct sp_csr *a, int64_t chunk);
/* Sets ptr[k] to the slots of chunk k with 16-bit offsets, and counts. */
void sp_sell_plan_offsets(struct sp_sell_plan *plan, const struct sp_csr *a, int n_threads,
                          struct sp_offsets *offsets);
/* Bases, offsets and values of one chunk; fill keeps its value. */
void sp_sell_plan_fill_offsets(const struct sp_sell_plan *plan, const struct sp_csr *a,
                               struct sp_layout *layout, int64_t chunk);
/* Slots to first entries. */
void sp_sell_plan_sum(struct sp_sell_plan *plan);
/* Sizes, the partition, and ptr, len and perm allocated (not touched). */
enum sp_status sp_sell_plan_apply(const struct sp_sell_plan *plan, const struct sp_workload *w,
                                  struct sp_layout *layout, struct sp_error *err);
/* ptr, len and perm of one chunk. */
void sp_sell_plan_fill(const struct sp_sell_plan *plan, struct sp_layout *layout, int64_t chunk);
/* The values of one chunk, fill included, so that pages of fill are touched too. */
void sp_sell_plan_zero(const struct sp_sell_plan *plan, struct sp_layout *layout, int64_t chunk);

#endif
