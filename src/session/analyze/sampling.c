#include "session/analyze/sampling.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/reading.h"
#include "kernels/ceiling.h"
#include "session/analyze/plan.h"
#include "sys/machine/core_to_core.h"
#include "sys/noise.h"

/* Between two looks at the cores [s]; a look takes 0.8 ms. */
static const double BURST_S = 0.02;
/* With fewer clean pairs than wanted, sampling goes on for so many budgets, and so long at least
 * [s]: quiet moments do not come more often because the budget is small. */
static const double PATIENCE = 3, PATIENCE_S = 2;

struct pair {
    double time_s, rate, inverse, latency_s; /* inverse: 1/(time rate) */
    bool disturbed, crowded;
    bool moved; /* the cores changed while it was taken */
    char mode[16];
    double *thread_s; /* [n_threads] of its own place in the block */
};

struct collected {
    struct pair *pair;    /* [4 most]: up to `most` of each kind: clean, on shared cores, disturbed, moved */
    double *thread_block; /* [4 most][n_threads] */
    int64_t most, n, n_clean;
    int64_t n_disturbed, n_crowded, n_moved; /* taken; of each kind `most` are kept */
    int64_t n_set_aside;                     /* kept of those that moved */
    int n_threads;
};

struct rate {
    double value; /* [B/s] or executions a second */
    bool disturbed;
};

struct sampler {
    const struct sp_sampling_options *o;
    const struct sp_turns *turns;
    bool ignores; /* sp_disturbance_is_ignored() */
    struct collected c;
    struct rate last;      /* of the other side */
    struct sp_look before; /* of the cores, after it */
    bool goes_on;          /* both hold for the next burst, too */
};

static void free_collected(struct collected *c)
{
    free(c->pair);
    free(c->thread_block);
}

static enum sp_status new_collected(int64_t most, int n_threads, struct collected *c, struct sp_error *err)
{
    void *pair, *block = NULL;
    memset(c, 0, sizeof *c);
    enum sp_status status = sp_new_array(4 * most, sizeof *c->pair, "samples", &pair, err);
    if (status == SP_OK)
        status = sp_new_array(4 * most * n_threads, sizeof(double), "samples", &block, err);
    c->pair = pair;
    c->thread_block = block;
    c->most = most;
    c->n_threads = n_threads;
    for (int64_t i = 0; status == SP_OK && i < 4 * most; i++)
        c->pair[i].thread_s = c->thread_block + i * n_threads;
    return status;
}

static enum sp_status take_rate(struct sampler *s, struct rate *rate, struct sp_error *err)
{
    struct sp_turn turn = {0};
    enum sp_status status = s->turns->take(s->turns->context, true, &turn, err);
    *rate = (struct rate){s->turns->per_execution / fmax(turn.time_s, 1e-9), turn.disturbed};
    return status;
}

/* Of the looks before and after: where one of them was disturbed, the other one counts. */
static struct rate rate_of(struct rate a, struct rate b)
{
    if (a.disturbed != b.disturbed)
        return a.disturbed ? b : a;
    return (struct rate){0.5 * (a.value + b.value), a.disturbed};
}

/* The kernel once, and the other after it; `last` is what the other had before, and has now. Of
 * disturbed pairs and of those on shared cores the first ones are kept, in case that there are no
 * others. */
static enum sp_status take_pair(struct sampler *s, bool crowded, struct rate *last, struct sp_error *err)
{
    struct collected *c = &s->c;
    struct pair *pair = &c->pair[c->n];
    struct sp_turn turn = {.thread_s = pair->thread_s};
    struct rate after;
    enum sp_status status = s->turns->take(s->turns->context, false, &turn, err);
    if (status == SP_OK)
        status = take_rate(s, &after, err);
    if (status != SP_OK)
        return status;
    const struct rate rate = rate_of(*last, after);
    *last = after;
    pair->time_s = turn.time_s;
    pair->rate = rate.value;
    pair->inverse = 1 / (pair->time_s * pair->rate);
    pair->disturbed = !s->ignores && (turn.disturbed || rate.disturbed);
    pair->crowded = crowded;
    pair->moved = false;
    const bool clean = !pair->disturbed && !crowded;
    c->n += clean || (pair->disturbed ? c->n_disturbed : c->n_crowded) < c->most;
    c->n_clean += clean;
    c->n_disturbed += pair->disturbed;
    c->n_crowded += !pair->disturbed && crowded;
    return SP_OK;
}

static bool is_known(const char *mode)
{
    return strcmp(mode, "unknown") != 0;
}

