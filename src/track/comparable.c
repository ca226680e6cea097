#include "track/comparable.h"

#include <string.h>

bool sp_entry_is_simulated(const struct sp_entry *e, enum sp_tracked metric)
{
    return (metric == SP_TRACKED_BYTES || metric == SP_TRACKED_ALPHA) &&
           strcmp(e->origin[SP_TRACKED_BYTES], "measured") != 0;
}

bool sp_tracked_is_of_bytes(enum sp_tracked metric)
{
    return metric == SP_TRACKED_BYTES || metric == SP_TRACKED_ALPHA || metric == SP_TRACKED_BANDWIDTH ||
           metric == SP_TRACKED_FRACTION;
}

bool sp_entries_comparable(const struct sp_entry *a, const struct sp_entry *b, enum sp_tracked metric)
{
    if ((metric == SP_TRACKED_BYTES || metric == SP_TRACKED_ALPHA) &&
        strcmp(a->origin[SP_TRACKED_BYTES], b->origin[SP_TRACKED_BYTES]) != 0)
        return false;
    if (sp_tracked_is_of_bytes(metric) && a->bytes_version != b->bytes_version)
        return false;
    return sp_entry_is_simulated(a, metric) ? strcmp(a->caches, b->caches) == 0 : strcmp(a->env, b->env) == 0;
}
