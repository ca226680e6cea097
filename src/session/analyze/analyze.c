#include "session/analyze/analyze.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/option/option_words.h"
#include "kernels/own/own_kernel.h"
#include "session/analyze/analysis.h"
#include "session/analyze/plan.h"
#include "session/measure/conditions.h"
#include "sparse/formats/format.h"
#include "sys/machine/identity.h"

/* Counters that are believed may still not tell the bytes of this job. */
static enum sp_status check_measured(const struct sp_analysis *a, struct sp_error *err)
{
    const struct sp_byte_source *s = a->options->bytes;
    if (!s || !s->measured_only || sp_analysis_is_counted(a))
        return SP_OK;
    if (a->setup.layout.n_nz == 0)
        return sp_fail(err, SP_ABSENT, "leave " SP_O_REQUIRE_BYTES " out",
                       "the matrix has no entries to count");
    const char *level =
        a->evaluated.residence.level >= a->options->machine->n_caches ? "MEM" : a->evaluated.residence.name;
    if (a->counts.has_log && !sp_count_log_has_level(&a->counts.log, level))
        return sp_fail(err, SP_ABSENT, SP_O_COLD ", or a matrix that does not fit, moves bytes of memory",
                       "bytes cannot be measured: the data stay in %s, and %s counts no traffic there", level,
                       s->name);
    return sp_fail(err, SP_ABSENT, "without " SP_O_REQUIRE_BYTES " they are simulated",
                   "bytes cannot be measured: %s", a->evaluated.counted.total_B.why);
}

/* ---- the steps ---- */

static void take_capacity(struct sp_analysis *a)
{
    const struct sp_machine *m = a->options->machine;
    if (a->options->llc_B <= 0 || m->n_caches == 0)
        return;
    a->caches = *m;
    a->caches.cache[m->n_caches - 1].effective_B = sp_value_of(a->options->llc_B, SP_STATED);
}

static enum sp_status set_up(struct sp_analysis *a, struct sp_error *err)
{
    const struct sp_analyze_options *o = a->options;
    struct sp_workload workload;
    take_capacity(a);
    a->line_B =
        o->machine->n_caches > 0 && o->machine->cache[0].line_B > 0 ? o->machine->cache[0].line_B : 64;
    enum sp_status status = sp_analyze_workload(&a->subject->matrix, o, &workload, err);
    if (status == SP_OK && o->bytes && o->bytes->replayed)
        status = sp_recording_check_matrix(&o->bytes->recording, &a->subject->matrix, err);
    if (status != SP_OK)
        return status;
    if (o->machine_name && !sp_analysis_is_replayed(a)) {
        struct sp_identity identity;
        sp_identity_read("", o->topology, &identity);
        a->elsewhere = strcmp(identity.env_key, o->machine->env_key) != 0;
    }
    a->setup_options = (struct sp_setup_options){.isa = o->isa,
                                                 .plan = o->plan,
                                                 .any_format = sp_analyze_tries_formats(o),
                                                 .any_prefetch = !o->prefetch_given && o->prefetch == 0,
                                                 .structure = &a->subject->structure,
                                                 .store_nt = o->store_nt,
                                                 .small_pages = o->small_pages,
                                                 .lends = true,
                                                 .not_pinned = o->not_pinned,
                                                 .layout_only = sp_analysis_is_replayed(a),
                                                 .memory_B = o->memory_B,
                                                 .seed = o->seed,
                                                 .machine = o->machine,
                                                 .topology = o->topology};
    if (o->own.running) {
        a->setup_options.own = o->own.running;
        a->setup_options.kernel = &o->own.running->kernel;
    }
    a->huge_share = a->local_share = sp_value_none("the run was recorded elsewhere");
    if (a->setup_options.own)
        status = sp_analysis_own_core(a, &workload, err);
    if (status != SP_OK)
        return status;
    status = sp_setup_make(&workload, &a->setup_options, a->progress, &a->setup, err);
    if (status == SP_OK && a->setup_options.own)
        status = sp_analysis_own_arrays(a, err);
    if (status == SP_OK && !sp_analysis_is_replayed(a)) {
        a->huge_share = sp_placement_huge_share(&a->setup.layout);
        a->local_share = sp_placement_local_share(&a->setup.layout, &a->setup.binding, o->topology);
    }
    return status;
}

