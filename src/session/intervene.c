/* Runs with something taken away: each proves the loss that it takes away [THEORY 8]. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "session/analysis.h"
#include "session/pcore.h"
#include "sparse/layout_variant.h"
#include "sys/core_to_core.h"
#include "sys/pages.h"

/* Gathers are not looked at where transfers reach this share of the roof. */
#define WELL_FED 0.85

/* Waits until the first two threads are again in the mode of the run; all waits together take no longer than
 * a->patience_s. */
static void await_mode(struct sp_analysis *a)
{
    static const double pause_s = 0.05;
    const struct sp_core_history none = {0};
    double start = sp_now();
    if (!a->setup.binding.pinned || a->setup.job.n_threads < 2 ||
        strcmp(a->pairs.mode, sp_core_mode_name(SP_CORE_UNKNOWN)) == 0)
        return;
    for (double left_s = a->patience_s; a->patience_s > 0; a->patience_s = left_s - (sp_now() - start)) {
        enum sp_core_mode mode = sp_core_classify(&none, sp_core_to_core(a->setup.job.n_threads, 0, 1));
        if (strcmp(sp_core_mode_name(mode), a->pairs.mode) == 0 || sp_progress_interrupted(a->progress))
            return;
        sp_sleep(pause_s);
    }
}

/* The time of the job as it stands now, at the bandwidth of the run that it is compared with: the two were
 * sampled seconds apart, but each in pairs with its roof. Processors that have moved to another cache domain
 * meanwhile may come back: it tries a few times. */
static enum sp_status time_again(struct sp_analysis *a, struct sp_value *time, struct sp_error *err)
{
    enum { TRIES = 3, MOST = 40 };
    *time = sp_value_none("the processors moved between cache domains, so the runs cannot be compared");
    enum sp_status status = SP_OK;
    for (int i = 0; i < TRIES && status == SP_OK && !sp_value_known(*time); i++) {
        struct sp_pairs again = {0};
        await_mode(a);
        status = sp_analysis_sample(a, 0.15, MOST, &again, err);
        if (status == SP_OK && again.n > 0 && sp_value_known(again.inverse) &&
            strcmp(again.mode, a->pairs.mode) == 0) {
            double roofs_s = a->pairs.time.value * a->pairs.inverse.value;
            *time = a->residence.level < a->options->machine->n_caches || a->busy_decides
                        ? again.time /* no bandwidth is shared */
                        : sp_value_between(roofs_s / again.inverse.value, roofs_s / again.inverse.hi,
                                           roofs_s / again.inverse.lo, SP_MEASURED);
        }
        sp_pairs_free(&again);
    }
    return status;
}

static struct sp_intervention *add(struct sp_analysis *a, const char *name, struct sp_value time)
{
    struct sp_intervention *i = &a->intervention[a->n_interventions++];
    *i = (struct sp_intervention){.name = name, .time = time};
    return i;
}

/* Another schedule on the same arrays, first touch as before. */
static enum sp_status reschedule(struct sp_analysis *a, enum sp_schedule schedule, int64_t block,
                                 struct sp_value *time, struct sp_error *err)
{
    struct sp_layout *l = &a->setup.layout;
    struct sp_partition own = l->partition, other;
    enum sp_status status = sp_layout_repartition(l, schedule, block, own.n_threads, &other, err);
    if (status != SP_OK)
        return status;
    l->partition = other;
    status = time_again(a, time, err);
    l->partition = own;
    sp_partition_free(&other);
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

/* Columns folded into a window that the inner caches hold: every gather hits. */
static enum sp_status linearise(struct sp_analysis *a, struct sp_error *err)
{
    const struct sp_machine *m = a->options->machine;
    struct sp_pcore_options p = sp_pcore_options_for(m, &a->setup.workload);
    sp_layout_fold(&a->setup.layout, p.fold);
    enum sp_status status = time_again(a, &a->linear_s, err);
    char took[32];
    if (status == SP_OK && sp_value_known(a->linear_s))
        snprintf(add(a, "linearised indices", a->linear_s)->text, sizeof a->intervention[0].text,
                 "with all gathers from inner caches it takes %s%s",
                 sp_text_seconds(took, sizeof took, a->linear_s.value),
                 a->linear_s.lo > a->pairs.time.hi ? ": slower, so it proves nothing" : "");
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
    const struct sp_setup own = a->setup;
    struct sp_workload w = own.workload;
    struct sp_pcore_options p = sp_pcore_options_for(a->options->machine, &w);
    const struct sp_kernel *kernel;
    struct sp_dense_arrays arrays;
    struct sp_value rate;
    char took[32];
    w.prefetch = SP_TRIED_PREFETCH;
    if (sp_pcore_choose(&w, a->options->isa, &p, &kernel, &rate, NULL) != SP_OK)
        return SP_OK; /* no kernel here asks in advance */
    enum sp_status status = sp_dense_make(&w, a->options->seed, &arrays, err);
    if (status != SP_OK)
        return status;
    const struct sp_operands operands = {.x = arrays.x,
                                         .store_nt = own.facts.store_nt,
                                         .allocator = a->options->small_pages ? &sp_allocator_plain
                                                                              : &sp_allocator_huge};
    a->setup.layout.prefetch = SP_TRIED_PREFETCH;
    a->setup.state = NULL;
    status = kernel->prepare(&a->setup.layout, &operands, &a->setup.state, err);
    if (status == SP_OK) {
        a->setup.job = sp_kernel_job(kernel, a->setup.state, &a->setup.layout);
        status = time_again(a, &a->prefetch_s, err);
    }
    if (status == SP_OK && sp_value_known(a->prefetch_s))
        snprintf(add(a, "prefetch", a->prefetch_s)->text, sizeof a->intervention[0].text,
                 "with x asked for %d entries in advance it takes %s", SP_TRIED_PREFETCH,
                 sp_text_seconds(took, sizeof took, a->prefetch_s.value));
    kernel->release(a->setup.state);
    a->setup.state = own.state;
    a->setup.job = own.job;
    a->setup.layout.prefetch = own.layout.prefetch;
    sp_dense_free(&arrays);
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
    a->patience_s = 2 * a->options->budget_s;
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
