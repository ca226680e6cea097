/* The job under counters, and what the bytes that they count say: alpha measured beside alpha simulated, and
 * what the difference is due to, as far as it was tested [THEORY 2]. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "session/analyze/analysis.h"
#include "session/measure/byte_source.h"

/* Differences of alpha below both are no difference. */
#define SAME_ALPHA 0.02
#define SAME_SHARE 0.1
/* How long the events of threads are counted [s]: a thirtieth of the budget, between these. */
#define LEAST_EVENTS_S 0.001
#define MOST_EVENTS_S  0.05
/* The lag of threads that is tried, as a share of their work. */
#define TRIED_SKEW 0.05

static bool stopped(void *context)
{
    return sp_progress_interrupted(context);
}

static enum sp_status observe(const struct sp_analysis *a, const struct sp_job *job, struct sp_error *err)
{
    const struct sp_byte_source *s = a->options->bytes;
    struct sp_protocol p = sp_protocol_default(a->options->machine);
    struct sp_reading reading;
    p.state = a->options->state;
    p.n_domain = a->setup.n_domains;
    p.domain_of_thread = a->setup.domain_of_thread;
    p.between_B = sp_between_bytes(a->options, &a->setup.layout);
    p.interrupted = stopped;
    p.context = (void *)a->progress;
    enum sp_status status = s->probe->observe(s->session, job, &p, &reading, err);
    if (status == SP_OK)
        sp_reading_free(&reading);
    return status;
}

enum sp_status sp_analysis_count(const struct sp_analysis *a, struct sp_counts *out, struct sp_error *err)
{
    struct sp_byte_source *s = a->options->bytes;
    if (a->setup.layout.n_nz == 0)
        return SP_OK;
    if (!sp_analysis_is_replayed(a)) {
        const double events_s = fmin(MOST_EVENTS_S, fmax(LEAST_EVENTS_S, a->options->plan->budget_s / 30));
        enum sp_status status = sp_core_events_observe(&a->setup.job, events_s, &out->core, err);
        if (status != SP_OK)
            return status;
    }
    if (!s || !s->probe)
        return SP_OK;
    sp_progress_step(a->progress, "counting bytes", -1);
    struct sp_error why = {0};
    enum sp_status status = observe(a, &a->setup.job, &why);
    if (status == SP_ABSENT &&
        !s->required) { /* it stopped answering in the middle: the samples are worth keeping */
        sp_byte_source_drop(s, &why);
        return SP_OK;
    }
    if (status != SP_OK) {
        if (err)
            *err = why;
        return status;
    }
    /* A copy, for the source forgets the job's windows when it counts again. */
    status = sp_count_log_copy(s->probe->log(s->session), &out->log, err);
    out->has_log = status == SP_OK;
    return status;
}

static struct sp_value find_w(const struct sp_analysis *a, const struct sp_evaluated *e, double matrix_B,
                              double x_B, double y_B)
{
    double share = y_B / (matrix_B + x_B + y_B);
    bool memory = e->residence.level >= a->options->machine->n_caches; /* where it was measured */
    struct sp_value w = sp_trust_w(&a->options->bytes->trust, share, a->setup.facts.store_nt);
    if (sp_value_known(w) && memory)
        return w;
    return sp_value_between(a->setup.facts.store_nt ? 1 : fmin(2, e->w.value), 1, 2, e->w.origin);
}

/* How often y is written, partial results included, as simulated; each time with w up to 2. */
static double times_written(const struct sp_evaluated *e)
{
    return fmax(1, e->w.value / 2);
}

static struct sp_alpha_source alpha_source(const struct sp_analysis *a, const struct sp_evaluated *e,
                                           const struct sp_counted *c)
{
    const struct sp_layout *l = &a->setup.layout;
    const double times = times_written(e);
    return (struct sp_alpha_source){
        .matrix_B = sp_layout_matrix_bytes(l) + sp_layout_array_bytes(l, SP_ARRAY_ROWS),
        .y_B = times * sp_layout_array_bytes(l, SP_ARRAY_Y),
        .x_B = sp_layout_gather_bytes(l),
        .w = sp_value_between(e->w.value / times, fmax(1, e->w.lo / times), e->w.hi / times, e->w.origin),
        .read_B = c->read_B,
        .total_B = c->total_B,
    };
}

