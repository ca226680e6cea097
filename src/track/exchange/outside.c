#include "track/exchange/outside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/escape.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/option/option_words.h"
#include "base/reading.h"
#include "base/text.h"

void sp_outside_free(struct sp_outside *o)
{
    free(o->value);
    memset(o, 0, sizeof *o);
}

void sp_outside_leave_out(const struct sp_outside_reading *r, const char *name, const char *why)
{
    if (r->out->n_left_out++ == 0)
        snprintf(r->out->left_out, sizeof r->out->left_out, "%.80s: %.70s", name, why);
}

bool sp_outside_unit(const char *unit, enum sp_tracked *metric, double *factor)
{
    static const struct {
        const char *unit;
        double s;
    } times[] = {{"s", 1},     {"sec", 1},   {"second", 1}, {"seconds", 1}, {"ms", 1e-3},
                 {"us", 1e-6}, {"µs", 1e-6}, {"ns", 1e-9},  {"min", 60}};
    static const struct {
        const char *prefix;
        double factor;
    } prefixes[] = {{"Ki", 1024.}, {"Mi", 1048576.}, {"Gi", 1073741824.}, {"Ti", 1099511627776.},
                    {"k", 1e3},    {"K", 1e3},       {"M", 1e6},          {"G", 1e9},
                    {"T", 1e12},   {"", 1}};
    static const struct {
        const char *unit;
        enum sp_tracked metric;
    } others[] = {{"B", SP_TRACKED_BYTES},           {"byte", SP_TRACKED_BYTES},
                  {"bytes", SP_TRACKED_BYTES},       {"B/s", SP_TRACKED_BANDWIDTH},
                  {"B/sec", SP_TRACKED_BANDWIDTH},   {"flop/s", SP_TRACKED_PERFORMANCE},
                  {"flops", SP_TRACKED_PERFORMANCE}, {"flops/s", SP_TRACKED_PERFORMANCE}};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        if (strcmp(unit, times[i].unit) == 0) {
            *metric = SP_TRACKED_TIME;
            *factor = times[i].s;
            return true;
        }
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        const size_t length = strlen(prefixes[i].prefix);
        if (strncmp(unit, prefixes[i].prefix, length) != 0)
            continue;
        for (size_t k = 0; k < sizeof others / sizeof *others; k++)
            if ((others[k].metric == SP_TRACKED_PERFORMANCE ? strcasecmp : strcmp)(unit + length,
                                                                                   others[k].unit) == 0) {
                *metric = others[k].metric;
                *factor = prefixes[i].factor;
                return true;
            }
    }
    return false;
}

/* Seconds since 1970 of a text in one of the forms; -1: it is none, or there is no such day. */
static time_t in_form(const char *text, const char *form, bool takes_zone)
{
    struct tm t = {.tm_mday = 1};
    int hours = 0, minutes = 0, used = 0;
    char sign = 0;
    const char *rest = strptime(text, form, &t);
    if (rest && takes_zone && *rest == '.')
        rest += 1 + strspn(rest + 1, "0123456789");
    if (!rest || (*rest && !takes_zone))
        return -1;
    const bool has_zone = sscanf(rest, "%c%2d:%2d%n", &sign, &hours, &minutes, &used) == 3 ||
                          sscanf(rest, "%c%2d%2d%n", &sign, &hours, &minutes, &used) == 3;
    if (*rest && strcmp(rest, "Z") != 0 &&
        (!has_zone || rest[used] || (sign != '+' && sign != '-') || hours > 14 || minutes > 59))
        return -1;
    const int day = t.tm_mday, is_leap = t.tm_sec > 59;
    const time_t when = timegm(&t);
    if (t.tm_mday != day && !is_leap)
        return -1;
    return when - (has_zone ? (sign == '-' ? -1 : 1) * (hours * 3600 + minutes * 60) : 0);
}

bool sp_outside_date(const char *text, char *out, size_t size)
{
    static const struct {
        const char *form;
        bool takes_zone;
    } forms[] = {{"%Y-%m-%dT%H:%M:%S", true},
                 {"%Y-%m-%d %H:%M:%S", true},
                 {"%Y-%m-%dT%H:%M", true},
                 {"%Y-%m-%d %H:%M", true},
                 {"%Y-%m-%dT%H", true},
                 {"%Y-%m-%d", true},
                 {"%Y%m%dT%H%M%S", true},
                 {"%Y%m%d", false},
                 {"%Y-%m", false},
                 {"%Y", false}};
    static const double first = 1e8, behind_last = 253402300800.0; /* in 1973, in the year 10000 */
    double seconds;
    struct tm t;
    time_t when = -1;
    for (size_t i = 0; i < sizeof forms / sizeof *forms && when < 0; i++)
        when = in_form(text, forms[i].form, forms[i].takes_zone);
    if (when < 0 && sp_parse_number(text, &seconds) == 0 && seconds >= first && seconds < behind_last)
        when = (time_t)seconds;
    return when >= 0 && gmtime_r(&when, &t) && strftime(out, size, "%Y-%m-%dT%H:%M:%SZ", &t) > 0;
}

