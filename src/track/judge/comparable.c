#include "track/judge/comparable.h"

#include <string.h>

bool sp_tracked_is_of_bytes(enum sp_tracked metric)
{
    return metric == SP_TRACKED_BYTES || metric == SP_TRACKED_ALPHA;
}

bool sp_tracked_uses_bytes(enum sp_tracked metric)
{
    return sp_tracked_is_of_bytes(metric) || metric == SP_TRACKED_BANDWIDTH || metric == SP_TRACKED_FRACTION;
}

bool sp_entry_is_simulated(const struct sp_entry *e, enum sp_tracked metric)
{
    return sp_tracked_is_of_bytes(metric) && strcmp(e->origin[SP_TRACKED_BYTES], "measured") != 0;
}

int sp_entries_order(const struct sp_entry *a, const struct sp_entry *b, enum sp_tracked metric)
{
    int order =
        sp_tracked_is_of_bytes(metric) ? strcmp(a->origin[SP_TRACKED_BYTES], b->origin[SP_TRACKED_BYTES]) : 0;
    if (order == 0)
        order = sp_entry_is_simulated(a, metric) ? strcmp(a->caches, b->caches) : strcmp(a->env, b->env);
    if (order == 0 && sp_tracked_uses_bytes(metric))
        order = (a->bytes_version > b->bytes_version) - (a->bytes_version < b->bytes_version);
    return order;
}

bool sp_entries_comparable(const struct sp_entry *a, const struct sp_entry *b, enum sp_tracked metric)
{
    return sp_entries_order(a, b, metric) == 0;
}
