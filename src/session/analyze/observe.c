#include "session/analyze/analysis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/option/option_words.h"
#include "base/reading.h"
#include "probes/helper_counter.h"
#include "session/trial/apart.h"

/* Of a core of one's own; 0: not known, as where threads share cores on purpose. */
static double core_width_of(const struct sp_setup *setup, const struct sp_analyze_options *o)
{
    return o->machine && !setup->binding.uses_smt ? o->machine->measured.core_width : 0;
}

struct sp_sampling_options sp_run_sampling(const struct sp_setup *setup, const struct sp_analyze_options *o,
                                           const struct sp_progress *progress)
{
    struct sp_sampling_options s = {
        .protocol = sp_protocol_default(o->machine), .pinned = setup->binding.pinned, .progress = progress};
    s.binding = &setup->binding;
    s.topology = o->topology;
    s.shares_cores = setup->binding.uses_smt || (o->machine && sp_machine_shares_cores(o->machine));
    s.core_width = core_width_of(setup, o);
    /* A small budget has short samples: there are as many of them. */
    s.sample_s = o->plan ? fmin(1e-3, fmax(2e-4, o->plan->budget_s / 100)) : 0;
    s.waiting = o->plan ? &o->plan->waiting : NULL;
    s.protocol.state = o->state;
    s.protocol.max_samples = o->max_samples;
    s.protocol.n_domain = setup->n_domains;
    s.protocol.domain_of_thread = setup->domain_of_thread;
    s.protocol.between_B = sp_between_bytes(o, &setup->layout);
    return s;
}

enum sp_status sp_analysis_sample(const struct sp_analysis *a, double budget_s, int max_samples,
                                  struct sp_pairs *pairs, struct sp_error *err)
{
    struct sp_sampling_options s = sp_run_sampling(&a->setup, a->options, a->progress);
    s.protocol.budget_s = budget_s;
    s.protocol.max_samples = max_samples;
    return sp_sample_pairs(&a->setup.job, &s, pairs, err);
}

/* Unasked, as many processes sample as the time for samples allows, three to seven, where their
 * set-ups take little of it: what differs from one start of a program to the next then widens the
 * intervals. The median of seven others lies between the least and the largest of seven medians 9
 * times of 10, if nothing drifts. */
static int n_runs_of(const struct sp_analysis *a)
{
    enum { FEW = 3, SEVERAL = 7 };
    static const double copy_Bps = 1e9; /* of what is lent here, but not to them */
    const double each_s = 0.08 + 4 * (a->setup.layout_s + a->setup.lent_B / copy_Bps);
    const double n = sp_plan_share_s(a->options->plan, SP_SPEND_SAMPLES) / each_s;
    const int enough = sp_protocol_default(a->options->machine).min_samples * FEW;
    if (sp_analysis_is_replayed(a) || a->setup_options.own) /* whose threads and data no fork repeats */
        return 1;
    if (a->options->n_runs > 0)
        return a->options->n_runs;
    if (n < FEW || a->options->max_samples < enough || sp_markers_wanted()) /* which count this process */
        return 1;
    return n < SEVERAL ? (int)n : SEVERAL;
}

/* One of the runs, which share the time for samples; those that nobody asked for share the samples,
 * too. */
static enum sp_status sample_run(const struct sp_analysis *a, struct sp_pairs *pairs, struct sp_error *err)
{
    const int n_runs = n_runs_of(a), shared = a->options->n_runs > 0 ? 1 : n_runs;
    struct sp_sampling_options s = sp_run_sampling(&a->setup, a->options, a->progress);
    s.protocol.budget_s = sp_plan_allowance_s(a->options->plan, SP_SPEND_SAMPLES) / n_runs;
    s.protocol.max_samples = (a->options->max_samples + shared - 1) / shared;
    s.patience_s = 2.0 / shared;
    return sp_sample_pairs(&a->setup.job, &s, pairs, err);
}

/* What goes through the pipe, followed by time_s[n], roof_Bps[n] and thread_s[n_threads]. */
struct message {
    enum sp_status status;
    struct sp_error error;
    struct sp_waiting waiting; /* that its plan has left */
    struct sp_pairs pairs;     /* its pointers mean nothing to the reader */
};

/* Runs in processes of their own, and where their samples go. */
struct apart {
    const struct sp_analysis *analysis;
    struct sp_observed *out;
};

