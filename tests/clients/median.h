/* The clients' own times of their products. */
#ifndef SP_TESTS_CLIENTS_MEDIAN_H
#define SP_TESTS_CLIENTS_MEDIAN_H

#include <stdlib.h>

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of time[n], n > 0; they are put in order. */
static double median(double *time, int n)
{
    qsort(time, (size_t)n, sizeof *time, ascending);
    return time[n / 2];
}

#endif