static const char *first_of(const char *a, const char *b)
{
    return a && *a ? a : b ? b : "";
}

static enum sp_status no_place(const struct sp_outside_reading *r, int64_t line, const char *what,
                               const char *remedy, struct sp_error *err)
{
    return sp_fail_at(err, SP_INPUT, r->path, line, 0, remedy, "%s", what);
}

enum sp_status sp_outside_add(const struct sp_outside_reading *r, int64_t line,
                              const struct sp_outside_text *text, enum sp_tracked metric, double value,
                              enum sp_origin origin, struct sp_error *err)
{
    struct sp_outside *o = r->out;
    const struct sp_outside_defaults *d = r->otherwise;
    struct sp_outside_value v = {.metric = metric, .value = value, .origin = origin, .line = line};
    const char *date = first_of(text->date, d->start), *machine = first_of(text->machine, d->machine);
    const char *commit = first_of(text->commit, d->commit), *branch = first_of(text->branch, d->branch);
    if (!text->name || !*text->name || strlen(text->name) >= sizeof v.name)
        return no_place(r, line, "a series needs a name of at most 255 bytes", NULL, err);
    if (!*date || !sp_outside_date(date, v.start, sizeof v.start))
        return sp_fail_at(err, SP_INPUT, r->path, line, 0,
                          SP_O_DATE " 2026-11-01T12:00:00Z says it for the file",
                          *date ? "'%.40s' is no date: ISO 8601, or seconds since 1970"
                                : "it does not say when it was measured%.0s",
                          date);
    if (!*machine)
        return no_place(r, line, "it does not say where it was measured",
                        SP_O_MACHINE " NAME says it for the file", err);
    if (strlen(machine) >= sizeof v.machine || strlen(commit) >= sizeof v.commit ||
        strlen(branch) >= sizeof v.branch)
        return no_place(r, line, "machine, commit and branch have at most 63 bytes", NULL, err);
    if (!(value > 0) || !isfinite(value))
        return sp_fail_at(err, SP_INPUT, r->path, line, 0, "leave it out",
                          "%s of '%.80s' is %g: a value is positive and finite",
                          sp_tracked_metrics[metric].name, text->name, value);
    if (o->n == o->most) {
        const int64_t most = 2 * o->most + 64;
        struct sp_outside_value *more = realloc(o->value, (size_t)most * sizeof *more);
        if (!more)
            return sp_fail(err, SP_MEMORY, NULL, "no memory for %lld values", (long long)most);
        o->value = more;
        o->most = most;
    }
    strcpy(v.name, text->name);
    strcpy(v.machine, machine);
    strcpy(v.commit, commit);
    strcpy(v.branch, branch);
    const char *env = text->env && *text->env ? text->env : machine;
    if (strlen(env) == SP_KEY_TEXT - 1 && strspn(env, "0123456789abcdef") == SP_KEY_TEXT - 1)
        strcpy(v.env, env);
    else
        snprintf(v.env, sizeof v.env, "%016llx", (unsigned long long)sp_hash64(env, strlen(env), 0));
    o->value[o->n++] = v;
    return SP_OK;
}

/* --- Records --------------------------------------------------------------------------------- */

static int by_record(const void *a, const void *b)
{
    const struct sp_outside_value *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    order = order ? order : strcmp(x->env, y->env);
    order = order ? order : strcmp(x->machine, y->machine);
    order = order ? order : strcmp(x->start, y->start);
    order = order ? order : strcmp(x->commit, y->commit);
    return order ? order : (int)x->metric - (int)y->metric;
}

static int by_record_and_line(const void *a, const void *b)
{
    const struct sp_outside_value *x = a, *y = b;
    const int order = by_record(a, b);
    return order ? order : (x->line > y->line) - (x->line < y->line);
}

static bool share_record(const struct sp_outside_value *a, const struct sp_outside_value *b)
{
    return strcmp(a->name, b->name) == 0 && strcmp(a->env, b->env) == 0 &&
           strcmp(a->machine, b->machine) == 0 && strcmp(a->start, b->start) == 0 &&
           strcmp(a->commit, b->commit) == 0;
}

/* Time of the record, its name, and 8 digits of what it holds. */
static void make_id(const struct sp_outside_value *v, int64_t n, char *id, size_t size)
{
    char stem[48], day[24];
    uint64_t h = 0;
    size_t used = 0;
    for (int64_t i = 0; i < n; i++) {
        h = sp_hash64(v[i].name, strlen(v[i].name), h);
        h = sp_hash64(v[i].machine, strlen(v[i].machine), h);
        h = sp_hash64(v[i].env, strlen(v[i].env), h);
        h = sp_hash64(v[i].commit, strlen(v[i].commit), h);
        h = sp_hash64(&v[i].value, sizeof v[i].value, h + (uint64_t)v[i].metric);
    }
    for (const char *c = v->start; *c && used + 1 < sizeof day; c++)
        if (*c != '-' && *c != ':')
            day[used++] = *c;
    day[used] = '\0';
    snprintf(id, size, "%s-%s-%08llx", day, sp_file_stem(stem, sizeof stem, v->name),
             (unsigned long long)(h & 0xffffffffu));
}

