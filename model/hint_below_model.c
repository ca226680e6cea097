#include <stdio.h>

#include "base/text.h"
#include "model/hint_rules.h"
#include "model/hint_support.h"

static enum sp_verdict judge(const struct sp_hint_inputs *in, struct sp_hint *hint,
                             struct sp_checked *checked)
{
    (void)checked;
    struct sp_gain gain;
    if (!in->thorough || !sp_hint_has_volume(in) || !sp_value_known(in->time_s))
        return SP_SILENT;
    const struct sp_alternative *best = sp_best_format(in, "", false, &gain);
    if (!best || !sp_gain_is_worth(in, gain))
        return SP_SILENT;
    const double V_B = sp_value_known(best->V_B) ? best->V_B.value : in->V_B.value;
    char data[32], core[32], time[32], change[96];
    sp_hint_take(hint, gain, SP_MODELLED, SP_LOW);
    hint->V_then_B = best->V_B;
    hint->core_then_s = best->core_s;
    snprintf(hint->evidence, sizeof hint->evidence,
             "The kernel takes %s, longer than its transfers and longer than its execution without memory "
             "limits: the one does not hide the other. %s needs %s for the one and %s for the other "
             "(modelled, measured).",
             sp_text_seconds(time, sizeof time, in->time_s.value), best->option,
             sp_text_seconds(data, sizeof data, V_B / in->roof_Bps.value),
             sp_text_seconds(core, sizeof core, best->core_s.value));
    snprintf(change, sizeof change, "--format %s", best->option);
    sp_hint_command(in, hint, change);
    snprintf(hint->expect, sizeof hint->expect,
             "a part of what is not explained goes; refuted if the time stays");
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_below_model = {
    .id = "C02",
    .title = "below its model",
    .version = 4,
    .condition =
        "only where hints are tried: transfers and execution of another format, the shorter of them as "
        "visible behind the longer as it is now, make a shorter time",
    .remedy = "another format, once it has been measured to be faster",
    .gain = "V and P_core of the other format, by the formula of `gain`; the shorter term stays as visible "
            "behind the longer one as it is now; lanes let gathers of short rows wait together: at least six "
            "tenths of the upper end where "
            "that is large",
    .judge = judge,
};
