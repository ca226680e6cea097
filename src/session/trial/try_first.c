/* The hints that a report would show, tried before the report is printed, on the arrays of the run and within
 * its budget; and what their rules would not have proposed, where trying it costs next to nothing: a model's
 * few percent decide nothing. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session/analyze/analysis.h"

enum { MOST = 3, MOST_CHANCES = 6, LEAST_EXECUTIONS = 40 };
/* A prediction that may reach this gain is worth a trial. */
#define WORTH_TRYING 0.03
/* A chance may take this much of the budget; its trial begins with this look [s]. */
#define CHANCE_SHARE 0.04
#define GLANCE_S     0.01
/* Chances begin until trials have taken so many times their share of the budget. */
#define PATIENCE 1.5

/* What a trial takes before and while it samples [s]: the order, two layouts' worth of copies for each kernel
 * that takes part in the choice, and executions. */
static double cost_s(const struct sp_analysis *a, const struct sp_variant *v)
{
    const double order_s =
        *sp_variant_order(v) && sp_value_known(a->ordered.reorder_s) ? a->ordered.reorder_s.value : 0;
    return order_s + 4 * a->setup.layout_s + LEAST_EXECUTIONS * a->observed.pairs.time.value;
}

static void say_what(const struct sp_analysis *a, const struct sp_try *one)
{
    char change[SP_CHANGE_VALUES];
    sp_progress_step(a->progress, sp_change_as_typed(&one->variant.change, change, sizeof change), -1);
}

static void leave_out(struct sp_try *one, const char *why)
{
    one->trial.status =
        sp_fail(&one->trial.error, SP_ABSENT, SP_O_BUDGET " or " SP_O_TRY_HINTS " gives it time", "%s", why);
    one->trial.gain = sp_value_none(one->trial.error.what);
}

/* Is it a gain, and not known whether one worth having? */
static bool is_undecided(const struct sp_trial *t)
{
    return sp_value_known(t->gain) && t->gain.value >= WORTH_TRYING && t->gain.lo < WORTH_TRYING;
}

/* Arrays of one allocation may lie better or worse than others: where one measurement tells nothing, another
 * one is made, and the narrower of both counts. */
static enum sp_status run_trial(struct sp_trials *trials, struct sp_try *one, double budget_s,
                                struct sp_error *err)
{
    enum sp_status status = sp_trials_run(trials, &one->variant, budget_s, &one->trial, err);
    if (status != SP_OK || !is_undecided(&one->trial))
        return status;
    struct sp_trial again;
    status = sp_trials_run(trials, &one->variant, budget_s, &again, err);
    const double cost_s = one->trial.cost_s + again.cost_s;
    if (status == SP_OK && again.status == SP_OK &&
        again.gain.hi - again.gain.lo < one->trial.gain.hi - one->trial.gain.lo)
        one->trial = again;
    one->trial.cost_s = cost_s;
    return status;
}

/* The next place in `tries`, for this change; NULL: it cannot be tried, or was. */
static struct sp_try *new_try(const struct sp_analysis *a, struct sp_tries *tries, const struct sp_hint *hint)
{
    const struct sp_variant none = {0};
    struct sp_try *one = &tries->one[tries->n];
    *one = (struct sp_try){.round = 1, .for_s = a->observed.pairs.time.value};
    if (hint->change.n == 0 || sp_variant_add(&one->variant, &hint->change, NULL) != SP_OK ||
        sp_variant_is_same(&none, &one->variant, a->options))
        return NULL;
    for (int i = 0; i < tries->n; i++)
        if (sp_variant_is_same(&tries->one[i].variant, &one->variant, a->options))
            return NULL;
    tries->n++;
    snprintf(one->id, sizeof one->id, "%s", hint->id);
    snprintf(one->ids, sizeof one->ids, "%s", hint->id);
    one->own = hint->change;
    one->lo = one->own_lo = hint->gain_lo;
    one->hi = one->own_hi = hint->gain_hi;
    return one;
}

