/* Symbols of what a layout stores, and bytes of each of its arrays through the interface of the level that
 * holds the data. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/explain/derived.h"
#include "io/record/record_words.h"

/* Arrays without traffic are left out of a level; one without any was not told apart by array. */
static struct sp_fact bytes_of(const struct sp_record *r, const char *array)
{
    const char *level = sp_words_text(r, "binding.level", "MEM");
    const json_t *one;
    size_t i;
    char from[96];
    snprintf(from, sizeof from, "levels, %s: arrays.%s", level, array);
    json_array_foreach(sp_record_node(r, "levels"), i, one)
    {
        const char *name = sp_item_text(one, "name"), *origin = sp_item_text(one, "origin");
        const json_t *arrays = json_object_get(one, "arrays"), *its = json_object_get(arrays, array);
        if (!name || strcmp(name, level) != 0 || json_object_size(arrays) == 0)
            continue;
        const double read_B = its ? sp_item_number(its, "read_B") : 0,
                     write_B = its ? sp_item_number(its, "write_B") : 0;
        if (isfinite(read_B) && isfinite(write_B))
            return sp_fact_of(sp_value_of(read_B + write_B, sp_origin_from_name(origin ? origin : "")), "B",
                              from);
    }
    return sp_fact_unknown("bytes were not told apart by array", "B", from);
}

static struct sp_fact bytes_of_values(const struct sp_record *r)
{
    return bytes_of(r, "values");
}
static struct sp_fact bytes_of_indices(const struct sp_record *r)
{
    return bytes_of(r, "indices");
}
static struct sp_fact bytes_of_pointers(const struct sp_record *r)
{
    return bytes_of(r, "pointers");
}
static struct sp_fact bytes_of_permutation(const struct sp_record *r)
{
    return bytes_of(r, "permutation");
}
static struct sp_fact bytes_of_x(const struct sp_record *r)
{
    return bytes_of(r, "x");
}
static struct sp_fact bytes_of_rows(const struct sp_record *r)
{
    return bytes_of(r, "rows");
}
static struct sp_fact bytes_of_y(const struct sp_record *r)
{
    return bytes_of(r, "y");
}
static struct sp_fact bytes_of_other(const struct sp_record *r)
{
    return bytes_of(r, "other");
}

/* How often a row of W_h moves: cleared before phases; windows are cleared, read and added to y. */
static struct sp_fact conflict(const struct sp_record *r)
{
    const json_t *phased = sp_record_node(r, "layout.phased");
    if (!json_is_boolean(phased))
        return sp_fact_unknown(sp_fact_not_here, "1", "layout.phased");
    return sp_fact_counted(json_is_true(phased) ? 2 : 5,
                           json_is_true(phased) ? "layout.phased: two phases" : "layout.phased: windows");
}

const struct sp_derived sp_stored_symbols[] = {
    {"V_x", bytes_of_x},
    {"V_y", bytes_of_y},
    {"V_values", bytes_of_values},
    {"V_indices", bytes_of_indices},
    {"V_pointers", bytes_of_pointers},
    {"V_permutation", bytes_of_permutation},
    {"V_rows", bytes_of_rows},
    {"V_other", bytes_of_other},
    {"c", conflict},
    {NULL, NULL},
};