/* In the child: the same kernel on a layout of its own. */
static bool child(void *context, int pipe)
{
    static struct message m;
    const struct sp_analysis *a = ((struct apart *)context)->analysis;
    struct sp_analysis here = *a;
    struct sp_setup_options options = a->setup_options;
    options.kernel = a->setup.kernel;
    options.lends = false; /* each run has pages of its own */
    m.status = sp_setup_make(&a->setup.workload, &options, NULL, &here.setup, &m.error);
    if (m.status == SP_OK)
        m.status = sample_run(&here, &m.pairs, &m.error);
    m.waiting = here.options->plan->waiting;
    bool sent = sp_apart_send(pipe, &m, sizeof m);
    if (sent && m.status == SP_OK)
        sent = sp_apart_send(pipe, m.pairs.time_s, (size_t)m.pairs.n * sizeof(double)) &&
               sp_apart_send(pipe, m.pairs.roof_Bps, (size_t)m.pairs.n * sizeof(double)) &&
               sp_apart_send(pipe, m.pairs.thread_s, (size_t)m.pairs.n_threads * sizeof(double));
    return sent;
}

/* The next of the analysis' runs. */
static enum sp_status receive(void *context, int pipe, struct sp_error *err)
{
    static struct message m;
    const struct sp_analysis *a = ((struct apart *)context)->analysis;
    struct sp_observed *out = ((struct apart *)context)->out;
    struct sp_pairs *pairs = &out->run[out->n_runs];
    memset(pairs, 0, sizeof *pairs);
    if (!sp_apart_receive(pipe, &m, sizeof m))
        return sp_fail(err, SP_ABSENT, "look at the free memory; or leave " SP_O_RUNS " out",
                       "a process for a further run ended before it had measured anything");
    a->options->plan->waiting = m.waiting;
    if (m.status != SP_OK) {
        if (err)
            *err = m.error;
        return m.status;
    }
    struct sp_pairs got = m.pairs;
    void *p[3] = {NULL};
    const int64_t n[3] = {got.n, got.n, got.n_threads};
    enum sp_status status = SP_OK;
    for (int i = 0; i < 3 && status == SP_OK; i++) {
        status = sp_new_array(n[i], sizeof(double), "samples", &p[i], err);
        if (status == SP_OK && !sp_apart_receive(pipe, p[i], (size_t)n[i] * sizeof(double)))
            status = sp_fail(err, SP_ABSENT, NULL, "a process for a further run ended early");
    }
    got.time_s = p[0];
    got.roof_Bps = p[1];
    got.thread_s = p[2];
    if (status == SP_OK)
        *pairs = got;
    else
        sp_pairs_free(&got);
    return status;
}

/* What the samples of a run are worth. */
enum worth { ANY, UNDISTURBED, ON_OWN_CORES };

static enum worth worth_of(const struct sp_pairs *run)
{
    return !run->clean ? ANY : run->crowded ? UNDISTURBED : ON_OWN_CORES;
}

/* Of one kind with another: in the same mode, and both worth so much. */
static bool is_alike(const struct sp_pairs *a, const struct sp_pairs *b, enum worth least)
{
    return worth_of(a) >= least && worth_of(b) >= least && strcmp(a->mode, b->mode) == 0;
}

/* The runs that count are worth as much: they have enough samples, or there are no others. */
static enum worth least_worth(const struct sp_pairs *run, int n_runs, int64_t fewest)
{
    enum worth least = ON_OWN_CORES;
    int64_t n = 0;
    for (int i = 0; i < n_runs; i++)
        n += run[i].n;
    for (; least > ANY; least--) {
        int64_t n_so = 0;
        for (int i = 0; i < n_runs; i++)
            n_so += worth_of(&run[i]) >= least ? run[i].n : 0;
        if (n_so >= (fewest < n ? fewest : n))
            break;
    }
    return least;
}

/* A run of the mode that most samples have, among those that count. */
static const struct sp_pairs *prevailing(const struct sp_pairs *run, int n_runs, enum worth least)
{
    const struct sp_pairs *best = &run[0];
    int64_t most = 0;
    for (int i = 0; i < n_runs; i++) {
        int64_t n = 0;
        for (int j = 0; j < n_runs; j++)
            n += is_alike(&run[i], &run[j], least) ? run[j].n : 0;
        if (n > most) {
            most = n;
            best = &run[i];
        }
    }
    return best;
}

