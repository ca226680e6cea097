/* Which format SDDMM takes, by rules, without measurements [THEORY 5]. */
#ifndef SP_MODEL_SDDMM_CHOICE_H
#define SP_MODEL_SDDMM_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/machine.h"
#include "sparse/product/workload.h"

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
