#include "session/import.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "probes/count_json.h"

/* Metrics of LIKWID's groups: "Memory read data volume [GBytes]". */
static const struct volume {
    const char *words, *level;
    enum sp_direction direction;
} volumes[] = {
    {"Memory read data volume", "MEM", SP_READS},       {"Memory write data volume", "MEM", SP_WRITES},
    {"Memory load data volume", "MEM", SP_READS},       {"Memory evict data volume", "MEM", SP_WRITES},
    {"HBM read data volume", "MEM", SP_READS},          {"HBM write data volume", "MEM", SP_WRITES},
    {"Memory data volume", "MEM", SP_READS_AND_WRITES}, {"L3 load data volume", "L3", SP_READS},
    {"L3 evict data volume", "L3", SP_WRITES},          {"L2D load data volume", "L2", SP_READS},
    {"L2D evict data volume", "L2", SP_WRITES},         {"L2 load data volume", "L2", SP_READS},
    {"L2 evict data volume", "L2", SP_WRITES},
};
enum { N_VOLUMES = sizeof volumes / sizeof *volumes };

static bool is_region(const struct sp_likwid_table *t, const char *region)
{
    return strcmp(t->region, region) == 0;
}

/* The region to take: the one named, or the only one. */
static enum sp_status choose_region(const struct sp_likwid_csv *csv, const char *path, const char *wanted,
                                    const char **region, struct sp_error *err)
{
    char list[400] = "";
    *region = NULL;
    for (int i = 0; i < csv->n_tables; i++) {
        const char *name = csv->table[i].region;
        bool seen = false;
        for (int k = 0; k < i; k++)
            seen = seen || is_region(&csv->table[k], name);
        if (wanted ? strcmp(name, wanted) == 0 : !*region)
            *region = name;
        if (!seen && strlen(list) + strlen(name) + 4 < sizeof list)
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", *list ? ", " : "",
                     *name ? name : "(the whole program)");
    }
    bool several = strchr(list, ',') != NULL;
    if (wanted && !*region)
        return sp_fail_at(err, SP_USAGE, path, 0, 0, list, "there is no region '%s' in it", wanted);
    if (!wanted && several)
        return sp_fail_at(err, SP_USAGE, path, 0, 0, "name one with --region",
                          "several regions are in it: %s", list);
    if (!*region)
        return sp_fail_at(err, SP_INPUT, path, 0, 0, NULL, "no table of likwid-perfctr is in it");
    return SP_OK;
}

static double highest(const double *row, int n)
{
    double most = NAN;
    for (int t = 0; row && t < n; t++)
        most = isnan(most) || row[t] > most ? row[t] : most;
    return most;
}

/* Seconds of each thread in the table's region, and how often it was called. */
static const double *times_of(const struct sp_likwid_table *t, double *calls)
{
    const double *count = sp_likwid_row(t, "call count");
    *calls = count ? highest(count, t->n_threads) : 1;
    const double *s = sp_likwid_row(t, "RDTSC Runtime [s]");
    return s ? s : sp_likwid_row(t, "Runtime (RDTSC) [s]");
}

/* Adds the events of one table. A unit of a socket is counted by one thread, the others say 0; where all say
 * the same it was printed once a thread. */
static enum sp_status add_events(const struct sp_likwid_table *t, int pass, struct sp_count_log *log,
                                 struct sp_error *err)
{
    bool apart = sp_likwid_row(t, "Memory read data volume") || sp_likwid_row(t, "Memory load data volume");
    enum sp_status status = SP_OK;
    for (int i = 0; i < N_VOLUMES && status == SP_OK; i++) {
        const double *row = sp_likwid_row(t, volumes[i].words);
        if (!row || (apart && volumes[i].direction == SP_READS_AND_WRITES))
            continue;
        struct sp_count_event e = {
            .channel = -1, .B_per_count = 1e9, .bits = 64, .pass = pass, .direction = volumes[i].direction};
        snprintf(e.level, sizeof e.level, "%s", volumes[i].level);
        snprintf(e.name, sizeof e.name, "%s", volumes[i].words);
        status = sp_count_log_add_event(log, &e, err);
    }
    return status;
}

static double sum_row(const double *row, int n)
{
    double sum = 0;
    bool same = n > 1;
    for (int t = 0; t < n; t++) {
        if (isnan(row[t]))
            return NAN;
        same = same && row[t] == row[0] && row[t] != 0;
        sum += row[t];
    }
    return same ? row[0] : sum;
}