/* Median of the runs' medians. A repetition of the whole command gives another one than this one's
 * medians know: the interval holds them, that of all samples, and nine tenths of the samples
 * [docs/results, intervals]. */
static struct sp_value pool_value(const double *all, int64_t n, const double *medians, int n_runs,
                                  enum sp_origin origin)
{
    static const double left_out = 0.05;
    const struct sp_value one = sp_median_interval(all, n, origin);
    const double value = n_runs < 2 ? one.value : sp_median(medians, n_runs);
    double lo = fmin(fmin(one.lo, value), sp_quantile(all, n, left_out)),
           hi = fmax(fmax(one.hi, value), sp_quantile(all, n, 1 - left_out));
    for (int i = 0; i < n_runs; i++) {
        lo = fmin(lo, medians[i]);
        hi = fmax(hi, medians[i]);
    }
    return sp_value_between(value, lo, hi, origin);
}

enum sp_status sp_pairs_pool(const struct sp_pairs *run, int n_runs, int64_t fewest, struct sp_pairs *pooled,
                             struct sp_error *err)
{
    enum { TIME, ROOF, INVERSE, N_KINDS };
    const enum worth least = least_worth(run, n_runs, fewest);
    const struct sp_pairs *first = prevailing(run, n_runs, least);
    memset(pooled, 0, sizeof *pooled);
    int64_t total = 0;
    for (int i = 0; i < n_runs; i++)
        total += run[i].n;
    void *all[N_KINDS] = {NULL}, *medians[N_KINDS] = {NULL}, *threads = NULL;
    enum sp_status status = SP_OK;
    if (first->thread_s)
        status = sp_new_array(first->n_threads, sizeof(double), "thread times", &threads, err);
    for (int k = 0; k < N_KINDS && status == SP_OK; k++) {
        status = sp_new_array(total, sizeof(double), "samples", &all[k], err);
        if (status == SP_OK)
            status = sp_new_array(n_runs, sizeof(double), "medians", &medians[k], err);
    }
    if (status == SP_OK) {
        double *time = all[TIME], *roof = all[ROOF], *inverse = all[INVERSE], *thread_s = threads;
        int n_same = 0;
        *pooled = *first;
        pooled->clean = least > ANY;
        pooled->n = pooled->n_dropped = pooled->n_clean = pooled->n_disturbed = pooled->n_crowded = 0;
        for (int i = 0; i < n_runs; i++) {
            const struct sp_pairs *p = &run[i];
            pooled->n_dropped += p->n_dropped;
            pooled->n_clean += p->n_clean;
            pooled->n_disturbed += p->n_disturbed;
            pooled->n_crowded += p->n_crowded;
            if (!is_alike(p, first, least)) {
                pooled->n_dropped += p->n;
                continue;
            }
            for (int64_t k = 0; k < p->n; k++, pooled->n++) {
                time[pooled->n] = p->time_s[k];
                roof[pooled->n] = p->roof_Bps[k];
                inverse[pooled->n] = 1 / (p->time_s[k] * p->roof_Bps[k]);
            }
            ((double *)medians[TIME])[n_same] = p->time.value;
            ((double *)medians[ROOF])[n_same] = p->roof.value;
            ((double *)medians[INVERSE])[n_same++] = p->inverse.value;
            for (int t = 0; thread_s && p->thread_s && t < first->n_threads; t++) /* their mean */
                thread_s[t] += (p->thread_s[t] - thread_s[t]) / n_same;
        }
        pooled->time_s = time;
        pooled->roof_Bps = roof;
        pooled->thread_s = thread_s;
        pooled->time = pool_value(time, pooled->n, medians[TIME], n_same, first->time.origin);
        pooled->roof = pool_value(roof, pooled->n, medians[ROOF], n_same, first->roof.origin);
        pooled->inverse = pool_value(inverse, pooled->n, medians[INVERSE], n_same, first->inverse.origin);
        pooled->spread = sp_relative_spread(time, pooled->n);
    } else {
        free(all[TIME]);
        free(all[ROOF]);
        free(threads);
    }
    free(all[INVERSE]);
    for (int k = 0; k < N_KINDS; k++)
        free(medians[k]);
    return status;
}

