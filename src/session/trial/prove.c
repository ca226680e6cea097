/* Runs with something taken away: each proves the loss that it takes away [THEORY 8]. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "kernels/own/own_kernel.h"
#include "session/analyze/analysis.h"
#include "session/analyze/pcore.h"
#include "sparse/formats/format.h"
#include "sparse/formats/layout.h"
#include "sparse/product/workload.h"
#include "sys/machine/pages.h"

/* Gathers are not looked at where transfers reach this share of the roof. */
#define WELL_FED 0.85
/* ... and this share, where looking costs a copy of a large matrix's indices. */
#define MOSTLY_FED 0.7
/* Rows are sorted where more than this share of the time is not explained. */
#define NOT_EXPLAINED 0.1
/* How long a run waits for quiet moments [s]: several of them are made; and one that something less
 * sure stands in for. */
#define PATIENCE_S        1
#define LITTLE_PATIENCE_S 0.1
/* Another kernel's P_core is measured by the team where it gets more than this for it [s]. */
#define LEAST_FOR_TEAM_S 9e-4
#define LEAST_SAMPLE_S   2e-4

static struct sp_intervention *add(struct sp_proved *out, const char *name, struct sp_value time)
{
    struct sp_intervention *i = &out->intervention[out->n_interventions++];
    *i = (struct sp_intervention){.name = name, .time = time};
    return i;
}

/* Pairs of samples of one job, in turn with another (NULL: with the roof). */
static enum sp_status sample_beside(const struct sp_analysis *a, const struct sp_job *job,
                                    const struct sp_job *against, enum sp_cache_state state,
                                    enum sp_spending spent, double budget_s, struct sp_pairs *pairs,
                                    struct sp_error *err)
{
    enum { LEAST = 7, LEAST_OF_LONG = 5, MOST = 40 };
    static const double long_s = 0.02; /* of the run */
    struct sp_plan *plan = a->options->plan;
    const double start = sp_now();
    struct sp_sampling_options s = sp_run_sampling(&a->setup, a->options, a->progress);
    s.against = against;
    s.protocol.state = state;
    s.protocol.budget_s = budget_s;
    if (spent == SP_SPEND_OTHERS)
        s.sample_s = fmin(s.sample_s, fmax(LEAST_SAMPLE_S, budget_s / 50));
    s.protocol.min_samples = a->observed.pairs.time.value > long_s ? LEAST_OF_LONG : LEAST;
    s.protocol.max_samples = MOST;
    s.patience_s = spent == SP_SPEND_OTHERS ? LITTLE_PATIENCE_S : PATIENCE_S;
    memset(pairs, 0, sizeof *pairs);
    const enum sp_status status = sp_sample_pairs(job, &s, pairs, err);
    plan->spent_s[spent] += sp_now() - start;
    return status;
}

/* The time of another job, measured in turn with the run's own: a machine that drifts slows both.
 * *lambda: of its threads' busy times. Data of `warm` jobs are in the inner caches; a run from cold
 * caches cannot be sampled in turn with them. */
static enum sp_status time_beside(const struct sp_analysis *a, const struct sp_job *job, bool warm,
                                  struct sp_value *time, double *lambda, struct sp_error *err)
{
    const bool in_turn = !warm || a->options->state == SP_WARM;
    struct sp_pairs pairs;
    *time = sp_value_none("the processors moved between cache domains during every sample");
    const double budget_s =
        sp_plan_left_s(a->options->plan, SP_SPEND_PROOFS) / 2; /* the next: half of the rest */
    enum sp_status status =
        sample_beside(a, job, in_turn ? &a->setup.job : NULL, warm ? SP_WARM : a->options->state,
                      SP_SPEND_PROOFS, budget_s, &pairs, err);
    if (status == SP_UNDECIDED)
        status = SP_OK;
    else if (status == SP_OK && !pairs.clean) {
        *time = sp_value_none("other programs disturbed the samples");
    } else if (status == SP_OK && in_turn) {
        const double now_s = a->observed.pairs.time.value; /* inverse: the run's time over that of the job */
        *time = sp_value_between(now_s / pairs.inverse.value, now_s / pairs.inverse.hi,
                                 now_s / pairs.inverse.lo, SP_MEASURED);
    } else if (status == SP_OK) {
        *time = pairs.time;
    }
    *lambda = status == SP_OK && pairs.thread_s ? sp_lambda(pairs.thread_s, pairs.n_threads) : 1;
    sp_pairs_free(&pairs);
    return status;
}

