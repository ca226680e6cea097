#include "session/sampling.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/samples.h"
#include "kernels/scan.h"
#include "sys/core_to_core.h"

/* Roof samples last at least this long, so that the clock and the start of the team do not matter [s]. */
#define ROOF_SAMPLE_S 0.004

struct collected {
    double *time_s, *roof_Bps, *latency_s, *thread_s; /* [most], thread_s [most][n_threads] */
    char (*mode)[16];                                 /* [most] */
    int64_t n;
    struct sp_core_history history;
};

static void free_collected(struct collected *c)
{
    free(c->time_s);
    free(c->roof_Bps);
    free(c->latency_s);
    free(c->thread_s);
    free(c->mode);
}

static enum sp_status new_collected(int64_t most, int n_threads, struct collected *c, struct sp_error *err)
{
    void *p[5] = {0};
    const size_t size[5] = {sizeof(double), sizeof(double), sizeof(double), sizeof(double), sizeof *c->mode};
    enum sp_status status = SP_OK;
    for (int i = 0; i < 5 && status == SP_OK; i++)
        status = sp_new_array(i == 3 ? most * n_threads : most, size[i], "samples", &p[i], err);
    *c = (struct collected){
        .time_s = p[0], .roof_Bps = p[1], .latency_s = p[2], .thread_s = p[3], .mode = p[4]};
    if (status != SP_OK) {
        free_collected(c);
        memset(c, 0, sizeof *c);
    }
    return status;
}

static double roof_sample(const struct sp_job *job, int64_t *repetitions)
{
    uint64_t checksum;
    for (;;) {
        double start = sp_now();
        sp_scan_job(job, *repetitions, &checksum);
        double t = sp_now() - start;
        if (t >= ROOF_SAMPLE_S || *repetitions >= (INT64_C(1) << 30))
            return sp_scan_bytes(job) * (double)*repetitions / fmax(t, 1e-9);
        *repetitions = t < ROOF_SAMPLE_S / 16 ? *repetitions * 8 : *repetitions * 2;
    }
}

static enum sp_status scan_run(void *state, int64_t repetitions, struct sp_run_stats *stats,
                               struct sp_error *err)
{
    const struct sp_job *const *job = state;
    (void)err;
    uint64_t checksum;
    double start = sp_now();
    sp_scan_job(*job, repetitions, &checksum);
    for (int t = 0; stats && stats->thread_s && t < stats->n_threads; t++)
        stats->thread_s[t] = sp_now() - start;
    return SP_OK;
}

/* The roof of a run that does not find its data in caches: one scan under the kernel's own protocol. */
static enum sp_status roof_as_kernel(const struct sp_probe *clock, void *session, const struct sp_job *job,
                                     const struct sp_protocol *protocol, double *roof_Bps,
                                     struct sp_error *err)
{
    struct sp_job scan = {
        .name = "scan", .state = &job, .run = scan_run, .layout = job->layout, .n_threads = job->n_threads};
    struct sp_reading r;
    enum sp_status status = clock->observe(session, &scan, protocol, &r, err);
    if (status == SP_OK) {
        *roof_Bps = sp_scan_bytes(job) / fmax(r.sample_s[0], 1e-9);
        sp_reading_free(&r);
    }
    return status;
}

/* Executions of another job a second, under the kernel's own protocol but with its own repetitions. */
static enum sp_status rate_of(const struct sp_probe *clock, void *session, const struct sp_job *job,
                              const struct sp_protocol *protocol, int64_t *repetitions, double *rate,
                              struct sp_error *err)
{
    struct sp_protocol own = *protocol;
    struct sp_reading r;
    own.repetitions = *repetitions;
    enum sp_status status = protocol->state == SP_WARM ? job->run(job->state, 1, NULL, err) : SP_OK;
    if (status == SP_OK)
        status = clock->observe(session, job, &own, &r, err);
    if (status != SP_OK)
        return status;
    *repetitions = r.repetitions;
    *rate = 1 / fmax(r.sample_s[0], 1e-9);
    sp_reading_free(&r);
    return SP_OK;
}

/* Do the two jobs need their threads in different places? */
static bool must_move(const struct sp_sampling_options *o)
{
    return o->binding && o->against_binding && !sp_binding_is_same(o->binding, o->against_binding);
}

/* Untimed. */
static enum sp_status move_to(const struct sp_sampling_options *o, const struct sp_binding *binding,
                              struct sp_error *err)
{
    return must_move(o) ? sp_binding_restore(binding, o->topology, err) : SP_OK;
}

