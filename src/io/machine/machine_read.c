#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/files/input_file.h"
#include "io/machine/machine_file.h"
#include "model/cache/capacity.h"
#include "model/cache/partition.h"

static const char schema[] = "spmodel.machine/1";
/* A layout is built by as many threads as the machine has cores; as many as the option takes. */
enum { MOST_CORES = 4096 };

/* One reading pass. The first fault is kept, later steps do nothing. */
struct reader {
    const char *path;
    enum sp_status status;
    struct sp_error *err;
    char *remarks;
    size_t remarks_size;
};

static void fault(struct reader *r, const char *where, const char *key, const char *wanted)
{
    if (r->status == SP_OK)
        r->status = sp_fail_at(r->err, SP_INPUT, r->path, 0, 0,
                               "correct the file, or measure again: spmodel machine measure -o FILE",
                               "key \"%s\"%s%s: %s", key, *where ? " in " : "", where, wanted);
}

static const char *text_of(struct reader *r, const json_t *o, const char *where, const char *key, char *text,
                           size_t size, bool required)
{
    const json_t *v = json_object_get(o, key);
    text[0] = '\0';
    if (!v && !required)
        return text;
    if (!json_is_string(v))
        fault(r, where, key, v ? "must be a text" : "is missing");
    else if (json_string_length(v) >= size)
        fault(r, where, key, "is too long");
    else
        snprintf(text, size, "%s", json_string_value(v));
    return text;
}

static double number_of(struct reader *r, const json_t *o, const char *where, const char *key, double least,
                        double most, double absent)
{
    const json_t *v = json_object_get(o, key);
    if (!v && !isnan(absent))
        return absent;
    if (!json_is_number(v)) {
        fault(r, where, key, v ? "must be a number" : "is missing");
        return 0;
    }
    double x = json_number_value(v);
    if (!(x >= least && x <= most)) {
        char wanted[96];
        snprintf(wanted, sizeof wanted, "is %.15g, must be between %.15g and %.15g", x, least, most);
        fault(r, where, key, wanted);
        return 0;
    }
    return x;
}

static int count_of(struct reader *r, const json_t *o, const char *where, const char *key, int least,
                    int most, double absent)
{
    double x = number_of(r, o, where, key, least, most, absent);
    if (x != floor(x))
        fault(r, where, key, "must be a whole number");
    return (int)x;
}

static bool flag_of(struct reader *r, const json_t *o, const char *where, const char *key)
{
    const json_t *v = json_object_get(o, key);
    if (v && !json_is_boolean(v))
        fault(r, where, key, "must be true or false");
    return json_is_true(v);
}

static void __attribute__((format(printf, 2, 3))) remark(struct reader *r, const char *format, ...)
{
    const size_t used = r->remarks ? strlen(r->remarks) : 0;
    if (!r->remarks || used + 2 >= r->remarks_size)
        return;
    const int n = snprintf(r->remarks + used, r->remarks_size - used, "%s", used ? "; " : "");
    va_list args;
    va_start(args, format);
    vsnprintf(r->remarks + used + n, r->remarks_size - used - (size_t)n, format, args);
    va_end(args);
}

/* Keys outside the list are told, not refused: a newer minor version may have added them. */
static void remark_unknown(struct reader *r, const json_t *o, const char *where, const char *const *known)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)o, key, value)
    {
        int i = 0;
        while (known[i] && strcmp(known[i], key) != 0)
            i++;
        if (!known[i])
            remark(r, "unknown key \"%s\"%s%s ignored", key, *where ? " in " : "", where);
    }
}

/* As keys: nobody looks for such a ceiling, so others are taken in its place. */
static void remark_unknown_word(struct reader *r, const char *where, const char *key, const char *word,
                                const char *const *known)
{
    while (*known && strcmp(*known, word) != 0)
        known++;
    if (!*known && r->status == SP_OK)
        remark(r, "unknown %s \"%s\" in %s: it is not used", key, word, where);
}

/* value, lo, hi, unit, origin of one number. */
static struct sp_value value_of(struct reader *r, const json_t *o, const char *where, const char *unit)
{
    char text[32];
    text_of(r, o, where, "unit", text, sizeof text, true);
    if (r->status == SP_OK && strcmp(text, unit) != 0) {
        char wanted[80];
        snprintf(wanted, sizeof wanted, "is \"%s\", must be \"%s\"", text, unit);
        fault(r, where, "unit", wanted);
    }
    enum sp_origin origin = sp_origin_from_name(text_of(r, o, where, "origin", text, sizeof text, true));
    if (r->status == SP_OK && origin == SP_NONE)
        fault(r, where, "origin", "must be measured, simulated, modelled or stated");
    const double least = strstr(unit, "/s") ? 1 : 0, most = 1e18; /* a rate of less is none */
    double value = number_of(r, o, where, "value", least, most, NAN);
    double lo = number_of(r, o, where, "lo", least, most, value);
    double hi = number_of(r, o, where, "hi", least, most, value);
    if (r->status == SP_OK && !(lo <= value && value <= hi))
        fault(r, where, "lo", "and \"hi\" must enclose \"value\"");
    return sp_value_between(value, lo, hi, origin);
}