static const struct {
    enum sp_tracked metric;
    enum sp_record_field field;
} metrics[] = {{SP_TRACKED_TIME, SP_F_METRICS_TIME},
               {SP_TRACKED_BYTES, SP_F_METRICS_BYTES},
               {SP_TRACKED_BANDWIDTH, SP_F_METRICS_BANDWIDTH},
               {SP_TRACKED_PERFORMANCE, SP_F_METRICS_PERFORMANCE}};

static enum sp_status set_metrics(const struct sp_outside_value *v, int64_t n, struct sp_record *r,
                                  struct sp_error *err)
{
    double *x = malloc((size_t)n * sizeof *x);
    if (!x)
        return sp_fail(err, SP_MEMORY, NULL, "no memory for %lld runs", (long long)n);
    for (size_t m = 0; m < sizeof metrics / sizeof *metrics; m++) {
        int count = 0;
        enum sp_origin origin = SP_MEASURED;
        for (int64_t i = 0; i < n; i++)
            if (v[i].metric == metrics[m].metric) {
                x[count++] = v[i].value;
                origin = v[i].origin;
            }
        if (metrics[m].metric == SP_TRACKED_TIME && count > 0) {
            json_t *runs = json_array();
            for (int i = 0; i < count; i++)
                json_array_append_new(runs, json_pack("{s:[f]}", "time_s", x[i]));
            sp_record_set_object(r, SP_F_RUNS, runs);
        }
        sp_record_set_value(r, metrics[m].field,
                            count > 0 ? sp_value_of(sp_median(x, count), origin)
                                      : sp_value_none("the program that measured does not say"));
    }
    free(x);
    return SP_OK;
}

static enum sp_status make_record(const struct sp_outside_value *v, int64_t n, const char *format,
                                  struct sp_record *r, struct sp_error *err)
{
    char id[160];
    enum sp_status status = sp_record_new("imported", r, err);
    if (status != SP_OK)
        return status;
    make_id(v, n, id, sizeof id);
    sp_record_set_text(r, SP_F_ID, id);
    sp_record_set_text(r, SP_F_STATUS, "complete");
    sp_record_set_text(r, SP_F_TIME_START, v->start);
    sp_record_set_object(r, SP_F_TOOL, json_pack("{s:s, s:s}", "version", format, "git", ""));
    if (v->commit[0])
        sp_record_set_text(r, SP_F_SOURCE_COMMIT, v->commit);
    if (v->branch[0])
        sp_record_set_text(r, SP_F_SOURCE_BRANCH, v->branch);
    sp_record_set_text(r, SP_F_OUTSIDE_FORMAT, format);
    sp_record_set_text(r, SP_F_OUTSIDE_SERIES, v->name);
    sp_record_set_text(r, SP_F_MACHINE_NAME, v->machine);
    sp_record_set_text(r, SP_F_ENV_KEY, v->env);
    sp_record_set_count(r, SP_F_REQUEST_VERSION, 1);
    status = set_metrics(v, n, r, err);
    if (status != SP_OK)
        sp_record_free(r);
    return status;
}

enum sp_status sp_outside_records(const struct sp_outside *o, const char *format,
                                  struct sp_outside_records *records, struct sp_error *err)
{
    enum sp_status status = SP_OK;
    memset(records, 0, sizeof *records);
    records->record = calloc((size_t)o->n + 1, sizeof *records->record);
    records->line = calloc((size_t)o->n + 1, sizeof *records->line);
    if (!records->record || !records->line) {
        sp_outside_records_free(records);
        return sp_fail(err, SP_MEMORY, NULL, "no memory for %lld records", (long long)o->n);
    }
    sp_sort_by(o->value, o->n, sizeof *o->value, by_record_and_line);
    for (int64_t first = 0, end; first < o->n && status == SP_OK; first = end) {
        for (end = first; end < o->n && share_record(&o->value[end], &o->value[first]);)
            end++;
        status = make_record(&o->value[first], end - first, format, &records->record[records->n], err);
        if (status == SP_OK)
            records->line[records->n++] = o->value[first].line;
    }
    if (status != SP_OK)
        sp_outside_records_free(records);
    return status;
}

void sp_outside_records_free(struct sp_outside_records *records)
{
    for (int64_t i = 0; i < records->n; i++)
        sp_record_free(&records->record[i]);
    free(records->record);
    free(records->line);
    memset(records, 0, sizeof *records);
}