enum sp_status sp_analysis_time_beside(const struct sp_analysis *a, const struct sp_job *job,
                                       struct sp_value *time, struct sp_error *err)
{
    double lambda;
    return time_beside(a, job, false, time, &lambda, err);
}

/* ---- without memory limits ---- */

static double value_or_0(struct sp_value v)
{
    return sp_value_known(v) ? v.value : 0;
}

/* Is it a kernel of somebody else that was made ready for the matrix, and may know one at a
 * time? */
static bool has_one_state(const struct sp_analysis *a)
{
    return a->setup_options.own && !sp_own_is_stateless(a->setup_options.own);
}

/* A kernel on rows that the inner caches hold, by the whole team. */
struct core_job {
    struct sp_pcore_team *team;
    struct sp_job job;
    double work; /* of an execution [flop] */
};

static enum sp_status core_job_make(const struct sp_analysis *a, const struct sp_workload *w,
                                    const struct sp_kernel *kernel, struct core_job *out,
                                    struct sp_error *err)
{
    struct sp_pcore_options p = sp_pcore_options_for(a->options->machine, w, NULL, SP_SPEND_OTHERS);
    out->team = NULL;
    if (kernel == a->setup.kernel && has_one_state(a))
        return sp_fail(err, SP_ABSENT, NULL, "the kernel may be made ready once");
    p.own = a->setup_options.own;
    return sp_pcore_team_make(w, kernel, &p, &out->team, &out->job, &out->work, err);
}

/* Longer executions do not notice the start of a team [s]. */
static const double noticed_s = 1e-3;

/* A few entries a thread, those of a chunk or of a block: start and barrier are all that an
 * execution takes. */
static enum sp_status time_team(const struct sp_analysis *a, struct sp_value *team_s, struct sp_error *err)
{
    enum { BLOCK = 8, MOST = 64 };
    struct sp_workload w = a->setup.workload;
    struct sp_csr diagonal;
    struct core_job empty = {.team = NULL};
    double lambda;
    const int64_t n = (int64_t)w.n_threads * (w.C > 0 && w.C <= MOST ? w.C : BLOCK);
    enum sp_status status = sp_csr_alloc(n, n, n, w.matrix->field, NULL, &diagonal, err);
    if (status != SP_OK)
        return status;
    for (int64_t i = 0; i < n; i++) {
        diagonal.row_ptr[i + 1] = i + 1;
        diagonal.col[i] = (int32_t)i;
    }
    memset(diagonal.val, 0, (size_t)n * (sp_csr_is_complex(&diagonal) ? 2 : 1) * sizeof *diagonal.val);
    w.matrix = &diagonal;
    status = core_job_make(a, &w, a->setup.kernel, &empty, err);
    if (status == SP_OK)
        status = time_beside(a, &empty.job, true, team_s, &lambda, err);
    sp_pcore_team_free(empty.team);
    sp_csr_free(&diagonal);
    return status == SP_ABSENT || status == SP_USAGE ? SP_OK : status;
}

/* Work over an execution that takes t, the start of the team not counted. */
static double rate_in(double work, double t, double team_s)
{
    return work / fmax(t - team_s, SP_LEAST_WORK * t);
}

/* Of rows that fit the cache; the cores do no less than what the run reached. */
static struct sp_value core_rate(const struct sp_analysis *a, struct sp_value few_rows, double team_s)
{
    const struct sp_value run = a->observed.pairs.time;
    const double W = sp_workload_flops(&a->setup.workload);
    if (!sp_value_known(few_rows) || !sp_value_known(run))
        return few_rows;
    return sp_value_between(fmax(few_rows.value, rate_in(W, run.value, team_s)),
                            fmax(few_rows.lo, rate_in(W, run.hi, team_s)),
                            fmax(few_rows.hi, rate_in(W, run.lo, team_s)), SP_MEASURED);
}

