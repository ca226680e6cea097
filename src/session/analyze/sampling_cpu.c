/* Samples of processors: two jobs that take turns on the same threads, timed by this processor's clock. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "kernels/scan.h"
#include "session/analyze/sampling.h"
#include "sys/machine/core_to_core.h"

/* A sample of either job [s]: long enough for the clock and the start of the team, short enough to fit
 * between two disturbances, for schedulers let a thread run 3 ms or so at a stretch. */
static const double SAMPLE_S = 0.001;

/* One of the two jobs that take turns. */
struct side {
    struct sp_job job;
    struct sp_protocol protocol;      /* one sample at a time; repetitions 0: found by the first one */
    const struct sp_binding *binding; /* NULL: its threads stay where they are */
};

struct team {
    const struct sp_sampling_options *o;
    const struct sp_probe *clock;
    void *session;
    struct side kernel, other; /* other: the roof, or the job to compare with */
    double per_execution;      /* of the other: bytes of a scan, so that the rate is [B/s]; 1 */
    struct sp_core_history history;
};

/* The roof as a job: one scan of the arrays of the job that is its state. */
static enum sp_status scan_run(void *state, int64_t repetitions, struct sp_run_stats *stats,
                               struct sp_error *err)
{
    const struct sp_job *job = state;
    (void)err;
    uint64_t checksum;
    double start = sp_now();
    sp_scan_job(job, repetitions, &checksum);
    for (int t = 0; stats && stats->thread_s && t < stats->n_threads; t++)
        stats->thread_s[t] = sp_now() - start;
    return SP_OK;
}

/* Untimed; nothing to do where both belong to the same places. */
static enum sp_status move_to(const struct team *s, const struct sp_binding *binding, struct sp_error *err)
{
    const bool differ =
        s->kernel.binding && s->other.binding && !sp_binding_is_same(s->kernel.binding, s->other.binding);
    return differ ? sp_binding_restore(binding, s->o->topology, err) : SP_OK;
}

/* One sample of one side under the protocol. Warm: an execution first, for the other side has left its own
 * data in the caches. */
static enum sp_status observe(const struct team *s, struct side *side, struct sp_reading *r,
                              struct sp_error *err)
{
    enum sp_status status = move_to(s, side->binding, err);
    if (status == SP_OK && side->protocol.state == SP_WARM)
        status = side->job.run(side->job.state, 1, NULL, err);
    if (status == SP_OK)
        status = s->clock->observe(s->session, &side->job, &side->protocol, r, err);
    if (status == SP_OK && side->protocol.state == SP_WARM)
        side->protocol.repetitions = r->repetitions;
    return status;
}

static enum sp_status take(void *context, bool other, struct sp_turn *turn, struct sp_error *err)
{
    struct team *s = context;
    struct sp_reading r;
    enum sp_status status = observe(s, other ? &s->other : &s->kernel, &r, err);
    if (status != SP_OK)
        return status;
    turn->time_s = r.sample_s[0];
    turn->disturbed = r.disturbed[0];
    if (!other)
        memcpy(turn->thread_s, r.thread_s, (size_t)r.n_threads * sizeof *r.thread_s);
    sp_reading_free(&r);
    return SP_OK;
}

/* Which cores share a cache: "single", "shared", "split" ... "unknown" where nobody can say now. */
static void look_at_cores(void *context, struct sp_look *look)
{
    struct team *s = context;
    const int n_threads = s->kernel.job.n_threads;
    look->latency_s = 0;
    strcpy(look->mode, n_threads < 2 ? "single" : "unknown");
    if (n_threads < 2 || !s->o->pinned)
        return;
    look->latency_s = sp_core_to_core(n_threads, 0, 1);
    sp_core_history_add(&s->history, look->latency_s);
    snprintf(look->mode, sizeof look->mode, "%s",
             sp_core_mode_name(sp_core_classify(&s->history, look->latency_s)));
}

static struct sp_protocol one_sample(const struct sp_protocol *asked)
{
    struct sp_protocol p = *asked;
    p.min_samples = p.max_samples = 1;
    p.min_sample_s = SAMPLE_S;
    p.repetitions = 0;
    return p;
}

static enum sp_status open_team(const struct sp_job *job, const struct sp_sampling_options *o, struct team *s,
                                struct sp_error *err)
{
    memset(s, 0, sizeof *s);
    s->o = o;
    s->clock = sp_probe_find("time");
    s->kernel = (struct side){*job, one_sample(&o->protocol), o->binding};
    s->other = (struct side){.job = {.name = "scan",
                                     .state = (void *)job,
                                     .run = scan_run,
                                     .layout = job->layout,
                                     .n_threads = job->n_threads},
                             .protocol = s->kernel.protocol,
                             .binding = o->binding};
    s->per_execution = 1;
    if (o->against) {
        s->other.job = *o->against;
        s->other.binding = o->against_binding;
    } else {
        s->per_execution = sp_scan_bytes(job);
    }
    if (o->binding && o->binding->pinned) /* refused where it was granted before: the latencies show it */
        sp_binding_restore(o->binding, o->topology, NULL);
    return s->clock->open(NULL, &s->session, err);
}

/* Finds the repetitions once; its sample is thrown away as a warm-up. */
static enum sp_status warm_up(struct team *s, int64_t *repetitions, struct sp_error *err)
{
    struct sp_reading first = {0};
    if (sp_progress_interrupted(s->o->progress))
        return sp_fail(err, SP_INTERRUPTED, NULL, "interrupted before the first sample");
    enum sp_status status = observe(s, &s->kernel, &first, err);
    *repetitions = first.repetitions;
    sp_reading_free(&first);
    return status;
}

enum sp_status sp_sample_pairs(const struct sp_job *job, const struct sp_sampling_options *o,
                               struct sp_pairs *pairs, struct sp_error *err)
{
    struct team s;
    struct sp_turns turns = {.context = &s, .n_threads = job->n_threads, .take = take, .look = look_at_cores};
    memset(pairs, 0, sizeof *pairs);
    pairs->time = pairs->roof = pairs->inverse = sp_value_none("no sample was taken");
    enum sp_status status = open_team(job, o, &s, err);
    if (status == SP_OK)
        status = warm_up(&s, &turns.repetitions, err);
    turns.per_execution = s.per_execution;
    if (status == SP_OK)
        status = sp_sample_turns(&turns, o, pairs, err);
    if (s.session)
        s.clock->close(s.session);
    return status;
}
