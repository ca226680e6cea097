#include "model/cache/overflow.h"

#include <math.h>

double sp_sets_lost(double share, int ways)
{
    const double mean = ways * share;
    if (ways < 1 || !(mean > 0))
        return 0;
    double below = 0; /* P(n < ways) */
    for (int n = 0; n < ways; n++)
        below += exp(n * log(mean) - mean - lgamma(n + 1.0));
    return below < 1 ? 1 - below : 0;
}