enum sp_status sp_analysis_core(const struct sp_analysis *a, struct sp_core_run *out, struct sp_error *err)
{
    const struct sp_setup *s = &a->setup;
    struct core_job core;
    struct sp_value time;
    *out = (struct sp_core_run){sp_value_none("the kernel was not run without memory limits"), 1,
                                sp_value_none("an execution without work was not measured")};
    if (has_one_state(a))
        out->flop_s = core_rate(a, a->own.core_flop_s, 0); /* by a process of its own, before */
    if (has_one_state(a) || sp_analysis_is_replayed(a) || s->layout.n_nz == 0 ||
        !sp_value_known(a->observed.pairs.time))
        return SP_OK;
    enum sp_status status = core_job_make(a, &s->workload, s->kernel, &core, err);
    sp_progress_step(a->progress, "measuring P_core", -1);
    if (status == SP_OK)
        status = time_beside(a, &core.job, true, &time, &out->lambda, err);
    if (status == SP_OK && sp_value_known(time) && a->observed.pairs.time.value < noticed_s)
        status = time_team(a, &out->team_s, err);
    if (status == SP_OK && sp_value_known(out->team_s) &&
        out->team_s.value > (1 - SP_LEAST_WORK) * time.value)
        out->team_s = sp_value_none("it takes as long as all rows do");
    if (status == SP_OK && sp_value_known(time)) { /* imbalance and start are parts of their own */
        const double work = core.work * out->lambda, team_s = value_or_0(out->team_s);
        const struct sp_value rate = sp_value_between(work / (time.value - team_s), work / (time.hi - team_s),
                                                      rate_in(work, time.lo, team_s), SP_MEASURED);
        out->flop_s = core_rate(a, rate, team_s);
    }
    sp_pcore_team_free(core.team);
    return status == SP_ABSENT ? SP_OK : status;
}

/* P_core of another kernel over that of the run's, by the team in turn; SP_NONE: the samples were
 * disturbed or contradict each other, or there are no such rows. */
static enum sp_status find_core_ratio(const struct sp_analysis *a, const struct sp_workload *other,
                                      const struct sp_kernel *kernel, double budget_s, struct sp_value *ratio,
                                      struct sp_error *err)
{
    struct core_job own, theirs = {.team = NULL};
    struct sp_pairs pairs;
    *ratio = sp_value_none("not measured beside the run's own rows");
    enum sp_status status = core_job_make(a, &a->setup.workload, a->setup.kernel, &own, err);
    if (status == SP_OK)
        status = core_job_make(a, other, kernel, &theirs, err);
    if (status == SP_OK) {
        static const double agree = 2; /* ends of the interval */
        status = sample_beside(a, &theirs.job, &own.job, SP_WARM, SP_SPEND_OTHERS, budget_s, &pairs, err);
        if (status == SP_OK && pairs.clean && pairs.inverse.hi <= agree * pairs.inverse.lo) {
            const double lambda = pairs.thread_s ? sp_lambda(pairs.thread_s, pairs.n_threads) : 1,
                         P = a->core.flop_s.value, team_s = value_or_0(a->core.team_s),
                         own_s = own.work * a->core.lambda / P + team_s, work = theirs.work * lambda;
            *ratio = sp_value_between(rate_in(work, own_s / pairs.inverse.value, team_s) / P,
                                      rate_in(work, own_s / pairs.inverse.lo, team_s) / P,
                                      rate_in(work, own_s / pairs.inverse.hi, team_s) / P, SP_MEASURED);
        }
        sp_pairs_free(&pairs);
    }
    sp_pcore_team_free(theirs.team);
    sp_pcore_team_free(own.team);
    return status == SP_ABSENT || status == SP_UNDECIDED ? SP_OK : status;
}

/* Units of rows go to threads whole: the largest share over the mean one, at least. */
static double least_lambda(const struct sp_workload *w)
{
    const int64_t rows = sp_format_of(w->format)->in_chunks ? w->C : 1;
    const int64_t units = (w->matrix->n_r + rows - 1) / rows, n = w->n_threads;
    if (units == 0 || w->schedule == SP_SCHEDULE_MERGE)
        return 1;
    const int64_t most = (units + n - 1) / n; /* of one thread */
    return (double)(most * n) / (double)units;
}

