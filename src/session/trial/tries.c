#include "session/trial/tries.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/option/option_words.h"
#include "io/record/record.h"
#include "session/analyze/analysis.h"
#include "session/record/parts.h"

/* An observation wider than this, and than the prediction, confirms no prediction that reaches
 * 0. */
#define SHARP 0.05
/* A combination that saves less than this on top is not worth its options. */
#define WORTH_ADDING 0.01

const char *sp_outcome_name(enum sp_outcome outcome)
{
    static const char *const names[SP_N_OUTCOMES] = {
        "not tried", "confirmed", "more than predicted", "less than predicted",
        "refuted",   "open",      "other conditions"};
    return names[outcome];
}

enum sp_outcome sp_outcome_of(double lo, double hi, struct sp_value gain)
{
    if (!sp_value_known(gain))
        return SP_NOT_TRIED;
    if (gain.lo > hi)
        return SP_EXCEEDED;
    if (gain.hi < lo)
        return gain.lo > 0 ? SP_LESS : SP_REFUTED;
    const bool is_sharp = gain.hi - gain.lo <= fmax(hi - lo, SHARP);
    return gain.lo > 0 || (lo <= 0 && gain.value > 0 && is_sharp) ? SP_CONFIRMED : SP_OPEN;
}

double sp_try_conditions(const struct sp_try *one)
{
    return one->for_s > 0 && sp_value_known(one->trial.base_time) ? one->trial.base_time.value / one->for_s
                                                                  : NAN;
}

enum sp_outcome sp_try_outcome(const struct sp_try *one)
{
    const bool other = sp_value_known(one->trial.gain) && sp_conditions_differ(sp_try_conditions(one));
    return other ? SP_OTHER_CONDITIONS : sp_outcome_of(one->lo, one->hi, one->trial.gain);
}

double sp_tries_trial_s(const struct sp_tries *tries)
{
    double longest_s = fmax(tries->budget_s / SP_TRY_PARTS, tries->honest.trial.cost_s);
    for (int i = 0; i < tries->n; i++)
        longest_s = fmax(longest_s, tries->one[i].trial.cost_s);
    return longest_s;
}

double sp_tries_process_s(const struct sp_tries *tries)
{
    return sp_tries_trial_s(tries) - tries->budget_s / SP_TRY_PARTS / 2;
}

bool sp_tries_has_time(const struct sp_tries *tries, double spent_s, double step_s)
{
    return spent_s + step_s + sp_tries_process_s(tries) <= tries->budget_s;
}

int sp_tries_processes(const struct sp_tries *tries, double spent_s)
{
    const double fit = (tries->budget_s - spent_s) / sp_tries_process_s(tries);
    return fit > 0 ? (int)fmin(fit, SP_TRY_PROCESSES) : 0;
}

double sp_try_gain_alone(const struct sp_try *one, double from_gain)
{
    return 1 - (1 - one->trial.gain.value) / (1 - from_gain);
}

bool sp_try_is_gain(const struct sp_try *one)
{
    return sp_value_known(one->trial.gain) && one->trial.gain.lo > 0;
}

/* Does it compute the same numbers, but for the order of sums? What rounds values is never combined
 * unasked. (Values are proposed to be stored as f32 beside f64 vectors only where all of them are
 * such numbers.) */
static bool keeps_numbers(const struct sp_try *one)
{
    const char *precision = sp_change_value(&one->variant.change, SP_OPTION_PRECISION);
    return !precision || sp_precision_from_name(precision) == SP_MIXED;
}

bool sp_try_is_worth_adding(double gain, double before)
{
    return gain > before + WORTH_ADDING;
}

const struct sp_try *sp_tries_best(const struct sp_tries *tries)
{
    const struct sp_try *best = NULL;
    for (int i = 0; i < tries->n; i++) {
        const struct sp_try *one = &tries->one[i];
        const double gain = one->trial.gain.value;
        if (sp_try_is_gain(one) && keeps_numbers(one) &&
            (!best || (best->round < one->round ? sp_try_is_worth_adding(gain, best->trial.gain.value)
                                                : gain > best->trial.gain.value)))
            best = one;
    }
    return best;
}

