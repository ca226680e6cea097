/* Code balance B_C = V/W [B/flop] for n_r large: what a row's and an entry's bytes cost per operation.
 *
 * fp64 with 32-bit indices and pointers, these reduce to [THEORY 2, 3]:
 *     CRS, CPU (w = 2)   6 + 4 alpha + 10/n_nzr         CRS, GPU (w = 1)   6 + 4 alpha + 6/n_nzr
 *     complex128, CPU    2.5 + 2 alpha + 4.5/n_nzr
 *     SELL, GPU          6/beta + 4 alpha + (4 + 2/C)/n_nzr, with stored chunk lengths 4/C instead of 2/C
 *     SpMMV, CRS, CPU    6/r + 4 alpha(r) + (8 + 2/r)/n_nzr */
#ifndef SP_MODEL_BALANCE_H
#define SP_MODEL_BALANCE_H

#include <stdbool.h>

#include "model/volume/volume_spmv.h"

/* flops_per_entry: sp_flops_per_entry(). n_nzr > 0 entries per row. */
double sp_balance_crs(struct sp_sizes sizes, double flops_per_entry, double n_nzr, double alpha, double w);

/* stored_lengths: each chunk stores its length beside its pointer. permuted: a row permutation is read. */
double sp_balance_sell(struct sp_sizes sizes, double flops_per_entry, double n_nzr, int32_t C, double beta,
                       bool stored_lengths, bool permuted, double alpha, double w);

/* The lecture's way to write the same, fp64 on a GPU, alpha counted per *stored* entry:
 *     (6 + 4 alpha_stored + beta (4 + 2/C)/n_nzr)/beta,   alpha_stored = beta alpha
 * The slide prints 1/beta before the first term only; it belongs before the whole sum [THEORY 2]. */
double sp_balance_sell_per_stored(double n_nzr, int32_t C, double beta, double alpha_stored);

/* r >= 1 right-hand sides, row-major block vectors, CRS; r may be INFINITY (the limit 4 alpha + 8/n_nzr). */
double sp_balance_spmmv_crs(struct sp_sizes sizes, double flops_per_entry, double n_nzr, double r,
                            double alpha, double w);

#endif
