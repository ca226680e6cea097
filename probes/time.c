/* The clock: runs a job and times it. Warm: executions follow each other as in a solver. Cold: a buffer
 * larger than the caches is read and written before each one. Between: vectors are streamed before each one.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/samples.h"
#include "probes/probe.h"
#include "sys/pages.h"

struct time_session {
    double *scrub; /* [n_scrub], allocated at the first cold observation and kept */
    int64_t n_scrub;
};

static enum sp_status always(struct sp_error *err)
{
    (void)err;
    return SP_OK;
}

static enum sp_status open_time(void **session, struct sp_error *err)
{
    return sp_new_array(1, sizeof(struct time_session), "the clock's session", session, err);
}

static void close_time(void *session)
{
    struct time_session *s = session;
    if (s)
        sp_large_free(&sp_allocator_huge, s->scrub, s->n_scrub, sizeof *s->scrub);
    free(s);
}

static enum sp_status need_scrub(struct time_session *s, double bytes, int n_threads, struct sp_error *err)
{
    int64_t n = (int64_t)(bytes / sizeof *s->scrub);
    if (s->n_scrub >= n)
        return SP_OK;
    sp_large_free(&sp_allocator_huge, s->scrub, s->n_scrub, sizeof *s->scrub);
    s->n_scrub = 0;
    void *p;
    enum sp_status status =
        sp_large_alloc(&sp_allocator_huge, n, sizeof *s->scrub, "the cache-emptying buffer", &p, err);
    s->scrub = p;
    if (status != SP_OK)
        return status;
    s->n_scrub = n;
#pragma omp parallel for schedule(static) num_threads(n_threads)
    for (int64_t i = 0; i < n; i++)
        s->scrub[i] = 1;
    return SP_OK;
}

/* Reads and writes n items, as an axpy on one vector would. */
static void stream(double *v, int64_t n, int n_threads)
{
#pragma omp parallel for schedule(static) num_threads(n_threads)
    for (int64_t i = 0; i < n; i++)
        v[i] = 0.5 * v[i] + 1;
}

/* Bytes that push everything else out of the caches: twice the believed last level of all domains used. */
static double scrub_bytes(const struct sp_protocol *p)
{
    const struct sp_cache *llc = p->machine ? sp_machine_llc(p->machine) : NULL;
    int domains = p->n_domain > 1 ? p->n_domain : 1;
    double bytes = 2.0 * domains * (llc ? (double)sp_cache_believed_B(llc) : 64e6);
    return fmin(fmax(bytes, 64e6), 2e9);
}

static void rest(double seconds)
{
    if (seconds <= 0)
        return;
    struct timespec t = {(time_t)seconds, (long)((seconds - floor(seconds)) * 1e9)};
    nanosleep(&t, NULL);
}

static bool stopped(const struct sp_protocol *p)
{
    return p->interrupted && p->interrupted(p->context);
}

/* Executions that fill one sample, found by doubling until the clock's resolution no longer matters. */
static enum sp_status calibrate(const struct sp_job *job, const struct sp_protocol *p, int64_t *repetitions,
                                struct sp_error *err)
{
    int64_t n = 1;
    enum sp_status status = job->run(job->state, 1, NULL, err); /* warm-up */
    while (status == SP_OK) {
        double start = sp_now();
        status = job->run(job->state, n, NULL, err);
        double t = sp_now() - start;
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
    double *sample_s;   /* [max_samples] */
    double *thread_s;   /* [max_samples][n_threads] */
    double *one_thread; /* [max_samples] work array for medians */
};

static enum sp_status take_samples(struct time_session *s, const struct sp_job *job,
                                   const struct sp_protocol *p, struct sampling *g,
                                   struct sp_reading *reading, struct sp_error *err)
{
    enum sp_status status = SP_OK;
    double start = sp_now();
    int64_t n_stream = p->state == SP_BETWEEN ? p->between_B / (int64_t)sizeof(double) : s->n_scrub;
    int64_t n = 0;
    while (status == SP_OK && n < p->max_samples && (n < p->min_samples || sp_now() - start < p->budget_s)) {
        if (stopped(p)) {
            status = sp_fail(err, SP_INTERRUPTED, NULL, "interrupted after %lld samples", (long long)n);
            break;
        }
        if (p->state != SP_WARM)
            stream(s->scrub, n_stream, job->n_threads);
        rest(p->rest_s);
        struct sp_run_stats stats = {g->thread_s + n * job->n_threads, job->n_threads};
        double begin = sp_now();
        status = job->run(job->state, reading->repetitions, &stats, err);
        g->sample_s[n] = (sp_now() - begin) / (double)reading->repetitions;
        n += status == SP_OK;
    }
    reading->n_samples = n;
    return status;
}

static enum sp_status observe_time(void *session, const struct sp_job *job, const struct sp_protocol *p,
                                   struct sp_reading *reading, struct sp_error *err)
{
    struct time_session *s = session;
    memset(reading, 0, sizeof *reading);
    strcpy(reading->source, "time");
    reading->time_s = sp_value_none("no sample was taken");
    reading->n_threads = job->n_threads;
    struct sampling g = {0};
    void *a = NULL, *b = NULL, *c = NULL, *t = NULL;
    int64_t most = p->max_samples > 0 ? p->max_samples : 1;
    enum sp_status status = sp_new_array(most, sizeof(double), "samples", &a, err);
    if (status == SP_OK)
        status = sp_new_array(most * job->n_threads, sizeof(double), "thread times", &b, err);
    if (status == SP_OK)
        status = sp_new_array(most, sizeof(double), "samples", &c, err);
    if (status == SP_OK)
        status = sp_new_array(job->n_threads, sizeof(double), "thread times", &t, err);
    g.sample_s = a;
    g.thread_s = b;
    g.one_thread = c;
    reading->thread_s = t;
    reading->repetitions = p->state == SP_WARM ? p->repetitions : 1;
    if (status == SP_OK && p->state != SP_WARM)
        status =
            need_scrub(s, p->state == SP_COLD ? scrub_bytes(p) : (double)p->between_B, job->n_threads, err);
    if (status == SP_OK && reading->repetitions == 0)
        status = calibrate(job, p, &reading->repetitions, err);
    if (status == SP_OK)
        status = take_samples(s, job, p, &g, reading, err);
    int64_t n = reading->n_samples;
    if (n > 0 && c && t) {
        reading->sample_s = g.sample_s;
        g.sample_s = NULL;
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
    if (status != SP_OK && status != SP_INTERRUPTED)
        sp_reading_free(reading);
    return status;
}

const struct sp_probe sp_probe_time = {
    .name = "time",
    .summary = "the clock: seconds of each execution and of each thread",
    .gives_time = true,
    .available = always,
    .open = open_time,
    .observe = observe_time,
    .close = close_time,
};