const struct sp_try *sp_tries_contender(const struct sp_tries *tries, const bool *done, double gain)
{
    const struct sp_try *best = NULL;
    for (int i = 0; i < tries->n; i++) {
        const struct sp_try *one = &tries->one[i];
        if (!done[i] && sp_try_is_gain(one) && keeps_numbers(one) && one->trial.gain.lo > gain &&
            (!best || one->trial.gain.value > best->trial.gain.value))
            best = one;
    }
    return best;
}

const struct sp_try *sp_tries_next(const struct sp_tries *tries, int from, int to,
                                   const struct sp_variant *added, const bool *used)
{
    const struct sp_try *next = NULL;
    for (int i = from; i < to; i++) {
        const struct sp_try *one = &tries->one[i];
        if (!used[i] && sp_try_is_gain(one) && keeps_numbers(one) &&
            !sp_change_shares(&added->change, &one->own) &&
            (!next || one->trial.gain.value > next->trial.gain.value))
            next = one;
    }
    return next;
}

/* What trials found out, in the record. */

/* Share of the time saved, as observed. */
static json_t *observed(const struct sp_try *one)
{
    return sp_record_value_json(one->trial.gain, "1");
}

json_t *sp_json_trial(const struct sp_variant *variant, const struct sp_trial *t)
{
    json_t *item = json_object();
    sp_json_change(item, &variant->change);
    if (t->status != SP_OK) {
        json_object_set_new(item, "failed", json_string(t->error.what));
        return item;
    }
    json_object_set_new(item, "kernel", json_string(t->kernel));
    json_object_set_new(item, "time", sp_record_value_json(t->time, "s"));
    json_object_set_new(item, "base_time", sp_record_value_json(t->base_time, "s"));
    json_object_set_new(item, "reorder_s", json_real(t->reorder_s));
    json_object_set_new(item, "layout_s", json_real(t->layout_s));
    json_object_set_new(item, "setup_executions", sp_json_number(sp_trial_setup_executions(t)));
    json_object_set_new(item, "pays_after", sp_json_number(sp_trial_pays_after(t)));
    json_object_set_new(item, "max_error", sp_json_number(t->max_error));
    json_object_set_new(item, "pairs", json_integer(t->n_pairs));
    json_object_set_new(item, "processes", json_integer(t->n_processes));
    json_object_set_new(item, "cost_s", json_real(t->cost_s));
    return item;
}

static json_t *prediction(const struct sp_try *one)
{
    json_t *gain = json_object();
    json_object_set_new(gain, "lo", json_real(one->lo));
    json_object_set_new(gain, "hi", json_real(one->hi));
    return gain;
}

/* Did the run itself take the time that the prediction was made for? */
static void add_conditions(json_t *item, const struct sp_try *one)
{
    const double ratio = sp_try_conditions(one);
    if (isfinite(ratio))
        json_object_set_new(item, "conditions", json_real(ratio));
}

static json_t *try_json(const struct sp_try *one)
{
    json_t *item = json_object();
    add_conditions(item, one);
    json_object_set_new(item, "hints", json_string(one->ids));
    json_object_set_new(item, "round", json_integer(one->round));
    json_object_set_new(item, "gain", prediction(one));
    json_object_set_new(item, "observed", observed(one));
    json_object_set_new(item, "outcome", json_string(sp_outcome_name(one->outcome)));
    json_object_set_new(item, "trial", sp_json_trial(&one->variant, &one->trial));
    return item;
}

/* The hint of the run's own analysis that was tried alone: round 1. */
static void complete_hint(json_t *hint, const struct sp_tries *tries)
{
    const char *id = json_string_value(json_object_get(hint, "id")),
               *change = json_string_value(json_object_get(hint, "change"));
    char own[SP_CHANGE_VALUES];
    for (int i = 0; id && change && i < tries->n; i++) {
        const struct sp_try *one = &tries->one[i];
        if (one->round != 1 || strcmp(one->id, id) != 0 ||
            strcmp(sp_change_as_typed(&one->own, own, sizeof own), change) != 0)
            continue;
        json_object_set_new(hint, "observed", observed(one));
        json_object_set_new(hint, "outcome", json_string(sp_outcome_name(one->outcome)));
        add_conditions(hint, one);
        json_object_set_new(hint, "trial", sp_json_trial(&one->variant, &one->trial));
        return;
    }
}

/* Measured again in fresh processes; where that did not come to pass, as its own trial had it, and
 * why. */