/* A number that no source is known for: null with the reason, which goes to `why`. */
static bool is_unknown(struct reader *r, const json_t *o, const char *where, char *why, size_t size)
{
    if (!json_is_null(json_object_get(o, "value")))
        return false;
    text_of(r, o, where, "why", why, size, true);
    return true;
}

/* A time, or a number of another unit, that no source may be known for. */
static struct sp_value sourced_of(struct reader *r, const json_t *gpu, const char *key, const char *unit,
                                  char *how, size_t size)
{
    static const char *const known[] = {"value", "lo", "hi", "unit", "origin", "how", "why", NULL};
    char where[64];
    snprintf(where, sizeof where, "gpu.%s", key);
    const json_t *o = json_object_get(gpu, key);
    if (!json_is_object(o)) {
        fault(r, "gpu", key, o ? "must be an object" : "is missing");
        return sp_value_none("not read");
    }
    remark_unknown(r, o, where, known);
    if (is_unknown(r, o, where, how, size))
        return sp_value_none("no public source");
    text_of(r, o, where, "how", how, size, true);
    struct sp_value v = value_of(r, o, where, unit);
    if (r->status == SP_OK && !(v.lo > 0))
        fault(r, where, "value", "must be above 0");
    return v;
}

/* What files need not have. */
static struct sp_value fitted_of(struct reader *r, const json_t *gpu, const char *key, const char *unit,
                                 char *how, size_t size)
{
    return json_object_get(gpu, key) ? sourced_of(r, gpu, key, unit, how, size)
                                     : sp_value_none("not described");
}

static struct sp_value share_of(struct reader *r, const json_t *gpu, const char *key, char *how, size_t size)
{
    const struct sp_value v = fitted_of(r, gpu, key, "1", how, size);
    if (r->status == SP_OK && sp_value_known(v) && v.hi > 1)
        fault(r, "gpu", key, "is above 1");
    return v;
}

static int lanes_of(struct reader *r, const json_t *o, const char *key)
{
    const int lanes = count_of(r, o, "gpu.duplicate_sectors", key, 1, 32, NAN);
    if (r->status == SP_OK && (lanes & (lanes - 1)) != 0)
        fault(r, "gpu.duplicate_sectors", key, "must be a power of two");
    return lanes;
}

/* Absent where nobody said it; null with the reason where a GPU was asked. */
static void read_sector_lanes(struct reader *r, const json_t *o, struct sp_gpu_sector_lanes *lanes)
{
    static const char where[] = "gpu.duplicate_sectors";
    static const char *const known[] = {"lanes_8B", "lanes_16B", "origin", "how", "why", NULL};
    char text[32];
    if (!o)
        return;
    if (!json_is_object(o)) {
        fault(r, "gpu", "duplicate_sectors", "must be an object");
        return;
    }
    remark_unknown(r, o, where, known);
    if (json_is_null(json_object_get(o, "lanes_8B")) && json_is_null(json_object_get(o, "lanes_16B"))) {
        text_of(r, o, where, "why", lanes->how, sizeof lanes->how, true);
        return;
    }
    lanes->of_8B = lanes_of(r, o, "lanes_8B");
    lanes->of_16B = lanes_of(r, o, "lanes_16B");
    lanes->origin = sp_origin_from_name(text_of(r, o, where, "origin", text, sizeof text, true));
    if (r->status == SP_OK && lanes->origin == SP_NONE)
        fault(r, where, "origin", "must be measured, simulated, modelled or stated");
    text_of(r, o, where, "how", lanes->how, sizeof lanes->how, true);
}

