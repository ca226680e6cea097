/* P_core of a kernel of somebody else that is made ready once: in a process that is forked for it
 * before the analysis makes it ready, so that there, too, prepare() is called once. */

#include "base/clock.h"
#include "base/samples.h"
#include "kernels/own/own_kernel.h"
#include "session/analyze/analysis.h"
#include "session/analyze/pcore.h"
#include "session/trial/apart.h"
#include "sys/disturbance.h"

struct core_run {
    struct sp_analysis *analysis;
    const struct sp_workload *workload;
};

enum { WANTED = 15, MOST = 80, ENOUGH = 5 };

/* Executions that together last for the clock. */
static enum sp_status find_repetitions(const struct sp_job *job, int64_t *n, struct sp_error *err)
{
    static const double resolved_s = 1e-3;
    double took_s = 0;
    enum sp_status status = SP_OK;
    for (*n = 1; status == SP_OK && took_s < resolved_s; *n *= took_s < resolved_s ? 2 : 1) {
        const double start = sp_now();
        status = job->run(job->state, *n, NULL, err);
        took_s = sp_now() - start;
    }
    return status;
}

/* Seconds of an execution in undisturbed batches; how many there are, below ENOUGH: too few. */
static int time_batches(const struct sp_job *job, struct sp_thread_clock *clock, double seconds[WANTED])
{
    int64_t repetitions;
    int n = 0;
    if (find_repetitions(job, &repetitions, NULL) != SP_OK)
        return 0;
    for (int i = 0; i < MOST && n < WANTED; i++) {
        sp_thread_clocks(job->n_threads, clock);
        const double start = sp_now();
        if (job->run(job->state, repetitions, NULL, NULL) != SP_OK)
            return 0;
        const double took_s = sp_now() - start;
        sp_thread_clocks(job->n_threads, clock + job->n_threads);
        if (sp_disturbance_is_ignored() ||
            !sp_disturbance_between(clock, clock + job->n_threads, job->n_threads).disturbed)
            seconds[n++] = took_s / (double)repetitions;
    }
    return n;
}

static struct sp_value rate_of(double work, const double *seconds, int n)
{
    return n < ENOUGH ? sp_value_none("other programs disturbed your kernel on few rows")
                      : sp_value_between(work / sp_median(seconds, n), work / sp_quantile(seconds, n, 1),
                                         work / sp_quantile(seconds, n, 0), SP_MEASURED);
}

static bool measure(void *context, int pipe)
{
    const struct core_run *c = context;
    const struct sp_analyze_options *o = c->analysis->options;
    struct sp_pcore_options p = sp_pcore_options_for(o->machine, c->workload, NULL, SP_SPEND_OTHERS);
    struct sp_binding binding = {0};
    struct sp_pcore_team *team;
    struct sp_job job;
    double work, seconds[WANTED];
    void *clock;
    struct sp_value rate = sp_value_none("your kernel could not be run on few rows");
    p.own = o->own.running;
    if (!o->not_pinned &&
        sp_binding_plan(o->topology, c->workload->n_threads, SP_COMPACT, &binding, NULL) == SP_OK)
        sp_binding_apply(&binding, NULL);
    if (sp_new_array(2 * (int64_t)c->workload->n_threads, sizeof(struct sp_thread_clock), "clocks", &clock,
                     NULL) == SP_OK &&
        sp_pcore_team_make(c->workload, &o->own.running->kernel, &p, &team, &job, &work, NULL) == SP_OK)
        rate = rate_of(work, seconds, time_batches(&job, clock, seconds));
    return sp_apart_send(pipe, &rate, sizeof rate);
}

static enum sp_status take(void *context, int pipe, struct sp_error *err)
{
    struct core_run *c = context;
    struct sp_value rate;
    (void)err;
    if (sp_apart_receive(pipe, &rate, sizeof rate))
        c->analysis->own.core_flop_s = rate;
    return SP_OK;
}

enum sp_status sp_analysis_own_core(struct sp_analysis *a, const struct sp_workload *w, struct sp_error *err)
{
    struct core_run c = {a, w};
    struct sp_own *own = a->options->own.running;
    a->own.core_flop_s = sp_value_none("your kernel could not be run on few rows");
    if (sp_own_is_stateless(own) || w->matrix->n_nz == 0)
        return SP_OK;
    sp_progress_step(a->progress, "measuring P_core", -1);
    sp_apart_begin();
    enum sp_status status = sp_apart(measure, take, &c, err);
    sp_own_watch_again(own->watch); /* what failed there will fail here, and is named then */
    return status == SP_ABSENT ? SP_OK : status;
}