/* Are these enough? Clean ones are waited for beyond the budget, though not for ever. */
static bool is_enough(const struct sampler *s, double spent_s)
{
    const struct sp_protocol *p = &s->o->protocol;
    if (s->c.n_clean >= s->c.most)
        return true;
    double patience_s = fmax(PATIENCE * p->budget_s, s->o->patience_s > 0 ? s->o->patience_s : PATIENCE_S);
    if (s->o->waiting)
        patience_s = fmin(patience_s, p->budget_s + s->o->waiting->quiet_s);
    if (s->o->waiting && s->c.n_clean + s->c.n_crowded >= p->min_samples)
        patience_s = fmin(patience_s, p->budget_s + s->o->waiting->cores_s);
    if (s->o->binding && s->o->binding->oversubscribed) /* they disturb each other, however long one waits */
        return spent_s >= p->budget_s && s->c.n > 0;
    return spent_s >= (s->c.n_clean < p->min_samples ? patience_s : p->budget_s);
}

/* Did the cores move between two looks? One that brought no answer, because a thread did not run in
 * time, says nothing against the other one; but shared cores are not taken for granted. */
static bool has_moved(const struct sp_look *before, const struct sp_look *after)
{
    return before->crowded != after->crowded ||
           (is_known(before->mode) && is_known(after->mode) && strcmp(before->mode, after->mode) != 0);
}

/* The pairs of a burst during which the cores moved are dropped; the first ones are kept,
 * disturbed, in case that the cores move in every burst. */
static void set_aside(struct collected *c, const struct collected *was)
{
    const int64_t n_new = c->n - was->n, room = c->most - was->n_set_aside;
    const int64_t n_moved =
        (c->n_clean - was->n_clean) + (c->n_disturbed - was->n_disturbed) + (c->n_crowded - was->n_crowded);
    *c = *was;
    c->n_moved += n_moved;
    c->n_set_aside += n_new < room ? n_new : room;
    c->n += n_new < room ? n_new : room;
    for (int64_t i = was->n; i < c->n; i++)
        c->pair[i].moved = c->pair[i].disturbed = true;
}

/* Pairs between two looks at the cores: all of one mode, or set aside. A burst begins with what
 * the one before ended with, where the cores have not moved: of a large kernel a burst is one
 * pair. */
static enum sp_status take_burst(struct sampler *s, double begun, struct sp_error *err)
{
    struct collected *c = &s->c;
    struct sp_look after;
    const struct collected was = *c;
    enum sp_status status = SP_OK;
    if (!s->goes_on)
        s->turns->look(s->turns->context, &s->before);
    const double start = sp_now();
    if (!s->goes_on)
        status = take_rate(s, &s->last, err);
    do
        status = status == SP_OK ? take_pair(s, s->before.crowded, &s->last, err) : status;
    while (status == SP_OK && sp_now() - start < BURST_S && !is_enough(s, sp_now() - begun));
    if (status != SP_OK)
        return status;
    s->turns->look(s->turns->context, &after);
    const bool moved = !s->ignores && has_moved(&s->before, &after);
    if (moved)
        set_aside(c, &was);
    const struct sp_look *look = is_known(after.mode) ? &after : &s->before;
    for (int64_t i = was.n; i < c->n; i++) {
        strcpy(c->pair[i].mode, look->mode);
        c->pair[i].latency_s = look->latency_s;
    }
    s->goes_on = !moved && is_known(after.mode);
    s->before = after;
    return SP_OK;
}

/* Keeps what `keep` says, in order. */
static void filter(struct collected *c, bool (*keep)(const struct pair *pair, const char *mode),
                   const char *mode)
{
    int64_t n = 0;
    for (int64_t i = 0; i < c->n; i++)
        if (keep(&c->pair[i], mode))
            c->pair[n++] = c->pair[i];
    c->n = n;
}

static bool has_mode(const struct pair *pair, const char *mode)
{
    return strcmp(pair->mode, mode) == 0;
}

static bool is_clean(const struct pair *pair, const char *mode)
{
    (void)mode;
    return !pair->disturbed && !pair->crowded;
}

static bool is_undisturbed(const struct pair *pair, const char *mode)
{
    (void)mode;
    return !pair->disturbed;
}

static bool has_stayed(const struct pair *pair, const char *mode)
{
    (void)mode;
    return !pair->moved;
}

