#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "model/hint_rules.h"
#include "model/hint_support.h"

static enum sp_verdict judge(const struct sp_hint_inputs *in, struct sp_hint *hint,
                             struct sp_checked *checked)
{
    if (!sp_hint_has_volume(in) || !sp_value_known(in->core_s) || in->core_s.value <= 0)
        return SP_SILENT;
    double transfers = in->V_B.value / in->roof_Bps.value;
    /* With transfers hidden or not, execution cannot cost more than this beyond them. */
    double excess = fmax(0, 1 - transfers / in->core_s.value);
    if (excess < in->threshold)
        return sp_clear(checked, "core bound %.1f x faster than %s", transfers / in->core_s.value,
                        sp_hint_in_memory(in) ? "memory" : in->level);
    struct sp_gain gain;
    const struct sp_alternative *best = sp_best_format(in, "", false, &gain);
    if (!best || !sp_gain_is_worth(in, gain))
        return SP_SILENT;
    sp_hint_take(hint, gain, best->core_s.origin, SP_MEDIUM);
    hint->V_then_B = best->V_B;
    hint->core_then_s = best->core_s;
    char core[32], data[32], other[32];
    snprintf(hint->evidence, sizeof hint->evidence,
             "Execution (%s without memory limits, measured) takes longer than the transfers (%s): the "
             "instructions of each row and its gathers limit it, not bandwidth. With %s execution takes %s.",
             sp_text_seconds(core, sizeof core, in->core_s.value),
             sp_text_seconds(data, sizeof data, transfers), best->option,
             sp_text_seconds(other, sizeof other, best->core_s.value));
    char change[96];
    snprintf(change, sizeof change, "--format %s", best->option);
    sp_hint_command(in, hint, change);
    snprintf(hint->expect, sizeof hint->expect,
             "the in-core part of the losses shrinks; refuted if P_core rises and the time stays");
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_in_core = {
    .id = "C01",
    .title = "in-core bound",
    .version = 3,
    .condition =
        "W/P_core exceeds the transfers at the roof, and the measured P_core of another format gives "
        "a shorter max(T_core, V/b_S)",
    .remedy = "SELL vectorises across short rows; unit-stride slots replace gathers by loads; wider CRS for "
              "long rows",
    .check = "in-core execution",
    .gain = "V and the measured P_core of the other format, by the formula of `gain`; lanes as in C02",
    .judge = judge,
};
