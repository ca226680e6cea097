#include "base/reading.h"

#include <stdlib.h>
#include <string.h>

static const char *const origin_names[SP_N_ORIGINS] = {"unknown",  "measured", "simulated",
                                                       "modelled", "stated",   "constructed"};

const char *sp_origin_name(enum sp_origin origin)
{
    return origin < SP_N_ORIGINS ? origin_names[origin] : origin_names[SP_NONE];
}

enum sp_origin sp_origin_from_name(const char *name)
{
    for (int i = 0; i < SP_N_ORIGINS; i++)
        if (strcmp(name, origin_names[i]) == 0)
            return (enum sp_origin)i;
    return SP_NONE;
}

struct sp_value sp_value_of(double value, enum sp_origin origin)
{
    return sp_value_between(value, value, value, origin);
}

struct sp_value sp_value_between(double value, double lo, double hi, enum sp_origin origin)
{
    return (struct sp_value){.value = value, .lo = lo, .hi = hi, .origin = origin};
}

struct sp_value sp_value_none(const char *why)
{
    return (struct sp_value){.origin = SP_NONE, .why = why};
}

struct sp_value sp_value_sum(struct sp_value a, struct sp_value b)
{
    return sp_value_between(a.value + b.value, a.lo + b.lo, a.hi + b.hi, a.origin);
}

const char *sp_array_name(enum sp_array array)
{
    static const char *const names[SP_N_ARRAYS] = {
        "values", "indices", "pointers", "permutation", "x", "rows", "y", "other",
    };
    return array < SP_N_ARRAYS ? names[array] : "unknown";
}

void sp_reading_free(struct sp_reading *reading)
{
    if (!reading)
        return;
    free(reading->sample_s);
    free(reading->disturbed);
    free(reading->thread_s);
    memset(reading, 0, sizeof *reading);
}

static const char *const direction_names[SP_N_DIRECTIONS] = {"read", "write", "both"};

const char *sp_direction_name(enum sp_direction direction)
{
    return direction_names[direction];
}

int sp_direction_from_name(const char *name)
{
    for (int d = 0; d < SP_N_DIRECTIONS; d++)
        if (strcmp(direction_names[d], name) == 0)
            return d;
    return -1;
}
