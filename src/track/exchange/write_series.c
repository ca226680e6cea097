/* Series for other programs. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/escape.h"
#include "base/hash.h"
#include "base/print.h"
#include "base/reading.h"
#include "io/files/part_file.h"
#include "track/exchange/exchange.h"

static const enum sp_tracked written[] = {SP_TRACKED_TIME, SP_TRACKED_BYTES, SP_TRACKED_BANDWIDTH,
                                          SP_TRACKED_PERFORMANCE};
enum { N_WRITTEN = sizeof written / sizeof *written };

static const char *origin_of(const struct sp_entry *e, enum sp_tracked metric)
{
    return *e->origin[metric] ? e->origin[metric] : "measured";
}

/* For other programs: its matrix and, of records of this program, what was run. */
static char *series_name(const struct sp_entry *e, char *text, size_t size)
{
    if (sp_entry_is_from_outside(e))
        snprintf(text, size, "%s", e->matrix);
    else
        snprintf(text, size, "%s %s #%.8s", e->matrix, e->what, e->series);
    return text;
}

/* --- CSV ------------------------------------------------------------------------------------- */

/* The fewest digits that read as the same number. */
static const char *exactly(double x, char *text, size_t size)
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, size, "%.*g", digits, x);
        if (strtod(text, NULL) == x)
            break;
    }
    return text;
}

static void put_row(const struct sp_entry *e, enum sp_tracked metric, double value, FILE *out)
{
    char name[400];
    const char *const words[] = {e->start, e->commit, e->branch, e->machine, e->env};
    sp_csv_field(out, series_name(e, name, sizeof name));
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        fputc(',', out);
        sp_csv_field(out, words[i]);
    }
    char number[32];
    sp_print(out, ",%s,%s,%s,", sp_tracked_metrics[metric].name, exactly(value, number, sizeof number),
             sp_tracked_metrics[metric].unit);
    sp_csv_field(out, origin_of(e, metric));
    fputc('\n', out);
}

enum sp_status sp_write_series_csv(const struct sp_entry *const *list, int64_t n,
                                   const struct sp_exchange_options *o, FILE *out, struct sp_error *err)
{
    (void)o;
    (void)err;
    sp_print(out, "series,date,commit,branch,machine,env,metric,value,unit,origin\n");
    for (int64_t i = 0; i < n; i++)
        for (int m = 0; m < N_WRITTEN; m++) {
            const struct sp_entry *e = list[i];
            if (written[m] == SP_TRACKED_TIME && e->n_runs > 0)
                for (int k = 0; k < e->n_runs; k++)
                    put_row(e, SP_TRACKED_TIME, e->time_s[k], out);
            else if (isfinite(e->metric[written[m]]))
                put_row(e, written[m], e->metric[written[m]], out);
        }
    return SP_OK;
}

/* --- What several share ---------------------------------------------------------------------- */

static json_t *runs_json(const struct sp_entry *e)
{
    json_t *runs = json_array();
    for (int k = 0; k < e->n_runs; k++)
        json_array_append_new(runs, json_real(e->time_s[k]));
    return runs;
}

static enum sp_status dump(json_t *root, FILE *out, struct sp_error *err)
{
    const bool failed = !root || json_dumpf(root, out, JSON_INDENT(2) | JSON_PRESERVE_ORDER) != 0;
    fputc('\n', out);
    json_decref(root);
    return failed && !ferror(out) ? sp_fail(err, SP_MEMORY, NULL, "no memory for the document") : SP_OK;
}

static bool ends_series(const struct sp_entry *const *list, int64_t n, int64_t i)
{
    return i + 1 == n || strcmp(list[i + 1]->series, list[i]->series) != 0;
}

/* --- github-action-benchmark ----------------------------------------------------------------- */

static json_t *point(const struct sp_entry *e, enum sp_tracked metric)
{
    char name[400], label[480], range[48], extra[256];
    double x[SP_ENTRY_RUNS];
    snprintf(label, sizeof label, "%s: %s", series_name(e, name, sizeof name),
             sp_tracked_metrics[metric].name);
    snprintf(extra, sizeof extra, "%s; series %.8s; commit %.40s; %s", origin_of(e, metric), e->series,
             *e->commit ? e->commit : "unknown", e->machine);
    json_t *o = json_pack("{s:s, s:s, s:f, s:s}", "name", label, "unit", sp_tracked_metrics[metric].unit,
                          "value", e->metric[metric], "extra", extra);
    if (o && metric == SP_TRACKED_TIME && e->n_runs > 1) {
        memcpy(x, e->time_s, (size_t)e->n_runs * sizeof *x);
        const double half = 0.5 * (sp_quantile(x, e->n_runs, 0.75) - sp_quantile(x, e->n_runs, 0.25));
        snprintf(range, sizeof range, "± %.3g", half);
        json_object_set_new(o, "range", json_string(range));
    }
    return o;
}

