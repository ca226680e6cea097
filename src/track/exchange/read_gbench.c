/* Google Benchmark's JSON. */
#include <string.h>

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

/* Where the n-th benchmark stands: jansson keeps no lines. */
static int64_t line_of(const struct sp_outside_reading *r, size_t n)
{
    const char *at = strstr(r->text, "\"benchmarks\"");
    for (size_t i = 0; at && i <= n; i++)
        at = strstr(at + 1, "\"name\"");
    return at ? sp_outside_line(r, at) : 0;
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
        return sp_fail_at(err, SP_INPUT, r->path, line_of(r, at), 0, "--benchmark_format=json writes both",
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
                          "--benchmark_out=FILE --benchmark_out_format=json writes it whole", "no JSON: %s",
                          fault.text);
    if (!json_is_object(context) || !json_is_array(all))
        status = sp_fail_at(err, SP_INPUT, r->path, 1, 0, "--benchmark_format=json writes both",
                            "no 'context' with a list 'benchmarks'");
    for (size_t i = 0; i < json_array_size(all) && status == SP_OK; i++)
        status = read_one(r, context, all, i, err);
    json_decref(root);
    return status;
}
