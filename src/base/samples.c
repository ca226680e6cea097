#include "base/samples.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double *sorted_copy(const double *x, int64_t n)
{
    double *copy = malloc((size_t)n * sizeof *copy);
    if (!copy)
        return NULL;
    memcpy(copy, x, (size_t)n * sizeof *copy);
    sp_sort_by(copy, n, sizeof *copy, compare_doubles);
    return copy;
}

static double sorted_quantile(const double *sorted, int64_t n, double q)
{
    double place = q * (double)(n - 1);
    int64_t i = (int64_t)place;
    if (i >= n - 1)
        return sorted[n - 1];
    return sorted[i] + (place - (double)i) * (sorted[i + 1] - sorted[i]);
}

double sp_quantile(const double *x, int64_t n, double q)
{
    double *sorted = sorted_copy(x, n);
    if (!sorted)
        return NAN;
    double value = sorted_quantile(sorted, n, q);
    free(sorted);
    return value;
}

double sp_median(const double *x, int64_t n)
{
    return sp_quantile(x, n, 0.5);
}

struct sp_value sp_median_interval(const double *x, int64_t n, enum sp_origin origin)
{
    double *sorted = sorted_copy(x, n);
    if (!sorted)
        return sp_value_none("no memory for the samples");
    int64_t lo = 0, hi = n - 1;
    if (n >= 6) {
        /* ranks n/2 -+ 1.96 sqrt(n)/2: the order statistics that enclose the median in 95 % of cases */
        double half = 0.98 * sqrt((double)n);
        lo = (int64_t)floor((double)n / 2 - half);
        hi = (int64_t)ceil((double)n / 2 + half);
        lo = lo < 0 ? 0 : lo;
        hi = hi > n - 1 ? n - 1 : hi;
    }
    struct sp_value v = sp_value_between(sorted_quantile(sorted, n, 0.5), sorted[lo], sorted[hi], origin);
    free(sorted);
    return v;
}

double sp_relative_spread(const double *x, int64_t n)
{
    if (n < 2)
        return 0;
    double *sorted = sorted_copy(x, n);
    if (!sorted)
        return NAN;
    double median = sorted_quantile(sorted, n, 0.5);
    double spread = sorted_quantile(sorted, n, 0.75) - sorted_quantile(sorted, n, 0.25);
    free(sorted);
    return median > 0 ? spread / median : 0;
}