static enum sp_status try_hint(const struct sp_analysis *a, struct sp_tries *tries, struct sp_trials *trials,
                               const struct sp_hint *hint, bool *tried, struct sp_error *err)
{
    struct sp_plan *plan = a->options->plan;
    struct sp_try *one = new_try(a, tries, hint);
    *tried = false;
    if (!one)
        return SP_OK;
    const double takes_s = cost_s(a, &one->variant);
    char why[120];
    if (takes_s > plan->budget_s) {
        snprintf(why, sizeof why, "a trial would take %.2g s, more than the budget of %.2g s", takes_s,
                 plan->budget_s);
        leave_out(one, why);
        return SP_OK;
    }
    const double left_s = sp_plan_left_s(plan, SP_SPEND_TRIALS);
    say_what(a, one);
    enum sp_status status = run_trial(trials, one, left_s / 2, err);
    plan->spent_s[SP_SPEND_TRIALS] += one->trial.cost_s;
    one->outcome = sp_try_outcome(one);
    *tried = true;
    return status;
}

/* Does a change of the same rule win already? The rule took its best one first. */
static bool has_won(const struct sp_tries *tries, const char *id)
{
    for (int i = 0; i < tries->n; i++)
        if (strcmp(tries->one[i].id, id) == 0 && sp_try_is_gain(&tries->one[i]))
            return true;
    return false;
}

/* A look first; what does not seem to gain leaves no trace. */
static enum sp_status try_chance(const struct sp_analysis *a, struct sp_tries *tries,
                                 struct sp_trials *trials, const struct sp_hint *hint, bool *tried,
                                 struct sp_error *err)
{
    struct sp_plan *plan = a->options->plan;
    *tried = false;
    if (tries->n == SP_MAX_TRIES || has_won(tries, hint->id))
        return SP_OK;
    struct sp_try *one = new_try(a, tries, hint);
    if (!one)
        return SP_OK;
    one->chance = hint;
    if (cost_s(a, &one->variant) > CHANCE_SHARE * plan->budget_s) {
        tries->n--;
        return SP_OK;
    }
    *tried = true;
    say_what(a, one);
    enum sp_status status = sp_trials_run(trials, &one->variant, GLANCE_S, &one->trial, err);
    double spent_s = one->trial.cost_s;
    if (status == SP_OK && sp_value_known(one->trial.gain) && one->trial.gain.value >= WORTH_TRYING) {
        status = run_trial(trials, one, CHANCE_SHARE * plan->budget_s, err);
        spent_s += one->trial.cost_s;
    }
    plan->spent_s[SP_SPEND_TRIALS] += spent_s;
    one->outcome = sp_try_outcome(one);
    if (!sp_value_known(one->trial.gain) || one->trial.gain.lo < WORTH_TRYING)
        tries->n--;
    return status;
}

enum sp_status sp_analysis_try(const struct sp_analysis *a, struct sp_tries **out, struct sp_error *err)
{
    const struct sp_accounted *found = &a->accounted;
    struct sp_trials trials;
    bool tried;
    void *p;
    if (a->options->thorough || sp_analysis_is_replayed(a) || a->setup.layout.n_nz == 0 ||
        found->hints.n_hints + found->chances.n_hints == 0)
        return SP_OK;
    enum sp_status status = sp_new_array(1, sizeof **out, "the trials", &p, err);
    if (status != SP_OK)
        return status;
    struct sp_tries *tries = *out = p;
    tries->best = -1;
    sp_trials_borrow(a->subject, a->options, &a->setup, a->progress, &trials);
    for (int i = 0, n = 0; i < found->hints.n_hints && n < MOST && status == SP_OK; i++) {
        if (found->hints.hint[i].gain_hi < WORTH_TRYING)
            continue;
        status = try_hint(a, tries, &trials, &found->hints.hint[i], &tried, err);
        n += tried;
    }
    /* A small budget has no time for chances; beside other work trials wait for quiet moments, nor then. */
    const bool has_time = CHANCE_SHARE * a->options->plan->budget_s >= GLANCE_S;
    const double patient_s = has_time ? PATIENCE * sp_plan_share_s(a->options->plan, SP_SPEND_TRIALS) : 0;
    for (int i = 0, n = 0; i < found->chances.n_hints && n < MOST_CHANCES && status == SP_OK &&
                           a->options->plan->spent_s[SP_SPEND_TRIALS] < patient_s;
         i++) {
        status = try_chance(a, tries, &trials, &found->chances.hint[i], &tried, err);
        n += tried;
    }
    sp_trials_close(&trials);
    return status;
}