static enum sp_status add_window(const struct sp_likwid_table *t, int pass, double executions,
                                 struct sp_count_log *log, struct sp_error *err)
{
    double calls, s = highest(times_of(t, &calls), t->n_threads);
    struct sp_count_window w = {.kind = SP_WINDOW_JOB,
                                .pass = pass,
                                .duration_s = s,
                                .repetitions = (int64_t)(calls * executions),
                                .memory_share = 1},
                           *in;
    enum sp_status status = sp_count_log_add_window(log, &w, &in, err);
    for (int i = 0; i < log->n_events && status == SP_OK; i++)
        if (log->event[i].pass == pass) {
            double v = sum_row(sp_likwid_row(t, log->event[i].name), t->n_threads);
            in->count[i] = (struct sp_count){0, v, s, s};
        }
    return status;
}

static void record_times(const struct sp_likwid_table *t, double executions, struct sp_record *r)
{
    double calls;
    const double *s = times_of(t, &calls);
    if (!s)
        return;
    double each = calls * executions;
    json_t *run = json_object(), *times = json_array(), *threads = json_array();
    json_array_append_new(times, json_real(highest(s, t->n_threads) / each));
    for (int k = 0; k < t->n_threads; k++)
        json_array_append_new(threads, json_real(isnan(s[k]) ? 0 : s[k] / each));
    json_object_set_new(run, "time_s", times);
    json_object_set_new(run, "thread_time_s", threads);
    json_object_set_new(run, "repetitions", json_integer((json_int_t)each));
    json_object_set_new(run, "mode", json_string("unknown"));
    sp_record_append(r, "runs", run);
    sp_record_set_count(r, "config.threads", t->n_threads);
}

static enum sp_status usable(const struct sp_likwid_table *t, const char *path, double executions,
                             struct sp_error *err)
{
    double calls, s = highest(times_of(t, &calls), t->n_threads);
    if (!(s > 0))
        return sp_fail_at(err, SP_INPUT, path, 0, 0,
                          "LIKWID's clock may be 0 here: use another version or access mode",
                          "group %s has no run time", t->group);
    if (!*t->region && executions == 0)
        return sp_fail_at(
            err, SP_USAGE, path, 0, 0,
            "--executions N; or use marker regions (likwid-perfctr -m), whose calls are counted",
            "how many products the whole program made is not in it");
    return SP_OK;
}

enum sp_status sp_import_recording(const struct sp_likwid_csv *csv, const char *path,
                                   const struct sp_import_options *o, struct sp_recording *recording,
                                   struct sp_error *err)
{
    const char *region = NULL;
    struct sp_count_log log = {.source = "likwid", .constructed = csv->constructed};
    struct sp_record r;
    memset(recording, 0, sizeof *recording);
    enum sp_status status = choose_region(csv, path, o->region, &region, err);
    if (status == SP_OK)
        status = sp_record_new("imported", &r, err);
    if (status != SP_OK)
        return status;
    double executions = o->executions > 0 ? (double)o->executions : 1;
    const struct sp_likwid_table *first = NULL;
    int pass = 0;
    for (int i = 0; i < csv->n_tables && status == SP_OK; i++)
        if (is_region(&csv->table[i], region))
            status = add_events(&csv->table[i], pass++, &log, err);
    pass = 0;
    for (int i = 0; i < csv->n_tables && status == SP_OK; i++) {
        const struct sp_likwid_table *t = &csv->table[i];
        if (!is_region(t, region))
            continue;
        status = usable(t, path, (double)o->executions, err);
        if (status == SP_OK)
            status = add_window(t, pass++, executions, &log, err);
        first = first ? first : t;
    }
    if (status == SP_OK && (!first || !sp_count_log_has_level(&log, "MEM")))
        status = sp_fail_at(err, SP_INPUT, path, 0, 0,
                            "measure with likwid-perfctr -g MEM (likwid-perfctr -a lists groups)",
                            "no group in it counts data volumes of memory");
    if (status == SP_OK) {
        snprintf(log.how, sizeof log.how, "likwid-perfctr, group %.31s%s%.30s, %.60s", first->group,
                 *region ? ", region " : "", *region ? region : "", *csv->cpu ? csv->cpu : "unknown CPU");
        record_times(first, executions, &r);
        sp_record_set_object(&r, "counters", sp_count_log_json(&log));
        sp_record_set_text(&r, "config.kernel", *region ? region : "imported");
        if (csv->constructed)
            sp_record_set_text(&r, "status", "constructed");
        sp_recording_take(path, &r, recording);
    } else
        sp_record_free(&r);
    sp_count_log_free(&log);
    return status;
}
