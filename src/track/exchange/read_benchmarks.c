/* Google Benchmark's JSON; Caliper's tables and JSON. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "io/json_text.h"
#include "track/exchange/exchange.h"

bool sp_is_gbench(const char *text, size_t size)
{
    const size_t head = size < 65536 ? size : 65536;
    return size > 0 && text[strspn(text, " \t\r\n")] == '{' && memmem(text, head, "\"context\"", 9) &&
           memmem(text, size, "\"benchmarks\"", 12);
}

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

/* Of a line that begins at `at`, counted from 1. */
static int64_t line_at(const struct sp_outside_reading *r, const char *at)
{
    int64_t line = 1;
    for (const char *c = r->text; c < at; c++)
        line += *c == '\n';
    return line;
}

/* Where the n-th benchmark stands: jansson keeps no lines. */
static int64_t line_of(const struct sp_outside_reading *r, size_t n)
{
    const char *at = strstr(r->text, "\"benchmarks\"");
    for (size_t i = 0; at && i <= n; i++)
        at = strstr(at + 1, "\"name\"");
    return at ? line_at(r, at) : 0;
}

static bool is_aggregate(const json_t *one)
{
    const char *type = text_of(one, "run_type");
    return type && strcmp(type, "aggregate") == 0;
}

static const char *name_of(const json_t *one)
{
    const char *name = text_of(one, "run_name");
    return name ? name : text_of(one, "name");
}

static bool has_iterations(const json_t *all, const char *name)
{
    const json_t *one;
    size_t i;
    json_array_foreach(all, i, one) if (!is_aggregate(one) && name_of(one) &&
                                        strcmp(name_of(one), name) == 0) return true;
    return false;
}

/* Of aggregates only the median, and only where there is nothing else. */
static bool counts(const json_t *all, const json_t *one)
{
    const char *kind = text_of(one, "aggregate_name");
    return !is_aggregate(one) || (kind && strcmp(kind, "median") == 0 && !has_iterations(all, name_of(one)));
}

/* How often it was repeated makes no other series. */
static const char *series_of(const char *name, char *text, size_t size)
{
    snprintf(text, size, "%s", name ? name : "");
    char *repeats = strstr(text, "/repeats:");
    if (repeats) {
        const char *behind = repeats + strlen("/repeats:");
        behind += strspn(behind, "0123456789");
        memmove(repeats, behind, strlen(behind) + 1);
    }
    return text;
}

static enum sp_status read_one(const struct sp_outside_reading *r, const json_t *context, const json_t *all,
                               size_t at, struct sp_error *err)
{
    const json_t *one = json_array_get(all, at), *time = json_object_get(one, "real_time"),
                 *rate = json_object_get(one, "bytes_per_second");
    const char *name = name_of(one), *unit = text_of(one, "time_unit");
    char series[512], env[256];
    const char *host = text_of(context, "host_name"), *build = text_of(context, "library_build_type");
    snprintf(env, sizeof env, "%.100s %lld cpus %.40s", host ? host : "",
             (long long)json_integer_value(json_object_get(context, "num_cpus")), build ? build : "");
    const struct sp_outside_text text = {.name = series_of(name, series, sizeof series),
                                         .machine = host,
                                         .env = host ? env : NULL,
                                         .commit = text_of(context, "commit"),
                                         .branch = text_of(context, "branch"),
                                         .date = text_of(context, "date")};
    enum sp_tracked metric;
    double factor;
    if (!name)
        return sp_fail_at(err, SP_INPUT, r->path, line_of(r, at), 0, NULL, "benchmark %zu has no name",
                          at + 1);
    if (json_is_true(json_object_get(one, "error_occurred"))) {
        const char *why = text_of(one, "error_message");
        sp_outside_leave_out(r, name, why ? why : "an error occurred");
        return SP_OK;
    }
    if (!counts(all, one))
        return SP_OK;
    if (!json_is_number(time) || !unit || !sp_outside_unit(unit, &metric, &factor) ||
        metric != SP_TRACKED_TIME)
        return sp_fail_at(err, SP_INPUT, r->path, line_of(r, at), 0, "run it with benchmark_format=json",
                          "'%.80s' has no real_time with a time_unit", name);
    enum sp_status status =
        sp_outside_add(r, line_of(r, at), &text, metric, factor * json_number_value(time), SP_MEASURED, err);
    if (status == SP_OK && json_is_number(rate) && json_number_value(rate) > 0)
        status = sp_outside_add(r, line_of(r, at), &text, SP_TRACKED_BANDWIDTH, json_number_value(rate),
                                SP_MEASURED, err);
    return status;
}

