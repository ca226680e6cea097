#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

#include "model/hint_rules.h"
#include "model/hint_support.h"

static const struct sp_alternative *best_schedule(const struct sp_hint_inputs *in)
{
    const struct sp_alternative *best = NULL;
    for (int i = 0; i < in->n_schedules; i++)
        if (sp_value_known(in->schedules[i].fluid_s) &&
            (!best || in->schedules[i].fluid_s.value < best->fluid_s.value))
            best = &in->schedules[i];
    return best;
}

static double value_or_one(struct sp_value v)
{
    return sp_value_known(v) ? v.value : 1;
}

/* Threads that are busy for unequal times with equal bytes: the cost of a byte differs, and only running
 * another schedule tells what it gives. */
static enum sp_verdict judge_measured(const struct sp_hint_inputs *in, struct sp_hint *hint,
                                      struct sp_checked *checked)
{
    const struct sp_alternative *best = NULL;
    for (int i = 0; i < in->n_schedules; i++)
        if (sp_value_known(in->schedules[i].time_s) &&
            (!best || in->schedules[i].time_s.value < best->time_s.value))
            best = &in->schedules[i];
    if (!best)
        return SP_SILENT;
    struct sp_value now = in->time_s, then = best->time_s;
    /* Both were run in turn, so then's interval is that of the ratio. */
    struct sp_gain gain = {fmax(0, 1 - then.hi / now.value), fmax(0, 1 - then.lo / now.value)};
    if (gain.lo <= 0 || !sp_gain_is_worth(in, gain))
        return sp_clear(checked,
                        "busy times: max/mean %.2f, but no other schedule was faster on the same arrays",
                        in->lambda_t.value);
    char before[32], after[32], change[96];
    gain = sp_gain_widened(gain);
    sp_hint_take(hint, gain, SP_MEASURED, gain.lo >= in->threshold ? SP_HIGH : SP_MEDIUM);
    hint->time_then_s = then;
    snprintf(
        hint->evidence, sizeof hint->evidence,
        "Busy times: max/mean %.2f; entries: %.2f. A byte does not cost the same everywhere, so equal shares "
        "of entries are none of time. On the same arrays %s takes %s instead of %s.",
        in->lambda_t.value, value_or_one(in->lambda_nz), best->option,
        sp_text_seconds(after, sizeof after, then.value), sp_text_seconds(before, sizeof before, now.value));
    snprintf(change, sizeof change, "--schedule %s", best->option);
    sp_hint_command(in, hint, change);
    snprintf(hint->expect, sizeof hint->expect,
             "lambda of times towards 1; refuted if it falls and the time stays");
    return SP_FIRES;
}

static enum sp_verdict judge(const struct sp_hint_inputs *in, struct sp_hint *hint,
                             struct sp_checked *checked)
{
    if (in->n_threads < 2 || !sp_value_known(in->fluid_s) || !sp_value_known(in->fluid_equal_s))
        return SP_SILENT;
    for (int i = 0; i < in->n_schedules && sp_value_known(in->lambda_t); i++)
        if (sp_value_known(in->schedules[i].time_s))
            return judge_measured(in, hint, checked);
    struct sp_gain equal = sp_gain_of_seconds(in, in->fluid_s.value, in->fluid_equal_s.value);
    double lambda = sp_value_known(in->lambda_nz) ? in->lambda_nz.value : 0;
    if (!sp_gain_is_worth(in, equal)) {
        if (lambda > 0)
            return sp_clear(checked, "lambda of entries %.2f; equal shares would save at most %.1f %%",
                            lambda, 100 * equal.hi);
        return sp_clear(checked, "equal shares would save at most %.1f %%", 100 * equal.hi);
    }
    const struct sp_alternative *best = best_schedule(in);
    if (!best)
        return SP_SILENT;
    struct sp_gain gain = sp_gain_of_seconds(in, in->fluid_s.value, best->fluid_s.value);
    if (!sp_gain_is_worth(in, gain))
        return SP_SILENT;
    bool doubted = false;
    if (sp_value_known(in->equal_s) && sp_value_known(in->time_s)) { /* equal shares of entries were run */
        double seen = fmax(0, 1 - in->equal_s.value / in->time_s.value);
        doubted = seen < 0.5 * equal.hi;
        gain.lo = fmin(gain.lo, seen);
        if (strcmp(best->option, "nnz") == 0 && seen < in->threshold)
            return sp_clear(checked,
                            "the fluid model says up to %.0f %%, but a run with equal shares took as long",
                            100 * equal.hi);
    }
    /* Busy times that disagree with the entries cast doubt on bytes as the measure of work. */
    bool confirmed = sp_value_known(in->lambda_t) && in->lambda_t.value > 1.05;
    sp_hint_take(hint, gain, SP_MODELLED, confirmed && !doubted ? SP_MEDIUM : SP_LOW);
    hint->time_then_s = best->fluid_s;
    int length = 0;
    if (lambda > 0)
        length = snprintf(hint->evidence, sizeof hint->evidence,
                          "The fullest thread has %.2f times the mean number of entries. ", lambda);
    if (sp_value_known(in->lambda_t))
        length += snprintf(hint->evidence + length, sizeof hint->evidence - (size_t)length,
                           "Busy times: max/mean %.2f. ", in->lambda_t.value);
    snprintf(hint->evidence + length, sizeof hint->evidence - (size_t)length,
             "Fluid model: equal shares would save up to %.0f %%, %s %.0f %%; stragglers speed up when "
             "others finish.",
             100 * equal.hi, best->option, 100 * gain.hi);
    if (doubted)
        snprintf(hint->evidence + strlen(hint->evidence), sizeof hint->evidence - strlen(hint->evidence),
                 " A run with equal shares of entries showed less than half of that.");
    char change[96];
    snprintf(change, sizeof change, "--schedule %s", best->option);
    sp_hint_command(in, hint, change);
    snprintf(hint->expect, sizeof hint->expect,
             "lambda of times towards 1; refuted if it falls and the time stays");
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_imbalance = {
    .id = "B01",
    .title = "load imbalance",
    .version = 3,
    .condition =
        "the fluid model (n active threads progress at min(b_1, b_S/n) each) gives another schedule a "
        "shorter time than the one in use; or busy times are unequal with equal bytes, and another schedule "
        "was "
        "faster on the same arrays",
    .remedy = "balance by entries (nnz), deal blocks in turn (cyclic), or split long rows (merge)",
    .check = "load imbalance",
    .gain =
        "the fluid model's time of the best other schedule against that of the one in use, bounded by a run "
        "with equal shares; or measured: another schedule on the same arrays, widened by 5 % of the new time",
    .judge = judge,
};