static void read_gpu(struct reader *r, const json_t *o, struct sp_gpu_limits *gpu)
{
    static const char *const known[] = {
        "threads", "blocks",   "registers", "shared_B",     "block_shared_B",
        "source",  "launch_s", "latency_s", "L2_latency_s", "wait_s",
        "step_s",  "row_s",    "crs_share", "sell_share",   "duplicate_sectors",
        "wave",    NULL};
    gpu->launch_s = gpu->latency_s = sp_value_none("not described");
    gpu->L2_latency_s = gpu->wait_s = gpu->step_s = gpu->row_s = gpu->crs_share = gpu->sell_share =
        gpu->launch_s;
    if (!o)
        return;
    if (!json_is_object(o)) {
        fault(r, "", "gpu", "must be an object");
        return;
    }
    remark_unknown(r, o, "gpu", known);
    gpu->threads = count_of(r, o, "gpu", "threads", 32, 1 << 20, NAN);
    gpu->blocks = count_of(r, o, "gpu", "blocks", 1, 1 << 20, NAN);
    gpu->registers = count_of(r, o, "gpu", "registers", 1, 1 << 28, NAN);
    gpu->shared_B = (int64_t)number_of(r, o, "gpu", "shared_B", 1, 1e12, NAN);
    gpu->block_shared_B = (int64_t)number_of(r, o, "gpu", "block_shared_B", 0, 1e12, 0);
    if (json_object_get(o, "wave"))
        gpu->wave = count_of(r, o, "gpu", "wave", 32, 64, NAN);
    if (r->status == SP_OK && gpu->wave != 0 && gpu->wave != 32 && gpu->wave != 64)
        fault(r, "gpu", "wave", "must be 32 or 64");
    text_of(r, o, "gpu", "source", gpu->source, sizeof gpu->source, true);
    read_sector_lanes(r, json_object_get(o, "duplicate_sectors"), &gpu->sector_lanes);
    gpu->launch_s = sourced_of(r, o, "launch_s", "s", gpu->launch_how, sizeof gpu->launch_how);
    gpu->latency_s = sourced_of(r, o, "latency_s", "s", gpu->latency_how, sizeof gpu->latency_how);
    gpu->L2_latency_s = fitted_of(r, o, "L2_latency_s", "s", gpu->L2_latency_how, sizeof gpu->L2_latency_how);
    gpu->wait_s = fitted_of(r, o, "wait_s", "s", gpu->wait_how, sizeof gpu->wait_how);
    gpu->step_s = fitted_of(r, o, "step_s", "s", gpu->step_how, sizeof gpu->step_how);
    gpu->row_s = fitted_of(r, o, "row_s", "s", gpu->row_how, sizeof gpu->row_how);
    gpu->crs_share = share_of(r, o, "crs_share", gpu->crs_how, sizeof gpu->crs_how);
    gpu->sell_share = share_of(r, o, "sell_share", gpu->sell_how, sizeof gpu->sell_how);
}

/* A number within 0 and `most`, or null with the reason in `why`; `key` of `o`. */
static struct sp_value ratio_of(struct reader *r, const json_t *o, const char *where, const char *key,
                                double most, char *why, size_t size)
{
    static const char *const known[] = {"value", "lo", "hi", "unit", "origin", "why", NULL};
    const json_t *v = json_object_get(o, key);
    char inside[80];
    snprintf(inside, sizeof inside, "%s.%s", where, key);
    if (!json_is_object(v)) {
        fault(r, where, key, v ? "must be an object" : "is missing");
        return sp_value_none("not read");
    }
    remark_unknown(r, v, inside, known);
    if (is_unknown(r, v, inside, why, size))
        return sp_value_none("the machine file says why");
    struct sp_value x = value_of(r, v, inside, "1");
    if (r->status == SP_OK && x.hi > most)
        fault(r, inside, "value", "is too large");
    return x;
}

static void read_interface(struct reader *r, const json_t *o, int i, struct sp_ecm_interface *out)
{
    static const char *const known[] = {"level", "one_thread", "write_weight", NULL};
    static const char *const known_value[] = {"value", "lo", "hi", "unit", "origin", NULL};
    char where[64], why[160];
    snprintf(where, sizeof where, "ecm.interfaces[%d]", i);
    remark_unknown(r, o, where, known);
    text_of(r, o, where, "level", out->level, sizeof out->level, true);
    if (r->status == SP_OK && strcmp(out->level, "MEM") != 0 &&
        (out->level[0] != 'L' || out->level[1] < '2' || out->level[1] > '4' || out->level[2]))
        fault(r, where, "level", "must be L2, L3, L4 or MEM");
    for (const struct sp_ecm_interface *inner = out - i; inner < out && r->status == SP_OK; inner++)
        if (strcmp(inner->level, out->level) == 0)
            fault(r, where, "level", "stands there twice");
    const json_t *one = json_object_get(o, "one_thread");
    if (!json_is_object(one)) {
        fault(r, where, "one_thread", one ? "must be an object" : "is missing");
        return;
    }
    snprintf(where, sizeof where, "ecm.interfaces[%d].one_thread", i);
    remark_unknown(r, one, where, known_value);
    out->one_Bps = value_of(r, one, where, "B/s");
    snprintf(where, sizeof where, "ecm.interfaces[%d]", i);
    out->write_weight = json_object_get(o, "write_weight")
                            ? ratio_of(r, o, where, "write_weight", 1, why, sizeof why)
                            : sp_value_none("not known");
}

