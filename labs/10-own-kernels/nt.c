/* Task 3: your kernel of task 1 without the write-allocate. */
#include "kernel.h"

void rows(const struct crs *a, const double *x, double *y, int32_t first, int32_t stop)
{
    (void)a, (void)x, (void)y, (void)first, (void)stop; /* yours */
}
