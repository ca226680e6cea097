/* Task 2: chunks of CHUNK rows (kernel.h, struct sell). convert() runs once and is not timed: it needs no GET and
 * PUT. */
#include "kernel.h"

int convert(const struct crs *a, struct sell *s)
{
    (void)a, (void)s; /* yours */
    return 1;
}

void chunks(const struct sell *s, const double *x, double *y, int32_t first, int32_t stop)
{
    (void)s, (void)x, (void)y, (void)first, (void)stop; /* yours */
}