/* Each of these is the one place where its part is written. */
static enum sp_status observe(struct sp_analysis *a, struct sp_error *err)
{
    sp_observed_free(&a->observed);
    return sp_analysis_observe(a, &a->observed, err);
}

static enum sp_status run_core(struct sp_analysis *a, struct sp_error *err)
{
    return sp_analysis_core(a, &a->core, err);
}

static enum sp_status count(struct sp_analysis *a, struct sp_error *err)
{
    return sp_analysis_count(a, &a->counts, err);
}

static enum sp_status simulate(struct sp_analysis *a, struct sp_error *err)
{
    return sp_analysis_simulate(a, &a->simulated, err);
}

static enum sp_status evaluate_once(struct sp_analysis *a, struct sp_error *err)
{
    free(a->evaluated.thread_B);
    memset(&a->evaluated, 0, sizeof a->evaluated);
    return sp_analysis_evaluate(a, &a->evaluated, err);
}

/* Of times of this machine and caches of another no share can be told. */
static void take_shares_back(struct sp_analysis *a)
{
    struct sp_evaluated *e = &a->evaluated;
    if (!a->elsewhere || *e->doubt)
        return;
    snprintf(e->doubt, sizeof e->doubt,
             "caches and ceilings are those of %.100s, the kernel ran on this machine",
             a->options->machine->name);
    e->fraction = e->model_fraction = sp_value_none("caches and ceilings are of another machine");
}

/* A roof that cannot be is taken once more. */
static enum sp_status evaluate(struct sp_analysis *a, struct sp_error *err)
{
    enum sp_status status = evaluate_once(a, err);
    if (status == SP_OK && a->evaluated.retake) {
        status = observe(a, err);
        if (status == SP_OK)
            status = run_core(a, err);
        if (status == SP_OK)
            status = evaluate_once(a, err);
    }
    if (status == SP_OK)
        take_shares_back(a);
    return status == SP_OK ? check_measured(a, err) : status;
}

static enum sp_status compose(struct sp_analysis *a, struct sp_error *err)
{
    sp_analysis_ecm(a, &a->ecm);
    return sp_analysis_gathers(a, &a->gathers, err);
}

/* With the P_core that the proofs show, and nothing taken again. */
static enum sp_status correct(struct sp_analysis *a, struct sp_error *err)
{
    enum sp_status status = evaluate_once(a, err);
    if (status == SP_OK)
        take_shares_back(a);
    return status == SP_OK ? compose(a, err) : status;
}

static enum sp_status attribute(struct sp_analysis *a, struct sp_error *err)
{
    return sp_analysis_attribute(a, &a->attributed, err);
}

static enum sp_status reuse(struct sp_analysis *a, struct sp_error *err)
{
    return sp_analysis_reuse(a, &a->reuse, err);
}

static enum sp_status compare(struct sp_analysis *a, struct sp_error *err)
{
    return sp_analysis_compare(a, &a->compared, err);
}

static enum sp_status divide(struct sp_analysis *a, struct sp_error *err)
{
    return sp_analysis_divide(a, &a->ways, err);
}

static enum sp_status beside(struct sp_analysis *a, struct sp_error *err)
{
    return sp_analysis_beside(a, &a->beside, err);
}

static enum sp_status check_again(struct sp_analysis *a, struct sp_error *err)
{
    enum sp_status status = sp_analysis_again(a, &a->setup.check, err);
    if (status == SP_OK)
        sp_analysis_own_threads(a, &a->own);
    return status;
}

