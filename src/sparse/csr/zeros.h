/* Entries that are stored though their value is 0. */
#ifndef SP_SPARSE_CSR_ZEROS_H
#define SP_SPARSE_CSR_ZEROS_H

#include <stdint.h>

#include "base/status.h"
#include "sparse/csr/csr.h"

/* Removes every entry whose value is 0 (complex: both parts), whatever its sign; *n_dropped says how many.
 * What the file said about symmetry stays true: the mirror image of a zero is one. A matrix without such
 * entries is left as it is. SP_MEMORY, the matrix is then unchanged: it takes a second one while it works. */
enum sp_status sp_csr_drop_zeros(struct sp_csr *a, int64_t *n_dropped, struct sp_error *err);

#endif