enum sp_status sp_read_gbench(const struct sp_outside_reading *r, struct sp_error *err)
{
    json_error_t fault;
    json_t *root = sp_json_parse(r->text, r->size, JSON_REJECT_DUPLICATES, &fault);
    const json_t *context = json_object_get(root, "context"), *all = json_object_get(root, "benchmarks");
    enum sp_status status = SP_OK;
    if (!root)
        return sp_fail_at(err, SP_INPUT, r->path, fault.line, fault.column,
                          "run it with benchmark_out=FILE and benchmark_out_format=json", "no JSON: %s",
                          fault.text);
    if (!json_is_object(context) || !json_is_array(all))
        status = sp_fail_at(err, SP_INPUT, r->path, 1, 0, "run it with benchmark_format=json",
                            "no 'context' with a list 'benchmarks'");
    for (size_t i = 0; i < json_array_size(all) && status == SP_OK; i++)
        status = read_one(r, context, all, i, err);
    json_decref(root);
    return status;
}

/* Caliper: the table that runtime-report prints, and the JSON records of cali-query. */

/* How Caliper ends the names of times. */
#define DURATION ".duration"

enum { MOST_COLUMNS = 16, MOST_DEPTH = 64 };

bool sp_is_caliper(const char *text, size_t size)
{
    const char *begin = text + strspn(text, " \t\r\n");
    if (*begin == '[')
        return memmem(text, size, "\"path\"", 6) && memmem(text, size, DURATION, sizeof DURATION - 1);
    return strncmp(begin, "Path", 4) == 0 && (begin[4] == ' ' || begin[4] == '\t');
}

/* --- The table ------------------------------------------------------------------------------- */

/* Heads of columns, longest first, since each is made of words. */
static const char *const heads[] = {"Min time/rank", "Max time/rank", "Avg time/rank", "Time % (I)",
                                    "Time % (E)",    "Time (I)",      "Time (E)",      "Total time",
                                    "Time %",        "Calls/rank",    "Visits"};
/* The time of a region, the best first. */
static const char *const times[] = {"Avg time/rank", "Time (I)", "Time (E)", "Total time"};

struct layout {
    const char *column[MOST_COLUMNS];
    int n, time; /* columns behind the path; the one that counts */
};

static enum sp_status read_heads(const struct sp_outside_reading *r, const char *at, const char *end,
                                 int64_t line, struct layout *l, struct sp_error *err)
{
    memset(l, 0, sizeof *l);
    l->time = -1;
    for (at += 4; at < end;) {
        size_t found = 0;
        at += strspn(at, " \t\r");
        if (at >= end)
            break;
        for (size_t i = 0; i < sizeof heads / sizeof *heads && found == 0; i++)
            if (strncmp(at, heads[i], strlen(heads[i])) == 0 && l->n < MOST_COLUMNS) {
                l->column[l->n++] = heads[i];
                found = strlen(heads[i]);
            }
        if (found == 0)
            return sp_fail_at(err, SP_INPUT, r->path, line, 0,
                              "runtime-report without further columns, or cali-query -q '... format json'",
                              "'%.*s' is no column of runtime-report", (int)(end - at < 40 ? end - at : 40),
                              at);
        at += found;
    }
    for (size_t i = 0; i < sizeof times / sizeof *times && l->time < 0; i++)
        for (int c = 0; c < l->n; c++)
            if (strcmp(l->column[c], times[i]) == 0)
                l->time = c;
    return l->time >= 0
               ? SP_OK
               : sp_fail_at(err, SP_INPUT, r->path, line, 0, NULL, "the table has no column of times");
}

/* The values at the end of a line; what is before them is the region's name. -1: too few. */
static int split(const char *begin, const char *end, int n, double *value)
{
    for (int c = n - 1; c >= 0; c--) {
        char word[32];
        while (end > begin && strchr(" \t\r", end[-1]))
            end--;
        const char *from = end;
        while (from > begin && !strchr(" \t", from[-1]))
            from--;
        if (from == begin || (size_t)(end - from) >= sizeof word)
            return -1;
        snprintf(word, sizeof word, "%.*s", (int)(end - from), from);
        if (sp_parse_number(word, &value[c]))
            return -1;
        end = from;
    }
    while (end > begin && strchr(" \t", end[-1]))
        end--;
    return (int)(end - begin);
}

