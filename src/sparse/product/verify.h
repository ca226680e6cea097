/* Is y = A x? Checked against sums in double with a bound that follows from the arithmetic. */
#ifndef SP_SPARSE_VERIFY_H
#define SP_SPARSE_VERIFY_H

#include "base/status.h"
#include "sparse/csr/csr.h"
#include "sparse/product/workload.h"

/* y = A x in double, and abs_sum[i] = sum over the row of |a_ij| |x_j| (complex: of (|Re a| + |Im
 * a|) (|Re x| + |Im x|)). x[n_c] and y[n_r], complex matrices: [2 n_c] and [2 n_r]; abs_sum[n_r] or
 * NULL. Parallel. */
void sp_spmv_reference(const struct sp_csr *a, const double *x, double *y, double *abs_sum);

struct sp_spmv_check {
    double max_error;     /* max over rows of |y - y_ref| / sum |a_ij x_j|; INFINITY where that sum is 0 */
    double max_ratio;     /* max over rows of |y - y_ref| / tolerance; at most 1 when the result is right */
    int64_t bad_row;      /* first row whose ratio exceeds 1, 0-based; -1: none */
    int64_t n_not_finite; /* rows that are not finite in both: neither right nor wrong, not in the maxima */
    int64_t n_bad;        /* rows whose ratio exceeds 1 */
    int64_t worst_row;    /* with the largest ratio, the first of them; as bad_row */
    double got, expected; /* there; of complex numbers the real part, of several columns the worst one */
};

/* Checks y of any kernel that computes in `precision` and sums a row in any order:
 *
 *     |y - y_ref| <= gamma_m sum |a_ij| |x_j| + underflow,   gamma_m = m u / (1 - m u)
 *
 * [Higham, Accuracy and Stability, 3.1] with u the unit roundoff of the precision, m = n + 4 for a
 * row of n entries (complex: 2 n + 4): at most n - 1 additions, the product, and in f32 the
 * rounding of a, of x and of the result; y_ref's own error is added with double's u. Underflow adds
 * n smallest numbers, scaled. mixed: the bound of f64, and in rows with a value that is not an f32
 * number gamma_1(2^-24) sum |a_ij| |x_j| and f32's underflow.
 *
 * A row whose reference is not finite must not be finite in y either, and the other way round; in
 * f32 (mixed: with such a value) a row whose sum |a_ij x_j| exceeds the range may be either. x has
 * to be finite: padded formats multiply its entries with fill.
 *
 * x and y are as in sp_spmv_reference(); where the precision is c128 they are complex though the
 * matrix is real. Returns SP_WRONG with the first bad row. check may be NULL. */
enum sp_status sp_spmv_verify(const struct sp_csr *a, enum sp_precision precision, const double *x,
                              const double *y, struct sp_spmv_check *check, struct sp_error *err);

/* The same for every operation: `result` of a kernel in `w->precision` that sums in any order. With
 * u_s the unit roundoff of what is stored and u of what is summed (f32 for the 16-bit types), q the
 * factors of a product that are stored (two; SDDMM and FusedMM three) and m the operations on a
 * term:
 *
 *     |result - reference| <= (gamma_{q + 1}(u_s) + gamma_m(u)) sum |terms| + underflow
 *
 * m: entries of the row + 2 for SpMMV and SpMM, r + 3 for SDDMM, entries + r + 4 for FusedMM. SpMM
 * in BCSR may run on matrix units: u is 8 times that of f32 there, but for f64. bad_row is a row of
 * the matrix. SP_WRONG with the first bad one; SP_MEMORY. */
enum sp_status sp_verify(const struct sp_workload *w, const struct sp_dense *dense, const double *result,
                         struct sp_spmv_check *check, struct sp_error *err);

#endif
