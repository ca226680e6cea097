/* The time of a BCSR kernel as a line in the number of blocks, T = T_e n_e + T_init [THEORY 7], by least
 * squares. In-cache and memory regimes have different T_e: fit them apart. */
#ifndef SP_MODEL_BLOCK_FIT_H
#define SP_MODEL_BLOCK_FIT_H

#include <stdbool.h>
#include <stdint.h>

struct sp_block_time {
    double n_e, time_s; /* [1], [s] */
};

struct sp_block_fit {
    bool known;                   /* at least two different n_e */
    int n;                        /* points */
    double T_e, T_init;           /* [s] */
    double T_e_half, T_init_half; /* half the 95 % intervals, of Student's t with n - 2 degrees of freedom
                                     [s]; INFINITY for n = 2 */
    double R2;                    /* 1 - residuals/variance; 1 where all times are equal */
};

/* Squares of residuals relative to the times (`relative`) weigh long and short runs alike, absolute ones let
 * the longest decide; R2 is of the residuals that were minimised. time_s > 0 where relative. */
struct sp_block_fit sp_block_fit(const struct sp_block_time *point, int n, bool relative);

/* T_e n_e + T_init, at least 0 [s]. */
double sp_block_fit_time(const struct sp_block_fit *fit, double n_e);

/* The block density n_e / n_blocks above which a dense multiplication of dense_s seconds is faster than the
 * blocks of a matrix that has room for n_blocks; at most 1, 0: always. */
double sp_block_fit_dense_density(const struct sp_block_fit *fit, double n_blocks, double dense_s);

#endif
