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

/* Of a divided cache: is the array on the side of the matrix, whichever side the division names? */
static bool is_beside_matrix(const struct sp_cache *c, enum sp_array array)
{
    return (c->partition.arrays >> array & 1) == (c->partition.arrays >> SP_ARRAY_VALUES & 1);
}

static int ways_of_matrix(const struct sp_cache *c)
{
    const bool is_named = c->partition.arrays >> SP_ARRAY_VALUES & 1;
    return is_named ? c->partition.ways : c->ways - c->partition.ways;
}

/* Of the arrays that lose lines. */
static int ways_of(const struct sp_cache *c)
{
    return c->partition.ways > 0 ? c->ways - ways_of_matrix(c) : c->ways;
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
    return c->partition.ways <= 0 || !is_beside_matrix(c, array);
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

double sp_overflow_twice(const struct sp_cache *c, enum sp_array array)
{
    const double ways = ways_of_matrix(c);
    return c->partition.ways > 0 && is_beside_matrix(c, array) ? 0.25 / (ways * ways) : 0;
}
