/* Runs with something taken away: each proves the loss that it takes away [THEORY 8]. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "session/analysis.h"
#include "session/pcore.h"
#include "session/runs.h"
#include "sparse/layout_variant.h"
#include "sys/core_to_core.h"
#include "sys/pages.h"

/* Gathers are not looked at where transfers reach this share of the roof. */
#define WELL_FED 0.85

static struct sp_intervention *add(struct sp_analysis *a, const char *name, struct sp_value time)
{
    struct sp_intervention *i = &a->intervention[a->n_interventions++];
    *i = (struct sp_intervention){.name = name, .time = time};
    return i;
}

/* The time of another job, measured in turn with the run's own: a machine that drifts slows both. */
static enum sp_status time_beside(struct sp_analysis *a, const struct sp_job *job, struct sp_value *time,
                                  struct sp_error *err)
{
    enum { LEAST = 7, MOST = 40 };
    struct sp_pairs pairs = {0};
    struct sp_sampling_options s = sp_run_sampling(&a->setup, a->options, a->progress);
    s.against = &a->setup.job;
    s.protocol.budget_s = 0.3 * a->options->budget_s;
    s.protocol.min_samples = LEAST;
    s.protocol.max_samples = MOST;
    *time = sp_value_none("the processors moved between cache domains during every sample");
    enum sp_status status = sp_sample_pairs(job, &s, &pairs, err);
    if (status == SP_UNDECIDED)
        status = SP_OK;
    else if (status == SP_OK) {
        const double now_s = a->pairs.time.value; /* inverse: the run's time over that of the job */
        *time = sp_value_between(now_s / pairs.inverse.value, now_s / pairs.inverse.hi,
                                 now_s / pairs.inverse.lo, SP_MEASURED);
    }
    sp_pairs_free(&pairs);
    return status;
}

/* The run's job with other shares of the same arrays. */
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
static enum sp_status reschedule(struct sp_analysis *a, enum sp_schedule schedule, int64_t block,
                                 struct sp_value *time, struct sp_error *err)
{
    struct rescheduled r = {.layout = &a->setup.layout, .job = &a->setup.job};
    enum sp_status status = sp_layout_repartition(r.layout, schedule, block, r.job->n_threads, &r.other, err);
    if (status != SP_OK)
        return status;
    struct sp_job job = a->setup.job;
    job.state = &r;
    job.run = run_rescheduled;
    status = time_beside(a, &job, time, err);
    sp_partition_free(&r.other);
    return status;
}

/* Equal shares of entries instead of the schedule in use. */
static enum sp_status equalise(struct sp_analysis *a, struct sp_error *err)
{
    struct sp_value time = a->equal_s;
    char took[32];
    enum sp_status status = reschedule(a, SP_SCHEDULE_NNZ, 0, &time, err);
    a->equal_s = time;
    if (status == SP_OK && sp_value_known(time))
        snprintf(add(a, "equal shares", time)->text, sizeof a->intervention[0].text,
                 "with equal shares of entries on the same arrays it takes %s (first touch as before)",
                 sp_text_seconds(took, sizeof took, time.value));
    return status;
}

/* Unequal busy times that the bytes do not explain: every schedule that these arrays allow is run. */
static enum sp_status try_schedules(struct sp_analysis *a, struct sp_error *err)
{
    enum sp_status status = SP_OK;
    for (int i = 0; i < a->n_schedules && status == SP_OK; i++) {
        struct sp_workload other = a->setup.workload;
        status = sp_workload_set_schedule(&other, a->schedule[i].option, err);
        if (status == SP_OK && other.schedule != SP_SCHEDULE_MERGE) /* it needs a kernel prepared for it */
            status = reschedule(a, other.schedule, other.block, &a->schedule[i].time_s, err);
    }
    return status;
}

/* Another kernel, or the same one, prepared for a layout that differs a little from the run's. */
static enum sp_status time_prepared(struct sp_analysis *a, const struct sp_workload *w,
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
                                                                              : &sp_allocator_huge};
    status = kernel->prepare(layout, &operands, &state, err);
    if (status == SP_OK) {
        const struct sp_job job = sp_kernel_job(kernel, state, layout);
        status = time_beside(a, &job, time, err);
    }
    kernel->release(state);
    sp_dense_free(&arrays);
    return status;
}

