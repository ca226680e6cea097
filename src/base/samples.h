/* Statistics of repeated measurements. Nothing here assumes a normal distribution. */
#ifndef SP_BASE_SAMPLES_H
#define SP_BASE_SAMPLES_H

#include <stdint.h>

#include "base/reading.h"

/* Quantile q in [0, 1] of x[n], n >= 1, by linear interpolation between order statistics (type 7).
 * None of these allocates, so none fails; time O(n). */
double sp_quantile(const double *x, int64_t n, double q);
double sp_median(const double *x, int64_t n);

/* Median with the distribution-free ~95 % interval of the order statistics (binomial, normal
 * approximation for n > 20); for n < 6 the whole range. n >= 1. */
struct sp_value sp_median_interval(const double *x, int64_t n, enum sp_origin origin);

/* Relative spread (Q3 - Q1)/median; 0 for n < 2. */
double sp_relative_spread(const double *x, int64_t n);

#endif
