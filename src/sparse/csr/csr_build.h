/* Building a matrix whose row lengths are known before its entries: first the row lengths, then the room. */
#ifndef SP_SPARSE_CSR_BUILD_H
#define SP_SPARSE_CSR_BUILD_H

#include <stdint.h>

#include "sparse/csr/csr.h"

/* n[0 .. n_items] holds 0 and then the sizes of the items; afterwards n[i] is the sum of the sizes before
 * item i. In parallel. */
void sp_prefix_sum(int64_t *n, int64_t n_items);

/* Allocates the row pointers only. The caller writes the length of row i to row_ptr[i + 1] and goes on with
 * sp_csr_take_entries(). On failure *a is zeroed. */
enum sp_status sp_csr_take_rows(int64_t n_r, int64_t n_c, enum sp_field field,
                                const struct sp_allocator *allocator, struct sp_csr *a, struct sp_error *err);
/* Turns the lengths into pointers and allocates col and val, untouched. On failure *a is freed and zeroed. */
enum sp_status sp_csr_take_entries(struct sp_csr *a, struct sp_error *err);

#endif
