#include "session/trial/tries.h"

#include <math.h>

#include "io/record/record.h"

/* An observation wider than this, and than the prediction, confirms no prediction that reaches 0. */
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

double sp_gain_of_both(double a, double b)
{
    return 1 - (1 - a) * (1 - b);
}

double sp_try_gain_alone(const struct sp_try *one, double from_gain)
{
    return 1 - (1 - one->trial.gain.value) / (1 - from_gain);
}

bool sp_try_is_gain(const struct sp_try *one)
{
    return sp_value_known(one->trial.gain) && one->trial.gain.lo > 0;
}

/* Does it compute the same numbers, but for the order of sums? What rounds values is never combined unasked.
 * (Values are proposed to be stored as f32 beside f64 vectors only where all of them are such numbers.) */
static bool keeps_numbers(const struct sp_try *one)
{
    const char *precision = sp_change_value(&one->variant.change, SP_OPTION_PRECISION);
    return !precision || sp_precision_from_name(precision) == SP_MIXED;
}

bool sp_gain_is_worth_adding(double gain, double before)
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
            (!best || (best->round < one->round ? sp_gain_is_worth_adding(gain, best->trial.gain.value)
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
