/* Which format SDDMM takes, and how many threads share a row: rules, no measurements [THEORY 5, 6]. */
#ifndef SP_MODEL_SDDMM_CHOICE_H
#define SP_MODEL_SDDMM_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/machine.h"
#include "sparse/product/workload.h"

/* Rows of a block of TILED whose part of A takes half of a first-level cache of 32 KiB: the rows of A are
 * gathered, and B, P and the indices stream through the other half. At least 1. */
int32_t sp_sddmm_tile_rows(int64_t width, double s_x);

/* The density n_nz/(n_r n_c) from which on tiles pay, by our count of entries read: (1/T_i + 1/n_c)/(2 + 5/r
 * - 3/T_k), about 1/(2 T_i); and as [D] prints it, 1/(T_i r), which does not follow from its own counts. [D]
 * switches at 0.01 %. */
double sp_sddmm_threshold(double T_i, double T_k, double r, double n_c);
double sp_sddmm_threshold_printed(double T_i, double r);
#define SP_SDDMM_SWITCH_PRINTED 1e-4

struct sp_sddmm_choice {
    bool tiled;       /* take TILED; else CRS */
    int32_t T_i, T_k; /* of it */
};

/* Density n_nz/(n_r n_c) above `threshold` (a count's, or one that bench_sampled measured), and B larger
 * than half of the second-level cache: tiles. (Measured: at B of 1 MB and less tiles gain nothing.) n_c r s_x
 * is the footprint of B [B]; `machine` may be NULL. */
struct sp_sddmm_choice sp_sddmm_choose(const struct sp_machine *machine, int64_t n_r, int64_t n_c,
                                       int64_t n_nz, int64_t r, double s_x, double threshold);

/* Threads that share a row where rows are fewer than T hardware threads want: the smallest power of two <= 16
 * that maximises (M NT/T)/ceil(M NT/T), the occupancy of the last wave, for M rows [E]. M, T >= 1. For GPUs:
 * a CPU has fewer threads than rows, and shares of equal entries (schedule nnz) serve it better. */
int sp_sddmm_threads_per_row(int64_t M, int64_t T);

#endif
