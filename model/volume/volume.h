/* Bytes that one y = A x moves through one level's interface, by formula [THEORY 2]: V_crs and
 * V_sell in model/formulas/volume.txt.
 *
 * s_b: 4 with 16-bit offsets (s_i = 2), one base a row or slot; else 0. beta is then that of
 * sp_offsets_count(), which splits slots that span too much.
 *
 * w: bytes moved per byte stored of y: 2 where a store's miss first reads the line, and for y += A
 * x on every machine; 1 without that read.
 *
 * Where a real layout and the formula differ the layout is the truth, and sp_volume_layout() counts
 * it: unit-stride SELL stores per chunk the number of unit-stride slots and a second pointer
 * instead of one flag a slot. */
#ifndef SP_MODEL_VOLUME_H
#define SP_MODEL_VOLUME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/reading.h"
#include "model/machine.h"
#include "sparse/formats/layout.h"
#include "sparse/product/workload.h"

/* Bytes of an item [B]: matrix value, element of x, of y, column index, row or chunk pointer, base
 * of a row or slot (0 where indices are absolute). */
struct sp_sizes {
    double s_a, s_x, s_y, s_i, s_p, s_b;
};

/* All three vectors and values of one precision, 4-byte pointers while n_stored fits them. */
struct sp_sizes sp_sizes_of(enum sp_precision precision, enum sp_index index, double n_stored);
/* With pointers of row_ptr_B bytes, where those are asked for (0: as they are). */
struct sp_sizes sp_sizes_with_pointers(struct sp_sizes sizes, int row_ptr_B);

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

/* SELL of whose slots the share u in [0, 1] is unit-stride: s_i (u/C + 1 - u) index bytes per
 * stored entry. Pointers as the layout stores them: 2 (s_p + s_i) a chunk. */
struct sp_volume sp_volume_spmv_sellu(int64_t n_r, int64_t n_nz, int32_t C, double beta, double u,
                                      struct sp_sizes sizes, bool permuted, double alpha, double w);

/* Any operation, of what this layout really stores: each array once (STAGED: the threads' buffers
 * too, as in a first execution), of the gathered operands alpha times sp_layout_gather_bytes(), of
 * the result w times its bytes.
 *
 * Each format has its formula in model/formulas/volume.txt (family V), with which
 * tests/test_formulas.c compares.
 *
 * Of a format that updates y, w counts all that partial results of y move, windows of HALF
 * included: sp_layout_w() (model/formats/format.h). At w = 2 and alpha_min no execution from empty
 * caches moves less, of any layout (STAGED: but for the buffers, which all count as the longest
 * one). */
struct sp_volume sp_volume_layout(const struct sp_layout *layout, double alpha, double w);
/* The same on a GPU: no store reads, and STAGED's blocks stage rows in shared memory. */
struct sp_volume sp_volume_on_gpu(const struct sp_layout *layout, double alpha);

/* One triangle of a symmetric matrix with full diagonal: (s_a + s_i)(n_nz + n_r)/2 + s_p (n_r + 1),
 * gathers of x alpha_x s_x n_nz and updates of y 2 alpha_y s_y n_nz: y is read and written, alpha_y
 * as for x, its least value is n_r/n_nz [THEORY 2]. */
struct sp_volume sp_volume_spmv_half(int64_t n_r, int64_t n_nz, struct sp_sizes sizes, double alpha_x,
                                     double alpha_y);

/* r right-hand sides, block vectors row-major, matrix read once: V(r) = (s_a + s_i) n_nz/beta + p +
 * r (w s_y n_r + alpha(r) s_x n_nz) [THEORY 3]. `one` is the volume of r = 1 at the same alpha. */
struct sp_volume sp_volume_spmmv(struct sp_volume one, int64_t r);

/* Bytes of the matrix alone: values, indices, pointers, permutation. */
double sp_volume_matrix_B(const struct sp_volume *v);

/* Least bytes that an execution can show, from V at alpha_min [THEORY 2, cold and warm]: cold V -
 * s_y n_r (dirty lines may stay in cache), warm max(0, V - 2 Z), Z [B] the last-level capacity of
 * the domains used. */
double sp_volume_floor(const struct sp_volume *at_alpha_min, bool warm, double Z_B);

/* BCSR by formula, for a number of blocks n_e that is given or was counted (sparse/formats/bcsr.h)
 * [THEORY 7]:
 *
 *     V    = (b_h b_w s_a + s_i) n_e + s_p (ceil(n_r/b_h) + 1) + r (w s_y n_r + alpha s_x n_nz)
 *     beta = n_nz / (n_e b_h b_w)
 *
 * for the r right-hand sides of SpMMV and SpMM, row-major; r = 1 is SpMV. */

/* n_r, n_nz, n_e >= 0, b_h, b_w, r >= 1, alpha >= 0, w >= 1. */
struct sp_volume sp_volume_bcsr(int64_t n_r, int64_t n_nz, int64_t n_e, int32_t b_h, int32_t b_w, int64_t r,
                                struct sp_sizes sizes, double alpha, double w);

/* Which format SDDMM takes, by rules, without measurements [THEORY 5]. */

/* Rows of a block of TILED whose part of A takes half of a first-level cache of 32 KiB: the rows of
 * A are gathered, and B, P and the indices stream through the other half. At least 1. */
int32_t sp_sddmm_tile_rows(int64_t width, double s_x);

/* The density n_nz/(n_r n_c) from which on tiles pay, by our count of entries read: (1/T_i +
 * 1/n_c)/(2 + 5/r
 * - 3/T_k), about 1/(2 T_i). */
double sp_sddmm_threshold(double T_i, double T_k, double r, double n_c);

struct sp_sddmm_choice {
    bool tiled;       /* take TILED; else CRS */
    int32_t T_i, T_k; /* of it */
};

/* Density n_nz/(n_r n_c) above `threshold` (a count's, or one that bench_sampled measured), and B
 * larger than half of the second-level cache: tiles. (Measured: at B of 1 MB and less tiles gain
 * nothing.) n_c r s_x is the footprint of B [B]; `machine` may be NULL. */
struct sp_sddmm_choice sp_sddmm_choose(const struct sp_machine *machine, int64_t n_r, int64_t n_c,
                                       int64_t n_nz, int64_t r, double s_x, double threshold);

#endif
