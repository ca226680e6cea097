/* BCSR by formula, for a number of blocks n_e that is given or was counted (sparse/formats/bcsr.h) [THEORY
 * 7]:
 *
 *     V    = (b_h b_w s_a + s_i) n_e + s_p (ceil(n_r/b_h) + 1) + r (w s_y n_r + alpha s_x n_nz)
 *     beta = n_nz / (n_e b_h b_w)
 *
 * for the r right-hand sides of SpMMV and SpMM, row-major; r = 1 is SpMV. */
#ifndef SP_MODEL_VOLUME_BCSR_H
#define SP_MODEL_VOLUME_BCSR_H

#include <stdint.h>

#include "model/volume/volume_spmv.h"

/* n_r, n_nz, n_e >= 0, b_h, b_w, r >= 1, alpha >= 0, w >= 1. */
struct sp_volume sp_volume_bcsr(int64_t n_r, int64_t n_nz, int64_t n_e, int32_t b_h, int32_t b_w, int64_t r,
                                struct sp_sizes sizes, double alpha, double w);

/* 1 without blocks. */
double sp_bcsr_beta(int64_t n_nz, int64_t n_e, int32_t b_h, int32_t b_w);

/* Matrix instructions that multiply every block by r columns, eight columns at a time. A block is the A
 * operand of one instruction: 16 x 16 of 16-bit values for m16n8k16. */
int64_t sp_bcsr_instructions(int64_t n_e, int64_t r);

#endif
