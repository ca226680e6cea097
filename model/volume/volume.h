/* Bytes that one y = A x moves through one level's interface, by formula [THEORY 2]: V_crs and V_sell in
 * model/formulas/volume.txt.
 *
 * s_b: 4 with 16-bit offsets (s_i = 2), one base a row or slot; else 0. beta is then that of
 * sp_offsets_count(), which splits slots that span too much.
 *
 * w: bytes moved per byte stored of y: 2 where a store's miss first reads the line, 1 without that read.
 * y += A x has w = 2 on every machine.
 *
 * Where a real layout and the formula differ the layout is the truth, and sp_volume_layout() counts it:
 * unit-stride SELL stores per chunk the number of unit-stride slots and a second pointer instead of one flag
 * a slot. */
#ifndef SP_MODEL_VOLUME_H
#define SP_MODEL_VOLUME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/reading.h"
#include "sparse/formats/layout.h"
#include "sparse/product/workload.h"

/* Bytes of an item [B]: matrix value, element of x, of y, column index, row or chunk pointer, base of a row
 * or slot (0 where indices are absolute). */
struct sp_sizes {
    double s_a, s_x, s_y, s_i, s_p, s_b;
};

/* All three vectors and values of one precision, 4-byte pointers while n_stored fits them. */
struct sp_sizes sp_sizes_of(enum sp_precision precision, enum sp_index index, double n_stored);
/* With pointers of row_ptr_B bytes, where those are asked for (0: as they are). */
struct sp_sizes sp_sizes_with_pointers(struct sp_sizes sizes, int row_ptr_B);
struct sp_sizes sp_sizes_of_layout(const struct sp_layout *layout);

/* Useful operations per entry [flop]: 2, complex 8 [THEORY 1]. */
double sp_flops_per_entry(enum sp_precision precision);

struct sp_volume {
    double array_B[SP_N_ARRAYS]; /* reads and writes together */
    double read_B, write_B;      /* the read part of w counts as a read */
    double total_B;
};

/* n_r, n_nz >= 0, alpha >= 0, w >= 1. */
struct sp_volume sp_volume_spmv_csr(int64_t n_r, int64_t n_nz, struct sp_sizes sizes, double alpha, double w);

/* 0 < beta <= 1, C >= 1. `permuted`: y is scattered through a stored row permutation. */
struct sp_volume sp_volume_spmv_sell(int64_t n_r, int64_t n_nz, int32_t C, double beta, struct sp_sizes sizes,
                                     bool permuted, double alpha, double w);

/* SELL of whose slots the share u in [0, 1] is unit-stride: s_i (u/C + 1 - u) index bytes per stored entry.
 * Pointers as the layout stores them: 2 (s_p + s_i) a chunk. */
struct sp_volume sp_volume_spmv_sellu(int64_t n_r, int64_t n_nz, int32_t C, double beta, double u,
                                      struct sp_sizes sizes, bool permuted, double alpha, double w);

/* Any operation, of what this layout really stores: each array once (STAGED: the threads' buffers too, as in
 * a first execution), of the gathered operands alpha times sp_layout_gather_bytes(), of the result w times
 * its bytes.
 *
 * Each format has its formula in model/formulas/volume.txt (family V), with which tests/test_formulas.c
 * compares.
 *
 * Of a format that updates y, w counts all that partial results of y move, windows of HALF included:
 * sp_layout_w() (model/formats/format.h). At w = 2 and alpha_min no execution from empty caches moves less,
 * of any layout (STAGED: but for the buffers, which all count as the longest one). */
struct sp_volume sp_volume_layout(const struct sp_layout *layout, double alpha, double w);

/* One triangle of a symmetric matrix with full diagonal: (s_a + s_i)(n_nz + n_r)/2 + s_p (n_r + 1), gathers
 * of x alpha_x s_x n_nz and updates of y 2 alpha_y s_y n_nz: y is read and written, alpha_y as for x, its
 * least value is n_r/n_nz [THEORY 2]. */
struct sp_volume sp_volume_spmv_half(int64_t n_r, int64_t n_nz, struct sp_sizes sizes, double alpha_x,
                                     double alpha_y);

/* r right-hand sides, block vectors row-major, matrix read once:
 * V(r) = (s_a + s_i) n_nz/beta + p + r (w s_y n_r + alpha(r) s_x n_nz) [THEORY 3]. `one` is the volume of
 * r = 1 at the same alpha. */
