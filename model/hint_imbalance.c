#include <stdio.h>

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

static enum sp_verdict judge(const struct sp_hint_inputs *in, struct sp_hint *hint,
                             struct sp_checked *checked)
{
    if (in->n_threads < 2 || !sp_value_known(in->fluid_s) || !sp_value_known(in->fluid_equal_s))
        return SP_SILENT;
    struct sp_gain equal = sp_gain_of_seconds(in, in->fluid_s.value, in->fluid_equal_s.value);
    double lambda = sp_value_known(in->lambda_nz) ? in->lambda_nz.value : 0;
    if (!sp_gain_is_worth(in, equal)) {
        if (lambda > 0)
            return sp_clear(checked, "load imbalance",
                            "lambda of entries %.2f; equal shares would save %.1f %%", lambda,
                            100 * equal.hi);
        return sp_clear(checked, "load imbalance", "equal shares would save %.1f %%", 100 * equal.hi);
    }
    const struct sp_alternative *best = best_schedule(in);
    if (!best)
        return SP_SILENT;
    struct sp_gain gain = sp_gain_of_seconds(in, in->fluid_s.value, best->fluid_s.value);
    if (!sp_gain_is_worth(in, gain))
        return SP_SILENT;
    /* Busy times that disagree with the entries cast doubt on bytes as the measure of work. */
    bool confirmed = sp_value_known(in->lambda_t) && in->lambda_t.value > 1.05;
    sp_hint_take(hint, gain, SP_MODELLED, confirmed ? SP_HIGH : SP_MEDIUM);
    int length = 0;
    if (lambda > 0)
        length = snprintf(hint->evidence, sizeof hint->evidence,
                          "The fullest thread has %.2f times the mean number of entries. ", lambda);
    if (sp_value_known(in->lambda_t))
        length += snprintf(hint->evidence + length, sizeof hint->evidence - (size_t)length,
                           "Busy times: max/mean %.2f. ", in->lambda_t.value);
    snprintf(
        hint->evidence + length, sizeof hint->evidence - (size_t)length,
        "Fluid model: equal shares would save %.0f %%, %s %.0f %%; stragglers speed up when others finish.",
        100 * equal.hi, best->option, 100 * gain.hi);
    char change[64];
    snprintf(change, sizeof change, "--schedule %s", best->option);
    sp_hint_command(in, hint, change);
    snprintf(hint->expect, sizeof hint->expect,
             "lambda of times towards 1; refuted if it falls and the time stays");
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_imbalance = {
    .id = "B01",
    .title = "load imbalance",
    .version = 1,
    .condition =
        "the fluid model (n active threads progress at min(b_1, b_S/n) each) gives another schedule a "
        "shorter time than the one in use",
    .remedy = "balance by entries (nnz), deal blocks in turn (cyclic), or split long rows (merge)",
    .judge = judge,
};