/* Absent in files of earlier versions, and of machines of which nobody said it. */
static void read_ecm(struct reader *r, const json_t *o, struct sp_machine_ecm *e)
{
    static const char *const known[] = {"overlap", "how", "error", "interfaces", NULL};
    char why[160];
    e->overlap = e->error = sp_value_none("the machine file does not say it");
    if (!o)
        return;
    if (!json_is_object(o)) {
        fault(r, "", "ecm", "must be an object");
        return;
    }
    remark_unknown(r, o, "ecm", known);
    e->overlap = ratio_of(r, o, "ecm", "overlap", 1, e->how, sizeof e->how);
    if (sp_value_known(e->overlap))
        text_of(r, o, "ecm", "how", e->how, sizeof e->how, true);
    if (json_object_get(o, "error"))
        e->error = ratio_of(r, o, "ecm", "error", 1e9, why, sizeof why);
    const json_t *list = json_object_get(o, "interfaces");
    if (list && (!json_is_array(list) || json_array_size(list) > SP_MAX_CACHES)) {
        fault(r, "ecm", "interfaces", "must be a list of at most 4");
        return;
    }
    for (size_t i = 0; i < json_array_size(list) && r->status == SP_OK; i++)
        read_interface(r, json_array_get(list, i), (int)i, &e->interface[e->n_interfaces++]);
}

/* Numbers of a list, each above the one before (`ascends`) or at least 0; returns how many. */
static int read_numbers(struct reader *r, const json_t *o, const char *where, const char *key, bool ascends,
                        int most, double *out)
{
    const json_t *list = json_object_get(o, key);
    const int n = (int)json_array_size(list);
    if (!json_is_array(list) || n > most) {
        fault(r, where, key, json_is_array(list) ? "has too many numbers" : "must be a list");
        return 0;
    }
    for (int i = 0; i < n && r->status == SP_OK; i++) {
        out[i] = json_number_value(json_array_get(list, (size_t)i));
        if (!json_is_number(json_array_get(list, (size_t)i)) || !(out[i] >= 0) || !isfinite(out[i]) ||
            (ascends && !(out[i] > (i > 0 ? out[i - 1] : 0))))
            fault(r, where, key,
                  ascends ? "must be numbers above 0 that ascend" : "must be numbers of 0 or more");
    }
    return n;
}

static void read_unit(struct reader *r, const json_t *o, int i, struct sp_unit_costs *c)
{
    static const char *const known[] = {"kernel",  "precision", "rows_of_chunk", "unit_stride", "threads",
                                        "start_s", "length",    "seconds",       "sequence",    "surprise_s",
                                        "lo",      "hi",        "how",           NULL};
    char where[32];
    snprintf(where, sizeof where, "units[%d]", i);
    remark_unknown(r, o, where, known);
    text_of(r, o, where, "kernel", c->kernel, sizeof c->kernel, true);
    text_of(r, o, where, "precision", c->precision, sizeof c->precision, true);
    c->C = count_of(r, o, where, "rows_of_chunk", 0, 1 << 20, NAN);
    c->unit_stride = json_is_true(json_object_get(o, "unit_stride"));
    c->n_threads = count_of(r, o, where, "threads", 1, 1 << 20, NAN);
    c->start_s = number_of(r, o, where, "start_s", 0, 1e9, NAN);
    c->n_lengths = read_numbers(r, o, where, "length", true, SP_MAX_UNIT_LENGTHS, c->length);
    const int n = read_numbers(r, o, where, "seconds", false, SP_MAX_UNIT_LENGTHS, c->seconds);
    c->n_sequences = read_numbers(r, o, where, "sequence", true, SP_MAX_UNIT_SEQUENCES, c->sequence);
    const int n_s = read_numbers(r, o, where, "surprise_s", false, SP_MAX_UNIT_SEQUENCES, c->surprise_s);
    if (r->status == SP_OK && (n != c->n_lengths || n < 2))
        fault(r, where, "seconds", "must be two or more, one for each length");
    for (int k = 0; k < n && r->status == SP_OK; k++)
        if (!(c->seconds[k] > 0))
            fault(r, where, "seconds", "must be above 0");
    if (r->status == SP_OK && (n_s != c->n_sequences || n_s < 1))
        fault(r, where, "surprise_s", "must be one or more, one for each sequence");
    c->lo = number_of(r, o, where, "lo", 0, 1, 0);
    c->hi = number_of(r, o, where, "hi", 1, 100, 0);
    text_of(r, o, where, "how", c->how, sizeof c->how, c->lo > 0);
}