/* The mode that most pairs have; the others belong to another machine, so to speak. */
static void find_prevailing(const struct collected *c, char mode[16])
{
    int64_t best = 0;
    for (int64_t i = 0; i < c->n; i++) {
        int64_t same = 0;
        for (int64_t j = 0; j < c->n; j++)
            same += has_mode(&c->pair[j], c->pair[i].mode);
        if (same > best) {
            best = same;
            strcpy(mode, c->pair[i].mode);
        }
    }
}

/* One number of every pair, out[c->n]; `field` is its offset. */
static const double *column(const struct collected *c, size_t field, double *out)
{
    for (int64_t i = 0; i < c->n; i++)
        memcpy(&out[i], (const char *)&c->pair[i] + field, sizeof *out);
    return out;
}

static enum sp_status summarise(const struct collected *c, struct sp_pairs *pairs, struct sp_error *err)
{
    void *p[4] = {NULL};
    const int64_t n[4] = {c->n, c->n, c->n, c->n_threads};
    enum sp_status status = SP_OK;
    for (int i = 0; i < 4 && status == SP_OK; i++)
        status = sp_new_array(n[i], sizeof(double), "samples", &p[i], err);
    double *work = p[2];
    pairs->time_s = p[0];
    pairs->roof_Bps = p[1];
    pairs->thread_s = p[3];
    if (status == SP_OK) {
        for (int t = 0; t < c->n_threads; t++) {
            for (int64_t i = 0; i < c->n; i++)
                work[i] = c->pair[i].thread_s[t];
            pairs->thread_s[t] = sp_median(work, c->n);
        }
        pairs->n = c->n;
        pairs->latency_s = sp_median(column(c, offsetof(struct pair, latency_s), work), c->n);
        pairs->inverse =
            sp_median_interval(column(c, offsetof(struct pair, inverse), work), c->n, SP_MEASURED);
        pairs->time =
            sp_median_interval(column(c, offsetof(struct pair, time_s), pairs->time_s), c->n, SP_MEASURED);
        pairs->roof =
            sp_median_interval(column(c, offsetof(struct pair, rate), pairs->roof_Bps), c->n, SP_MEASURED);
        pairs->spread = sp_relative_spread(pairs->time_s, c->n);
    }
    free(work);
    return status;
}

/* Clean pairs where there are enough of them, else those that are undisturbed, if on shared cores,
 * else all but those beside which the cores moved, else these; of those the mode that prevails. */
static enum sp_status choose_pairs(struct collected *c, int64_t fewest, struct sp_pairs *pairs,
                                   struct sp_error *err)
{
    const int64_t n_enough = fewest < c->most ? fewest : c->most;
    pairs->moved = c->n > 0 && c->n == c->n_set_aside;
    if (pairs->moved) {
        c->n_disturbed += c->n_moved;
        c->n_moved = 0;
    } else {
        filter(c, has_stayed, NULL);
    }
    const bool clean = c->n_clean == c->n || c->n_clean >= n_enough;
    pairs->n_clean = c->n_clean;
    pairs->n_disturbed = c->n_disturbed;
    pairs->n_crowded = c->n_crowded;
    pairs->clean = clean || c->n_disturbed == 0 || c->n_clean + c->n_crowded >= n_enough;
    if (pairs->clean)
        filter(c, clean ? is_clean : is_undisturbed, NULL);
    const int64_t n = c->n;
    find_prevailing(c, pairs->mode);
    filter(c, has_mode, pairs->mode);
    pairs->crowded = c->n > 0 && c->pair[0].crowded;
    pairs->n_dropped = c->n_moved + n - c->n;
    return summarise(c, pairs, err);
}