enum sp_status sp_analysis_core_of(const struct sp_analysis *a, const struct sp_workload *other,
                                   const struct sp_kernel *kernel, double work, struct sp_value *core_s,
                                   struct sp_error *err)
{
    const struct sp_evaluated *e = &a->evaluated;
    const struct sp_pcore_options p =
        sp_pcore_options_for(a->options->machine, other, a->options->plan, SP_SPEND_OTHERS);
    struct sp_value rate, ratio = {0};
    *core_s = sp_value_none("the run was recorded elsewhere");
    if (sp_analysis_is_replayed(a))
        return SP_OK;
    const bool was_free = sp_analysis_pin(a), same_kernel = kernel != NULL;
    enum sp_status status = kernel ? sp_pcore_of(other, kernel, &p, &rate, err)
                                   : sp_pcore_choose(other, a->options->isa, &p, &kernel, &rate, err);
    if (status == SP_OK && sp_value_known(rate) && rate.value > 0 && sp_value_known(a->core.flop_s) &&
        p.budget_s > LEAST_FOR_TEAM_S)
        status = find_core_ratio(a, other, kernel, 4 * p.budget_s, &ratio, err);
    if (was_free)
        sp_analysis_let_go(a);
    if (status != SP_OK || !sp_value_known(rate) || rate.value <= 0) {
        *core_s = sp_value_none("P_core was not measured");
        return status;
    }
    const double alone = a->setup.workload.n_threads,
                 by = work * least_lambda(other) / (same_kernel ? least_lambda(&a->setup.workload) : 1);
    if (sp_value_known(ratio))
        *core_s = sp_value_between(by / (e->p_core.value * ratio.value), by / (e->p_core.value * ratio.hi),
                                   by / (e->p_core.value * ratio.lo), SP_MEASURED);
    else
        *core_s = sp_value_between(by / (e->team * rate.value), by / (fmax(e->team, alone) * rate.hi),
                                   by / (fmin(e->team, alone) * rate.lo), SP_MEASURED);
    return status;
}

/* ---- with something taken away ---- */

/* The run's job with other shares of the same arrays: its layout has them for as long as an
 * execution lasts. */
struct rescheduled {
    struct sp_layout *layout;
    const struct sp_job *job;
    struct sp_partition other;
};

static enum sp_status run_rescheduled(void *state, int64_t repetitions, struct sp_run_stats *stats,
                                      struct sp_error *err)
{
    struct rescheduled *r = state;
    const struct sp_partition own = r->layout->partition;
    r->layout->partition = r->other;
    enum sp_status status = r->job->run(r->job->state, repetitions, stats, err);
    r->layout->partition = own;
    return status;
}

/* Another schedule on the same arrays, first touch as before. */
static enum sp_status reschedule(const struct sp_analysis *a, enum sp_schedule schedule, int64_t block,
                                 struct sp_value *time, struct sp_error *err)
{
    struct rescheduled r = {.layout = (struct sp_layout *)&a->setup.layout, .job = &a->setup.job};
    enum sp_status status = sp_layout_repartition(r.layout, schedule, block, r.job->n_threads, &r.other, err);
    if (status != SP_OK)
        return status;
    struct sp_job job = a->setup.job;
    job.state = &r;
    job.run = run_rescheduled;
    double lambda;
    status = time_beside(a, &job, false, time, &lambda, err);
    sp_partition_free(&r.other);
    return status;
}

/* Equal shares of entries instead of the schedule in use. */
static enum sp_status equalise(const struct sp_analysis *a, struct sp_proved *out, struct sp_error *err)
{
    struct sp_value time = out->equal_s;
    char took[32];
    enum sp_status status = reschedule(a, SP_SCHEDULE_NNZ, 0, &time, err);
    out->equal_s = time;
    if (status == SP_OK && sp_value_known(time))
        snprintf(add(out, "equal shares", time)->text, sizeof out->intervention[0].text,
                 "with equal nonzeros per thread on the same arrays it takes %s (first touch as before)",
                 sp_text_seconds(took, sizeof took, time.value));
    return status;
}

/* Unequal busy times that the bytes do not explain: every schedule that these arrays allow is
 * run. */
static enum sp_status try_schedules(const struct sp_analysis *a, struct sp_proved *out, struct sp_error *err)
{
    enum sp_status status = SP_OK;
    for (int i = 0; i < a->compared.n_schedules && status == SP_OK; i++) {
        struct sp_workload other = a->setup.workload;
        status = sp_workload_set_schedule(&other, a->compared.schedule[i].option, err);
        if (status == SP_OK && other.schedule != SP_SCHEDULE_MERGE) /* it needs a kernel prepared for it */
            status = reschedule(a, other.schedule, other.block, &out->schedule_s[i], err);
    }
    return status;
}