enum sp_status sp_write_github_action(const struct sp_entry *const *list, int64_t n,
                                      const struct sp_exchange_options *o, FILE *out, struct sp_error *err)
{
    json_t *all = json_array();
    (void)o;
    for (int64_t i = 0; i < n; i++) {
        if (!ends_series(list, n, i))
            continue;
        if (isfinite(list[i]->metric[SP_TRACKED_TIME]))
            json_array_append_new(all, point(list[i], SP_TRACKED_TIME));
        if (isfinite(list[i]->metric[SP_TRACKED_BYTES]) &&
            strcmp(list[i]->origin[SP_TRACKED_BYTES], "simulated") == 0)
            json_array_append_new(all, point(list[i], SP_TRACKED_BYTES));
    }
    return dump(all, out, err);
}

/* --- Conbench -------------------------------------------------------------------------------- */

static json_t *result(const struct sp_entry *e, const struct sp_exchange_options *o)
{
    static const char *const unknown[] = {"architecture_name",   "kernel_name",        "os_name",
                                          "os_version",          "cpu_model_name",     "cpu_l1d_cache_bytes",
                                          "cpu_l1i_cache_bytes", "cpu_l2_cache_bytes", "cpu_l3_cache_bytes",
                                          "cpu_core_count",      "cpu_thread_count",   "cpu_frequency_max_hz",
                                          "memory_bytes",        "gpu_count"};
    char name[400], id[128];
    snprintf(id, sizeof id, "%.63s-%.10s-%.16s", *e->commit ? e->commit : "none", e->start, e->env);
    json_t *machine = json_pack("{s:s}", "name", e->machine);
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        json_object_set_new(machine, unknown[i], json_string(i < 5 ? "" : "0"));
    json_object_set_new(machine, "gpu_product_names", json_array());
    json_t *r = json_pack(
        "{s:s, s:s, s:s, s:s, s:{s:s}, s:{s:o, s:s, s:o, s:s, s:i}, s:{s:s, s:s}, s:{s:s, s:s}, s:o}",
        "run_id", id, "batch_id", id, "run_reason", "tracked", "timestamp", e->start, "tags", "name",
        series_name(e, name, sizeof name), "stats", "data", runs_json(e), "unit", "s", "times", json_array(),
        "time_unit", "s", "iterations", e->n_runs, "info", "tool", e->tool, "origin",
        origin_of(e, SP_TRACKED_TIME), "context", "benchmark_language", "C", "env", e->env, "machine_info",
        machine);
    if (r && o->repository && *e->commit)
        json_object_set_new(r, "github",
                            json_pack("{s:s, s:s}", "repository", o->repository, "commit", e->commit));
    return r;
}

enum sp_status sp_write_conbench(const struct sp_entry *const *list, int64_t n,
                                 const struct sp_exchange_options *o, FILE *out, struct sp_error *err)
{
    json_t *all = json_array();
    for (int64_t i = 0; i < n; i++)
        if (list[i]->n_runs > 0)
            json_array_append_new(all, result(list[i], o));
    return dump(all, out, err);
}

/* --- asv ------------------------------------------------------------------------------------- */

static enum sp_status write_file(const char *folder, const char *name, json_t *root, struct sp_error *err)
{
    struct sp_atomic_file file;
    char path[4096];
    enum sp_status status = SP_OK;
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        status = sp_fail_at(err, SP_OUTPUT, folder, 0, 0, NULL, "the name is too long");
    if (status == SP_OK)
        status = sp_make_folder(folder, err);
    if (status == SP_OK)
        status = sp_atomic_open(path, &file, err);
    if (status != SP_OK) {
        json_decref(root);
        return status;
    }
    status = dump(root, file.stream, err);
    if (status != SP_OK) {
        sp_atomic_abort(&file);
        return status;
    }
    return sp_atomic_commit(&file, err);
}

/* One that holds the other's results, too. */
static bool share_file(const struct sp_entry *a, const struct sp_entry *b)
{
    return strcmp(a->machine, b->machine) == 0 && strcmp(a->env, b->env) == 0 &&
           strcmp(a->commit, b->commit) == 0;
}

static int64_t milliseconds(const struct sp_entry *e)
{
    struct tm t = {0};
    return strptime(e->start, "%Y-%m-%dT%H:%M:%S", &t) ? (int64_t)timegm(&t) * 1000 : 0;
}

