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

/* That are left where some are kept for other arrays. */
static int ways_of(const struct sp_cache *c)
{
    return c->partition.ways > 0 ? c->ways - c->partition.ways : c->ways;
}

bool sp_overflow_is_of(const struct sp_cache *c)
{
    return c->policy == SP_LRU && ways_of(c) > OTHERS && !c->partition.stacks && sp_value_known(c->cycle_B) &&
           c->keeping == SP_KEEPS_NOTHING;
}

double sp_overflow_room_B(const struct sp_cache *c)
{
    return (double)sp_cache_believed_B(c) * ways_of(c) / c->ways;
}

bool sp_overflow_is_in(const struct sp_cache *c, enum sp_array array)
{
    return c->partition.ways <= 0 || !(c->partition.arrays >> array & 1);
}

struct sp_value sp_overflow_of(const struct sp_cache *c, double share)
{
    const int ways = ways_of(c);
    const double lost = sp_sets_lost(share, ways);
    if (share > 1)
        return sp_value_between(0, share < sp_overflow_far ? lost - 1 : 0, 0, SP_SIMULATED);
    const double most = sp_sets_lost(share * ways / (ways - OTHERS), ways - OTHERS);
    return sp_value_between(lost, 0, most, SP_SIMULATED);
}