/* Absent in files of earlier versions and of machines that were not measured. */
static void read_units(struct reader *r, const json_t *list, struct sp_machine *m)
{
    if (list && (!json_is_array(list) || json_array_size(list) > SP_MAX_UNIT_COSTS)) {
        char most[48];
        snprintf(most, sizeof most, "must be a list of at most %d", SP_MAX_UNIT_COSTS);
        fault(r, "", "units", most);
        return;
    }
    for (size_t i = 0; i < json_array_size(list) && r->status == SP_OK; i++)
        read_unit(r, json_array_get(list, i), (int)i, &m->unit[m->n_units++]);
}

static void read_page(struct reader *r, const json_t *o, int i, struct sp_page_costs *c)
{
    static const char *const known[] = {"huge", "threads", "reach_B", "walk", NULL};
    static const char *const known_value[] = {"value", "lo", "hi", "unit", "origin", NULL};
    char where[32];
    snprintf(where, sizeof where, "pages[%d]", i);
    remark_unknown(r, o, where, known);
    c->huge = flag_of(r, o, where, "huge");
    c->n_threads = count_of(r, o, where, "threads", 1, 1 << 20, NAN);
    c->reach_B = number_of(r, o, where, "reach_B", 4096, 1e15, NAN);
    const json_t *walk = json_object_get(o, "walk");
    if (!json_is_object(walk)) {
        fault(r, where, "walk", walk ? "must be an object" : "is missing");
        return;
    }
    snprintf(where, sizeof where, "pages[%d].walk", i);
    remark_unknown(r, walk, where, known_value);
    c->walk_s = value_of(r, walk, where, "s");
}

/* As units. */
static void read_pages(struct reader *r, const json_t *list, struct sp_machine *m)
{
    if (list && (!json_is_array(list) || json_array_size(list) > SP_MAX_PAGE_COSTS)) {
        fault(r, "", "pages", "must be a list of at most 8");
        return;
    }
    for (size_t i = 0; i < json_array_size(list) && r->status == SP_OK; i++)
        read_page(r, json_array_get(list, i), (int)i, &m->page[m->n_pages++]);
}

/* What the value was pooled from. */
static void read_draws(struct reader *r, const json_t *list, const char *where, struct sp_cache *c)
{
    static const char *const known[] = {"value", "lo", "hi", "when", NULL};
    if (list && (!json_is_array(list) || json_array_size(list) > SP_MAX_DRAWS)) {
        fault(r, where, "measurements", "must be a list of at most 12");
        return;
    }
    for (size_t i = 0; i < json_array_size(list) && r->status == SP_OK; i++) {
        const json_t *o = json_array_get(list, i);
        struct sp_capacity_draw *d = &c->draw[c->n_draws++];
        remark_unknown(r, o, where, known);
        d->value = number_of(r, o, where, "value", 1, 1e15, NAN);
        d->lo = number_of(r, o, where, "lo", 0, d->value, d->value);
        d->hi = number_of(r, o, where, "hi", d->value, 1e15, d->value);
        text_of(r, o, where, "when", d->when, sizeof d->when, false);
    }
}

