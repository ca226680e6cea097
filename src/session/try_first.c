/* The hints that a report would show, tried before the report is printed: on the arrays of the run, within
 * its budget. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session/analysis.h"

enum { MOST = 3, LEAST_EXECUTIONS = 40 };
/* A prediction that may reach this gain is worth a trial. */
#define WORTH_TRYING 0.03

/* What a trial takes before and while it samples [s]: the order, two layouts' worth of copies for each kernel
 * that takes part in the choice, and executions. */
static double cost_s(const struct sp_analysis *a, const struct sp_variant *v)
{
    const double order_s =
        v->reorder[0] && sp_value_known(a->ordered.reorder_s) ? a->ordered.reorder_s.value : 0;
    return order_s + 4 * a->setup.layout_s + LEAST_EXECUTIONS * a->observed.pairs.time.value;
}

static void leave_out(struct sp_try *one, const char *why)
{
    one->trial.status =
        sp_fail(&one->trial.error, SP_ABSENT, "--budget or --try-hints gives it time", "%s", why);
    one->trial.gain = sp_value_none(one->trial.error.what);
}

static enum sp_status try_one(const struct sp_analysis *a, struct sp_tries *tries, struct sp_trials *trials,
                              const struct sp_hint *hint, bool *tried, struct sp_error *err)
{
    struct sp_plan *plan = a->options->plan;
    struct sp_try *one = &tries->one[tries->n];
    *tried = false;
    *one = (struct sp_try){.round = 1, .variant = sp_variant_none(), .for_s = a->observed.pairs.time.value};
    if (!hint->change[0] || sp_variant_add(&one->variant, hint->change, NULL) != SP_OK)
        return SP_OK;
    for (int i = 0; i < tries->n; i++)
        if (sp_variant_is_same(&tries->one[i].variant, &one->variant, a->options))
            return SP_OK;
    tries->n++;
    snprintf(one->id, sizeof one->id, "%s", hint->id);
    snprintf(one->ids, sizeof one->ids, "%s", hint->id);
    snprintf(one->own, sizeof one->own, "%s", hint->change);
    one->lo = one->own_lo = hint->gain_lo;
    one->hi = one->own_hi = hint->gain_hi;
    const double takes_s = cost_s(a, &one->variant);
    char why[120];
    if (takes_s > plan->budget_s) {
        snprintf(why, sizeof why, "a trial would take %.2g s, more than the budget of %.2g s", takes_s,
                 plan->budget_s);
        leave_out(one, why);
        return SP_OK;
    }
    const double left_s = sp_plan_left_s(plan, SP_SPEND_TRIALS);
    sp_progress_step(a->progress, one->variant.change, -1);
    enum sp_status status = sp_trials_run(trials, &one->variant, left_s / 2, &one->trial, err);
    plan->spent_s[SP_SPEND_TRIALS] += one->trial.cost_s;
    one->outcome = sp_try_outcome(one);
    *tried = true;
    return status;
}

enum sp_status sp_analysis_try(const struct sp_analysis *a, struct sp_tries **out, struct sp_error *err)
{
    struct sp_trials trials;
    void *p;
    if (a->options->thorough || sp_analysis_is_replayed(a) || a->accounted.hints.n_hints == 0 ||
        a->setup.layout.n_nz == 0)
        return SP_OK;
    enum sp_status status = sp_new_array(1, sizeof **out, "the trials", &p, err);
    if (status != SP_OK)
        return status;
    struct sp_tries *tries = *out = p;
    tries->best = -1;
    sp_trials_borrow(a->subject, a->options, &a->setup, a->progress, &trials);
    int n_tried = 0;
    for (int i = 0; i < a->accounted.hints.n_hints && n_tried < MOST && status == SP_OK; i++) {
        bool tried;
        if (a->accounted.hints.hint[i].gain_hi < WORTH_TRYING)
            continue;
        status = try_one(a, tries, &trials, &a->accounted.hints.hint[i], &tried, err);
        n_tried += tried;
    }
    sp_trials_close(&trials);
    return status;
}
