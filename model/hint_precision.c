#include <stdio.h>

#include "model/hint_rules.h"
#include "model/hint_support.h"

static enum sp_verdict judge(const struct sp_hint_inputs *in, struct sp_hint *hint,
                             struct sp_checked *checked)
{
    if (in->precision != SP_F64 || in->fits_f32 == SP_UNKNOWN || !sp_hint_has_volume(in))
        return SP_SILENT;
    if (in->fits_f32 == SP_FALSE)
        return sp_clear(checked, "precision", "values need fp64");
    double alpha = sp_value_known(in->alpha)       ? in->alpha.value
                   : sp_value_known(in->alpha_min) ? in->alpha_min.value
                                                   : 0;
    double w = sp_value_known(in->w) ? in->w.value : in->store_nt ? 1 : 2;
    double saved_B = 4 * (sp_hint_stored(in) + alpha * (double)in->n_nz + w * (double)in->n_r);
    struct sp_gain gain = sp_gain_of(in, sp_hint_volume_less(in, saved_B), sp_as_now());
    if (!sp_gain_is_worth(in, gain))
        return SP_SILENT;
    sp_hint_take(hint, gain, SP_MODELLED, SP_MEDIUM);
    int length =
        snprintf(hint->evidence, sizeof hint->evidence, "Every value of the matrix is an fp32 number");
    if (in->n_distinct > 0)
        length +=
            snprintf(hint->evidence + length, sizeof hint->evidence - (size_t)length, " (%s%lld distinct)",
                     in->n_distinct_is_bound ? "at least " : "", (long long)in->n_distinct);
    snprintf(hint->evidence + length, sizeof hint->evidence - (size_t)length,
             ", so storing it so loses nothing; x, y and the sums would carry 24 bits: a relative error of "
             "about %.1e a row.",
             5.96e-8 * (double)in->n_nz / (double)(in->n_r > 0 ? in->n_r : 1));
    sp_hint_command(in, hint, "--precision f32");
    snprintf(hint->expect, sizeof hint->expect,
             "V falls by %.0f %%; the check against the reference states the error that was made",
             100 * saved_B / in->V_B.value);
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_precision = {
    .id = "E03",
    .title = "precision",
    .version = 1,
    .spmv_only = true,
    .condition = "every value is exactly an fp32 number: s_a, s_x, s_y fall from 8 to 4 bytes",
    .remedy = "fp32 where 24 bits suffice, for instance in preconditioners or inner iterations",
    .judge = judge,
};
