#include "sparse/csr/rounding.h"

#include <math.h>

/* Squares of numbers in the range of f32 and far below it then neither over- nor underflow. */
static const double SCALE = 0x1p300;

void sp_rounding_of(const struct sp_csr *a, struct sp_rounding *r)
{
    const int64_t n = sp_csr_is_complex(a) ? 2 * a->n_nz : a->n_nz;
    int64_t n_changed = 0;
    double largest = 0, change = 0, all = 0;
#pragma omp parallel for schedule(static) reduction(+ : n_changed, change, all) reduction(max : largest)
    for (int64_t k = 0; k < n; k++) {
        const double value = a->val[k];
        if (!isfinite(value))
            continue;
        /* from half a unit in the last place beyond the largest number on it rounds to infinity */
        const double stored = fabs(value) < 0x1.ffffffp127 ? (double)(float)value : copysign(INFINITY, value);
        const double difference = fabs(stored - value);
        n_changed += difference > 0;
        all += SCALE * value * (SCALE * value);
        change += SCALE * difference * (SCALE * difference);
        if (difference > 0)
            largest = fmax(largest, difference / fabs(value));
    }
    double normwise = all > 0 ? sqrt(change / all) : 0;
    *r = (struct sp_rounding){n_changed, largest, isinf(largest) ? INFINITY : normwise};
}
