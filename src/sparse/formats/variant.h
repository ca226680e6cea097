/* The same arrays, used otherwise: for counterfactuals and interventions. */
#ifndef SP_SPARSE_LAYOUT_VARIANT_H
#define SP_SPARSE_LAYOUT_VARIANT_H

#include "sparse/formats/layout.h"

/* Another partition of this layout's rows or chunks; `block` in rows as in a workload. The layout
 * is not changed; who puts the partition into it has to put the old one back before
 * sp_layout_free(). */
enum sp_status sp_layout_repartition(const struct sp_layout *layout, enum sp_schedule schedule, int64_t block,
                                     int n_threads, struct sp_partition *partition, struct sp_error *err);

/* A view of the layout in which every stored index i is i mod window (window >= 1): the gathers of
 * a run then stay inside `window` entries of x (HALF: inside the `window` rows before the entry's
 * own), while all other traffic is as before. Results are wrong. The view owns its indices and
 * borrows all else. SP_ABSENT: a permuted layout, which has no indices. */
enum sp_status sp_layout_fold(const struct sp_layout *layout, int64_t window, struct sp_layout *view,
                              struct sp_error *err);
void sp_layout_unfold(struct sp_layout *view); /* frees what the view owns; safe twice */

/* Pointers of the layout as if the rows of each thread's share stood in the order of their lengths,
 * so that the end of the next row can be foretold; shares and entries stay where they are, and
 * results are wrong. *ptr [n_ptr] of s_p bytes each, from l->allocator: release with
 * sp_large_free(). SP_ABSENT: not CRS, rows whose indices count from a base, shares that cut
 * rows, or rows that stand in that order already. */
enum sp_status sp_layout_sorted_ptr(const struct sp_layout *l, void **ptr, struct sp_error *err);

#endif