static enum sp_status take_roof(const struct sp_probe *clock, void *session, const struct sp_job *job,
                                const struct sp_sampling_options *o, const struct sp_protocol *protocol,
                                int64_t *repetitions, double *roof_Bps, struct sp_error *err)
{
    if (o->against) {
        enum sp_status status = move_to(o, o->against_binding, err);
        if (status == SP_OK)
            status = rate_of(clock, session, o->against, protocol, repetitions, roof_Bps, err);
        const enum sp_status back = move_to(o, o->binding, status == SP_OK ? err : NULL);
        return status == SP_OK ? back : status;
    }
    if (protocol->state != SP_WARM)
        return roof_as_kernel(clock, session, job, protocol, roof_Bps, err);
    *roof_Bps = roof_sample(job, repetitions);
    return SP_OK;
}

static void look_at_cores(const struct sp_sampling_options *o, const struct sp_job *job,
                          struct sp_core_history *history, char mode[16], double *latency_s)
{
    *latency_s = 0;
    if (job->n_threads < 2) {
        strcpy(mode, "single");
        return;
    }
    strcpy(mode, "unknown");
    if (!o->pinned)
        return;
    *latency_s = sp_core_to_core(job->n_threads, 0, 1);
    sp_core_history_add(history, *latency_s);
    snprintf(mode, 16, "%s", sp_core_mode_name(sp_core_classify(history, *latency_s)));
}

/* One pair: roof, kernel, roof, with a look at the cores before and after. */
static enum sp_status take_pair(const struct sp_probe *clock, void *session, const struct sp_job *job,
                                const struct sp_sampling_options *o, const struct sp_protocol *protocol,
                                int64_t *roof_repetitions, struct collected *c, bool *kept,
                                struct sp_error *err)
{
    char before[16], after[16];
    double latency_before, latency_after;
    struct sp_reading r;
    look_at_cores(o, job, &c->history, before, &latency_before);
    double roof = 0, roof_after = 0;
    enum sp_status status = take_roof(clock, session, job, o, protocol, roof_repetitions, &roof, err);
    if (status == SP_OK && protocol->state == SP_WARM) /* the other has left x and y outside of the caches */
        status = job->run(job->state, 1, NULL, err);
    if (status == SP_OK)
        status = clock->observe(session, job, protocol, &r, err);
    if (status != SP_OK)
        return status;
    status = take_roof(clock, session, job, o, protocol, roof_repetitions, &roof_after, err);
    if (status != SP_OK) {
        sp_reading_free(&r);
        return status;
    }
    roof = 0.5 * (roof + roof_after);
    look_at_cores(o, job, &c->history, after, &latency_after);
    *kept = strcmp(before, after) == 0;
    if (*kept) {
        c->time_s[c->n] = r.sample_s[0];
        c->roof_Bps[c->n] = roof;
        c->latency_s[c->n] = 0.5 * (latency_before + latency_after);
        memcpy(c->thread_s + c->n * job->n_threads, r.thread_s, (size_t)job->n_threads * sizeof(double));
        strcpy(c->mode[c->n], before);
        c->n++;
    }
    sp_reading_free(&r);
    return SP_OK;
}

/* Keeps the pairs of the mode that most of them have; others belong to another machine, so to speak. */
static int64_t keep_prevailing(struct collected *c, int n_threads, char mode[16])
{
    int64_t best = 0;
    for (int64_t i = 0; i < c->n; i++) {
        int64_t same = 0;
        for (int64_t j = 0; j < c->n; j++)
            same += strcmp(c->mode[i], c->mode[j]) == 0;
        if (same > best) {
            best = same;
            strcpy(mode, c->mode[i]);
        }
    }
    int64_t kept = 0;
    for (int64_t i = 0; i < c->n; i++) {
        if (strcmp(c->mode[i], mode) != 0)
            continue;
        c->time_s[kept] = c->time_s[i];
        c->roof_Bps[kept] = c->roof_Bps[i];
        c->latency_s[kept] = c->latency_s[i];
        memmove(c->thread_s + kept * n_threads, c->thread_s + i * n_threads,
                (size_t)n_threads * sizeof(double));
        kept++;
    }
    int64_t dropped = c->n - kept;
    c->n = kept;
    return dropped;
}