/* Another kernel, or the same one, prepared for a layout that differs a little from the run's. */
static enum sp_status time_prepared(const struct sp_analysis *a, const struct sp_workload *w,
                                    const struct sp_kernel *kernel, const struct sp_layout *layout,
                                    struct sp_value *time, struct sp_error *err)
{
    struct sp_dense_arrays arrays;
    void *state = NULL;
    enum sp_status status = sp_dense_make(w, a->options->seed, &arrays, err);
    if (status != SP_OK)
        return status;
    const struct sp_operands operands = {.x = arrays.x,
                                         .rows = arrays.rows,
                                         .second = arrays.second,
                                         .store_nt = a->setup.facts.store_nt,
                                         .allocator = a->options->small_pages ? &sp_allocator_plain
                                                                              : &sp_allocator_huge,
                                         .own = a->setup_options.own};
    status = kernel->prepare(layout, &operands, &state, err);
    if (status == SP_OK) {
        const struct sp_job job = sp_kernel_job(kernel, state, layout);
        double lambda;
        status = time_beside(a, &job, false, time, &lambda, err);
    }
    kernel->release(state);
    sp_dense_free(&arrays);
    return status;
}

/* Is much of the run with all gathers from L1 neither execution of few rows nor transfers? Then
 * what differs is the sequence of row lengths, which few rows let a processor learn. */
static bool may_mispredict(const struct sp_analysis *a, const struct sp_proved *p)
{
    const struct sp_evaluated *e = &a->evaluated;
    const double time = a->observed.pairs.time.value;
    if (!sp_value_known(p->linear_s) || !sp_value_known(e->p_core) || !sp_value_known(e->roof_Bps))
        return false;
    const double known_s = fmax(e->balance_W / e->p_core.value, e->V_B.value / e->roof_Bps.value);
    return p->linear_s.value - known_s > NOT_EXPLAINED * time;
}

/* That, with the rows of each share in the order of their lengths: their ends are foretold. */
static enum sp_status sort_rows(const struct sp_analysis *a, struct sp_layout *view, struct sp_proved *out,
                                struct sp_error *err)
{
    void *own = view->ptr, *sorted;
    char took[32];
    enum sp_status status = sp_layout_sorted_ptr(view, &sorted, err);
    if (status != SP_OK)
        return SP_OK; /* another format, or no memory: it stays unknown */
    view->ptr = sorted;
    status = time_prepared(a, &a->setup.workload, a->setup.kernel, view, &out->sorted_s, err);
    view->ptr = own;
    sp_large_free(view->allocator, sorted, view->n_ptr, view->s_p);
    if (status == SP_OK && sp_value_known(out->sorted_s))
        snprintf(add(out, "rows by length (test)", out->sorted_s)->text, sizeof out->intervention[0].text,
                 "with that and the rows in the order of their lengths it takes %s",
                 sp_text_seconds(took, sizeof took, out->sorted_s.value));
    return status;
}

/* Where transfers take most of the time, the rest is all that gathers could wait: no copy of the
 * indices of a large matrix is made for that. */
static bool is_worth_a_copy(const struct sp_analysis *a)
{
    static const double write_Bps = 1e9, most_of_budget = 0.5; /* fresh memory is slow */
    const struct sp_layout *l = &a->setup.layout;
    const double samples_s = 14 * a->observed.pairs.time.value,
                 takes_s = (double)l->n_stored * (double)l->s_i / write_Bps + samples_s;
    return takes_s < most_of_budget * a->options->plan->budget_s || a->options->thorough ||
           !sp_value_known(a->evaluated.fraction) || a->evaluated.fraction.value < MOSTLY_FED;
}

/* Columns folded into a window that the inner caches hold: every gather hits. */
static enum sp_status linearise(const struct sp_analysis *a, struct sp_proved *out, struct sp_error *err)
{
    const struct sp_machine *m = a->options->machine;
    struct sp_pcore_options p = sp_pcore_options_for(m, &a->setup.workload, NULL, SP_SPEND_OTHERS);
    struct sp_layout view;
    struct sp_error why;
    enum sp_status status = sp_layout_fold(&a->setup.layout, p.fold, &view, &why);
    if (status != SP_OK) {
        out->linear_s = sp_value_none(status == SP_MEMORY ? "no memory for a second set of indices"
                                                          : "this format has no columns to fold");
        return SP_OK;
    }
    status = time_prepared(a, &a->setup.workload, a->setup.kernel, &view, &out->linear_s, err);
    char took[32];
    if (status == SP_OK && sp_value_known(out->linear_s))
        snprintf(add(out, "all gathers from L1 (test)", out->linear_s)->text,
                 sizeof out->intervention[0].text, "with all gathers from inner caches it takes %s%s",
                 sp_text_seconds(took, sizeof took, out->linear_s.value),
                 out->linear_s.lo > a->observed.pairs.time.value ? ": slower, so it proves nothing" : "");
    if (status == SP_OK && may_mispredict(a, out))
        status = sort_rows(a, &view, out, err);
    sp_layout_unfold(&view);
    return status;
}

