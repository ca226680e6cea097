#include "session/record/recording.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/option/option_words.h"
#include "base/samples.h"

static int64_t count_samples(const struct sp_record *record)
{
    const json_t *runs = sp_record_node(record, "runs"), *run;
    size_t i;
    int64_t n = 0;
    json_array_foreach(runs, i, run) n += (int64_t)json_array_size(json_object_get(run, "time_s"));
    return n;
}

bool sp_recording_has_roofs(const struct sp_recording *r)
{
    const json_t *run = json_array_get(sp_record_node(&r->record, "runs"), 0);
    return json_array_size(json_object_get(run, "roof_Bps")) > 0;
}

void sp_recording_take(const char *path, struct sp_record *record, struct sp_recording *r)
{
    const char *status;
    memset(r, 0, sizeof *r);
    snprintf(r->path, sizeof r->path, "%s", path);
    r->record = *record;
    memset(record, 0, sizeof *record);
    r->constructed = sp_record_text(&r->record, "status", &status) && strcmp(status, "constructed") == 0;
    r->has_times = count_samples(&r->record) > 0;
}

enum sp_status sp_recording_open(const char *path, struct sp_recording *r, struct sp_error *err)
{
    struct sp_record record;
    memset(r, 0, sizeof *r);
    enum sp_status status = sp_record_read(path, &record, err);
    if (status != SP_OK)
        return status;
    if (!json_is_object(sp_record_node(&record, "counters"))) {
        sp_record_free(&record);
        return sp_fail_at(err, SP_INPUT, path, 0, 0,
                          "give a record whose bytes were measured; `counters` of others is null",
                          "it holds no counters that could be replayed");
    }
    sp_recording_take(path, &record, r);
    return SP_OK;
}

void sp_recording_free(struct sp_recording *r)
{
    if (r)
        sp_record_free(&r->record);
}

const char *sp_recording_config(const struct sp_recording *r, const char *key)
{
    char path[64];
    const char *text = NULL;
    snprintf(path, sizeof path, "config.%s", key);
    return sp_record_text(&r->record, path, &text) ? text : NULL;
}

int sp_recording_threads(const struct sp_recording *r)
{
    int64_t n = 0;
    return sp_record_count(&r->record, "config.threads", &n) && n > 0 && n <= 4096 ? (int)n : 0;
}

enum sp_status sp_recording_check_matrix(const struct sp_recording *r, const struct sp_csr *matrix,
                                         struct sp_error *err)
{
    static const char *const keys[] = {"problem.rows", "problem.cols", "problem.nnz"};
    const int64_t here[] = {matrix->n_r, matrix->n_c, matrix->n_nz};
    for (int i = 0; i < 3; i++) {
        int64_t n;
        if (sp_record_count(&r->record, keys[i], &n) && n != here[i])
            return sp_fail_at(err, SP_INPUT, r->path, 0, 0, "name the matrix that it was recorded with",
                              "the recording is of another matrix: %s %lld there, %lld here", keys[i] + 8,
                              (long long)n, (long long)here[i]);
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
        for (int t = 0; t < p->n_threads; t++)
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
    if (status == SP_OK)
        status = sp_new_array(n_threads, sizeof(double), "recorded times of threads", &threads, err);
    if (status == SP_OK)
        status = sp_new_array(n, sizeof(double), "ratios", &inverse, err);
    *p = (struct sp_pairs){.time_s = times, .roof_Bps = roofs, .thread_s = threads, .n_threads = n_threads};
    if (status == SP_OK)
        fill(sp_record_node(&r->record, "runs"), roof_Bps, p, inverse);
    if (status == SP_OK && p->n == 0)
        status = sp_fail_at(err, SP_INPUT, r->path, 0, 0,
                            "give runs[].roof_Bps, or " SP_O_MACHINE " with a bandwidth",
                            "the recording's times cannot be used: none is positive, or no roof is known");
    if (status == SP_OK) {
        const enum sp_origin origin = r->constructed ? SP_CONSTRUCTED : SP_MEASURED;
        p->time = sp_median_interval(p->time_s, p->n, origin);
        p->roof = sp_median_interval(p->roof_Bps, p->n, origin);
        p->inverse = sp_median_interval(inverse, p->n, origin);
        p->spread = sp_relative_spread(p->time_s, p->n);
    }
    free(inverse);
    if (status != SP_OK)
        sp_pairs_free(p);
    return status;
}