/* The runs of all records of one series and commit. */
static json_t *asv_result(const struct sp_entry *const *list, int64_t n, int64_t first)
{
    enum { MOST = 8 * SP_ENTRY_RUNS };
    double x[MOST], sorted[MOST];
    int count = 0;
    json_t *samples = json_array();
    for (int64_t i = first; i < n; i++)
        if (strcmp(list[i]->series, list[first]->series) == 0 && share_file(list[i], list[first]))
            for (int k = 0; k < list[i]->n_runs && count < MOST; k++) {
                x[count] = list[i]->time_s[k];
                json_array_append_new(samples, json_real(x[count++]));
            }
    memcpy(sorted, x, sizeof *x * (size_t)count);
    const double median = sp_median(sorted, count), lo = sp_quantile(sorted, count, 0.25),
                 hi = sp_quantile(sorted, count, 0.75);
    return json_pack("[[f], [], s, I, f, [n], [n], [f], [f], [i], [i], [o]]", median, "spmodel-1",
                     milliseconds(list[first]), 0.0, lo, hi, 1, count, samples);
}

static bool is_first_of_file(const struct sp_entry *const *list, int64_t i)
{
    for (int64_t k = 0; k < i; k++)
        if (share_file(list[k], list[i]) && list[k]->n_runs > 0)
            return false;
    return list[i]->n_runs > 0 && *list[i]->commit;
}

static bool is_first_of_result(const struct sp_entry *const *list, int64_t i)
{
    for (int64_t k = 0; k < i; k++)
        if (strcmp(list[k]->series, list[i]->series) == 0 && share_file(list[k], list[i]) &&
            list[k]->n_runs > 0)
            return false;
    return list[i]->n_runs > 0;
}

static enum sp_status write_commit(const struct sp_entry *const *list, int64_t n, int64_t first,
                                   const char *folder, struct sp_error *err)
{
    static const char *const columns[] = {"result",     "params",        "version",       "started_at",
                                          "duration",   "stats_ci_99_a", "stats_ci_99_b", "stats_q_25",
                                          "stats_q_75", "number",        "repeat",        "samples"};
    const struct sp_entry *e = list[first];
    char name[400], stem[80], commit[72], file[160], place[3200];
    json_t *names = json_array(), *results = json_object();
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        json_array_append_new(names, json_string(columns[i]));
    for (int64_t i = first; i < n; i++)
        if (share_file(list[i], e) && is_first_of_result(list, i))
            json_object_set_new(results, series_name(list[i], name, sizeof name), asv_result(list, n, i));
    /* asv takes eight digits; what is no hash is named whole. */
    sp_file_stem(commit, sizeof commit, e->commit);
    const bool is_hash = strspn(commit, "0123456789abcdef") == strlen(commit) && strlen(commit) >= 8;
    snprintf(file, sizeof file, "%.*s-spmodel-%.8s.json", is_hash ? 8 : (int)sizeof commit, commit, e->env);
    if (snprintf(place, sizeof place, "%s/%s", folder, sp_file_stem(stem, sizeof stem, e->machine)) >=
        (int)sizeof place) {
        json_decref(names);
        json_decref(results);
        return sp_fail_at(err, SP_OUTPUT, folder, 0, 0, NULL, "the name is too long");
    }
    char env[32];
    snprintf(env, sizeof env, "spmodel-%.8s", e->env);
    const enum sp_status status =
        write_file(place, "machine.json",
                   json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:i}", "machine", e->machine, "arch", "", "cpu",
                             "", "num_cpu", "", "os", "", "ram", "", "version", 1),
                   err);
    json_t *root = json_pack("{s:s, s:s, s:I, s:{s:s, s:s}, s:s, s:{}, s:{}, s:o, s:o, s:{}, s:i}",
                             "commit_hash", e->commit, "env_name", env, "date", milliseconds(e), "params",
                             "machine", e->machine, "python", "", "python", "", "requirements", "env_vars",
                             "result_columns", names, "results", results, "durations", "version", 2);
    if (status != SP_OK)
        return json_decref(root), status;
    return write_file(place, file, root, err);
}

enum sp_status sp_write_asv(const struct sp_entry *const *list, int64_t n,
                            const struct sp_exchange_options *o, const char *folder, struct sp_error *err)
{
    json_t *benchmarks = json_object();
    enum sp_status status = SP_OK;
    char name[400];
    (void)o;
    for (int64_t i = 0; i < n; i++)
        if (list[i]->n_runs > 0 && *list[i]->commit &&
            !json_object_get(benchmarks, series_name(list[i], name, sizeof name)))
            json_object_set_new(benchmarks, name,
                                json_pack("{s:s, s:s, s:[], s:[], s:f, s:s, s:s, s:s}", "code", "", "name",
                                          name, "param_names", "params", "timeout", 60.0, "type", "time",
                                          "unit", "seconds", "version", "spmodel-1"));
    json_object_set_new(benchmarks, "version", json_integer(2));
    status = write_file(folder, "benchmarks.json", benchmarks, err);
    for (int64_t i = 0; i < n && status == SP_OK; i++)
        if (is_first_of_file(list, i))
            status = write_commit(list, n, i, folder, err);
    return status;
}