/* Is it worth a run that prefetches x? Transfers leave much of the time, and x is beyond the L2. */
static bool may_wait(const struct sp_analysis *a)
{
    const struct sp_machine *m = a->options->machine;
    const struct sp_workload *w = &a->setup.workload;
    const double x_B = sp_layout_array_bytes(&a->setup.layout, SP_ARRAY_X);
    return w->op == SP_OP_SPMV && w->prefetch == 0 && w->precision != SP_C128 && w->n_threads > 0 &&
           sp_format_of(w->format)->by_lengths && w->index != SP_D16 && w->schedule != SP_SCHEDULE_MERGE &&
           m->n_caches > 1 && x_B > (double)m->cache[1].size_B && sp_value_known(a->evaluated.fraction) &&
           a->evaluated.fraction.value < WELL_FED;
}

/* The same arrays by the fastest kernel that prefetches x. */
static enum sp_status ask_in_advance(const struct sp_analysis *a, struct sp_proved *out, struct sp_error *err)
{
    struct sp_workload w = a->setup.workload;
    struct sp_layout view = a->setup.layout;
    struct sp_pcore_options p =
        sp_pcore_options_for(a->options->machine, &w, a->options->plan, SP_SPEND_OTHERS);
    const struct sp_kernel *kernel;
    struct sp_value rate;
    char took[32];
    w.prefetch = view.prefetch = out->prefetch = SP_TRIED_PREFETCH;
    if (sp_pcore_choose(&w, a->options->isa, &p, &kernel, &rate, NULL) != SP_OK)
        return SP_OK; /* no kernel here prefetches */
    enum sp_status status = time_prepared(a, &w, kernel, &view, &out->prefetch_s, err);
    if (status == SP_OK && sp_value_known(out->prefetch_s))
        snprintf(add(out, "prefetch", out->prefetch_s)->text, sizeof out->intervention[0].text,
                 "with x prefetched %d entries ahead it takes %s", SP_TRIED_PREFETCH,
                 sp_text_seconds(took, sizeof took, out->prefetch_s.value));
    return status;
}

/* On the rows of the choice, of which the whole run is expected to be the same multiple. */
static void take_choice(const struct sp_analysis *a, double ratio, struct sp_proved *out)
{
    static const double sure = 0.05;
    const struct sp_value t = a->observed.pairs.time;
    out->prefetch_s =
        sp_value_between(ratio * t.value, (1 - sure) * ratio * t.lo, (1 + sure) * ratio * t.hi, SP_MEASURED);
}

/* Few rows can take longer than their share of all: then all of them tell P_core. */
static void shorten_core(const struct sp_analysis *a, struct sp_proved *p)
{
    static const double noticed = 0.05, least = 0.1; /* of it; the end of an interval may be 0 */
    const struct sp_loss_inputs in = {.time_s = a->observed.pairs.time,
                                      .core_s = sp_analysis_execution(a),
                                      .gathers_s = sp_gather_beyond_first(&a->gathers),
                                      .team_s = a->core.team_s,
                                      .linear_s = p->linear_s,
                                      .sorted_s = p->sorted_s};
    struct sp_value core = sp_loss_execution(&in);
    if (!sp_value_known(core) || core.value <= 0 || core.value >= (1 - noticed) * in.core_s.value)
        return;
    core.lo = fmax(core.lo, least * core.value);
    p->core_s = core;
    p->core_share = core.value / in.core_s.value;
}

