#include "model/volume/block_fit.h"

#include <assert.h>
#include <math.h>

/* The 97.5 % quantile of Student's t; between the tabulated degrees of freedom the larger value of the lower
 * one. */
static double student(int freedom)
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
static struct sums sums_of(const struct sp_block_time *point, int n, bool relative, double *x_mean,
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

struct sp_block_fit sp_block_fit(const struct sp_block_time *point, int n, bool relative)
{
    struct sp_block_fit fit = {.n = n};
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

double sp_block_fit_time(const struct sp_block_fit *fit, double n_e)
{
    return fmax(0, fit->T_e * n_e + fit->T_init);
}

double sp_block_fit_dense_density(const struct sp_block_fit *fit, double n_blocks, double dense_s)
{
    assert(fit->known && fit->T_e > 0 && n_blocks > 0);
    double n_e = (dense_s - fit->T_init) / fit->T_e;
    return fmin(1, fmax(0, n_e / n_blocks));
}