static void read_cache(struct reader *r, const json_t *o, int i, struct sp_cache *c)
{
    static const char *const known[] = {"level",         "size_B",    "line_B", "sector_B",    "ways",
                                        "cores_sharing", "victim",    "policy", "effective_B", "cycle_B",
                                        "note",          "partition", NULL};
    static const char *const known_value[] = {"value",  "lo",  "hi",           "unit",
                                              "origin", "how", "measurements", NULL};
    static const char *const known_cycle[] = {"value", "lo", "hi", "unit", "origin", "law", NULL};
    char where[64], text[16];
    snprintf(where, sizeof where, "caches[%d]", i);
    remark_unknown(r, o, where, known);
    c->level = count_of(r, o, where, "level", 1, 9, NAN);
    const double size_B = number_of(r, o, where, "size_B", 1, 1e15, NAN);
    if (size_B != floor(size_B))
        fault(r, where, "size_B", "must be a whole number");
    c->size_B = (int64_t)size_B;
    c->line_B = count_of(r, o, where, "line_B", 1, 1 << 16, NAN);
    c->sector_B = count_of(r, o, where, "sector_B", 0, 1 << 16, 0);
    if (r->status == SP_OK && c->sector_B > 0 && c->line_B % c->sector_B != 0)
        fault(r, where, "sector_B", "must divide \"line_B\"");
    c->ways = count_of(r, o, where, "ways", 0, 1 << 24, 0);
    c->cores_sharing = count_of(r, o, where, "cores_sharing", 1, 1 << 20, 1);
    c->victim = flag_of(r, o, where, "victim");
    text_of(r, o, where, "policy", text, sizeof text, false);
    int policy = *text ? sp_policy_from_name(text) : SP_LRU;
    if (policy < 0)
        fault(r, where, "policy", "must be lru, random or rrip");
    c->policy = policy < 0 ? SP_LRU : (enum sp_policy)policy;
    char partition[128];
    struct sp_error why;
    text_of(r, o, where, "partition", partition, sizeof partition, false);
    if (r->status == SP_OK && *partition && sp_partition_described(partition, c, &why) != SP_OK)
        fault(r, where, "partition",
              "must be such as matrix=5, ways fewer than the cache has, or matrix, where it can be divided");
    const json_t *effective = json_object_get(o, "effective_B");
    c->effective_B = sp_value_none("effective capacity not measured");
    if (effective && !json_is_null(effective) && !json_is_object(effective)) {
        fault(r, where, "effective_B", "must be an object, or null");
    } else if (effective && !json_is_null(effective)) {
        snprintf(where, sizeof where, "caches[%d].effective_B", i);
        remark_unknown(r, effective, where, known_value);
        c->effective_B = value_of(r, effective, where, "B");
        read_draws(r, json_object_get(effective, "measurements"), where, c);
    }
    const json_t *cycle = json_object_get(o, "cycle_B");
    c->cycle_B = sp_value_none("not measured with streams");
    if (cycle) {
        snprintf(where, sizeof where, "caches[%d].cycle_B", i);
        remark_unknown(r, cycle, where, known_cycle);
        c->cycle_B = value_of(r, cycle, where, "B");
        text_of(r, cycle, where, "law", text, sizeof text, false);
        const int law = *text ? sp_keeping_from_name(text) : SP_KEEPS_BY_CHANCE;
        if (law < 0)
            fault(r, where, "law", "must be chance, part or nothing");
        c->keeping = law < 0 ? SP_KEEPS_BY_CHANCE : (enum sp_keeping)law;
    }
}

static void read_ceiling(struct reader *r, const json_t *o, int i, struct sp_machine *out)
{
    static const char *const known[] = {"name",  "level",   "precision", "threads", "domains", "mode",
                                        "value", "lo",      "hi",        "unit",    "origin",  "how",
                                        "when",  "samples", "note",      "why",     "set_B",   NULL};
    static const char *const names[] = {"load",     "load_mix", "copy",      "copy_nt", "triad",
                                        "triad_nt", "gather",   "gather_ld", "scalar",  "simd",
                                        "fma",      "mma",      NULL};
    static const char *const levels[] = {"L1", "L2", "L3", "L4", "MEM", "core", NULL};
    static const char *const precisions[] = {"f64", "f32", "tf32", "f16", "bf16", NULL};
    char where[64];
    struct sp_ceiling c = {0};
    snprintf(where, sizeof where, "ceilings[%d]", i);
    remark_unknown(r, o, where, known);
    text_of(r, o, where, "name", c.name, sizeof c.name, true);
    text_of(r, o, where, "level", c.level, sizeof c.level, true);
    text_of(r, o, where, "precision", c.precision, sizeof c.precision, true);
    remark_unknown_word(r, where, "name", c.name, names);
    remark_unknown_word(r, where, "level", c.level, levels);
    remark_unknown_word(r, where, "precision", c.precision, precisions);
    text_of(r, o, where, "mode", c.mode, sizeof c.mode, false);
    bool unknown = is_unknown(r, o, where, c.how, sizeof c.how);
    if (!unknown)
        text_of(r, o, where, "how", c.how, sizeof c.how, true);
    text_of(r, o, where, "when", c.when, sizeof c.when, false);
    if (!*c.mode)
        memcpy(c.mode, "unknown", sizeof "unknown");
    c.n_threads = count_of(r, o, where, "threads", 1, 1 << 20, NAN);
    c.n_domains = count_of(r, o, where, "domains", 0, 1 << 20, 1);
    c.set_B = number_of(r, o, where, "set_B", 0, 1e15, 0);
    c.value = unknown ? sp_value_none("no public source") : value_of(r, o, where, sp_ceiling_unit(&c));
    const json_t *samples = json_object_get(o, "samples");
    size_t n = json_array_size(samples);
    if (samples && !json_is_array(samples))
        fault(r, where, "samples", "must be a list");
    if (n > 0 && r->status == SP_OK) {
        c.sample = malloc(n * sizeof *c.sample);
        if (!c.sample) {
            r->status = sp_fail(r->err, SP_MEMORY, "free memory", "no memory for samples");
            return;
        }
        c.n_samples = (int64_t)n;
        for (size_t k = 0; k < n; k++) {
            const json_t *x = json_array_get(samples, k);
            if (!json_is_number(x) || !(json_number_value(x) > 0))
                fault(r, where, "samples", "must hold numbers above 0");
            c.sample[k] = json_number_value(x);
        }
    }
    if (r->status == SP_OK)
        r->status = sp_machine_add_ceiling(out, &c, r->err);
    free(c.sample);
}

