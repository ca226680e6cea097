#include "session/record/recording.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/option/option_words.h"
#include "base/reading.h"
#include "probes/probe.h"

/* Busy times of threads, where any run has them. */
static bool has_thread_times(const struct sp_record *record)
{
    const json_t *runs = sp_record_node(record, SP_F_RUNS), *run;
    size_t i;
    json_array_foreach(runs, i,
                       run) if (json_array_size(json_object_get(run, "thread_time_s")) > 0) return true;
    return false;
}

static int64_t count_samples(const struct sp_record *record)
{
    const json_t *runs = sp_record_node(record, SP_F_RUNS), *run;
    size_t i;
    int64_t n = 0;
    json_array_foreach(runs, i, run) n += (int64_t)json_array_size(json_object_get(run, "time_s"));
    return n;
}

bool sp_recording_has_roofs(const struct sp_recording *r)
{
    const json_t *run = json_array_get(sp_record_node(&r->record, SP_F_RUNS), 0);
    return json_array_size(json_object_get(run, "roof_Bps")) > 0;
}

static enum sp_origin origin_of_times(const struct sp_record *record)
{
    if (sp_record_value(record, SP_F_METRICS_TIME).origin == SP_STATED)
        return SP_STATED;
    return SP_MEASURED;
}

void sp_recording_take(const char *path, struct sp_record *record, struct sp_recording *r)
{
    const char *status;
    memset(r, 0, sizeof *r);
    snprintf(r->path, sizeof r->path, "%s", path);
    r->record = *record;
    memset(record, 0, sizeof *record);
    r->constructed = sp_record_text(&r->record, SP_F_STATUS, &status) && strcmp(status, "constructed") == 0;
    r->has_times = count_samples(&r->record) > 0;
    const json_t *counters = sp_record_node(&r->record, SP_F_COUNTERS); /* null, with the reason, in others */
    r->has_counters = json_is_object(counters) && !json_is_null(json_object_get(counters, "value"));
    r->time_origin = r->constructed ? SP_CONSTRUCTED : origin_of_times(&r->record);
}

enum sp_status sp_recording_open(const char *path, struct sp_recording *r, struct sp_error *err)
{
    struct sp_record record;
    memset(r, 0, sizeof *r);
    enum sp_status status = sp_record_read(path, &record, err);
    if (status != SP_OK)
        return status;
    sp_recording_take(path, &record, r);
    if (r->has_counters || r->has_times)
        return SP_OK;
    sp_recording_free(r);
    memset(r, 0, sizeof *r);
    return sp_fail_at(err, SP_INPUT, path, 0, 0,
                      "give a record of a run, or of one whose bytes were measured",
                      "it holds no counters that could be replayed, and no times");
}

void sp_recording_free(struct sp_recording *r)
{
    if (r)
        sp_record_free(&r->record);
}

const char *sp_recording_config(const struct sp_recording *r, const char *key)
{
    return sp_words_text(&r->record, sp_field_in(SP_F_CONFIG, key), NULL);
}

int sp_recording_threads(const struct sp_recording *r)
{
    int64_t n = 0;
    return sp_record_count(&r->record, SP_F_CONFIG_THREADS, &n) && n > 0 && n <= 4096 ? (int)n : 0;
}

enum sp_status sp_recording_check_matrix(const struct sp_recording *r, const struct sp_csr *matrix,
                                         struct sp_error *err)
{
    static const enum sp_record_field fields[] = {SP_F_PROBLEM_ROWS, SP_F_PROBLEM_COLS, SP_F_PROBLEM_NNZ};
    const int64_t here[] = {matrix->n_r, matrix->n_c, matrix->n_nz};
    for (int i = 0; i < 3; i++) {
        int64_t n;
        if (sp_record_count(&r->record, fields[i], &n) && n != here[i])
            return sp_fail_at(err, SP_INPUT, r->path, 0, 0, "name the matrix that it was recorded with",
                              "the recording is of another matrix: %s %lld there, %lld here",
                              sp_field_key(fields[i]), (long long)n, (long long)here[i]);
    }
    return SP_OK;
}

static double item(const json_t *array, size_t i, double absent)
{
    const json_t *x = json_array_get(array, i);
    return json_is_number(x) ? json_number_value(x) : absent;
}

/* Text of the run, or of its first sample where each has one. */
static const char *mode_of(const json_t *run)
{
    const json_t *mode = json_object_get(run, "mode");
    const char *text = json_string_value(json_is_array(mode) ? json_array_get(mode, 0) : mode);
    return text ? text : "unknown";
}

