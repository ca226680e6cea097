/* The dense operands of a workload, and its result, as the user has them: row-major doubles. Kernels keep
 * copies in their own precision and order.
 *
 *              x                rows         second        result
 *   spmv       x [n_c]                                     y [n_r]        (complex: two doubles a number)
 *   spmmv/mm   X [n_c x r]                                 Y [n_r x r]
 *   sddmm      B [n_c x r]      A [n_r x r]                P [n_nz], in the order of the matrix's entries
 *   fusedmm    B [n_c x r]      C [n_r x r]  D [n_c x r]   E [n_r x r] */
#ifndef SP_SPARSE_DENSE_H
#define SP_SPARSE_DENSE_H

#include <stdint.h>

#include "base/status.h"
#include "sparse/product/workload.h"

struct sp_dense {
    const double *x, *rows, *second; /* borrowed; NULL where the operation has none */
};

/* Doubles in each operand and in the result; 0 where the operation has none. */
int64_t sp_dense_n_x(const struct sp_workload *w);
int64_t sp_dense_n_rows(const struct sp_workload *w);
int64_t sp_dense_n_second(const struct sp_workload *w);
int64_t sp_dense_n_result(const struct sp_workload *w);

/* Operands filled with numbers of either sign between 0.5 and 1 in size (`seed` decides them), x of SpMV with
 * positive ones as ever. */
struct sp_dense_arrays {
    double *x, *rows, *second; /* owned */
};
enum sp_status sp_dense_make(const struct sp_workload *w, uint64_t seed, struct sp_dense_arrays *arrays,
                             struct sp_error *err);
void sp_dense_free(struct sp_dense_arrays *arrays);
static inline struct sp_dense sp_dense_of(const struct sp_dense_arrays *a)
{
    return (struct sp_dense){a->x, a->rows, a->second};
}

#endif