struct sp_volume sp_volume_spmmv(struct sp_volume one, int64_t r);

/* Bytes of the matrix alone: values, indices, pointers, permutation. */
double sp_volume_matrix_B(const struct sp_volume *v);

/* Least bytes that an execution can show, from V at alpha_min [THEORY 2, cold and warm]: cold
 * V - s_y n_r (dirty lines may stay in cache), warm max(0, V - 2 Z), Z [B] the last-level capacity of the
 * domains used. */
double sp_volume_floor(const struct sp_volume *at_alpha_min, bool warm, double Z_B);

/* Bytes and entries that SpMM, SDDMM and FusedMM move, by formula [THEORY 4-6]. What a layout really stores
 * is counted by sp_volume_layout(); these are for reasoning about sizes alone. Where a paper's printed
 * formula differs from what its own counting gives, it has a function named ..._printed. Sources: [T] tiled
 * SpMM, [D] GPU-Dynamic SDDMM, [E] ESIMD kernels. */

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

/* BCSR by formula, for a number of blocks n_e that is given or was counted (sparse/formats/bcsr.h) [THEORY
 * 7]:
 *
 *     V    = (b_h b_w s_a + s_i) n_e + s_p (ceil(n_r/b_h) + 1) + r (w s_y n_r + alpha s_x n_nz)
 *     beta = n_nz / (n_e b_h b_w)
 *
 * for the r right-hand sides of SpMMV and SpMM, row-major; r = 1 is SpMV. */

/* n_r, n_nz, n_e >= 0, b_h, b_w, r >= 1, alpha >= 0, w >= 1. */
struct sp_volume sp_volume_bcsr(int64_t n_r, int64_t n_nz, int64_t n_e, int32_t b_h, int32_t b_w, int64_t r,
                                struct sp_sizes sizes, double alpha, double w);

/* 1 without blocks. */
double sp_bcsr_beta(int64_t n_nz, int64_t n_e, int32_t b_h, int32_t b_w);

/* Matrix instructions that multiply every block by r columns, eight columns at a time. A block is the A
 * operand of one instruction: 16 x 16 of 16-bit values for m16n8k16. */
int64_t sp_bcsr_instructions(int64_t n_e, int64_t r);

/* Bytes that SpMM and SDDMM move where blocks of rows stage the rows of X that they need [THEORY 4, 5]. */

struct sp_staged_reuse {
    double of_x; /* entries of a block for each of its distinct columns, the mean over entries: what staging
                    divides the traffic of X by */
    double r_t;  /* columns of the width for which an entry is read once: what divides the traffic of A */
};

/* Of a layout, for the misses of a cache of `cache_B` bytes: a block's entries are read once where the
 * largest block and its buffer fit the cache together, else once for each tile of the width. */
struct sp_staged_reuse sp_staged_reuse_of(const struct sp_layout *layout, double cache_B);

/* With s_i = 2, p the bytes of the layout's pointers and m = ceil(r/r_t):
 *   SpMM   V = m ((s_a + s_i) n_nz/beta + 4 n_nz/of_x + p) + r (s_x n_nz/of_x + w s_y n_r)
 *   SDDMM  V = m (s_i n_nz + 4 n_nz/of_x + p) + (s_a + 2 (m - 1) s_y + w s_y) n_nz + r s_x (n_r' + n_nz/of_x)
 * Exact where the buffers stay in the cache and blocks find no row of X that another block left there; an
 * upper bound where they do. */
struct sp_volume sp_volume_staged(const struct sp_layout *layout, struct sp_staged_reuse reuse, double w);

/* Code balance B_C = V/W [B/flop] for n_r large: what a row's and an entry's bytes cost per operation.
 *
 * fp64 with 32-bit indices and pointers, these reduce to [THEORY 2, 3]:
 *     CRS, CPU (w = 2)   6 + 4 alpha + 10/n_nzr         CRS, GPU (w = 1)   6 + 4 alpha + 6/n_nzr
 *     complex128, CPU    2.5 + 2 alpha + 4.5/n_nzr
 *     SELL, GPU          6/beta + 4 alpha + (4 + 2/C)/n_nzr, with stored chunk lengths 4/C instead of 2/C
 *     SpMMV, CRS, CPU    6/r + 4 alpha(r) + (8 + 2/r)/n_nzr */

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