static enum sp_status prove(const struct sp_analysis *a, struct sp_proved *out, struct sp_error *err)
{
    out->linear_s = sp_value_none("no test with all gathers from L1 was made");
    out->sorted_s = sp_value_none("rows were not run in the order of their lengths");
    out->equal_s = sp_value_none("no run with equal shares was made");
    out->prefetch_s = sp_value_none("no run that prefetches x was made");
    out->core_s = sp_value_none("no run shows that execution takes less than was measured of few rows");
    out->core_share = 1;
    if (a->options->no_hints || a->setup.layout.n_nz == 0 || sp_analysis_is_replayed(a))
        return SP_OK;
    if (has_one_state(a)) {
        out->linear_s = sp_value_none("your kernel's prepare() is called once: it ran with no other columns");
        return SP_OK;
    }
    sp_progress_step(a->progress, "proving the losses", -1);
    enum sp_status status = SP_OK;
    if (a->setup_options.own) /* the rest would be kernels of the program in its place */
        return is_worth_a_copy(a) ? linearise(a, out, err) : SP_OK;
    enum sp_schedule schedule = a->setup.workload.schedule;
    if (a->evaluated.busy_decides && schedule != SP_SCHEDULE_MERGE)
        status = try_schedules(a, out, err);
    else if (a->evaluated.fluid.gain > 0.02 &&
             (schedule == SP_SCHEDULE_ROWS || schedule == SP_SCHEDULE_CYCLIC))
        status = equalise(a, out, err);
    double ratio;
    if (status == SP_OK && may_wait(a) && sp_choice_prefetch(&a->setup.choice, &ratio, &out->prefetch))
        take_choice(a, ratio, out); /* it was tried when the kernel was chosen */
    else if (status == SP_OK && may_wait(a))
        status = ask_in_advance(a, out, err);
    if (status != SP_OK || is_worth_a_copy(a))
        return status == SP_OK ? linearise(a, out, err) : status;
    out->linear_s = sp_value_none("transfers take most of the time, and a test would need a large copy");
    return SP_OK;
}

enum sp_status sp_analysis_prove(const struct sp_analysis *a, struct sp_proved *out, struct sp_error *err)
{
    const enum sp_status status = prove(a, out, err);
    if (status == SP_OK)
        shorten_core(a, out);
    return status;
}

/* One of the two operations of the pair. */
struct half {
    struct sp_workload workload;
    struct sp_layout layout;
    const struct sp_kernel *kernel;
    void *state;
};

static enum sp_status run_pair(void *state, int64_t repetitions, struct sp_run_stats *stats,
                               struct sp_error *err)
{
    struct half *half = state;
    enum sp_status status = SP_OK;
    double start = sp_now();
    for (int64_t i = 0; i < repetitions && status == SP_OK; i++)
        for (int k = 0; k < 2 && status == SP_OK; k++)
            status = half[k].kernel->run(half[k].state, 1, NULL, err);
    for (int t = 0; stats && stats->thread_s && t < stats->n_threads; t++)
        stats->thread_s[t] = sp_now() - start;
    return status;
}

static enum sp_status choose(const struct sp_analysis *a, struct half *h, struct sp_error *err)
{
    const struct sp_machine *m = a->options->machine;
    struct sp_value rate;
    struct sp_pcore_options p = sp_pcore_options_for(m, &h->workload, a->options->plan, SP_SPEND_OTHERS);
    return sp_pcore_choose(&h->workload, a->options->isa, &p, &h->kernel, &rate, err);
}

/* Operands and state; `values`: P where it lies, for SpMM. */
static enum sp_status prepare(const struct sp_analysis *a, struct half *h, struct sp_error *err)
{
    const struct sp_allocator *pages = a->options->small_pages ? &sp_allocator_plain : &sp_allocator_huge;
    struct sp_dense_arrays dense;
    enum sp_status status = choose(a, h, err);
    if (status == SP_OK)
        status = sp_dense_make(&h->workload, a->options->seed, &dense, err);
    if (status != SP_OK)
        return status;
    struct sp_operands operands = {
        .x = dense.x, .rows = dense.rows, .store_nt = a->setup.facts.store_nt, .allocator = pages};
    status = h->kernel->prepare(&h->layout, &operands, &h->state, err);
    sp_dense_free(&dense);
    return status;
}

/* SDDMM with a layout of its own, then SpMM on its pattern, with its result as values. */
static enum sp_status make_pair(const struct sp_analysis *a, struct half half[2], struct sp_error *err)
{
    const struct sp_allocator *pages = a->options->small_pages ? &sp_allocator_plain : &sp_allocator_huge;
    struct sp_kernel_facts facts;
    half[0].workload = half[1].workload = a->setup.workload;
    half[0].workload.op = SP_OP_SDDMM;
    half[1].workload.op = SP_OP_SPMM;
    enum sp_status status = sp_layout_make(&half[0].workload, true, pages, &half[0].layout, err);
    if (status == SP_OK)
        status = prepare(a, &half[0], err);
    if (status != SP_OK)
        return status;
    half[0].kernel->facts(half[0].state, &facts);
    half[1].layout = half[0].layout;
    half[1].layout.op = SP_OP_SPMM;
    half[1].layout.n_r_used = half[1].layout.n_r;
    half[1].layout.val = (void *)facts.y;
    return prepare(a, &half[1], err);
}

