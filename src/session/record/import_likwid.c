#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/option/option_words.h"
#include "probes/likwid_metrics.h"
#include "probes/replay.h"
#include "session/record/imports.h"

/* Volumes of all groups of a region, one event each. */
enum { MAX_VOLUMES = 256 };
struct volumes {
    int n;
    struct sp_likwid_metric metric[MAX_VOLUMES];
    int pass[MAX_VOLUMES];
    char name[MAX_VOLUMES][96];
    const double *row[MAX_VOLUMES]; /* of the table's threads, borrowed */
    int n_threads[MAX_VOLUMES];
    bool keep[MAX_VOLUMES];
};

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
        return sp_fail_at(err, SP_USAGE, path, 0, 0, "name one with " SP_O_REGION,
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

static void list_volumes(const struct sp_likwid_table *t, int pass, struct volumes *v)
{
    for (int i = 0; i < t->n_rows && v->n < MAX_VOLUMES; i++) {
        if (!sp_likwid_metric_of(t->name[i], &v->metric[v->n]))
            continue;
        v->pass[v->n] = pass;
        snprintf(v->name[v->n], sizeof v->name[v->n], "%s", t->name[i]);
        v->row[v->n] = &t->value[i * t->n_threads];
        v->n_threads[v->n++] = t->n_threads;
    }
}

/* What belongs to a whole socket is counted by one thread, the others say 0; where three or more
 * all say the same of memory, it was printed once a thread. NAN where a thread has no number. */
static double sum_row(const double *row, int n, bool memory)
{
    double sum = 0;
    bool same = memory && n > 2;
    for (int t = 0; t < n; t++) {
        if (isnan(row[t]))
            return NAN;
        same = same && row[t] == row[0];
        sum += row[t];
    }
    return same ? row[0] : sum;
}

static enum sp_status add_events(const struct volumes *v, struct sp_count_log *log, struct sp_error *err)
{
    enum sp_status status = SP_OK;
    for (int i = 0; i < v->n && status == SP_OK; i++) {
        if (!v->keep[i])
            continue;
        struct sp_count_event e = {.channel = -1,
                                   .B_per_count = v->metric[i].B,
                                   .bits = 64,
                                   .pass = v->pass[i],
                                   .direction = v->metric[i].direction};
        snprintf(e.level, sizeof e.level, "%s", v->metric[i].level);
        snprintf(e.name, sizeof e.name, "%s", v->name[i]);
        status = sp_count_log_add_event(log, &e, err);
    }
    return status;
}

/* Does a pass count anything that another does not count already? */
static bool counts_in(const struct volumes *v, int pass)
{
    for (int i = 0; i < v->n; i++)
        if (v->keep[i] && v->pass[i] == pass)
            return true;
    return false;
}

static enum sp_status add_window(const struct sp_likwid_table *t, const struct volumes *v, int pass,
                                 double executions, struct sp_count_log *log, struct sp_error *err)
{
    double calls, s = highest(times_of(t, &calls), t->n_threads);
    struct sp_count_window w = {.kind = SP_WINDOW_JOB,
                                .pass = pass,
                                .duration_s = s,
                                .repetitions = (int64_t)(calls * executions),
                                .memory_share = 1},
                           *in;
    enum sp_status status = sp_count_log_add_window(log, &w, &in, err);
    int event = 0;
    for (int i = 0; i < v->n && status == SP_OK; i++) {
        if (!v->keep[i])
            continue;
        if (v->pass[i] == pass) {
            double x = sum_row(v->row[i], v->n_threads[i], strcmp(v->metric[i].level, "MEM") == 0);
            in->count[event] = (struct sp_count){0, x >= 0 && x < 1e12 ? x : NAN, s, s};
        }
        event++;
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
    sp_record_append(r, SP_F_RUNS, run);
    sp_record_set_count(r, SP_F_CONFIG_THREADS, t->n_threads);
}

static enum sp_status usable(const struct sp_likwid_table *t, const char *path, double executions,
                             struct sp_error *err)
{
    double calls, s = highest(times_of(t, &calls), t->n_threads);
    if (!(s > 0))
        return sp_fail_at(err, SP_INPUT, path, 0, 0,
                          "LIKWID's clock may be 0 here: use another version or access mode",
                          "group %s has no run time", t->group);
    if (!(calls >= 1 && calls <= 1e12) || calls != floor(calls) || executions > 1e12)
        return sp_fail_at(err, SP_INPUT, path, 0, 0, "the file may be damaged",
                          "group %s: the number of calls is no count from 1 to 1e12", t->group);
    if (!*t->region && executions == 0)
        return sp_fail_at(err, SP_USAGE, path, 0, 0,
                          SP_O_EXECUTIONS
                          " N; or use marker regions (likwid-perfctr -m), whose calls are counted",
                          "how many products the whole program made is not in it");
    return SP_OK;
}

enum sp_status sp_import_likwid(const struct sp_likwid_csv *csv, const char *path,
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
    void *memory;
    status = sp_new_array(1, sizeof(struct volumes), "volumes", &memory, err);
    struct volumes *v = memory;
    int pass = 0;
    for (int i = 0; i < csv->n_tables && status == SP_OK; i++)
        if (is_region(&csv->table[i], region))
            list_volumes(&csv->table[i], pass++, v);
    const char *missing = NULL;
    if (status == SP_OK) {
        int groups[MAX_VOLUMES];
        memcpy(groups, v->pass, sizeof groups);
        missing = sp_likwid_choose(v->n, v->metric, groups, v->keep);
        status = missing ? sp_fail_at(err, SP_INPUT, path, 0, 0,
                                      "measure all groups of the memory in one run of likwid-perfctr", "%s",
                                      missing)
                         : add_events(v, &log, err);
    }
    pass = 0;
    for (int i = 0; i < csv->n_tables && status == SP_OK; i++) {
        const struct sp_likwid_table *t = &csv->table[i];
        if (!is_region(t, region))
            continue;
        status = usable(t, path, (double)o->executions, err);
        if (status == SP_OK && counts_in(v, pass))
            status = add_window(t, v, pass, executions, &log, err);
        pass++;
        first = first ? first : t;
    }
    free(v);
    if (status == SP_OK && (!first || !sp_count_log_has_level(&log, "MEM")))
        status = sp_fail_at(err, SP_INPUT, path, 0, 0,
                            "measure with likwid-perfctr -g MEM (likwid-perfctr -a lists groups)",
                            "no group in it counts data volumes of memory");
    if (status == SP_OK) {
        snprintf(log.how, sizeof log.how, "likwid-perfctr, group %.31s%s%.30s, %.60s", first->group,
                 *region ? ", region " : "", *region ? region : "", *csv->cpu ? csv->cpu : "unknown CPU");
        record_times(first, executions, &r);
        if (*csv->cpu)
            sp_record_set_text(&r, SP_F_MACHINE_CPU, csv->cpu);
        sp_record_set_object(&r, SP_F_COUNTERS, sp_count_log_json(&log));
        sp_record_set_text(&r, SP_F_CONFIG_KERNEL, *region ? region : "imported");
        if (csv->constructed)
            sp_record_set_text(&r, SP_F_STATUS, "constructed");
        sp_recording_take(path, &r, recording);
    } else
        sp_record_free(&r);
    sp_count_log_free(&log);
    return status;
}