static enum sp_status read_report(const struct sp_outside_reading *r, const char *begin, struct sp_error *err)
{
    const char *at = begin, *name[MOST_DEPTH];
    int length[MOST_DEPTH];
    int64_t line = line_at(r, begin);
    struct layout l;
    enum sp_status status = SP_OK;
    for (int d = 0; d < MOST_DEPTH; d++) {
        name[d] = "?";
        length[d] = 1;
    }
    for (bool first = true; *at && status == SP_OK; line++) {
        const char *end = strchr(at, '\n') ? strchr(at, '\n') : at + strlen(at);
        const int indent = (int)strspn(at, " ");
        double value[MOST_COLUMNS];
        if (first)
            status = read_heads(r, at, end, line, &l, err);
        else if (at + indent < end && at[indent] != '\r') {
            const int depth = indent / 2;
            const int n = split(at + indent, end, l.n, value);
            char path[1024] = "";
            if (depth >= MOST_DEPTH)
                return sp_fail_at(err, SP_INPUT, r->path, line, 0, NULL, "regions are nested deeper than %d",
                                  MOST_DEPTH);
            name[depth] = at + indent;
            length[depth] = n >= 0 ? n : (int)strcspn(at + indent, "\r\n");
            for (int d = 0; d <= depth; d++) {
                const size_t used = strlen(path);
                snprintf(path + used, sizeof path - used, "%s%.*s", d > 0 ? "/" : "", length[d], name[d]);
            }
            const struct sp_outside_text text = {.name = path};
            if (n < 0)
                sp_outside_leave_out(r, path, "it has no times");
            else if (value[l.time] == 0)
                sp_outside_leave_out(r, path, "its time is 0");
            else
                status = sp_outside_add(r, line, &text, SP_TRACKED_TIME, value[l.time], SP_MEASURED, err);
            for (int d = depth + 1; d < MOST_DEPTH; d++) {
                name[d] = "?";
                length[d] = 1;
            }
        }
        first = false;
        at = *end ? end + 1 : end;
    }
    return status;
}

/* --- JSON ------------------------------------------------------------------------------------ */

static const char *any_text(const json_t *one, const char *const *keys)
{
    for (int i = 0; keys[i]; i++)
        if (json_string_value(json_object_get(one, keys[i])))
            return json_string_value(json_object_get(one, keys[i]));
    return NULL;
}

static enum sp_status read_region(const struct sp_outside_reading *r, const json_t *one, size_t at,
                                  struct sp_error *err)
{
    static const char *const commits[] = {"commit", "git_commit", NULL},
                             *const dates[] = {"date", "launchdate", NULL},
                             *const machines[] = {"machine", "cluster", "host", "hostname", NULL};
    const char *path = json_string_value(json_object_get(one, "path")), *key;
    const json_t *value;
    double x = 0;
    char launched[32] = "";
    if (!path) /* what ran outside of every region */
        return SP_OK;
    json_object_foreach((json_t *)one, key, value) if (strstr(key, DURATION) && x == 0)
    {
        if (json_is_number(value))
            x = json_number_value(value);
        else if (!json_is_string(value) || sp_parse_number(json_string_value(value), &x))
            return sp_fail_at(err, SP_INPUT, r->path, 0, 0, NULL, "record %zu: '%.60s' is no number", at + 1,
                              key);
    }
    if (json_is_integer(json_object_get(one, "launchdate")))
        snprintf(launched, sizeof launched, "%lld",
                 (long long)json_integer_value(json_object_get(one, "launchdate")));
    if (x == 0)
        return sp_outside_leave_out(r, path, "it has no time"), SP_OK;
    const struct sp_outside_text text = {.name = path,
                                         .machine = any_text(one, machines),
                                         .commit = any_text(one, commits),
                                         .date = *launched ? launched : any_text(one, dates)};
    return sp_outside_add(r, 0, &text, SP_TRACKED_TIME, x, SP_MEASURED, err);
}

enum sp_status sp_read_caliper(const struct sp_outside_reading *r, struct sp_error *err)
{
    const char *begin = r->text + strspn(r->text, " \t\r\n");
    json_error_t fault;
    enum sp_status status = SP_OK;
    if (*begin != '[')
        return strncmp(begin, "Path", 4) == 0
                   ? read_report(r, begin, err)
                   : sp_fail_at(err, SP_INPUT, r->path, line_at(r, begin), 0,
                                "CALI_CONFIG=runtime-report,output=FILE writes it",
                                "no table that begins with 'Path', and no list of JSON records");
    json_t *root = sp_json_parse(r->text, r->size, JSON_REJECT_DUPLICATES, &fault);
    if (!root)
        return sp_fail_at(err, SP_INPUT, r->path, fault.line, fault.column, NULL, "no JSON: %s", fault.text);
    for (size_t i = 0; i < json_array_size(root) && status == SP_OK; i++)
        status = read_region(r, json_array_get(root, i), i, err);
    json_decref(root);
    return status;
}
