#include "model/cache/overflow.h"

#include <math.h>

enum { OTHERS = 2 }; /* ways that others may take */
const double sp_overflow_far = 2;

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

bool sp_overflow_is_of(const struct sp_cache *c)
{
    return c->policy == SP_LRU && c->ways > OTHERS && c->partition.ways <= 0 && !c->partition.stacks &&
           sp_value_known(c->cycle_B) && c->keeping == SP_KEEPS_NOTHING;
}

struct sp_value sp_overflow_of(const struct sp_cache *c, double share)
{
    const double lost = sp_sets_lost(share, c->ways);
    if (share > 1)
        return sp_value_between(0, share < sp_overflow_far ? lost - 1 : 0, 0, SP_SIMULATED);
    const double most = sp_sets_lost(share * c->ways / (c->ways - OTHERS), c->ways - OTHERS);
    return sp_value_between(lost, 0, most, SP_SIMULATED);
}
