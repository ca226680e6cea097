#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "model/hints/rules.h"
#include "model/hints/support.h"

/* Gathers wait for longer than execution exceeds the transfers: then C02 has the reason. */
static bool waits_longer(const struct sp_hint_inputs *in, double transfers)
{
    return in->format == SP_FORMAT_CRS && sp_hint_is_waiting(in) &&
           sp_hint_waits(in) * in->time_s.value > in->core_s.value - transfers;
}

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
    if (!best || !sp_gain_is_worth(in, gain) || waits_longer(in, transfers))
        return SP_SILENT;
    sp_hint_take(in, hint, sp_then_storage(in, best), SP_MODELLED, SP_MEDIUM);
    char core[32], data[32], other[32];
    snprintf(hint->evidence, sizeof hint->evidence,
             "Execution from L1 takes %s (measured), transfers %s. With %s execution takes %s.",
             sp_text_seconds(core, sizeof core, in->core_s.value),
             sp_text_seconds(data, sizeof data, transfers), best->option,
             sp_text_seconds(other, sizeof other, best->core_s.value));
    if (sp_hint_is_waiting(in))
        sp_hint_add_storage(in, hint, best->option);
    hint->change = best->change;
    snprintf(hint->expect, sizeof hint->expect,
             "the in-core part of the losses shrinks; refuted if P_core rises and the time stays");
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_in_core = {
    .id = "C01",
    .title = "in-core bound",
    .version = 4,
    .effort = SP_EFFORT_STORAGE,
    .condition =
        "W/P_core exceeds the transfers at the roof, and the measured P_core of another format gives "
        "a shorter max(T_core, V/b_S); silent where gathers wait for longer than that (C02)",
    .remedy = "SELL vectorises across short rows; unit-stride slots replace gathers by loads; wider CRS for "
              "long rows",
    .check = "in-core execution",
    .gain = "V and the measured P_core of the other format, by the formula of `gain`; lanes as in C02",
    .judge = judge,
};