void sp_analysis_use_counts(const struct sp_analysis *a, struct sp_evaluated *e)
{
    const struct sp_layout *l = &a->setup.layout;
    e->alpha_simulated = e->alpha;
    e->alpha_measured = sp_value_none("bytes were not counted");
    e->seen_B = e->zero_B = sp_value_none("bytes were not counted");
    if (!a->counts.has_log)
        return;
    bool memory = e->residence.level >= a->options->machine->n_caches;
    e->counted =
        sp_count_log_bytes(&a->counts.log, SP_WINDOW_JOB, NULL, memory ? "MEM" : e->residence.name, -1);
    struct sp_counted *c = &e->counted;
    if (sp_value_known(c->read_B) && !sp_value_known(c->write_B) && c->read_B.value > 0) {
        e->writes_added = true; /* y at least goes to memory */
        double y_B = sp_layout_array_bytes(l, SP_ARRAY_Y);
        c->total_B =
            sp_value_between(c->read_B.value + y_B, c->read_B.lo + y_B, c->read_B.hi + y_B, c->read_B.origin);
    }
    if (sp_value_known(c->total_B) && !(c->total_B.value > 0))
        c->total_B = sp_value_none("it counted nothing while the job ran");
    if (!sp_value_known(c->total_B))
        return;
    if (memory && a->options->bytes->tested) {
        c->read_B = sp_trust_widen(&a->options->bytes->trust, c->read_B);
        c->write_B = sp_trust_widen(&a->options->bytes->trust, c->write_B);
        c->total_B = sp_trust_widen(&a->options->bytes->trust, c->total_B);
    }
    struct sp_alpha_source source = alpha_source(a, e, c);
    source.w = find_w(a, e, source.matrix_B, e->alpha.value * source.x_B, source.y_B);
    struct sp_alpha_reading seen = sp_alpha_from_bytes(&source);
    const double times = times_written(e);
    e->w =
        sp_value_between(times * source.w.value, times * source.w.lo, times * source.w.hi, source.w.origin);
    e->seen_B = sp_value_known(c->read_B) ? c->read_B : c->total_B;
    e->zero_B = sp_value_of(seen.zero_B, SP_MODELLED);
    e->alpha_measured = seen.alpha;
    e->V_B = e->counted.total_B;
    if (sp_value_known(seen.alpha))
        e->alpha = seen.alpha;
}

static struct sp_alpha_cause *add_cause(struct sp_attributed *out, const char *name, double explains)
{
    struct sp_alpha_cause *c = &out->cause[out->n_causes++];
    c->name = name;
    c->explains = explains;
    c->tested = true;
    return c;
}

static void not_tested(struct sp_attributed *out, const char *name, const char *why)
{
    out->cause[out->n_causes] = (struct sp_alpha_cause){.name = name};
    snprintf(out->cause[out->n_causes++].text, sizeof out->cause[0].text, "%s", why);
}

static enum sp_status alpha_with(const struct sp_analysis *a, const struct sp_sim_options *o, double *alpha,
                                 struct sp_error *err)
{
    struct sp_traffic traffic[SP_MAX_LEVELS];
    int n_levels;
    enum sp_status status = sp_sim_traffic(&a->setup.layout, o, traffic, &n_levels, NULL, err);
    if (status == SP_OK)
        *alpha = sp_traffic_alpha(&a->setup.layout, &traffic[n_levels - 1]);
    return status;
}

/* Bytes that a random line costs, in lines, where counters told it. */
static double granule_of(const struct sp_trust_report *r)
{
    for (int i = 0; i < r->n_checks; i++)
        if (strcmp(r->check[i].what, "gather") == 0 && isfinite(r->check[i].verdict.ratio))
            return r->check[i].verdict.ratio;
    return 0;
}

static enum sp_status try_granule(const struct sp_analysis *a, struct sp_attributed *out,
                                  const struct sp_sim_options *base, double plain, struct sp_error *err)
{
    double granule = granule_of(&a->options->bytes->trust);
    if (granule == 0) {
        not_tested(out, "granule", "no gather was counted");
        return SP_OK;
    }
    if (granule < 1.1) {
        snprintf(add_cause(out, "granule", 0)->text, sizeof out->cause[0].text,
                 "a random line costs %.2f lines", granule);
        return SP_OK;
    }
    struct sp_machine wide = *a->options->machine; /* borrows its ceilings */
    for (int k = 0; k < wide.n_caches; k++)
        wide.cache[k].line_B *= 2;
    struct sp_sim_options o = *base;
    o.machine = &wide;
    double alpha = plain;
    enum sp_status status = alpha_with(a, &o, &alpha, err);
    double share = fmin(1, granule - 1);
    snprintf(add_cause(out, "granule", share * (alpha - plain))->text, sizeof out->cause[0].text,
             "a random line costs %.2f lines; simulated with pairs of lines alpha is %.3f", granule, alpha);
    return status;
}

