/* Reverse Cuthill-McKee (George and Liu 1981): breadth-first numbering, children by ascending degree, from a
 * pseudo-peripheral vertex of every component, reversed. Works on the pattern of A + A^T, which is built only
 * where A's own pattern is not symmetric. */
#ifndef SP_SPARSE_REORDER_RCM_H
#define SP_SPARSE_REORDER_RCM_H

#include "sparse/csr.h"

/* perm[n_r] new to old; a is square; `seed` is not used. SP_MEMORY. */
enum sp_status sp_rcm(const struct sp_csr *a, uint64_t seed, int32_t *perm, struct sp_error *err);

#endif