/* The recorded samples; where no roof was recorded, the machine's load-only bandwidth of memory. */
static enum sp_status replay_run(const struct sp_analysis *a, struct sp_pairs *pairs, struct sp_error *err)
{
    bool exact;
    int n = a->setup.workload.n_threads;
    const struct sp_ceiling *c = sp_roof_of(a->options->machine, "MEM", n, NULL, &exact);
    const struct sp_recording *r = &a->options->bytes->recording;
    return sp_recording_pairs(r, c ? c->value.value : 0, n, pairs, err);
}

/* The runs in other processes, with looks of the sentinels between them. The team that a look needs
 * ends before the next process starts; the new one after it is pinned again. */
static enum sp_status run_apart(const struct sp_analysis *a, int n, struct sp_sentinel_watch *watch,
                                struct sp_observed *out, struct sp_error *err)
{
    const int between = SP_SENTINEL_LOOKS - 2, stride = n > between ? (n + between - 1) / between : 1;
    struct apart apart = {a, out};
    enum sp_status status = SP_OK;
    while (status == SP_OK && out->n_runs < n) {
        sp_progress_step(a->progress, "measuring in another process", (double)out->n_runs / (n + 1));
        sp_apart_begin();
        status = sp_apart(child, receive, &apart, err);
        out->n_runs += status == SP_OK;
        if (a->setup.binding.pinned) {
            struct sp_binding again = a->setup.binding;
            sp_binding_apply(&again, NULL);
            out->lost_pins |= !again.pinned;
        }
        if (status == SP_OK && out->n_runs % stride == 0)
            sp_sentinels_look(watch, true);
    }
    return status;
}

static enum sp_status run_here(const struct sp_analysis *a, int n_runs, struct sp_observed *out,
                               struct sp_error *err)
{
    struct sp_sentinel_watch watch;
    struct sp_bystanders bystanders;
    struct sp_plan *plan = a->options->plan;
    const double start = sp_now();
    sp_progress_step(a->progress, "looking at the machine", -1);
    sp_bystanders_begin(&bystanders);
    sp_sentinels_open(&watch, a->options->topology, a->setup.workload.n_threads, a->setup.n_domains,
                      sp_plan_left_s(plan, SP_SPEND_LOOKS), a->options->memory_B,
                      core_width_of(&a->setup, a->options));
    sp_sentinels_look(&watch, false);
    enum sp_status status = run_apart(a, n_runs - 1, &watch, out, err);
    if (status == SP_OK)
        status = sample_run(a, &out->run[out->n_runs], err);
    if (status == SP_OK)
        sp_sentinels_look(&watch, false);
    sp_sentinels_close(&watch);
    out->sentinels = watch.seen;
    plan->spent_s[SP_SPEND_LOOKS] += watch.seen.seconds;
    plan->spent_s[SP_SPEND_SAMPLES] += sp_now() - start - watch.seen.seconds;
    sp_bystanders_end(&bystanders, &out->conditions);
    return status;
}

void sp_observed_free(struct sp_observed *o)
{
    for (int i = 0; i < o->n_runs; i++)
        sp_pairs_free(&o->run[i]);
    free(o->run);
    sp_pairs_free(&o->pairs);
    memset(o, 0, sizeof *o);
}

enum sp_status sp_analysis_observe(const struct sp_analysis *a, struct sp_observed *out, struct sp_error *err)
{
    const bool replayed = sp_analysis_is_replayed(a);
    const int n_runs = n_runs_of(a);
    void *p;
    enum sp_status status = sp_new_array(n_runs, sizeof *out->run, "the runs", &p, err);
    out->run = p;
    if (status == SP_OK)
        status = replayed ? replay_run(a, &out->run[0], err) : run_here(a, n_runs, out, err);
    out->n_runs += status == SP_OK || (status == SP_INTERRUPTED && out->run[out->n_runs].n > 0);
    enum sp_status pooled = status; /* what failed before keeps its reason */
    if (out->n_runs > 0)
        pooled = sp_pairs_pool(out->run, out->n_runs, sp_protocol_default(a->options->machine).min_samples,
                               &out->pairs, status == SP_OK ? err : NULL);
    if (!replayed)
        sp_conditions_set(&out->pairs, &out->conditions);
    out->conditions.oversubscribed = a->setup.binding.oversubscribed;
    if (!sp_analysis_has_own_roof(a)) {
        bool exact;
        const struct sp_ceiling *c =
            sp_roof_of(a->options->machine, "MEM", a->setup.workload.n_threads, NULL, &exact);
        out->pairs.roof.origin = c ? c->value.origin : SP_NONE;
    }
    return status == SP_OK ? pooled : status;
}
