#include "session/measure/byte_source.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/option/option_words.h"
#include "probes/counting.h"
#include "probes/helper_counter.h"
#include "probes/probe.h"
#include "session/analyze/analysis.h"
#include "sys/machine/topology.h"

/* Known volumes must come out within this share. */
#define TOLERANCE 0.05
#define LEAST_B   (256 << 20)
#define MOST_B    (8192.0 * (1 << 20))
/* Cyclic loads of less than this many last-level caches may hit where these resist thrashing. */
#define CACHES 16.0

static const char *const automatic[] = {
#define LIBRARY_COUNTER(NAME, ...) #NAME,
#define KERNEL_COUNTER             LIBRARY_COUNTER
#include "base/option/byte_counters.inc"
    NULL};

static const char replay_prefix[] = "replay:";

/* "likwid:direct": a probe and what it is to do; returns what stands behind the colon, or NULL. */
static const char *split_argument(const char *wanted, char *name, size_t size)
{
    const char *colon = strchr(wanted, ':');
    snprintf(name, size, "%.*s", colon ? (int)(colon - wanted) : (int)strlen(wanted), wanted);
    return colon && colon[1] ? colon + 1 : NULL;
}

bool sp_byte_source_knows(const char *wanted)
{
    if (strcmp(wanted, "auto") == 0 || strncmp(wanted, replay_prefix, strlen(replay_prefix)) == 0)
        return true;
    char name[24];
    split_argument(wanted, name, sizeof name);
    const char *argument = strchr(wanted, ':');
    const struct sp_probe *probe = sp_probe_find(name);
    if (!probe || !probe->gives_bytes || strcmp(name, "replay") == 0)
        return false;
    static const char *const modes[] = {"direct", "daemon", "perf", NULL};
    for (int i = 0; argument && modes[i]; i++)
        if (strcmp(name, "likwid") == 0 && strcmp(argument + 1, modes[i]) == 0)
            return true;
    return !argument;
}

static bool stopped(void *context)
{
    return sp_progress_interrupted(context);
}

/* Out of all caches of the domains used, in what memory there is. */
static int64_t known_bytes(const struct sp_byte_request *r)
{
    const struct sp_cache *llc = r->machine ? sp_machine_llc(r->machine) : NULL;
    int domains = r->topology && r->topology->n_domains > 0 ? r->topology->n_domains : 1;
    double bytes = fmax(LEAST_B, llc ? CACHES * domains * (double)llc->size_B : 0);
    bytes = fmin(bytes, MOST_B);
    return (int64_t)(r->memory_B > 0 ? fmin(bytes, r->memory_B / 4) : bytes);
}

/* Share of the threads, and so of the known volumes, in each socket. */
static int domain_shares(const struct sp_binding *b, const struct sp_topology *t,
                         double share[SP_COUNT_MAX_DOMAINS])
{
    for (int i = 0; i < b->n_threads; i++)
        for (int c = 0; c < t->n_cpus; c++)
            if (t->cpu[c].os == b->cpu[i] && t->cpu[c].package < SP_COUNT_MAX_DOMAINS)
                share[t->cpu[c].package] += 1.0 / b->n_threads;
    return t->n_packages < SP_COUNT_MAX_DOMAINS ? t->n_packages : SP_COUNT_MAX_DOMAINS;
}

static enum sp_status run_known(const struct sp_byte_request *r, int n_threads, int n_shares,
                                const double *share, const struct sp_progress *progress,
                                struct sp_byte_source *s, struct sp_error *err)
{
    const struct sp_machine *m = r->machine;
    struct sp_known_options o = {.n_threads = n_threads, .bytes = known_bytes(r), .inner_B = 128 << 10};
    if (m && m->n_caches > 1 && m->cache[1].size_B > 0)
        o.inner_B = m->cache[1].size_B / 4;
    void *memory;
    enum sp_status status = sp_new_array(1, sizeof(struct sp_known_volumes), "known volumes", &memory, err);
    struct sp_known_volumes *v = memory;
    if (status == SP_OK)
        status = sp_known_volumes_open(&o, v, err);
    struct sp_protocol p = sp_protocol_default(m);
    p.interrupted = stopped;
    p.context = (void *)progress;
    for (int i = 0; status == SP_OK && i < v->n_known; i++) {
        struct sp_reading reading;
        p.known = &v->known[i];
        v->known[i].n_shares = n_shares;
        v->known[i].domain_share = share;
        sp_progress_step(progress, "counting known volumes", (double)i / v->n_known);
        status = s->probe->observe(s->session, &v->job[i], &p, &reading, err);
        if (status == SP_OK)
            sp_reading_free(&reading);
    }
    if (v)
        sp_known_volumes_close(v);
    free(v);
    return status;
}