static enum sp_status domains(struct sp_analysis *a, struct sp_error *err)
{
    return sp_analysis_domains(a, &a->domain, err);
}

static enum sp_status unfuse(struct sp_analysis *a, struct sp_error *err)
{
    return sp_analysis_unfuse(a, &a->unfused, err);
}

static enum sp_status prove(struct sp_analysis *a, struct sp_error *err)
{
    return sp_analysis_prove(a, &a->proved, err);
}

static enum sp_status order(struct sp_analysis *a, struct sp_error *err)
{
    return sp_analysis_order(a, &a->ordered, err);
}

static enum sp_status account(struct sp_analysis *a, struct sp_error *err)
{
    (void)err;
    sp_analysis_account(a, &a->accounted);
    return SP_OK;
}

static enum sp_status try_best(struct sp_analysis *a, struct sp_error *err)
{
    return sp_analysis_try(a, &a->tries, err);
}

static bool is_counting(const struct sp_analysis *a)
{
    return a->options->bytes != NULL;
}

/* Where it goes, and what would shorten it, rests on the time. */
static bool has_time(const struct sp_analysis *a)
{
    return !*a->evaluated.doubt;
}

/* Reuse is that of the rows of CRS. */
static bool has_reuse(const struct sp_analysis *a)
{
    return a->own.n_stores == 0 && !a->own.traced;
}

static bool is_own(const struct sp_analysis *a)
{
    return a->setup_options.own;
}

static bool is_core_too_slow(const struct sp_analysis *a)
{
    return sp_value_known(a->proved.core_s);
}

static bool has_several_domains(const struct sp_analysis *a)
{
    return has_time(a) && a->setup.n_domains > 1;
}

static bool is_fused(const struct sp_analysis *a)
{
    return has_time(a) && a->setup.workload.op == SP_OP_FUSEDMM;
}

static bool wants_hints(const struct sp_analysis *a)
{
    return has_time(a) && !a->options->no_hints && !is_own(a);
}

static bool may_divide(const struct sp_analysis *a)
{
    return wants_hints(a) && sp_analysis_is_divisible(a);
}

#define ANALYSIS struct sp_analysis
#include "session/analyze/steps.inc"

/* All that takes time, in order. Each needs what those before it have filled. */
static const struct step steps[] = {
    {"set up", "the fastest kernel on arrays of its own, its result checked", SP_SPEND_CHOICE, NULL, set_up},
    {"sample", "time, and the roof beside it", SP_SPEND_SAMPLES, NULL, observe},
    {"core", "P_core of the team, in turn with the run", SP_SPEND_PROOFS, NULL, run_core},
    {"count", "bytes by counters", SP_RUNS, is_counting, count},
    {"simulate", "bytes of every level", SP_COMPUTES, NULL, simulate},
    {"reuse", "alpha over cache size", SP_COMPUTES, has_reuse, reuse},
    {"evaluate", "alpha, balance, roof, bounds", SP_COMPUTES, NULL, evaluate},
    {"compose", "ECM: core and transfers of every level; the roof of gathers", SP_COMPUTES, NULL, compose},
    {"attribute", "why measured and simulated alpha differ", SP_COMPUTES, NULL, attribute},
    {"compare", "bytes and P_core of other schedules, formats, widths", SP_SPEND_OTHERS, NULL, compare},
    {"divide", "bytes with ways of the last level for some arrays", SP_COMPUTES, may_divide, divide},
    {"beside", "the fastest built-in kernel on the same arrays", SP_SPEND_PROOFS, is_own, beside},
    {"domains", "what each cache domain moves", SP_COMPUTES, has_several_domains, domains},
    {"unfuse", "SDDMM and SpMM instead", SP_SPEND_PROOFS, is_fused, unfuse},
    {"prove", "runs without waiting, or with other shares", SP_SPEND_PROOFS, has_time, prove},
    {"correct", "P_core no lower than these runs show", SP_COMPUTES, is_core_too_slow, correct},
    {"order", "other orders of rows and columns", SP_SPEND_OTHERS, has_time, order},
    {"check", "the result once more", SP_RUNS, is_own, check_again},
    {"account", "P_core of other storage; losses, bottleneck, hints", SP_SPEND_OTHERS, has_time, account},
    {"try", "what the best hints bring", SP_SPEND_TRIALS, wants_hints, try_best},
};