/* The list under `key`; NULL and a fault when it is something else. */
static const json_t *list_of(struct reader *r, const json_t *o, const char *key)
{
    const json_t *list = json_object_get(o, key);
    if (!json_is_array(list)) {
        fault(r, "", key, list ? "must be a list" : "is missing");
        return NULL;
    }
    for (size_t i = 0; i < json_array_size(list); i++)
        if (!json_is_object(json_array_get(list, i))) {
            fault(r, "", key, "must be a list of objects");
            return NULL;
        }
    return list;
}

static void read_measured(struct reader *r, const json_t *o, struct sp_machine_measured *m)
{
    static const char *const known[] = {"when", "times", "samples", "disturbed", "core_width", "doubt", NULL};
    if (!o)
        return;
    if (!json_is_object(o)) {
        fault(r, "", "measured", "must be an object");
        return;
    }
    remark_unknown(r, o, "measured", known);
    text_of(r, o, "measured", "when", m->when, sizeof m->when, true);
    m->n_times = count_of(r, o, "measured", "times", 1, 1 << 30, 1);
    m->n_samples = count_of(r, o, "measured", "samples", 0, 1 << 30, 0);
    m->n_disturbed = count_of(r, o, "measured", "disturbed", 0, 1 << 30, 0);
    m->core_width = number_of(r, o, "measured", "core_width", 0, 1e3, 0);
    text_of(r, o, "measured", "doubt", m->doubt, sizeof m->doubt, false);
}

static void read_validation(struct reader *r, const json_t *o, struct sp_machine_validation *v)
{
    static const char *const known[] = {"n",      "mean",       "mean_abs", "most_abs", "quantiles", "near",
                                        "source", "near_right", "when",     "command",  NULL};
    if (!o)
        return;
    if (!json_is_object(o)) {
        fault(r, "", "validation", "must be an object");
        return;
    }
    remark_unknown(r, o, "validation", known);
    v->n = count_of(r, o, "validation", "n", 1, 1 << 30, NAN);
    v->mean = number_of(r, o, "validation", "mean", -1, 1e6, NAN);
    v->mean_abs = number_of(r, o, "validation", "mean_abs", 0, 1e6, NAN);
    v->most_abs = number_of(r, o, "validation", "most_abs", 0, 1e6, NAN);
    v->n_near = count_of(r, o, "validation", "near", 0, 1 << 30, 0);
    v->n_near_right = count_of(r, o, "validation", "near_right", 0, v->n_near, 0);
    const json_t *quantiles = json_object_get(o, "quantiles");
    for (size_t i = 0; i < 3; i++) {
        const json_t *x = json_array_get(quantiles, i);
        if (!json_is_number(x))
            fault(r, "validation", "quantiles", "must be three numbers");
        v->quantile[i] = json_number_value(x);
    }
    text_of(r, o, "validation", "source", v->source, sizeof v->source, true);
    text_of(r, o, "validation", "when", v->when, sizeof v->when, true);
    text_of(r, o, "validation", "command", v->command, sizeof v->command, true);
}