/* Columns folded into a window that the inner caches hold: every gather hits. */
static enum sp_status linearise(struct sp_analysis *a, struct sp_error *err)
{
    const struct sp_machine *m = a->options->machine;
    struct sp_pcore_options p = sp_pcore_options_for(m, &a->setup.workload);
    struct sp_layout view;
    struct sp_error why;
    enum sp_status status = sp_layout_fold(&a->setup.layout, p.fold, &view, &why);
    if (status == SP_MEMORY) {
        a->linear_s = sp_value_none("no memory for a second set of indices");
        return SP_OK;
    }
    status = time_prepared(a, &a->setup.workload, a->setup.kernel, &view, &a->linear_s, err);
    sp_layout_unfold(&view);
    char took[32];
    if (status == SP_OK && sp_value_known(a->linear_s))
        snprintf(add(a, "linearised indices", a->linear_s)->text, sizeof a->intervention[0].text,
                 "with all gathers from inner caches it takes %s%s",
                 sp_text_seconds(took, sizeof took, a->linear_s.value),
                 a->linear_s.lo > a->pairs.time.value ? ": slower, so it proves nothing" : "");
    return status;
}

/* Is it worth a run that asks for x in advance? Transfers leave much of the time, and x is beyond the L2. */
static bool may_wait(const struct sp_analysis *a)
{
    const struct sp_machine *m = a->options->machine;
    const struct sp_workload *w = &a->setup.workload;
    const double x_B = sp_layout_array_bytes(&a->setup.layout, SP_ARRAY_X);
    return w->op == SP_OP_SPMV && w->prefetch == 0 && w->precision != SP_C128 && w->n_threads > 0 &&
           (w->format == SP_FORMAT_CRS || w->format == SP_FORMAT_SELL) && w->index != SP_D16 &&
           w->schedule != SP_SCHEDULE_MERGE && m->n_caches > 1 && x_B > (double)m->cache[1].size_B &&
           sp_value_known(a->fraction) && a->fraction.value < WELL_FED;
}

/* The same arrays by the fastest kernel that asks for x in advance. */
static enum sp_status ask_in_advance(struct sp_analysis *a, struct sp_error *err)
{
    struct sp_workload w = a->setup.workload;
    struct sp_layout view = a->setup.layout;
    struct sp_pcore_options p = sp_pcore_options_for(a->options->machine, &w);
    const struct sp_kernel *kernel;
    struct sp_value rate;
    char took[32];
    w.prefetch = view.prefetch = SP_TRIED_PREFETCH;
    if (sp_pcore_choose(&w, a->options->isa, &p, &kernel, &rate, NULL) != SP_OK)
        return SP_OK; /* no kernel here asks in advance */
    enum sp_status status = time_prepared(a, &w, kernel, &view, &a->prefetch_s, err);
    if (status == SP_OK && sp_value_known(a->prefetch_s))
        snprintf(add(a, "prefetch", a->prefetch_s)->text, sizeof a->intervention[0].text,
                 "with x asked for %d entries in advance it takes %s", SP_TRIED_PREFETCH,
                 sp_text_seconds(took, sizeof took, a->prefetch_s.value));
    return status;
}

enum sp_status sp_analysis_intervene(struct sp_analysis *a, struct sp_error *err)
{
    a->linear_s = sp_value_none("no run with linearised indices was made");
    a->equal_s = sp_value_none("no run with equal shares was made");
    a->prefetch_s = sp_value_none("no run that asks for x in advance was made");
    if (a->options->no_hints || a->setup.layout.n_nz == 0 || sp_analysis_is_replayed(a))
        return SP_OK;
    sp_progress_step(a->progress, "proving the losses", -1);
    enum sp_status status = SP_OK;
    enum sp_schedule schedule = a->setup.workload.schedule;
    if (a->busy_decides && schedule != SP_SCHEDULE_MERGE)
        status = try_schedules(a, err);
    else if (a->fluid.gain > 0.02 && (schedule == SP_SCHEDULE_ROWS || schedule == SP_SCHEDULE_CYCLIC))
        status = equalise(a, err);
    if (status == SP_OK && may_wait(a))
        status = ask_in_advance(a, err);
    return status == SP_OK ? linearise(a, err) : status;
}