enum { N_STEPS = sizeof steps / sizeof *steps };
static_assert(sizeof steps / sizeof *steps <= SP_MAX_STEPS, "room for all steps");

/* Pinned are steps that time what runs. What others spend of the budget is for P_core, which pins
 * by itself; the rest of them is computed by all processors. */
static void place_threads(const struct sp_analysis *a, const struct step *step)
{
    if (step->spends == SP_COMPUTES || step->spends == SP_SPEND_OTHERS)
        sp_analysis_let_go(a);
    else
        sp_analysis_pin(a);
}

static void record_end(struct sp_analysis *a, enum sp_status status, struct sp_record *record)
{
    if (status == SP_OK) {
        const bool constructed = a->options->bytes && a->options->bytes->constructed;
        sp_record_set_text(record, SP_F_STATUS, constructed ? "constructed" : "complete");
        sp_analysis_record(a, record);
    } else if (status ==
               SP_INTERRUPTED) { /* what is known about the matrix and the machine is worth keeping */
        sp_analysis_record_known(a, record);
        if (sp_value_known(a->observed.pairs.time))
            sp_record_set_metric(record, SP_F_METRICS_TIME, a->observed.pairs.time, SP_DEFINED_AS_STOPPED);
    } else if (status == SP_WRONG && is_own(a)) {
        sp_record_set_text(record, SP_F_STATUS, "failed");
        sp_analysis_record_known(a, record);
    } else {
        sp_record_free(record);
    }
}

static void free_analysis(struct sp_analysis *a)
{
    sp_analysis_let_go(a);
    sp_count_log_free(&a->counts.log);
    sp_observed_free(&a->observed);
    free(a->evaluated.thread_B);
    free(a->domain);
    free(a->tries);
    sp_reuse_free(&a->reuse);
    sp_setup_free(&a->setup);
}

enum sp_status sp_analyze_hints(const struct sp_subject *subject, const struct sp_analyze_options *options,
                                const struct sp_progress *progress, struct sp_record *record,
                                struct sp_hints *hints, struct sp_error *err)
{
    struct state {
        struct sp_analysis analysis;
        struct sp_plan plan;
    } * state;
    void *p;
    memset(hints, 0, sizeof *hints);
    enum sp_status status = sp_record_new(subject->name, record, err);
    if (status != SP_OK)
        return status;
    status = sp_new_array(1, sizeof *state, "the analysis", &p, err);
    if (status != SP_OK) {
        sp_record_free(record);
        return status;
    }
    state = p;
    struct sp_analyze_options o = *options;
    struct sp_analysis *a = &state->analysis;
    o.plan = options->plan ? options->plan : &state->plan;
    sp_plan_begin(o.plan, o.budget_s);
    *a = (struct sp_analysis){.options = &o, .subject = subject, .progress = progress};
    if (o.command)
        sp_record_set_text(record, SP_F_COMMAND, o.command);
    sp_record_set_text(record, SP_F_STATUS, "interrupted");
    status = take_steps(steps, N_STEPS, a, place_threads, err);
    record_end(a, status, record);
    if (status == SP_OK)
        *hints = a->accounted.hints;
    free_analysis(a);
    free(state);
    return status;
}

enum sp_status sp_analyze(const struct sp_subject *subject, const struct sp_analyze_options *options,
                          const struct sp_progress *progress, struct sp_record *record, struct sp_error *err)
{
    struct sp_hints hints;
    return sp_analyze_hints(subject, options, progress, record, &hints, err);
}
