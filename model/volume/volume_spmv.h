/* Bytes that one y = A x moves through one level's interface, by formula [THEORY 2].
 *
 *     V_CRS  = (s_a + s_i) n_nz + s_p (n_r + 1) + s_b n_r + w s_y n_r + alpha s_x n_nz
 *     V_SELL = (s_a + s_i + s_b/C) n_nz/beta + (s_p + 4) ceil(n_r/C) + w s_y n_r + 4 n_r [if permuted]
 *              + alpha s_x n_nz
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
#ifndef SP_MODEL_VOLUME_SPMV_H
#define SP_MODEL_VOLUME_SPMV_H

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
 * HALF, with n_h stored entries, and STRIPED, with n_C cells:
 *
 *     V_half    = (s_a + s_i) n_h + s_p (n_r + 1) + w s_y n_r + alpha s_x n_h
 *     V_striped = (s_a + s_i + 2) n_nz + 16 (n_C + 1) + w s_y n_r + alpha s_x n_nz
 *
 * where w counts all that partial results of y move, windows of HALF included: sp_layout_w(). At w = 2 and
 * alpha_min no execution from empty caches moves less, of any layout (STAGED: but for the buffers, which all
 * count as the longest one). */
struct sp_volume sp_volume_layout(const struct sp_layout *layout, double alpha, double w);

/* w by formula, of plain stores, where the last-level caches in use keep kept_B of partial results: 2, y read
 * and written once, if they keep them all (INFINITY: they do). Else (0: they do not)
 *
 * STRIPED, with L_y lines of y that stripes after the first one update (n_updated): 2 + 2 64 L_y/(s_y n_r),
 * since y is out of the caches before the next stripe comes.
 *
 * HALF, with W_h rows that threads share (sp_half_windows()): (2 alpha n_h + c W_h)/n_r, at least 2. An entry
 * that gathers from x updates y at the same place, so alpha is that of both. Rows that threads share cost c =
 * 2 in phases (cleared before), 5 with windows (cleared: 2, read at the end: 1, y read and written again: 2).
 */
double sp_layout_w(const struct sp_layout *layout, double alpha, double kept_B);

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

#endif
