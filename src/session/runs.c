#include "session/runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/samples.h"
#include "session/apart.h"

struct sp_sampling_options sp_run_sampling(const struct sp_setup *setup, const struct sp_analyze_options *o,
                                           const struct sp_progress *progress)
{
    struct sp_sampling_options s = {
        .protocol = sp_protocol_default(o->machine), .pinned = setup->binding.pinned, .progress = progress};
    s.binding = &setup->binding;
    s.topology = o->topology;
    s.protocol.state = o->state;
    s.protocol.budget_s = o->budget_s;
    s.protocol.max_samples = o->max_samples;
    s.protocol.n_domain = setup->n_domains;
    s.protocol.domain_of_thread = setup->domain_of_thread;
    s.protocol.between_B = sp_between_bytes(o, &setup->layout);
    return s;
}

enum sp_status sp_analysis_sample(const struct sp_analysis *a, double share, int max_samples,
                                  struct sp_pairs *pairs, struct sp_error *err)
{
    struct sp_sampling_options s = sp_run_sampling(&a->setup, a->options, a->progress);
    s.protocol.budget_s = share * a->options->budget_s;
    s.protocol.max_samples = max_samples;
    return sp_sample_pairs(&a->setup.job, &s, pairs, err);
}

/* What goes through the pipe, followed by time_s[n], roof_Bps[n] and thread_s[n_threads]. */
struct message {
    enum sp_status status;
    struct sp_error error;
    struct sp_pairs pairs; /* its pointers mean nothing to the reader */
};

