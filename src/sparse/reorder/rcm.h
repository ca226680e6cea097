/* Reverse Cuthill-McKee (George and Liu 1981): breadth-first numbering, children by ascending degree, from a
 * pseudo-peripheral vertex of every component, reversed. The search for that vertex is parallel where levels
 * are wide; the numbering is not, so that it is the same for any number of threads. */
#ifndef SP_SPARSE_REORDER_RCM_H
#define SP_SPARSE_REORDER_RCM_H

#include "sparse/csr/csr.h"

/* perm[n_r] new to old; the pattern is symmetric; `number` is not used. SP_MEMORY. */
enum sp_status sp_rcm(const struct sp_pattern *graph, uint64_t number, int32_t *perm, struct sp_error *err);

#endif
