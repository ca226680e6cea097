#include "track/judge/comparable.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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
    if (order == 0 && sp_entry_is_from_outside(a)) /* each program means another time by its own */
        order = strcmp(a->what, b->what);
    if (order == 0 && sp_tracked_uses_bytes(metric))
        order = (a->bytes_version > b->bytes_version) - (a->bytes_version < b->bytes_version);
    return order;
}

bool sp_entries_comparable(const struct sp_entry *a, const struct sp_entry *b, enum sp_tracked metric)
{
    return sp_entries_order(a, b, metric) == 0;
}

/* What decides whether two records are comparable. */
enum decides { NEVER, ALWAYS, OF_REQUEST, WHERE_MEASURED, WHERE_SIMULATED };

static const struct {
    enum sp_record_field field;
    enum decides decides;
} parts[] = {{SP_F_REQUEST, OF_REQUEST},
             {SP_F_ENV_IDENTITY, WHERE_MEASURED},
             {SP_F_PROBLEM_SHA256, ALWAYS},
             {SP_F_OUTSIDE_FORMAT, ALWAYS},
             {SP_F_MACHINE_CACHES, WHERE_SIMULATED},
             {SP_F_CONFIG_THREADS, WHERE_SIMULATED},
             {SP_F_ENV_DETAIL, NEVER},
             {SP_F_CONFIG, NEVER},
             {SP_F_PLACEMENT, NEVER},
             {SP_F_TOOL, NEVER},
             {SP_F_SOURCE, NEVER}};

static bool is_identity(enum decides decides, const char *key, bool is_simulated)
{
    return decides == ALWAYS || (decides == OF_REQUEST && key && sp_series_asks(key)) ||
           (decides == WHERE_MEASURED && !is_simulated) || (decides == WHERE_SIMULATED && is_simulated);
}

static void as_text(const json_t *value, char *text, size_t size)
{
    if (json_is_real(value) && fabs(json_real_value(value)) < 1e15 &&
        json_real_value(value) == rint(json_real_value(value))) { /* a count that was asked for */
        snprintf(text, size, "%.0f", json_real_value(value));
        return;
    }
    char *json = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(6)) : NULL;
    snprintf(text, size, "%s", json ? json : "-");
    free(json);
}

static bool add(struct sp_differences *d, const char *path, const char *key, const json_t *a, const json_t *b,
                bool decides)
{
    struct sp_difference *more = realloc(d->one, (size_t)(d->n + 1) * sizeof *more);
    if (!more)
        return false;
    d->one = more;
    struct sp_difference *one = &more[d->n++];
    snprintf(one->field, sizeof one->field, "%s%s%s", path, key ? "." : "", key ? key : "");
    as_text(a, one->a, sizeof one->a);
    as_text(b, one->b, sizeof one->b);
    one->is_identity = decides;
    d->n_identity += decides;
    return true;
}

/* A part that is an object field by field, else as a whole. */
static bool compare_part(struct sp_differences *d, const char *path, const json_t *a, const json_t *b,
                         enum decides decides, bool is_simulated)
{
    const char *key;
    json_t *value;
    if (!json_is_object(a) || !json_is_object(b))
        return (!a && !b) || (a && b && json_equal(a, b)) ||
               add(d, path, NULL, a, b, is_identity(decides, NULL, is_simulated));
    json_object_foreach((json_t *)a, key, value)
    {
        const json_t *other = json_object_get(b, key);
        if (!(other && json_equal(value, other)) &&
            !add(d, path, key, value, other, is_identity(decides, key, is_simulated)))
            return false;
    }
    json_object_foreach((json_t *)b, key, value)
    {
        if (!json_object_get(a, key) &&
            !add(d, path, key, NULL, value, is_identity(decides, key, is_simulated)))
            return false;
    }
    return true;
}

/* Absent it counts as 1. */
static bool compare_bytes_version(struct sp_differences *d, const struct sp_record *a,
                                  const struct sp_record *b, bool is_simulated)
{
    const enum sp_record_field field = SP_F_METRICS_BYTES_VERSION;
    return sp_record_bytes_version(a) == sp_record_bytes_version(b) ||
           add(d, sp_field_path(field), NULL, sp_record_node(a, field), sp_record_node(b, field),
               is_simulated);
}

enum sp_status sp_differences_find(const struct sp_record *a, const struct sp_record *b, bool is_simulated,
                                   struct sp_differences *d, struct sp_error *err)
{
    memset(d, 0, sizeof *d);
    bool good = compare_bytes_version(d, a, b, is_simulated);
    for (size_t i = 0; i < sizeof parts / sizeof *parts && good; i++) {
        if (parts[i].decides == WHERE_SIMULATED && !is_simulated)
            continue; /* of the environment, or among `config` below */
        good = compare_part(d, sp_field_path(parts[i].field), sp_record_node(a, parts[i].field),
                            sp_record_node(b, parts[i].field), parts[i].decides, is_simulated);
    }
    if (good)
        return SP_OK;
    sp_differences_free(d);
    return sp_fail(err, SP_MEMORY, NULL, "no memory for the differences of two records");
}

const char *sp_difference_within(const struct sp_difference *one, enum sp_record_field object)
{
    const char *path = sp_field_path(object);
    const size_t n = strlen(path);
    return strncmp(one->field, path, n) == 0 && one->field[n] == '.' ? one->field + n + 1 : NULL;
}

void sp_differences_free(struct sp_differences *d)
{
    free(d->one);
    memset(d, 0, sizeof *d);
}
