/* Two loads and a store: the bytes of the triad a[i] = b[i] + s c[i], with a product in the place of the sum. Run as
 * y = D x, D diagonal: b are its values, c is x. Change PUT to PUT_NT and run it again. */
#include "kernel.h"

void triad(double *a, const double *b, const double *c, int32_t first, int32_t stop)
{
    for (int32_t i = first; i < stop; i++)
        PUT(a[i], GET(b[i]) * GET(c[i]));
}
