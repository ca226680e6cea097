#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

#include "model/hints/rules.h"
#include "model/hints/support.h"

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
    struct sp_then other = {.time_s = then};
    const struct sp_gain gain = sp_gain_of(in, &other);
    if (then.hi >= now.value || !sp_gain_is_worth(in, gain))
        return sp_clear(checked,
                        "busy times: max/mean %.2f, but no other schedule was faster on the same arrays",
                        in->lambda_t.value);
    char before[32], after[32], change[96];
    sp_hint_take(in, hint, other, SP_MEASURED, gain.lo >= in->threshold ? SP_HIGH : SP_MEDIUM);
    snprintf(hint->evidence, sizeof hint->evidence,
             "Equal nonzeros per thread did not give equal time: busy times max/mean %.2f, entries %.2f. On "
             "the same arrays "
             "%s takes %s instead of %s (measured).",
             in->lambda_t.value, value_or_one(in->lambda_nz), best->option,
             sp_text_seconds(after, sizeof after, then.value),
             sp_text_seconds(before, sizeof before, now.value));
    snprintf(change, sizeof change, "--schedule %s", best->option);
    sp_hint_command(in, hint, change);
    snprintf(hint->expect, sizeof hint->expect,
             "lambda of times towards 1; refuted if it falls and the time stays");
    return SP_FIRES;
}

static bool equal_was_run(const struct sp_hint_inputs *in)
{
    return sp_value_known(in->equal_s) && sp_value_known(in->time_s);
}

/* The model's time of a schedule; 0: it was not looked at. */
static double fluid_of(const struct sp_hint_inputs *in, const char *option)
{
    for (int i = 0; i < in->n_schedules; i++)
        if (strcmp(in->schedules[i].option, option) == 0 && sp_value_known(in->schedules[i].fluid_s))
            return in->schedules[i].fluid_s.value;
    return 0;
}

/* By the model's ratio: what it does not explain is shared out with the bytes. */
static struct sp_then by_model(const struct sp_hint_inputs *in, double then_s)
{
    if (!sp_value_known(in->time_s) || in->fluid_s.value <= 0)
        return sp_then_times(in->fluid_s.value, then_s);
    struct sp_then then = {.time_s = sp_value_of(in->time_s.value * then_s / in->fluid_s.value, SP_MODELLED)};
    char after[32], before[32];
    snprintf(then.time_how, sizeof then.time_how, "time now x %s / %s of the fluid model",
             sp_text_seconds(after, sizeof after, then_s),
             sp_text_seconds(before, sizeof before, in->fluid_s.value));
    return then;
}

/* As the run with equal shares had it, where it was made; else by the model, but no better than busy times
 * spread evenly. */
static struct sp_then with_schedule(const struct sp_hint_inputs *in, const struct sp_alternative *best)
{
    struct sp_then then = by_model(in, best->fluid_s.value);
    if (equal_was_run(in)) {
        const struct sp_value e = in->equal_s;
        const double nnz_s = fluid_of(in, "nnz"),
                     ratio = best->fluid_s.value / (nnz_s > 0 ? nnz_s : in->fluid_equal_s.value);
        then.time_s = sp_value_between(ratio * e.value, ratio * e.lo, ratio * e.hi, e.origin);
        then.instead_s = sp_value_none("measured");
        snprintf(then.time_how, sizeof then.time_how, "run with equal shares x %.3g of the fluid model",
                 ratio);
    } else if (sp_value_known(in->lambda_t) && in->lambda_t.value >= 1 && sp_value_known(in->time_s)) {
        then.least_s = sp_value_of(in->time_s.value / in->lambda_t.value, SP_MEASURED);
        then.least_why = ", busy times spread evenly";
    }
    return then;
}

static enum sp_verdict judge(const struct sp_hint_inputs *in, struct sp_hint *hint,
                             struct sp_checked *checked)
{
    if (in->n_nz < in->n_threads) /* an entry cannot be shared */
        return in->n_threads < 2 ? SP_SILENT : sp_clear(checked, "fewer nonzeros than threads");
    if (in->n_threads < 2 || !sp_value_known(in->fluid_s) || !sp_value_known(in->fluid_equal_s))
        return SP_SILENT;
    for (int i = 0; i < in->n_schedules && sp_value_known(in->lambda_t); i++)
        if (sp_value_known(in->schedules[i].time_s))
            return judge_measured(in, hint, checked);
    struct sp_then even = by_model(in, in->fluid_equal_s.value);
    const struct sp_gain equal = sp_gain_of(in, &even);
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
    struct sp_then then = with_schedule(in, best);
    const struct sp_gain gain = sp_gain_of(in, &then);
    const bool seen = equal_was_run(in), is_it = seen && strcmp(best->option, "nnz") == 0;
    if (!sp_gain_is_worth(in, gain) || (seen && then.time_s.value >= in->time_s.value)) {
        if (seen)
            return sp_clear(checked,
                            "the fluid model says up to %.0f %%, but a run with equal shares took as long",
                            100 * equal.hi);
        if (sp_value_known(then.least_s) && in->lambda_t.value - 1 < in->threshold)
            return sp_clear(checked, "busy times: max/mean %.2f; lambda of entries %.2f", in->lambda_t.value,
                            value_or_one(in->lambda_nz));
        return SP_SILENT;
    }
    const bool confirmed = seen || (sp_value_known(in->lambda_t) && in->lambda_t.value > 1.05);
    sp_hint_take(in, hint, then, is_it ? SP_MEASURED : SP_MODELLED, confirmed ? SP_MEDIUM : SP_LOW);
    const bool is_even = in->schedule == SP_SCHEDULE_NNZ && lambda < 1.005;
    if (lambda > 0 && !is_even)
        sp_hint_add(hint, "The fullest thread has %.2f times the mean number of entries. ", lambda);
    if (sp_value_known(in->lambda_t))
        sp_hint_add(hint, "Busy times: max/mean %.2f. ", in->lambda_t.value);
    if (seen) {
        char equal_text[32], now_text[32];
        sp_hint_add(hint, "A run with equal nonzeros per thread took %s instead of %s (measured).",
                    sp_text_seconds(equal_text, sizeof equal_text, in->equal_s.value),
                    sp_text_seconds(now_text, sizeof now_text, in->time_s.value));
    } else if (is_even) {
        sp_hint_add(hint,
                    "Nonzeros per thread are equal, their times are not: modelled with the bandwidth shared, "
                    "equal times would save up to %.0f %%, %s %.0f %%.",
                    100 * equal.hi, best->option, 100 * gain.hi);
    } else {
        sp_hint_add(
            hint,
            "Modelled with the bandwidth shared, equal nonzeros per thread save up to %.0f %%, %s %.0f %%.",
            100 * equal.hi, best->option, 100 * gain.hi);
    }
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
    .version = 4,
    .condition =
        "the fluid model (n active threads progress at min(b_1, b_S/n) each) gives another schedule a "
        "shorter time than the one in use; or busy times are unequal with equal bytes, and another schedule "
        "was "
        "faster on the same arrays",
    .remedy = "balance by entries (nnz), deal blocks in turn (cyclic), or split long rows (merge)",
    .check = "load imbalance",
    .gain =
        "a run with equal shares, in the fluid model's ratio where another schedule is better; without "
        "one the model's ratio, no better than busy times spread evenly; or measured: another schedule on "
        "the same arrays; all widened by 5 % of the new time",
    .judge = judge,
};