static json_t *best_json(const struct sp_tries *tries)
{
    const bool is_confirmed = tries->confirmed.trial.n_processes > 0;
    const char *error = tries->confirmed.trial.error.what;
    json_t *item = try_json(is_confirmed ? &tries->confirmed : &tries->one[tries->best]);
    json_object_set_new(item, "command", json_string(tries->command));
    if (!is_confirmed)
        json_object_set_new(item, "unconfirmed",
                            json_string(tries->interrupted ? "the trials were interrupted"
                                        : *error           ? error
                                                           : "it was not measured again"));
    return item;
}

void sp_record_tried_hints(struct sp_record *r, const struct sp_tries *tries)
{
    json_t *hint;
    size_t i;
    json_array_foreach((json_t *)sp_record_node(r, SP_F_HINTS), i, hint) complete_hint(hint, tries);
}

void sp_record_tries(struct sp_record *r, const struct sp_tries *tries)
{
    sp_record_tried_hints(r, tries);
    sp_record_set_number(r, SP_F_TRIES_BUDGET_S, tries->budget_s);
    sp_record_set_number(r, SP_F_TRIES_COST_S, tries->cost_s);
    if (tries->honest.variant.change.n > 0)
        sp_record_set_object(r, SP_F_TRIES_HONEST, try_json(&tries->honest));
    else
        sp_record_set_null(r, SP_F_TRIES_HONEST, *tries->run_is ? tries->run_is : "it was not reached");
    sp_record_set_object(r, SP_F_TRIES_FURTHER, json_array());
    for (int k = 0; k < tries->n; k++) /* what is not in hints[] */
        if (!tries->one[k].id[0] || tries->one[k].round > 1)
            sp_record_append(r, SP_F_TRIES_FURTHER, try_json(&tries->one[k]));
    if (tries->best >= 0)
        sp_record_set_object(r, SP_F_TRIES_BEST, best_json(tries));
    else
        sp_record_set_null(r, SP_F_TRIES_BEST,
                           tries->interrupted
                               ? "the trials were interrupted; until then nothing was faster than the run"
                               : "nothing that was tried is faster than the run");
}

/* The hints that a report would show, tried before the report is printed, on the arrays of the run
 * and within its budget; and what their rules would not have proposed, where trying it costs next
 * to nothing: a model's few percent decide nothing. */

enum { MOST = 3, MOST_CHANCES = 6, LEAST_EXECUTIONS = 40 };
/* A prediction that may reach this gain is worth a trial. */
#define WORTH_TRYING 0.03
/* A chance may take this much of the budget; its trial begins with this look [s]. */
#define CHANCE_SHARE 0.04
#define GLANCE_S     0.01
/* Chances begin until trials have taken so many times their share of the budget. */
#define PATIENCE 1.5

/* What a trial takes before and while it samples [s]: the order, two layouts' worth of copies for
 * each kernel that takes part in the choice, and executions. */
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

/* Arrays of one allocation may lie better or worse than others: where one measurement tells
 * nothing, another one is made, and the narrower of both counts. */
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
static struct sp_try *next_try(const struct sp_analysis *a, struct sp_tries *tries,
                               const struct sp_hint *hint)
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

static enum sp_status try_on_arrays(const struct sp_analysis *a, struct sp_tries *tries,
                                    struct sp_trials *trials, const struct sp_hint *hint, bool *tried,
                                    struct sp_error *err)
{
    struct sp_plan *plan = a->options->plan;
    struct sp_try *one = next_try(a, tries, hint);
    *tried = false;
    if (!one)
        return SP_OK;
    const double takes_s = cost_s(a, &one->variant), spent_s = plan->spent_s[SP_SPEND_TRIALS];
    char why[120];
    if (takes_s + spent_s > plan->budget_s) {
        snprintf(why, sizeof why, "%s trial would take %.2g s, more than %sthe budget of %.2g s",
                 spent_s > 0 ? "another" : "a", takes_s, spent_s > 0 ? "is left of " : "", plan->budget_s);
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
    struct sp_try *one = next_try(a, tries, hint);
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
        status = try_on_arrays(a, tries, &trials, &found->hints.hint[i], &tried, err);
        n += tried;
    }
    /* A small budget has no time for chances; beside other work trials wait for quiet moments, nor
     * then. */
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
