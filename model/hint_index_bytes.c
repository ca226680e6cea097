#include <stdio.h>

#include "model/hint_rules.h"
#include "model/hint_support.h"

static enum sp_verdict narrower(const struct sp_hint_inputs *in, struct sp_hint *hint, struct sp_gain gain)
{
    sp_hint_take(hint, gain, SP_MODELLED, SP_HIGH);
    snprintf(hint->evidence, sizeof hint->evidence, "Column indices take 8 bytes each; %lld columns fit 4.",
             (long long)in->n_c);
    sp_hint_command(in, hint, "--index i32");
    snprintf(hint->expect, sizeof hint->expect, "the bytes of the indices halve");
    return SP_FIRES;
}

static enum sp_verdict judge(const struct sp_hint_inputs *in, struct sp_hint *hint,
                             struct sp_checked *checked)
{
    if (!sp_hint_has_volume(in))
        return SP_SILENT;
    struct sp_gain wide = {0, 0}, unit = {0, 0};
    if (in->index == SP_I64)
        wide = sp_gain_of(in, sp_hint_volume_less(in, 4 * sp_hint_stored(in)), sp_as_now());
    const struct sp_alternative *sellu = NULL;
    if (in->format != SP_FORMAT_SELLU && in->precision != SP_C128)
        sellu = sp_best_format(in, "sellu", true, &unit);
    if (sellu) { /* a faster core is C01's, less padding D01's: what counts here is bytes */
        struct sp_value core = sellu->core_s;
        if (sp_value_known(core) && sp_value_known(in->core_s) && core.value < in->core_s.value)
            core = in->core_s;
        unit = sp_gain_of(in, sellu->V_B, core);
        bool padded = in->format == SP_FORMAT_SELL && sp_value_known(in->beta) &&
                      sp_value_known(sellu->beta) && sellu->beta.value > 1.05 * in->beta.value;
        if (padded)
            sellu = NULL;
    }
    if (sp_gain_is_worth(in, wide) && wide.lo + wide.hi >= unit.lo + unit.hi)
        return narrower(in, hint, wide);
    bool fewer = sellu && sp_value_known(sellu->V_B) && sellu->V_B.value < in->V_B.value;
    if (fewer && sp_gain_is_worth(in, unit)) {
        sp_hint_take(hint, unit, SP_MODELLED, sp_value_known(sellu->core_s) ? SP_HIGH : SP_MEDIUM);
        int length = 0;
        if (sp_value_known(in->unit_share))
            length =
                snprintf(hint->evidence, sizeof hint->evidence,
                         "In %.0f %% of the slots the columns of a chunk are consecutive: one base index "
                         "replaces them, and x is loaded as a vector instead of gathered. ",
                         100 * in->unit_share.value);
        snprintf(hint->evidence + length, sizeof hint->evidence - (size_t)length,
                 "V falls from %.4g to %.4g MB (%s).", in->V_B.value / 1e6, sellu->V_B.value / 1e6,
                 sp_origin_name(sellu->V_B.origin));
        char change[64];
        snprintf(change, sizeof change, "--format %s", sellu->option);
        sp_hint_command(in, hint, change);
        snprintf(
            hint->expect, sizeof hint->expect,
            "a higher roofline in flop/s at the same bandwidth; refuted if the fraction of the roof falls "
            "by as much");
        return SP_FIRES;
    }
    if (in->index == SP_I32 && sp_value_known(in->unit_share) && (sellu || in->format == SP_FORMAT_SELLU))
        return sp_clear(checked, "index bytes", "32-bit; %.0f %% unit-stride slots%s",
                        100 * in->unit_share.value,
                        in->format == SP_FORMAT_SELLU ? ", in use" : ", too few to gain");
    return SP_SILENT;
}

const struct sp_hint_rule sp_hint_index_bytes = {
    .id = "E01",
    .title = "index bytes",
    .version = 1,
    .spmv_only = true,
    .condition = "64-bit column indices where 32 bits do, or many SELL slots with consecutive columns: index "
                 "bytes fall to s_i (u/C + 1 - u) a stored entry",
    .remedy = "32-bit indices, or SELL with unit-stride slots",
    .judge = judge,
};
