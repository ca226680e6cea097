/* The time of a BCSR kernel as a line in the number of blocks, T = T_e n_e + T_init [THEORY 7], by least
 * squares. In-cache and memory regimes have different T_e: fit them apart. */
#ifndef SP_BENCH_BLOCK_FIT_H
#define SP_BENCH_BLOCK_FIT_H

#include <assert.h>
#include <math.h>
#include <stdbool.h>

struct block_time {
    double n_e, time_s; /* [1], [s] */
};

struct block_fit {
    bool known;                   /* at least two different n_e */
    int n;                        /* points */
    double T_e, T_init;           /* [s] */
    double T_e_half, T_init_half; /* half the 95 % intervals, of Student's t with n - 2 degrees of freedom
                                     [s]; INFINITY for n = 2 */
    double R2;                    /* 1 - residuals/variance; 1 where all times are equal */
};

/* The 97.5 % quantile of Student's t; between the tabulated degrees of freedom the larger value of the lower
 * one. */
static inline double student(int freedom)
{
    static const double t[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                               2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086};
    if (freedom < 1)
        return INFINITY;
    if (freedom <= 20)
        return t[freedom - 1];
    return freedom < 30 ? 2.086 : freedom < 60 ? 2.042 : freedom < 120 ? 2.000 : 1.980;
}

struct sums {
    double w, x, y, xx, xy, yy;
};

/* Weighted by 1/time^2 where relative. Centred, so that large n_e cancel nothing. */
static inline struct sums sums_of(const struct block_time *point, int n, bool relative, double *x_mean,
                                  double *y_mean)
{
    struct sums s = {0};
    for (int i = 0; i < n; i++) {
        assert(!relative || point[i].time_s > 0);
        double w = relative ? 1 / (point[i].time_s * point[i].time_s) : 1;
        s.w += w;
        s.x += w * point[i].n_e;
        s.y += w * point[i].time_s;
    }
    *x_mean = s.x / s.w;
    *y_mean = s.y / s.w;
    for (int i = 0; i < n; i++) {
        double w = relative ? 1 / (point[i].time_s * point[i].time_s) : 1;
        double x = point[i].n_e - *x_mean, y = point[i].time_s - *y_mean;
        s.xx += w * x * x;
        s.xy += w * x * y;
        s.yy += w * y * y;
    }
    return s;
}

/* Squares of residuals relative to the times (`relative`) weigh long and short runs alike, absolute ones let
 * the longest decide; R2 is of the residuals that were minimised. time_s > 0 where relative. */
static inline struct block_fit block_fit(const struct block_time *point, int n, bool relative)
{
    struct block_fit fit = {.n = n};
    if (n < 2)
        return fit;
    double x_mean, y_mean;
    struct sums s = sums_of(point, n, relative, &x_mean, &y_mean);
    if (s.xx <= 0)
        return fit;
    fit.known = true;
    fit.T_e = s.xy / s.xx;
    fit.T_init = y_mean - fit.T_e * x_mean;
    double residual = fmax(0, s.yy - fit.T_e * s.xy);
    fit.R2 = s.yy > 0 ? 1 - residual / s.yy : 1;
    double t = student(n - 2), variance = n > 2 ? residual / (n - 2) : 0;
    fit.T_e_half = n > 2 ? t * sqrt(variance / s.xx) : INFINITY;
    fit.T_init_half = n > 2 ? t * sqrt(variance * (1 / s.w + x_mean * x_mean / s.xx)) : INFINITY;
    return fit;
}

/* T_e n_e + T_init, at least 0 [s]. */
static inline double block_fit_time(const struct block_fit *fit, double n_e)
{
    return fmax(0, fit->T_e * n_e + fit->T_init);
}

/* The block density n_e / n_blocks above which a dense multiplication of dense_s seconds is faster than the
 * blocks of a matrix that has room for n_blocks; at most 1, 0: always. */
static inline double block_fit_dense_density(const struct block_fit *fit, double n_blocks, double dense_s)
{
    assert(fit->known && fit->T_e > 0 && n_blocks > 0);
    double n_e = (dense_s - fit->T_init) / fit->T_e;
    return fmin(1, fmax(0, n_e / n_blocks));
}

#endif