static void fill(const json_t *runs, double roof_Bps, struct sp_pairs *p, double *inverse)
{
    const json_t *run;
    size_t i, k;
    json_array_foreach(runs, i, run)
    {
        const json_t *times = json_object_get(run, "time_s"), *roofs = json_object_get(run, "roof_Bps"),
                     *threads = json_object_get(run, "thread_time_s"), *x;
        json_array_foreach(times, k, x)
        {
            double t = json_is_number(x) ? json_number_value(x) : 0, b = item(roofs, k, roof_Bps);
            if (!(t > 0) || !(b > 0))
                continue;
            p->time_s[p->n] = t;
            p->roof_Bps[p->n] = b;
            inverse[p->n++] = 1 / (t * b);
        }
        for (int t = 0; p->thread_s && t < p->n_threads; t++)
            p->thread_s[t] +=
                (item(threads, (size_t)t, p->n > 0 ? p->time_s[p->n - 1] : 0) - p->thread_s[t]) /
                (double)(i + 1);
        snprintf(p->mode, sizeof p->mode, "%s", mode_of(run));
        const json_t *repetitions = json_object_get(run, "repetitions");
        p->repetitions = json_is_integer(repetitions) ? (int64_t)json_integer_value(repetitions) : 1;
    }
}

enum sp_status sp_recording_pairs(const struct sp_recording *r, double roof_Bps, int n_threads,
                                  struct sp_pairs *p, struct sp_error *err)
{
    memset(p, 0, sizeof *p);
    int64_t n = count_samples(&r->record);
    void *times = NULL, *roofs = NULL, *threads = NULL, *inverse = NULL;
    enum sp_status status = sp_new_array(n, sizeof(double), "recorded times", &times, err);
    if (status == SP_OK)
        status = sp_new_array(n, sizeof(double), "recorded roofs", &roofs, err);
    if (status == SP_OK && has_thread_times(&r->record))
        status = sp_new_array(n_threads, sizeof(double), "recorded times of threads", &threads, err);
    if (status == SP_OK)
        status = sp_new_array(n, sizeof(double), "ratios", &inverse, err);
    *p = (struct sp_pairs){.time_s = times, .roof_Bps = roofs, .thread_s = threads, .n_threads = n_threads};
    if (status == SP_OK)
        fill(sp_record_node(&r->record, SP_F_RUNS), roof_Bps, p, inverse);
    char remedy[96];
    snprintf(remedy, sizeof remedy, "give %s[].roof_Bps, or " SP_O_MACHINE " with a bandwidth",
             sp_field_path(SP_F_RUNS));
    if (status == SP_OK && p->n == 0)
        status = sp_fail_at(err, SP_INPUT, r->path, 0, 0, remedy,
                            "the recording's times cannot be used: none is positive, or no roof is known");
    if (status == SP_OK) {
        const enum sp_origin others = r->constructed ? SP_CONSTRUCTED : SP_MEASURED;
        p->time = sp_median_interval(p->time_s, p->n, r->time_origin);
        p->roof = sp_median_interval(p->roof_Bps, p->n, others);
        p->inverse = sp_median_interval(inverse, p->n, r->time_origin);
        p->spread = sp_relative_spread(p->time_s, p->n);
    }
    free(inverse);
    if (status != SP_OK)
        sp_pairs_free(p);
    return status;
}

static enum sp_status usable_times(const double *time_s, int64_t n, int n_threads, const char *from,
                                   struct sp_error *err)
{
    if (n < 1)
        return sp_fail_at(err, SP_USAGE, from, 0, 0, "give the seconds of one product",
                          "there is no time in it");
    if (n_threads < 1 || n_threads > 4096)
        return sp_fail_at(err, SP_USAGE, from, 0, 0, "say how many threads ran, 1 to 4096",
                          "%d threads cannot have run it", n_threads);
    for (int64_t i = 0; i < n; i++)
        if (!(time_s[i] > 0) || !isfinite(time_s[i]))
            return sp_fail_at(err, SP_USAGE, from, 0, 0,
                              "a clock too coarse for one product says 0: time many, and divide",
                              "time %lld of %lld is %g s, and no product takes that", (long long)i + 1,
                              (long long)n, time_s[i]);
    return SP_OK;
}

enum sp_status sp_recording_of_times(const double *time_s, int64_t n, int n_threads,
                                     const struct sp_timed_run *run, struct sp_recording *recording,
                                     struct sp_error *err)
{
    struct sp_record r;
    memset(recording, 0, sizeof *recording);
    enum sp_status status = usable_times(time_s, n, n_threads, run->from, err);
    if (status == SP_OK)
        status = sp_record_new("timed", &r, err);
    if (status != SP_OK)
        return status;
    json_t *times = json_array();
    for (int64_t i = 0; i < n; i++)
        json_array_append_new(times, json_real(time_s[i]));
    sp_record_append(&r, SP_F_RUNS,
                     json_pack("{s:o, s:i, s:s}", "time_s", times, "repetitions", 1, "mode", "unknown"));
    sp_record_set_value(&r, SP_F_METRICS_TIME, sp_median_interval(time_s, n, run->origin));
    sp_record_set_count(&r, SP_F_CONFIG_THREADS, n_threads);
    sp_record_set_text(&r, SP_F_CONFIG_KERNEL, run->kernel ? run->kernel : "timed elsewhere");
    if (run->cpu)
        sp_record_set_text(&r, SP_F_MACHINE_CPU, run->cpu);
    sp_recording_take(run->from, &r, recording);
    if (recording->has_times)
        return SP_OK;
    sp_recording_free(recording);
    memset(recording, 0, sizeof *recording);
    return sp_fail(err, SP_MEMORY, NULL, "no memory for %lld times", (long long)n);
}
