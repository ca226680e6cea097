#include "track/judge/comparable.h"

#include <math.h>
#include <stdarg.h>
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

static bool is_measured_value(const json_t *value)
{
    return json_object_get(value, "value") && json_object_get(value, "unit");
}

static void as_text(const json_t *value, char *text, size_t size)
{
    if (is_measured_value(value)) {
        value = json_object_get(value, "value");
        if (json_is_null(value)) {
            snprintf(text, size, "unknown");
            return;
        }
    }
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

/* A part that is an object field by field, else as a whole. What decides nothing is named to the
 * last member. */
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
        if (decides == NEVER && json_is_object(value) && json_is_object(other) && !is_measured_value(value)) {
            char within[sizeof d->one->field];
            snprintf(within, sizeof within, "%s.%s", path, key);
            if (!compare_part(d, within, value, other, decides, is_simulated))
                return false;
        } else if (is_measured_value(value) && is_measured_value(other)) {
            if (!json_equal(json_object_get(value, "value"), json_object_get(other, "value")) &&
                !add(d, path, key, value, other, is_identity(decides, key, is_simulated)))
                return false;
        } else if (!(other && json_equal(value, other)) &&
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

enum { MOST_RECORDS = 64 };

/* Of the positive numbers; NAN: there is none. Sorts x[n]. */
static double median_of(double *x, int n)
{
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && x[k - 1] > x[k]; k--) {
            const double t = x[k];
            x[k] = x[k - 1];
            x[k - 1] = t;
        }
    return n == 0 ? NAN : n % 2 ? x[n / 2] : 0.5 * (x[n / 2 - 1] + x[n / 2]);
}

/* Of the records that know it in the way of `as`: a measured and a simulated number have no ratio,
 * nor have bytes that different versions of the simulation gave. */
static double median_metric(const struct sp_entry *const *list, int n, enum sp_tracked metric,
                            const struct sp_entry *as)
{
    double x[MOST_RECORDS];
    int kept = 0;
    for (int i = 0; i < n && kept < MOST_RECORDS; i++)
        if (list[i]->metric[metric] > 0 && strcmp(list[i]->origin[metric], as->origin[metric]) == 0 &&
            (list[i]->bytes_version == as->bytes_version || !sp_tracked_uses_bytes(metric)))
            x[kept++] = list[i]->metric[metric];
    return median_of(x, kept);
}

static double median_sentinel(const struct sp_entry *const *list, int n, int64_t version, int which)
{
    double x[MOST_RECORDS];
    int kept = 0;
    for (int i = 0; i < n && kept < MOST_RECORDS; i++)
        if (list[i]->sentinel_version == version && version > 0 && list[i]->sentinel[which] > 0)
            x[kept++] = list[i]->sentinel[which];
    return median_of(x, kept);
}

static double change_of(const struct sp_entry *const *before, int n_before,
                        const struct sp_entry *const *after, int n_after, enum sp_tracked metric)
{
    const struct sp_entry *as = after[n_after - 1];
    return log(median_metric(after, n_after, metric, as) / median_metric(before, n_before, metric, as));
}

static void add_evidence(struct sp_attribution *a, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add_evidence(struct sp_attribution *a, const char *format, ...)
{
    size_t used = strlen(a->also);
    va_list arguments;
    if (used > 0 && used + 3 < sizeof a->also) {
        strcpy(a->also + used, "; ");
        used += 2;
    }
    va_start(arguments, format);
    vsnprintf(a->also + used, sizeof a->also - used, format, arguments);
    va_end(arguments);
}

/* Do two hashes differ? What one of them does not know is no evidence. */
static bool is_another(const char *was, const char *is)
{
    return *was && *is && strcmp(was, is) != 0;
}

/* What the newest record and the one before it differ in besides bytes and bandwidth. */
static void find_evidence(const struct sp_entry *was, const struct sp_entry *is, struct sp_attribution *a)
{
    static const double pages = 0.2, busy = 0.05, counted = 0.005;
    const double more = is->metric[SP_TRACKED_INSTRUCTIONS] / was->metric[SP_TRACKED_INSTRUCTIONS] - 1;
    const double lambda[2] = {was->metric[SP_TRACKED_LAMBDA], is->metric[SP_TRACKED_LAMBDA]};
    if (fabs(is->huge_share - was->huge_share) > pages)
        add_evidence(a, "%.0f %% of its arrays are on huge pages, before it were %.0f %%",
                     100 * is->huge_share, 100 * was->huge_share);
    if (fabs(lambda[1] - lambda[0]) > busy)
        add_evidence(a, "threads are busy for unequal times: max/mean %.2f, before it was %.2f", lambda[1],
                     lambda[0]);
    if (strcmp(was->kernel, is->kernel) != 0)
        add_evidence(a, "another kernel was chosen: %s instead of %s", is->kernel, was->kernel);
    else if (is_another(was->code, is->code))
        add_evidence(a, "the kernel's machine code is another");
    if (fabs(more) > counted)
        add_evidence(a, "instructions an entry %+.1f %% (%s)", 100 * more,
                     is->origin[SP_TRACKED_INSTRUCTIONS]);
    if (is_another(was->partition, is->partition))
        add_evidence(a, "the threads have other shares of the matrix");
}

/* The control kernel needs no memory: where it moves and loads do not, it is the clock. */
static void find_clock(struct sp_attribution *a)
{
    static const double moved = 0.02;
    const double clock = a->sentinel[SP_ENTRY_CONTROL];
    double loads = 0;
    for (int i = 0; i < SP_ENTRY_CONTROL; i++)
        if (!isnan(a->sentinel[i]))
            loads = fmax(loads, fabs(a->sentinel[i]));
    if (fabs(clock) > moved && loads < 0.5 * fabs(clock))
        add_evidence(a, "the control kernel alone moved (%+.1f %%): the clock, or the time that threads get",
                     100 * expm1(clock));
}

static char *percent(char *text, size_t size, double change)
{
    if (isnan(change))
        snprintf(text, size, "unknown");
    else
        snprintf(text, size, "%+.1f %%", fabs(change) < 0.0005 ? 0 : 100 * expm1(change)); /* no -0.0 */
    return text;
}

/* The sentinel of the level that holds the data; -1: there is none for it. */
static int sentinel_of_level(const struct sp_entry *e)
{
    return e->level == SP_ENTRY_MEMORY ? SP_ENTRY_DRAM : e->level == SP_ENTRY_LAST ? SP_ENTRY_LLC : -1;
}

/* "DRAM sentinel -12.0 %, control kernel -0.3 %"; "" where neither is known. */
static char *sentinels_text(const struct sp_entry *is, const struct sp_attribution *a, char *text,
                            size_t size)
{
    static const char *const words[SP_N_ENTRY_SENTINELS] = {"DRAM sentinel", "last-level cache sentinel",
                                                            "control kernel"};
    const int shown[2] = {sentinel_of_level(is), SP_ENTRY_CONTROL};
    char change[32];
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < 2; i++)
        if (shown[i] >= 0 && !isnan(a->sentinel[shown[i]]) && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s %s", used > 0 ? ", " : "",
                                     words[shown[i]], percent(change, sizeof change, a->sentinel[shown[i]]));
    return text;
}

/* Parts of |ln time|, in the direction that the time moved. */
struct parts {
    double traffic, machine, arrays, kernel;
    bool by_sentinel; /* of the level, or the control kernel: not by the roof beside the kernel alone */
};

/* The roof beside the kernel is loaded from the kernel's own arrays. What a sentinel on other data
 * saw as well is the machine; what only the roof saw are the arrays. The clock counts for itself: a
 * kernel that waits for its own operations feels it where loads do not. */
static struct parts split(const struct sp_entry *is, const struct sp_attribution *a)
{
    const double sign = a->time > 0 ? 1 : -1;
    const int level = sentinel_of_level(is);
    const double seen = level >= 0 ? -sign * a->sentinel[level] : NAN, roof = -sign * a->roof,
                 clock = -sign * a->sentinel[SP_ENTRY_CONTROL];
    struct parts p = {.traffic = isnan(a->bytes) ? 0 : sign * a->bytes};
    p.machine = fmin(seen, roof); /* the known one where the other is not */
    p.by_sentinel = !isnan(seen);
    if (isnan(p.machine) || clock > p.machine) {
        p.machine = clock;
        p.by_sentinel = !isnan(clock);
    }
    p.machine = isnan(p.machine) ? 0 : p.machine;
    p.arrays = isnan(seen) || isnan(roof) ? 0 : fmax(roof - p.machine, 0);
    p.kernel = fabs(a->time) - p.traffic - p.machine - p.arrays;
    return p;
}

/* The part with the largest share of the change gives the sentence. */
static void write_sentence(const struct sp_entry *was, const struct sp_entry *is, struct sp_attribution *a)
{
    static const double same = 0.01, other_pages = 0.2;
    const struct parts p = split(is, a);
    const double sign = a->time > 0 ? 1 : -1;
    const bool moves_as_much = isnan(a->bytes) || fabs(a->bytes) < same;
    const bool lies_elsewhere = fabs(is->huge_share - was->huge_share) > other_pages;
    char bytes[32], bandwidth[32], roof[32], seen[128];
    percent(bytes, sizeof bytes, a->bytes);
    percent(bandwidth, sizeof bandwidth, a->bandwidth);
    percent(roof, sizeof roof, a->roof);
    sentinels_text(is, a, seen, sizeof seen);
    const char *comma = seen[0] ? ", " : "";
    if (isnan(a->bytes) && isnan(a->roof) && !p.by_sentinel)
        snprintf(a->text, sizeof a->text, "neither bytes nor a roof are known, so the cause is not either");
    else if (p.traffic >= fmax(p.machine, p.arrays) && p.traffic >= p.kernel)
        snprintf(a->text, sizeof a->text, "%s traffic%s: bytes %s (%s), bandwidth %s",
                 sign > 0 ? "more" : "less", fabs(a->bandwidth) <= 0.5 * fabs(a->bytes) ? ", same speed" : "",
                 bytes, is->origin[SP_TRACKED_BYTES], bandwidth);
    else if ((a->is_machine = p.machine >= fmax(p.arrays, p.kernel) && p.by_sentinel))
        snprintf(a->text, sizeof a->text, "the machine drifted: %s; the load-only roof beside the kernel %s",
                 seen, roof);
    else if (p.machine >= fmax(p.arrays, p.kernel) || (p.arrays >= p.kernel && lies_elsewhere))
        snprintf(a->text, sizeof a->text, "%s: the load-only roof beside the kernel %s, bytes %s%s%s",
                 lies_elsewhere ? "its arrays lie on other pages" : "the machine drifted", roof, bytes, comma,
                 seen);
    else if (p.arrays >= p.kernel)
        snprintf(a->text, sizeof a->text,
                 "its arrays load %s, not the machine: the roof on them %s, elsewhere %s",
                 sign > 0 ? "more slowly" : "faster", roof, seen);
    else
        snprintf(a->text, sizeof a->text,
                 "%s%s bandwidth at the kernel: bandwidth %s, the roof beside it %s%s%s",
                 isnan(a->bytes) ? "traffic unknown, "
                 : moves_as_much ? "same traffic, "
                                 : "",
                 sign > 0 ? "less" : "more", isnan(a->bytes) ? "unknown" : bandwidth, roof, comma, seen);
}

/* Delta ln time = Delta ln bytes - Delta ln bandwidth; the load-only roof beside the kernel and the
 * sentinels tell the machine's part of the bandwidth from the kernel's. */
void sp_attribute(const struct sp_entry *const *before, int n_before, const struct sp_entry *const *after,
                  int n_after, struct sp_attribution *a)
{
    static const double same = 0.01;
    memset(a, 0, sizeof *a);
    a->time = change_of(before, n_before, after, n_after, SP_TRACKED_TIME);
    a->bytes = change_of(before, n_before, after, n_after, SP_TRACKED_BYTES);
    a->bandwidth = a->bytes - a->time;
    a->roof = change_of(before, n_before, after, n_after, SP_TRACKED_ROOF);
    const struct sp_entry *was = before[n_before - 1], *is = after[n_after - 1];
    for (int i = 0; i < SP_N_ENTRY_SENTINELS; i++)
        a->sentinel[i] = log(median_sentinel(after, n_after, is->sentinel_version, i) /
                             median_sentinel(before, n_before, is->sentinel_version, i));
    a->is_resolved_otherwise = strcmp(was->resolved, is->resolved) != 0;
    find_evidence(was, is, a);
    find_clock(a);
    if (!isnan(a->time) && fabs(a->time) >= same)
        write_sentence(was, is, a);
}