static enum sp_status test_source(const struct sp_byte_request *r, const struct sp_progress *progress,
                                  struct sp_byte_source *s, struct sp_error *err)
{
    struct sp_binding binding;
    double share[SP_COUNT_MAX_DOMAINS] = {0};
    enum sp_status status = sp_binding_plan(r->topology, r->n_threads, SP_COMPACT, &binding, err);
    if (status != SP_OK)
        return status;
    bool pinned = sp_binding_apply(&binding, NULL) == SP_OK;
    int n_shares = domain_shares(&binding, r->topology, share);
    status = run_known(r, binding.n_threads, pinned ? n_shares : 0, share, progress, s, err);
    if (status == SP_OK) {
        s->tested = true;
        s->trust = sp_trust_of(s->probe->log(s->session), "MEM", TOLERANCE);
        if (!s->trust.trusted)
            status = sp_fail(err, SP_ABSENT,
                             "other programs that count may disturb it (spmodel doctor); " SP_O_BYTES
                             " sim simulates",
                             "%s", s->trust.text);
    }
    if (binding.pinned)
        sp_binding_undo(&binding, r->topology);
    sp_binding_free(&binding);
    return status;
}

static enum sp_status open_live(const char *wanted, const struct sp_byte_request *r,
                                const struct sp_progress *progress, struct sp_byte_source *s, bool *opened,
                                struct sp_error *err)
{
    char name[24];
    *opened = false;
    const char *argument = split_argument(wanted, name, sizeof name);
    const struct sp_probe *probe = sp_probe_find(name);
    if (!probe)
        return sp_fail(err, SP_ABSENT, NULL, "there is no source of bytes named %s", name);
    if (probe->absent)
        return sp_fail(err, SP_ABSENT, "spmodel doctor", "%s", probe->absent);
    enum sp_status status = probe->available(err);
    if (status != SP_OK)
        return status;
    sp_progress_step(progress, "opening counters", -1);
    status = probe->open(argument, &s->session, err);
    if (status != SP_OK)
        return status;
    s->probe = probe;
    *opened = true;
    snprintf(s->name, sizeof s->name, "%s", probe->name);
    status = test_source(r, progress, s, err);
    if (status != SP_OK) {
        probe->close(s->session);
        s->probe = NULL;
        s->session = NULL;
        s->tested = false;
    }
    return status;
}

/* opened: it counts, but was not believed. */
static void note_tried(struct sp_byte_source *s, const char *name, bool opened, const struct sp_error *err)
{
    if (s->n_tried == SP_MAX_TRIED)
        return;
    s->tried[s->n_tried].name = name;
    s->tried[s->n_tried].opened = opened;
    snprintf(s->tried[s->n_tried].reason, sizeof s->tried->reason, "%s", err->what);
    snprintf(s->tried[s->n_tried++].remedy, sizeof s->tried->remedy, "%s", err->remedy);
}

static enum sp_status choose_automatically(const struct sp_byte_request *r,
                                           const struct sp_progress *progress, struct sp_byte_source *s,
                                           struct sp_error *err)
{
    if (sp_markers_wanted()) { /* its counters are taken, and they are what the user wants to see */
        struct sp_error here;
        sp_fail(&here, SP_ABSENT, "spmodel import takes its output (likwid-perfctr -O)",
                "likwid-perfctr -m runs around this program and holds the counters");
        note_tried(s, "likwid", false, &here);
    }
    for (int i = 0; automatic[i] && !sp_markers_wanted(); i++) {
        struct sp_error here;
        bool opened;
        enum sp_status status = open_live(automatic[i], r, progress, s, &opened, &here);
        if (status == SP_OK || status == SP_INTERRUPTED) {
            if (status != SP_OK && err)
                *err = here;
            return status;
        }
        note_tried(s, automatic[i], opened, &here);
    }
    snprintf(s->name, sizeof s->name, "sim");
    if (!r->required)
        return SP_OK;
    char reasons[600] = "";
    for (int i = 0; i < s->n_tried; i++)
        snprintf(reasons + strlen(reasons), sizeof reasons - strlen(reasons), "%s%s: %.150s", i ? "; " : "",
                 s->tried[i].name, s->tried[i].reason);
    return sp_fail(err, SP_ABSENT,
                   "spmodel doctor says what would help; without " SP_O_REQUIRE_BYTES " they are simulated",
                   "bytes cannot be measured here (%s)", reasons);
}

