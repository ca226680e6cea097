/* A dot product: two loads, nothing is stored. Run as y = A x with one row: b are its values, c is x. */
#include "kernel.h"

double dot(const double *b, const double *c, int32_t first, int32_t stop)
{
    enum { LANES = 16 }; /* sums beside each other, so that additions need not wait */
    double sum[LANES] = {0}, all = 0;
    int32_t i = first;
    for (; i + LANES <= stop; i += LANES)
        for (int32_t k = 0; k < LANES; k++)
            sum[k] += GET(b[i + k]) * GET(c[i + k]);
    for (; i < stop; i++)
        sum[0] += GET(b[i]) * GET(c[i]);
    for (int32_t k = 0; k < LANES; k++)
        all += sum[k];
    return all;
}
