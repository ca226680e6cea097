/* Rows by which sections of the columns they have entries in, in the order of a Gray code: from one row to
 * the next few sections of x come or go (after Zhao et al., Exploring better speculation and data locality in
 * sparse matrix-vector multiplication on Intel Xeon, 2020, without their split by density). */
#ifndef SP_SPARSE_REORDER_GRAY_H
#define SP_SPARSE_REORDER_GRAY_H

#include "sparse/csr/csr.h"

enum { SP_GRAY_SECTIONS = 16, SP_GRAY_MOST_SECTIONS = 32 };

/* perm[n_r] new to old. `sections` equal ones, at most SP_GRAY_MOST_SECTIONS; rows of one code keep their
 * order, empty rows come first. SP_MEMORY. */
enum sp_status sp_gray_order(const struct sp_pattern *a, uint64_t sections, int32_t *perm,
                             struct sp_error *err);

#endif
