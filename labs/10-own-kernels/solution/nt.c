#include "kernel.h"

void rows(const struct crs *a, const double *x, double *y, int32_t first, int32_t stop)
{
    int32_t k = GET(a->row_ptr[first]);
    for (int32_t i = first; i < stop; i++) {
        const int32_t end = GET(a->row_ptr[i + 1]);
        double sum = 0;
        for (; k < end; k++)
            sum += GET(a->val[k]) * GET(x[GET(a->col[k])]);
        PUT_NT(y[i], sum);
    }
}