/* The second layout borrows the arrays of the first. */
static void release(struct half half[2])
{
    for (int k = 1; k >= 0; k--)
        if (half[k].kernel)
            half[k].kernel->release(half[k].state);
    sp_layout_free(&half[0].layout);
}

static enum sp_status time_pair(const struct sp_analysis *a, struct half half[2], struct sp_value *time,
                                struct sp_error *err)
{
    struct sp_analysis with = *a;
    struct sp_pairs pairs = {0};
    with.setup.job = sp_kernel_job(half[1].kernel, half[1].state, &half[1].layout);
    with.setup.job.name = "sddmm, spmm";
    with.setup.job.state = half;
    with.setup.job.run = run_pair;
    enum sp_status status =
        sp_analysis_sample(&with, sp_plan_left_s(a->options->plan, SP_SPEND_PROOFS) / 2, 20, &pairs, err);
    if (status == SP_OK)
        *time = strcmp(pairs.mode, a->observed.pairs.mode) == 0
                    ? pairs.time
                    : sp_value_none("the processors moved between cache domains");
    sp_pairs_free(&pairs);
    return status;
}

/* Bytes through memory of one execution from empty caches. */
static enum sp_status simulate(const struct sp_analysis *a, const struct sp_layout *l, double *bytes_B,
                               struct sp_error *err)
{
    struct sp_sim_options o = sp_analysis_sim_options(a);
    struct sp_traffic traffic[SP_MAX_LEVELS];
    int n_levels;
    o.state = SP_SIM_COLD;
    enum sp_status status = sp_sim_traffic(l, &o, traffic, &n_levels, NULL, err);
    if (status == SP_OK)
        *bytes_B = traffic[n_levels - 1].read_B.value + traffic[n_levels - 1].write_B.value;
    return status;
}

/* V of the pair less V of the fused kernel where the gathers of both cost the same: what THEORY 6
 * has, and S's values. */
static double predicted_saving(const struct sp_analysis *a, const struct half half[2])
{
    double w = a->setup.facts.store_nt ? 1 : 2, alpha = a->evaluated.alpha_min.alpha;
    double pair_B = sp_volume_layout(&half[0].layout, alpha, w).total_B +
                    sp_volume_layout(&half[1].layout, alpha, w).total_B;
    return pair_B - sp_volume_layout(&a->setup.layout, alpha, w).total_B;
}

/* Runs and simulates the pair with the analysis's matrix, width, precision, threads and schedule,
 * each by the kernel with the highest P_core; SpMM takes pattern and values from where SDDMM has
 * them. SP_INTERRUPTED, SP_MEMORY. */
static enum sp_status compare_pair(const struct sp_analysis *a, struct sp_unfused *out, struct sp_error *err)
{
    struct half half[2] = {{.kernel = NULL}, {.kernel = NULL}};
    double sampled_B = 0, product_B = 0, fused_B = 0;
    *out = (struct sp_unfused){.time_s = sp_value_none("not run"), .bytes_B = sp_value_none("not simulated")};
    enum sp_status status = make_pair(a, half, err);
    if (status == SP_OK)
        status = time_pair(a, half, &out->time_s, err);
    if (status == SP_OK)
        status = simulate(a, &half[0].layout, &sampled_B, err);
    if (status == SP_OK)
        status = simulate(a, &half[1].layout, &product_B, err);
    if (status == SP_OK)
        status = simulate(a, &a->setup.layout, &fused_B, err);
    if (status == SP_OK) {
        out->bytes_B = sp_value_of(sampled_B + product_B, SP_SIMULATED);
        out->fused_B = sp_value_of(fused_B, SP_SIMULATED);
        out->predicted_B = sp_value_of(predicted_saving(a, half), SP_MODELLED);
    }
    release(half);
    return status;
}

enum sp_status sp_analysis_unfuse(const struct sp_analysis *a, struct sp_unfused *out, struct sp_error *err)
{
    out->time_s = out->bytes_B = sp_value_none("there is no pair to compare with");
    if (a->setup.workload.op != SP_OP_FUSEDMM || a->options->no_hints || !a->evaluated.at_level ||
        a->setup.layout.n_nz == 0 || sp_analysis_is_replayed(a))
        return SP_OK;
    sp_progress_step(a->progress, "running SDDMM and SpMM instead", -1);
    return compare_pair(a, out, err);
}