static void read_machine(struct reader *r, const json_t *o, struct sp_machine *out)
{
    static const char *const known[] = {
        "schema",       "name",    "kind",     "cpu",         "source",     "memory",
        "env_key",      "sockets", "numa",     "llc_domains", "cores",      "threads_per_core",
        "frequency_Hz", "caches",  "ceilings", "validated",   "note",       "gpu",
        "measured",     "ecm",     "units",    "pages",       "validation", NULL};
    char text[64];
    text_of(r, o, "", "schema", text, sizeof text, true);
    if (r->status == SP_OK && strncmp(text, schema, sizeof schema - 1) != 0)
        fault(r, "", "schema", "must be \"spmodel.machine/1\"");
    if (r->status != SP_OK)
        return;
    remark_unknown(r, o, "", known);
    text_of(r, o, "", "name", out->name, sizeof out->name, true);
    if (!*out->name)
        fault(r, "", "name", "must not be empty");
    text_of(r, o, "", "cpu", out->cpu, sizeof out->cpu, true);
    text_of(r, o, "", "source", out->source, sizeof out->source, true);
    text_of(r, o, "", "kind", text, sizeof text, false);
    int kind = *text ? sp_machine_kind_from_name(text) : SP_CPU;
    if (kind < 0)
        fault(r, "", "kind", "must be cpu or gpu");
    out->kind = kind < 0 ? SP_CPU : (enum sp_machine_kind)kind;
    text_of(r, o, "", "memory", out->memory, sizeof out->memory, false);
    text_of(r, o, "", "note", out->note, sizeof out->note, false);
    text_of(r, o, "", "env_key", out->env_key, sizeof out->env_key, false);
    out->n_sockets = count_of(r, o, "", "sockets", 0, 1 << 16, 0);
    out->n_numa = count_of(r, o, "", "numa", 0, 1 << 16, 0);
    out->n_domains = count_of(r, o, "", "llc_domains", 0, 1 << 20, 0);
    out->n_cores = count_of(r, o, "", "cores", 1, MOST_CORES, NAN);
    out->threads_per_core = count_of(r, o, "", "threads_per_core", 0, 64, 0);
    out->frequency_Hz = number_of(r, o, "", "frequency_Hz", 0, 1e12, 0);
    out->validated = flag_of(r, o, "", "validated");
    const json_t *caches = list_of(r, o, "caches"), *ceilings = list_of(r, o, "ceilings");
    size_t n = json_array_size(caches);
    if (n > SP_MAX_CACHES)
        fault(r, "", "caches", "has more levels than the 4 that are supported");
    for (size_t i = 0; r->status == SP_OK && i < n; i++) {
        read_cache(r, json_array_get(caches, i), (int)i, &out->cache[i]);
        out->n_caches++;
        if (r->status == SP_OK && i > 0 && out->cache[i].level <= out->cache[i - 1].level)
            fault(r, "", "caches", "must ascend in \"level\"");
        if (sp_capacity_limit(&out->cache[i], i > 0 ? out->cache[i - 1].size_B : 0))
            remark(r, "the effective capacity of L%d is cut to what its size and the next level's allow",
                   out->cache[i].level);
    }
    const struct sp_cache *last = out->n_caches > 0 ? &out->cache[out->n_caches - 1] : NULL;
    if (r->status == SP_OK && out->kind == SP_CPU && last && last->cores_sharing > 0 && out->n_domains > 0 &&
        (double)out->n_domains * last->cores_sharing < out->n_cores)
        remark(r,
               "%d llc_domains of %d cores_sharing make fewer than %d cores: the L%d is taken as one for all "
               "cores of a domain",
               out->n_domains, last->cores_sharing, out->n_cores, last->level);
    read_gpu(r, json_object_get(o, "gpu"), &out->gpu);
    read_measured(r, json_object_get(o, "measured"), &out->measured);
    read_validation(r, json_object_get(o, "validation"), &out->validation);
    read_ecm(r, json_object_get(o, "ecm"), &out->ecm);
    read_units(r, json_object_get(o, "units"), out);
    read_pages(r, json_object_get(o, "pages"), out);
    for (size_t i = 0; r->status == SP_OK && i < json_array_size(ceilings); i++)
        read_ceiling(r, json_array_get(ceilings, i), (int)i, out);
}

enum sp_status sp_machine_file_read(const char *path, struct sp_machine *out, char *remarks, size_t size,
                                    struct sp_error *err)
{
    memset(out, 0, sizeof *out);
    if (remarks && size)
        remarks[0] = '\0';
    if (access(path, R_OK) != 0)
        return sp_fail_at(err, SP_ABSENT, path, 0, 0,
                          "spmodel machine list names the machines that there are",
                          "the machine file cannot be read");
    json_t *root;
    enum sp_status status =
        sp_input_json(path, SP_INPUT_MOST_B,
                      "correct the file, or measure again: spmodel machine measure -o FILE", &root, err);
    if (status != SP_OK)
        return status;
    struct reader r = {path, SP_OK, err, remarks, size};
    if (!json_is_object(root))
        r.status = sp_fail_at(err, SP_INPUT, path, 1, 0, "give a machine file", "not a JSON object");
    else
        read_machine(&r, root, out);
    json_decref(root);
    if (r.status != SP_OK)
        sp_machine_free(out);
    return r.status;
}