static enum sp_status summarise(struct collected *c, struct sp_pairs *pairs, struct sp_error *err)
{
    void *p, *q;
    enum sp_status status = sp_new_array(pairs->n_threads, sizeof(double), "thread times", &p, err);
    if (status != SP_OK)
        return status;
    status = sp_new_array(c->n, sizeof(double), "samples", &q, err);
    if (status != SP_OK) {
        free(p);
        return status;
    }
    pairs->thread_s = p;
    double *work = q;
    for (int t = 0; t < pairs->n_threads; t++) {
        for (int64_t i = 0; i < c->n; i++)
            work[i] = c->thread_s[i * pairs->n_threads + t];
        pairs->thread_s[t] = sp_median(work, c->n);
    }
    for (int64_t i = 0; i < c->n; i++)
        work[i] = 1 / (c->time_s[i] * c->roof_Bps[i]);
    pairs->n = c->n;
    pairs->time = sp_median_interval(c->time_s, c->n, SP_MEASURED);
    pairs->roof = sp_median_interval(c->roof_Bps, c->n, SP_MEASURED);
    pairs->inverse = sp_median_interval(work, c->n, SP_MEASURED);
    pairs->spread = sp_relative_spread(c->time_s, c->n);
    pairs->latency_s = sp_median(c->latency_s, c->n);
    pairs->time_s = c->time_s;
    pairs->roof_Bps = c->roof_Bps;
    c->time_s = c->roof_Bps = NULL;
    free(work);
    return SP_OK;
}

enum sp_status sp_sample_pairs(const struct sp_job *job, const struct sp_sampling_options *o,
                               struct sp_pairs *pairs, struct sp_error *err)
{
    memset(pairs, 0, sizeof *pairs);
    pairs->n_threads = job->n_threads;
    pairs->time = pairs->roof = pairs->inverse = sp_value_none("no sample was taken");
    const struct sp_probe *clock = sp_probe_find("time");
    struct sp_protocol protocol = o->protocol;
    int64_t most = protocol.max_samples > 0 ? protocol.max_samples : 1;
    struct collected c;
    void *session = NULL;
    if (o->binding && o->binding->pinned) /* refused where it was granted before: the latencies show it */
        sp_binding_restore(o->binding, o->topology, NULL);
    enum sp_status status = new_collected(most, job->n_threads, &c, err);
    if (status != SP_OK)
        return status;
    status = clock->open(NULL, &session, err);
    if (status == SP_OK)
        status = move_to(o, o->binding, err);
    if (status == SP_OK) { /* finds the repetitions once; its sample is thrown away as a warm-up */
        struct sp_reading first;
        protocol.min_samples = protocol.max_samples = 1;
        status = clock->observe(session, job, &protocol, &first, err);
        protocol.repetitions = pairs->repetitions = first.repetitions;
        sp_reading_free(&first);
    }
    int64_t roof_repetitions = o->against ? 0 : 1, tries = 0; /* 0: found by the first sample */
    double start = sp_now();
    while (status == SP_OK && c.n < most && tries < 2 * most &&
           (c.n < o->protocol.min_samples || sp_now() - start < o->protocol.budget_s)) {
        if (sp_progress_interrupted(o->progress)) {
            status = sp_fail(err, SP_INTERRUPTED, NULL, "interrupted after %lld samples", (long long)c.n);
            break;
        }
        bool kept = false;
        status = take_pair(clock, session, job, o, &protocol, &roof_repetitions, &c, &kept, err);
        tries++;
        pairs->n_dropped += status == SP_OK && !kept;
        sp_progress_step(o->progress, "measuring",
                         fmax((sp_now() - start) / o->protocol.budget_s, (double)c.n / (double)most));
    }
    clock->close(session);
    if (c.n > 0 && (status == SP_OK || status == SP_INTERRUPTED)) {
        pairs->n_dropped += keep_prevailing(&c, job->n_threads, pairs->mode);
        enum sp_status summary = summarise(&c, pairs, err);
        status = summary == SP_OK ? status : summary;
    }
    free_collected(&c);
    if (status == SP_OK && pairs->n == 0)
        status =
            sp_fail(err, SP_UNDECIDED, "try again on a quieter machine",
                    "the processors moved between caches during every one of %lld samples", (long long)tries);
    if (status != SP_OK && status != SP_INTERRUPTED)
        sp_pairs_free(pairs);
    return status;
}

void sp_pairs_free(struct sp_pairs *pairs)
{
    if (!pairs)
        return;
    free(pairs->time_s);
    free(pairs->roof_Bps);
    free(pairs->thread_s);
    memset(pairs, 0, sizeof *pairs);
}
