/* Bytes and entries that SpMM, SDDMM and FusedMM move, by formula [THEORY 4-6]. What a layout really stores
 * is counted by sp_volume_layout(); these are for reasoning about sizes alone. Where a paper's printed
 * formula differs from what its own counting gives, it has a function named ..._printed. Sources: [T] tiled
 * SpMM, [D] GPU-Dynamic SDDMM, [E] ESIMD kernels. */
#ifndef SP_MODEL_VOLUME_DENSE_H
#define SP_MODEL_VOLUME_DENSE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/volume/volume_spmv.h"

/* The sizes that all of them take. Rows and columns with entries are those of the dense operands that are
 * read. */
struct sp_dense_case {
    int64_t n_r, n_c, n_nz;
    int64_t n_r_used, n_c_used;
    int64_t r; /* >= 1 */
};
/* All rows and columns have entries. */
struct sp_dense_case sp_dense_case_of(int64_t n_r, int64_t n_c, int64_t n_nz, int64_t r);

/* ---- compulsory volumes: each array once, w bytes a byte stored ---- */

/* (s_a + s_i) n_nz + s_p (n_r + 1) + r (s_x n_c' + w s_y n_r) */
struct sp_volume sp_volume_spmm(struct sp_dense_case c, struct sp_sizes sizes, double w);
/* (s_a [scaled by S] + s_i + w s_y) n_nz + s_p (n_r + 1) + r s_x (n_r' + n_c') */
struct sp_volume sp_volume_sddmm(struct sp_dense_case c, struct sp_sizes sizes, bool scaled, double w);
/* s_i n_nz + s_p (n_r + 1) + r (s_x (n_r' + 2 n_c') + w s_y n_r) */
struct sp_volume sp_volume_fusedmm(struct sp_dense_case c, struct sp_sizes sizes, double w);

/* What FusedMM saves against SDDMM of the pattern followed by SpMM with P: (w + 1) s_a n_nz + s_i n_nz +
 * s_p (n_r + 1) [B]. */
double sp_fusedmm_saved_B(struct sp_dense_case c, struct sp_sizes sizes, double w);
/* Throughput of FusedMM over that of SDDMM and of SpMM, as [E] reports it. */
#define SP_FUSEDMM_OVER_SDDMM_REPORTED 1.3
#define SP_FUSEDMM_OVER_SPMM_REPORTED  1.07

/* ---- SpMM on GPUs ---- */

/* One thread an output, no cache: 2 mu/((s_a + s_i) mu + s_x mu + s_y + 8), mu entries a row, 8 B of pointers
 * [T] [flop/B]. mu > 0, also INFINITY. */
double sp_spmm_baseline_intensity(double mu, struct sp_sizes sizes);

/* With tiles: a register tile of r_t columns divides the traffic of A and of the pointers by r_t, staging the
 * distinct rows of B that a block of rows touches divides that of B by `reuse` = entries in the block /
 * distinct columns in it: r (((s_a + s_i) n_nz + 8 n_r)/r_t + s_x n_nz/reuse + s_y n_r) [B]. Both 1: the
 * baseline. */
double sp_spmm_tiled_B(struct sp_dense_case c, struct sp_sizes sizes, double r_t, double reuse);
/* Geometric mean over cuSPARSE that [T] reports for 200 matrices on an A100 in f32. */
#define SP_SPMM_SPEEDUP_REPORTED 2.03

/* ---- SDDMM: entries read, |A| = n_r r, |B| = n_c r ---- */

/* Tiles of T_i rows and T_k of the width in shared memory: 3 n_nz r/T_k + |A| + |A||B|/(T_i r) [D]. */
double sp_sddmm_reads_tiled(struct sp_dense_case c, double T_i, double T_k);
/* Columns re-indexed, worst case: |A| + n_nz (r + 1 + 3 r/T_k); [D] prints r/T_k. */
double sp_sddmm_reads_reindexed(struct sp_dense_case c, double T_k);
double sp_sddmm_reads_reindexed_printed(struct sp_dense_case c, double T_k);
/* COO without reuse: n_nz (2 r + 3), and 2 n_nz for the conversion from CRS; [D] prints 2 r + 4 in all, which
 * leaves S's value out. */
double sp_sddmm_reads_coo(struct sp_dense_case c);
double sp_sddmm_reads_coo_printed(struct sp_dense_case c);

/* Row-wise, the row of A held, nothing else kept: (s_i + r s_x) n_nz + r s_x n_r' + s_p (n_r + 1) [B], and
 * s_y n_nz with the store of P [E]. */
double sp_sddmm_uncached_B(struct sp_dense_case c, struct sp_sizes sizes, bool with_store);

#endif
