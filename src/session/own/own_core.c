/* P_core of a kernel of somebody else that is made ready once: in a process that is forked for it before the
 * analysis makes it ready, so that there, too, prepare() is called once. */
#include <math.h>

#include "base/clock.h"
#include "base/samples.h"
#include "kernels/own/own_kernel.h"
#include "session/analyze/analysis.h"
#include "session/analyze/pcore.h"
#include "session/trial/apart.h"

struct core_run {
    struct sp_analysis *analysis;
    const struct sp_workload *workload;
};

enum { BATCHES = 15 };

/* Seconds of an execution in each of the batches, which last for the clock. */
static enum sp_status time_batches(const struct sp_job *job, double *seconds, struct sp_error *err)
{
    static const double resolved_s = 1e-3;
    int64_t n = 1;
    double took_s = 0;
    enum sp_status status = SP_OK;
    for (int i = -1; i < BATCHES && status == SP_OK; i += took_s >= resolved_s || i >= 0) {
        const double start = sp_now();
        status = job->run(job->state, n, NULL, err);
        took_s = sp_now() - start;
        if (i < 0 && took_s < resolved_s)
            n *= 2;
        else if (i >= 0)
            seconds[i] = took_s / (double)n;
    }
    return status;
}

static bool measure(void *context, int pipe)
{
    const struct core_run *c = context;
    const struct sp_analyze_options *o = c->analysis->options;
    struct sp_pcore_options p = sp_pcore_options_for(o->machine, c->workload, NULL, SP_SPEND_OTHERS);
    struct sp_binding binding = {0};
    struct sp_pcore_team *team;
    struct sp_job job;
    double work, seconds[BATCHES];
    struct sp_value rate = sp_value_none("your kernel could not be run on few rows");
    p.own = o->own.running;
    if (!o->not_pinned &&
        sp_binding_plan(o->topology, c->workload->n_threads, SP_COMPACT, &binding, NULL) == SP_OK)
        sp_binding_apply(&binding, NULL);
    if (sp_pcore_team_make(c->workload, &o->own.running->kernel, &p, &team, &job, &work, NULL) == SP_OK &&
        time_batches(&job, seconds, NULL) == SP_OK)
        rate = sp_value_between(work / sp_median(seconds, BATCHES), work / sp_quantile(seconds, BATCHES, 1),
                                work / sp_quantile(seconds, BATCHES, 0), SP_MEASURED);
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