enum sp_status sp_byte_source_of_recording(struct sp_recording *recording, struct sp_byte_source *s,
                                           struct sp_error *err)
{
    memset(s, 0, sizeof *s);
    s->required = true;
    s->recording = *recording;
    memset(recording, 0, sizeof *recording);
    if (!s->recording.has_counters) { /* times alone */
        s->replayed = true;
        s->constructed = s->recording.constructed;
        snprintf(s->name, sizeof s->name, "sim");
        return SP_OK;
    }
    s->probe = sp_probe_find("replay");
    enum sp_status status =
        sp_replay_open_counters(sp_record_node(&s->recording.record, SP_F_COUNTERS), s->recording.path,
                                s->recording.constructed, &s->session, err);
    if (status == SP_OK) {
        const struct sp_count_log *log = s->probe->log(s->session);
        s->constructed = log->constructed;
        s->replayed = true;
        snprintf(s->name, sizeof s->name, "%s", log->source);
        for (int i = 0; i < log->n_windows; i++)
            s->tested = s->tested || log->window[i].kind == SP_WINDOW_KNOWN;
        s->trust = sp_trust_of(log, "MEM", TOLERANCE);
    }
    if (status == SP_OK && s->tested && !s->trust.trusted)
        status = sp_fail_at(err, SP_ABSENT, s->recording.path, 0, 0,
                            "record it again with counters that count rightly; " SP_O_BYTES " sim simulates",
                            "%s", s->trust.text);
    if (status != SP_OK)
        sp_byte_source_close(s);
    return status;
}

enum sp_status sp_byte_source_choose(const struct sp_byte_request *r, const struct sp_progress *progress,
                                     struct sp_byte_source *s, struct sp_error *err)
{
    memset(s, 0, sizeof *s);
    s->required = r->required || strcmp(r->wanted, "auto") != 0;
    s->measured_only = r->required;
    if (strcmp(r->wanted, "sim") == 0) {
        snprintf(s->name, sizeof s->name, "sim");
        return SP_OK;
    }
    if (strncmp(r->wanted, replay_prefix, strlen(replay_prefix)) == 0) {
        struct sp_recording recording;
        enum sp_status status = sp_recording_open(r->wanted + strlen(replay_prefix), &recording, err);
        if (status == SP_OK)
            status = sp_byte_source_of_recording(&recording, s, err);
        s->measured_only = status == SP_OK && r->required;
        return status;
    }
    bool opened;
    enum sp_status status = strcmp(r->wanted, "auto") == 0
                                ? choose_automatically(r, progress, s, err)
                                : open_live(r->wanted, r, progress, s, &opened, err);
    if (status != SP_OK)
        sp_byte_source_close(s);
    return status;
}

void sp_byte_source_close(struct sp_byte_source *s)
{
    if (!s)
        return;
    if (s->probe && s->session)
        s->probe->close(s->session);
    sp_recording_free(&s->recording);
    memset(s, 0, sizeof *s);
}

/* A source that stopped answering: from now on bytes are simulated, and the record says why. */
static void drop_source(struct sp_byte_source *s, const struct sp_error *why)
{
    note_tried(s, s->probe ? s->probe->name : "?", true, why);
    if (s->probe && s->session)
        s->probe->close(s->session);
    s->probe = NULL;
    s->session = NULL;
    s->tested = false;
    snprintf(s->name, sizeof s->name, "sim");
}

/* The job under counters, and what the bytes that they count say: alpha measured beside alpha
 * simulated, and what the difference is due to, as far as it was tested [THEORY 2]. */

/* Differences of alpha below both are no difference. */
#define SAME_ALPHA 0.02
#define SAME_SHARE 0.1
/* How long the events of threads are counted [s]: a thirtieth of the budget, between these. */
#define LEAST_EVENTS_S 0.001
#define MOST_EVENTS_S  0.05
/* The lag of threads that is tried, as a share of their work. */
#define TRIED_SKEW 0.05

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
        enum sp_status status =
            sp_core_events_observe(&a->setup.job, sp_flop_events_read(""), events_s, &out->core, err);
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
        drop_source(s, &why);
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

/* The same kernel on a layout in pages of the other size: what alpha changes by. */
static enum sp_status try_pages(const struct sp_analysis *a, struct sp_attributed *out, struct sp_error *err)
{
    if (!a->setup.kernel || a->options->bytes->replayed) {
        not_tested(out, "page size", "the run was recorded elsewhere");
        return SP_OK;
    }
    if (a->setup_options.own) {
        not_tested(out, "page size", "a kernel of your own is made ready once");
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
