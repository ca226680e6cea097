/* Orders by degree, for graphs in which few vertices have most of the edges: what is used most lies together,
 * so that a line of x that is in a cache is full of it.
 *
 * degree  all by descending degree, equal ones in their order (hub sorting carried through).
 * hubs    those of more than the mean degree first, hubs and others each in their order, so that what
 * locality the others had is kept (hub clustering: Balaji and Lucia, When is graph reordering an
 * optimization?, 2018). */
#ifndef SP_SPARSE_REORDER_DEGREE_H
#define SP_SPARSE_REORDER_DEGREE_H

#include "sparse/csr/csr.h"

/* perm[n_r] new to old; `number` is not used. SP_MEMORY. */
enum sp_status sp_degree_order(const struct sp_pattern *a, uint64_t number, int32_t *perm,
                               struct sp_error *err);
enum sp_status sp_hub_order(const struct sp_pattern *a, uint64_t number, int32_t *perm, struct sp_error *err);

#endif
