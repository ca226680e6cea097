#include "model/cache/overflow.h"

#include <math.h>

enum { OTHERS = 2 };         /* ways that others may take */
static const double far = 2; /* times the room: nothing stays */

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

struct sp_overflow sp_overflow_of(const struct sp_cache *c, double share)
{
    const int ways = ways_of(c);
    const double lost = sp_sets_lost(share, ways);
    if (share >= far)
        return (struct sp_overflow){0, 0, 0};
    if (share > 1)
        return (struct sp_overflow){lost, 1, 1 - lost};
    return (struct sp_overflow){lost, sp_sets_lost(share * ways / (ways - OTHERS), ways - OTHERS), 0};
}

double sp_overflow_twice(const struct sp_cache *c)
{
    return c->partition.ways > 0 ? 0.25 / ((double)c->partition.ways * c->partition.ways) : 0;
}