static enum sp_status try_skew(const struct sp_analysis *a, struct sp_attributed *out,
                               const struct sp_sim_options *base, double plain, struct sp_error *err)
{
    if (a->setup.workload.n_threads < 2)
        return SP_OK;
    struct sp_sim_options o = *base;
    o.skew = base->skew + TRIED_SKEW;
    double alpha = plain;
    enum sp_status status = alpha_with(a, &o, &alpha, err);
    snprintf(add_cause(out, "skew", alpha - plain)->text, sizeof out->cause[0].text,
             "with threads that lag by %.0f %% of their work the simulated alpha is %.3f", 100 * o.skew,
             alpha);
    return status;
}

/* The same kernel on a layout of its own in pages of the other size, counted again: what alpha changes by. */
static enum sp_status try_pages(const struct sp_analysis *a, struct sp_attributed *out, struct sp_error *err)
{
    if (!a->setup.kernel || a->options->bytes->replayed) {
        not_tested(out, "page size", "the run was recorded elsewhere");
        return SP_OK;
    }
    struct sp_setup_options options = a->setup_options;
    struct sp_setup other;
    struct sp_error why = {0};
    options.kernel = a->setup.kernel;
    options.small_pages = !options.small_pages;
    enum sp_status status = sp_setup_make(&a->setup.workload, &options, a->progress, &other, &why);
    if (status == SP_OK) {
        status = observe(a, &other.job, &why);
        sp_setup_free(&other);
    }
    if (status == SP_INTERRUPTED && err)
        *err = why;
    if (status != SP_OK) {
        not_tested(out, "page size", "the run with other pages failed");
        return status == SP_INTERRUPTED ? status : SP_OK;
    }
    struct sp_counted c = sp_count_log_bytes(a->options->bytes->probe->log(a->options->bytes->session),
                                             SP_WINDOW_JOB, NULL, "MEM", -1);
    struct sp_alpha_source source = alpha_source(a, &a->evaluated, &c);
    struct sp_value alpha = sp_alpha_from_bytes(&source).alpha;
    if (!sp_value_known(alpha)) {
        not_tested(out, "page size", "counted again with other pages, alpha is undefined");
        return SP_OK;
    }
    snprintf(add_cause(out, "page size", a->evaluated.alpha_measured.value - alpha.value)->text,
             sizeof out->cause[0].text, "counted again with %s pages alpha is %.3f",
             options.small_pages ? "small" : "huge", alpha.value);
    return SP_OK;
}

enum sp_status sp_analysis_attribute(const struct sp_analysis *a, struct sp_attributed *out,
                                     struct sp_error *err)
{
    if (!sp_value_known(a->evaluated.alpha_measured) ||
        a->evaluated.residence.level < a->options->machine->n_caches)
        return SP_OK;
    double x_B = sp_layout_gather_bytes(&a->setup.layout);
    double difference = a->evaluated.alpha_measured.value - a->evaluated.alpha_simulated.value;
    out->alpha_compared = true;
    if (fabs(difference) < fmax(SAME_ALPHA, SAME_SHARE * a->evaluated.alpha_simulated.value))
        return SP_OK;
    if (sp_value_known(a->evaluated.counted.idle_Bps)) {
        /* it was taken off; what it may still hide is its own spread */
        double left = a->evaluated.counted.idle_spread_B / x_B;
        snprintf(add_cause(out, "background", copysign(fmin(left, fabs(difference)), difference))->text,
                 sizeof out->cause[0].text, "%.1f %% of what was counted was background and was taken off",
                 100 * a->evaluated.counted.idle_share);
    } else
        not_tested(out, "background", "no idle window was counted");
    struct sp_sim_options o = sp_analysis_sim_options(a);
    o.llc_only = true;
    double plain = a->evaluated.alpha_simulated.value;
    enum sp_status status = alpha_with(a, &o, &plain, err);
    if (status == SP_OK)
        status = try_granule(a, out, &o, plain, err);
    if (status == SP_OK)
        status = try_skew(a, out, &o, plain, err);
    return status == SP_OK ? try_pages(a, out, err) : status;
}