/* In the child: the same kernel on a layout of its own. */
static bool child(void *context, int pipe)
{
    static struct message m;
    const struct sp_analysis *a = context;
    struct sp_analysis here = *a;
    struct sp_setup_options options = *a->setup_options;
    options.kernel = a->setup.kernel;
    m.status = sp_setup_make(&a->setup.workload, &options, NULL, &here.setup, &m.error);
    if (m.status == SP_OK)
        m.status = sp_analysis_sample(&here, 1, a->options->max_samples, &m.pairs, &m.error);
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
    const struct sp_analysis *a = context;
    struct sp_pairs *pairs = &a->run[a->n_runs];
    memset(pairs, 0, sizeof *pairs);
    if (!sp_apart_receive(pipe, &m, sizeof m))
        return sp_fail(err, SP_ABSENT, "look at the free memory; or leave --runs out",
                       "a process for a further run ended before it had measured anything");
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

static const struct sp_pairs *prevailing(const struct sp_pairs *run, int n_runs)
{
    const struct sp_pairs *best = &run[0];
    int64_t most = 0;
    for (int i = 0; i < n_runs; i++) {
        int64_t n = 0;
        for (int j = 0; j < n_runs; j++)
            n += strcmp(run[i].mode, run[j].mode) == 0 ? run[j].n : 0;
        if (n > most) {
            most = n;
            best = &run[i];
        }
    }
    return best;
}

/* Median of the runs' medians; the interval holds them and that of all samples. */
static struct sp_value pool_value(const double *all, int64_t n, const double *medians, int n_runs,
                                  enum sp_origin origin)
{
    struct sp_value pooled = sp_median_interval(all, n, origin);
    if (n_runs < 2)
        return pooled;
    pooled.value = sp_median(medians, n_runs);
    for (int i = 0; i < n_runs; i++) {
        pooled.lo = fmin(pooled.lo, medians[i]);
        pooled.hi = fmax(pooled.hi, medians[i]);
    }
    pooled.lo = fmin(pooled.lo, pooled.value);
    pooled.hi = fmax(pooled.hi, pooled.value);
    return pooled;
}

enum sp_status sp_pairs_pool(const struct sp_pairs *run, int n_runs, struct sp_pairs *pooled,
                             struct sp_error *err)
{
    enum { TIME, ROOF, INVERSE, N_KINDS };
    const struct sp_pairs *first = prevailing(run, n_runs);
    memset(pooled, 0, sizeof *pooled);
    int64_t total = 0;
    for (int i = 0; i < n_runs; i++)
        total += run[i].n;
    void *all[N_KINDS] = {NULL}, *medians[N_KINDS] = {NULL}, *threads = NULL;
    enum sp_status status = sp_new_array(first->n_threads, sizeof(double), "thread times", &threads, err);
    for (int k = 0; k < N_KINDS && status == SP_OK; k++) {
        status = sp_new_array(total, sizeof(double), "samples", &all[k], err);
        if (status == SP_OK)
            status = sp_new_array(n_runs, sizeof(double), "medians", &medians[k], err);
    }
    if (status == SP_OK) {
        double *time = all[TIME], *roof = all[ROOF], *inverse = all[INVERSE], *thread_s = threads;
        int n_same = 0;
        *pooled = *first;
        pooled->n = pooled->n_dropped = 0;
        for (int i = 0; i < n_runs; i++) {
            const struct sp_pairs *p = &run[i];
            pooled->n_dropped += p->n_dropped;
            if (strcmp(p->mode, first->mode) != 0) {
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
            for (int t = 0; t < first->n_threads; t++) /* their mean */
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

/* The runs in other processes, with looks of the sentinels between them. The team that a look needs ends
 * before the next process starts; the new one after it is pinned again, and what fails there shows as not
 * pinned. */
static enum sp_status run_apart(struct sp_analysis *a, int n, struct sp_sentinel_watch *watch,
                                struct sp_error *err)
{
    const int between = SP_SENTINEL_LOOKS - 2, stride = n > between ? (n + between - 1) / between : 1;
    enum sp_status status = SP_OK;
    while (status == SP_OK && a->n_runs < n) {
        sp_progress_step(a->progress, "measuring in another process", (double)a->n_runs / (n + 1));
        sp_apart_begin();
        status = sp_apart(child, receive, a, err);
        a->n_runs += status == SP_OK;
        if (a->setup.binding.pinned)
            sp_binding_apply(&a->setup.binding, NULL);
        if (status == SP_OK && a->n_runs % stride == 0)
            sp_sentinels_look(watch, true);
    }
    return status;
}

static enum sp_status run_here(struct sp_analysis *a, int n_runs, struct sp_error *err)
{
    struct sp_sentinel_watch watch;
    sp_progress_step(a->progress, "looking at the machine", -1);
    sp_sentinels_open(&watch, a->options->topology, a->setup.workload.n_threads, a->setup.n_domains,
                      a->options->budget_s, a->options->memory_B);
    sp_sentinels_look(&watch, false);
    enum sp_status status = run_apart(a, n_runs - 1, &watch, err);
    if (status == SP_OK)
        status = sp_analysis_sample(a, 1, a->options->max_samples, &a->run[a->n_runs], err);
    if (status == SP_OK)
        sp_sentinels_look(&watch, false);
    sp_sentinels_close(&watch);
    a->sentinels = watch.seen;
    return status;
}

enum sp_status sp_analysis_runs(struct sp_analysis *a, struct sp_error *err)
{
    int n_runs = a->options->n_runs > 1 && !sp_analysis_is_replayed(a) ? a->options->n_runs : 1;
    void *p;
    enum sp_status status = sp_new_array(n_runs, sizeof *a->run, "the runs", &p, err);
    a->run = p;
    if (status == SP_OK)
        status =
            sp_analysis_is_replayed(a) ? replay_run(a, &a->run[a->n_runs], err) : run_here(a, n_runs, err);
    bool some = status == SP_OK || (status == SP_INTERRUPTED && a->run[a->n_runs].n > 0);
    a->n_runs += some;
    enum sp_status pooled = a->n_runs > 0 ? sp_pairs_pool(a->run, a->n_runs, &a->pairs, NULL) : status;
    if (!sp_analysis_has_own_roof(a)) {
        bool exact;
        const struct sp_ceiling *c =
            sp_roof_of(a->options->machine, "MEM", a->setup.workload.n_threads, NULL, &exact);
        a->pairs.roof.origin = c ? c->value.origin : SP_NONE;
    }
    return status == SP_OK ? pooled : status;
}
