/* The clock: runs a job and times it. Warm: executions follow each other as in a solver. Cold: a
 * buffer larger than the caches is read and written before each one. Between: vectors are streamed
 * before each one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/reading.h"
#include "probes/counting.h"
#include "probes/helper_counter.h"
#include "probes/probe.h"
#include "sys/noise.h"

/* An execution that takes longer fills a sample whatever happens in it. */
static const double LONG_S = 0.1;

struct time_session {
    struct sp_cache_buffer buffer; /* made at the first observation that is not warm, and kept */
};

static enum sp_status always(struct sp_error *err)
{
    (void)err;
    return SP_OK;
}

static enum sp_status open_time(const char *argument, void **session, struct sp_error *err)
{
    (void)argument;
    return sp_new_array(1, sizeof(struct time_session), "the clock's session", session, err);
}

static void close_time(void *session)
{
    struct time_session *s = session;
    if (s)
        sp_cache_state_free(&s->buffer);
    free(s);
}

static bool stopped(const struct sp_protocol *p)
{
    return p->interrupted && p->interrupted(p->context);
}

/* n executions; the best of three, for one that was disturbed would make all samples too short. */
static enum sp_status time_once(const struct sp_job *job, int64_t n, double *seconds, struct sp_error *err)
{
    enum sp_status status = SP_OK;
    *seconds = INFINITY;
    for (int i = 0; i < 3 && status == SP_OK; i++) {
        const double start = sp_now();
        status = job->run(job->state, n, NULL, err);
        *seconds = fmin(*seconds, sp_now() - start);
        if (n == 1 && *seconds > LONG_S)
            break;
    }
    return status;
}

/* Executions that fill one sample, found by doubling until the clock's steps do not matter. */
static enum sp_status calibrate(const struct sp_job *job, const struct sp_protocol *p, int64_t *repetitions,
                                struct sp_error *err)
{
    int64_t n = 1;
    enum sp_status status = job->run(job->state, 1, NULL, err); /* warm-up */
    while (status == SP_OK) {
        double t;
        status = time_once(job, n, &t, err);
        if (t >= 0.2 * p->min_sample_s || n >= (INT64_C(1) << 30)) {
            double wanted = ceil((double)n * p->min_sample_s / fmax(t, 1e-9));
            *repetitions = wanted < 1 ? 1 : (int64_t)wanted;
            break;
        }
        n *= 2;
    }
    return status;
}

struct sampling {
    double *sample_s;              /* [max_samples] */
    double *thread_s;              /* [max_samples][n_threads] */
    double *one_thread;            /* [max_samples] work array for medians */
    struct sp_thread_clock *clock; /* [2][n_threads] before and after a sample */
    bool *disturbed;               /* [max_samples] */
};

static enum sp_status take_samples(struct time_session *s, const struct sp_job *job,
                                   const struct sp_protocol *p, struct sampling *g,
                                   struct sp_reading *reading, struct sp_error *err)
{
    enum sp_status status = SP_OK;
    double start = sp_now();
    int64_t n = 0;
    while (status == SP_OK && n < p->max_samples && (n < p->min_samples || sp_now() - start < p->budget_s)) {
        if (stopped(p)) {
            status = sp_fail(err, SP_INTERRUPTED, NULL, "interrupted after %lld samples", (long long)n);
            break;
        }
        sp_cache_state_set(&s->buffer, p, job->n_threads);
        if (p->rest_s > 0)
            sp_sleep(p->rest_s);
        struct sp_run_stats stats = {g->thread_s + n * job->n_threads, job->n_threads};
        sp_thread_clocks(job->n_threads, g->clock);
        sp_markers_enter(job->name, job->n_threads);
        double begin = sp_now();
        status = job->run(job->state, reading->repetitions, &stats, err);
        g->sample_s[n] = (sp_now() - begin) / (double)reading->repetitions;
        sp_markers_leave(job->name, job->n_threads);
        sp_thread_clocks(job->n_threads, g->clock + job->n_threads);
        g->disturbed[n] =
            sp_disturbance_between(g->clock, g->clock + job->n_threads, job->n_threads).disturbed;
        n += status == SP_OK;
    }
    reading->n_samples = n;
    return status;
}

enum { N_PARTS = 6 };

static enum sp_status observe_time(void *session, const struct sp_job *job, const struct sp_protocol *p,
                                   struct sp_reading *reading, struct sp_error *err)
{
    struct time_session *s = session;
    memset(reading, 0, sizeof *reading);
    strcpy(reading->source, "time");
    reading->time_s = sp_value_none("no sample was taken");
    reading->n_threads = job->n_threads;
    struct sampling g;
    void *part[N_PARTS] = {NULL};
    const int64_t most = p->max_samples > 0 ? p->max_samples : 1, n_threads = job->n_threads;
    const struct {
        int64_t n;
        size_t size;
    } asked[N_PARTS] = {
        {most, sizeof(double)}, {most * n_threads, sizeof(double)},
        {most, sizeof(double)}, {n_threads, sizeof(double)},
        {most, sizeof(bool)},   {2 * n_threads, sizeof(struct sp_thread_clock)},
    };
    enum sp_status status = SP_OK;
    for (int i = 0; i < N_PARTS && status == SP_OK; i++)
        status = sp_new_array(asked[i].n, asked[i].size, "samples", &part[i], err);
    g = (struct sampling){part[0], part[1], part[2], part[5], part[4]};
    reading->thread_s = part[3];
    reading->repetitions = p->state == SP_WARM ? p->repetitions : 1;
    if (status == SP_OK)
        status = sp_cache_state_prepare(&s->buffer, p, job->n_threads, err);
    if (status == SP_OK && reading->repetitions == 0)
        status = calibrate(job, p, &reading->repetitions, err);
    if (status == SP_OK)
        status = take_samples(s, job, p, &g, reading, err);
    int64_t n = reading->n_samples;
    if (n > 0) {
        reading->sample_s = g.sample_s;
        reading->disturbed = g.disturbed;
        g.sample_s = NULL;
        g.disturbed = NULL;
        reading->time_s = sp_median_interval(reading->sample_s, n, SP_MEASURED);
        for (int k = 0; k < job->n_threads; k++) {
            for (int64_t i = 0; i < n; i++)
                g.one_thread[i] = g.thread_s[i * job->n_threads + k] / (double)reading->repetitions;
            reading->thread_s[k] = sp_median(g.one_thread, n);
        }
    }
    free(g.sample_s);
    free(g.thread_s);
    free(g.one_thread);
    free(g.disturbed);
    free(g.clock);
    if (status != SP_OK && status != SP_INTERRUPTED)
        sp_reading_free(reading);
    return status;
}

const struct sp_probe sp_probe_time = {
    .name = "time",
    .summary = "the clock: seconds of each execution and of each thread",
    .available = always,
    .open = open_time,
    .observe = observe_time,
    .close = close_time,
};