enum sp_status sp_sample_turns(const struct sp_turns *turns, const struct sp_sampling_options *o,
                               struct sp_pairs *pairs, struct sp_error *err)
{
    struct sampler s = {.o = o, .turns = turns, .ignores = sp_disturbance_is_ignored()};
    memset(pairs, 0, sizeof *pairs);
    pairs->n_threads = turns->n_threads;
    pairs->repetitions = turns->repetitions;
    pairs->time = pairs->roof = pairs->inverse = sp_value_none("no sample was taken");
    enum sp_status status =
        new_collected(o->protocol.max_samples > 0 ? o->protocol.max_samples : 1, turns->n_threads, &s.c, err);
    const double start = sp_now();
    const struct collected *c = &s.c;
    while (status == SP_OK && (c->n == 0 || !is_enough(&s, sp_now() - start))) {
        if (sp_progress_interrupted(o->progress)) {
            status = sp_fail(err, SP_INTERRUPTED, NULL, "interrupted after %lld samples", (long long)c->n);
            break;
        }
        status = take_burst(&s, start, err);
        sp_progress_step(
            o->progress, "measuring",
            fmin(1, fmax((sp_now() - start) / o->protocol.budget_s, (double)c->n_clean / (double)c->most)));
    }
    if (o->waiting) {
        const double waited_s = fmax(0, sp_now() - start - o->protocol.budget_s);
        o->waiting->quiet_s = fmax(0, o->waiting->quiet_s - waited_s);
        if (c->n_crowded >= o->protocol.min_samples - c->n_clean)
            o->waiting->cores_s = fmax(0, o->waiting->cores_s - waited_s);
    }
    if (c->n > 0 && (status == SP_OK || status == SP_INTERRUPTED)) {
        enum sp_status chosen = choose_pairs(&s.c, o->protocol.min_samples, pairs, err);
        status = chosen == SP_OK ? status : chosen;
    }
    free_collected(&s.c);
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

/* Samples of processors: two jobs that take turns on the same threads, timed by this processor's
 * clock. */

/* A sample of either job [s]: long enough for the clock and the start of the team, short enough to
 * fit between two disturbances, for schedulers let a thread run 3 ms or so at a stretch. */
static const double SAMPLE_S = 0.001;

/* One of the two jobs that take turns. */
struct side {
    struct sp_job job;
    struct sp_protocol protocol;      /* one sample at a time; repetitions 0: found by the first one */
    const struct sp_binding *binding; /* NULL: its threads stay where they are */
    bool is_large; /* no cache keeps what it reads, so nothing need be brought back before a sample */
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

/* Its arrays are several times what the last-level caches hold. */
static bool is_large(const struct sp_job *job, const struct sp_protocol *p)
{
    static const double times = 4;
    const struct sp_cache *llc = p->machine ? sp_machine_llc(p->machine) : NULL;
    const double domains = p->n_domain > 1 ? p->n_domain : 1;
    return llc && job->layout && sp_layout_matrix_bytes(job->layout) > times * domains * (double)llc->size_B;
}

/* One sample of one side under the protocol. Warm: an execution first, for the other side has left
 * its own data in the caches. */
static enum sp_status observe(const struct team *s, struct side *side, struct sp_reading *r,
                              struct sp_error *err)
{
    enum sp_status status = move_to(s, side->binding, err);
    const bool first = side->protocol.repetitions == 0;
    if (status == SP_OK && side->protocol.state == SP_WARM && (first || !side->is_large))
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

/* "single", "shared", "split" ... "unknown" where nobody can say now. */
static void look_at_cores(void *context, struct sp_look *look)
{
    struct team *s = context;
    const int n_threads = s->kernel.job.n_threads;
    *look = (struct sp_look){.latency_s = 0};
    strcpy(look->mode, n_threads < 2 ? "single" : "unknown");
    if (!s->o->pinned)
        return;
    struct sp_core_look cores = {.latency_s = n_threads < 2 ? 0 : sp_core_to_core(n_threads, 0, 1)};
    sp_core_crowd(n_threads, n_threads, &cores);
    sp_core_history_add(&s->history, &cores);
    if (n_threads > 1)
        snprintf(look->mode, sizeof look->mode, "%s",
                 sp_core_mode_name(sp_core_classify(&s->history, cores)));
    if (s->o->shares_cores)
        cores.share = 0;
    look->latency_s = cores.latency_s;
    look->crowded = sp_core_is_crowded(&cores, s->history.widest);
}

static struct sp_protocol one_sample(const struct sp_protocol *asked, double sample_s)
{
    struct sp_protocol p = *asked;
    p.min_samples = p.max_samples = 1;
    p.min_sample_s = sample_s > 0 ? sample_s : SAMPLE_S;
    p.repetitions = 0;
    return p;
}

/* More than memory brings in a sample: the number of executions need not be looked for. */
static void know_length(struct side *side, const struct sp_protocol *p)
{
    static const double long_B = 256e6;
    side->is_large = is_large(&side->job, p);
    if (side->is_large && sp_layout_matrix_bytes(side->job.layout) > long_B)
        side->protocol.repetitions = 1;
}

static enum sp_status open_team(const struct sp_job *job, const struct sp_sampling_options *o, struct team *s,
                                struct sp_error *err)
{
    memset(s, 0, sizeof *s);
    s->o = o;
    s->clock = sp_probe_find("time");
    s->history.widest = o->core_width;
    s->kernel =
        (struct side){.job = *job, .protocol = one_sample(&o->protocol, o->sample_s), .binding = o->binding};
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
    know_length(&s->kernel, &o->protocol);
    know_length(&s->other, &o->protocol);
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
