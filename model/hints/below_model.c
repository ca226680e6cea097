#include <stdio.h>

#include "base/text.h"
#include "model/hints/rules.h"
#include "model/hints/support.h"

static void say_terms(const struct sp_hint_inputs *in, const struct sp_alternative *best,
                      struct sp_hint *hint)
{
    const double V_B = sp_value_known(best->V_B) ? best->V_B.value : in->V_B.value;
    char data[32], core[32], time[32];
    snprintf(
        hint->evidence, sizeof hint->evidence,
        "%s is longer than transfers or execution alone: neither hides the other. %s needs %s for transfers "
        "(modelled) and %s for execution (measured).",
        sp_text_seconds(time, sizeof time, in->time_s.value), best->option,
        sp_text_seconds(data, sizeof data, V_B / in->roof_Bps.value),
        sp_text_seconds(core, sizeof core, best->core_s.value));
}

static enum sp_verdict judge(const struct sp_hint_inputs *in, struct sp_hint *hint,
                             struct sp_checked *checked)
{
    (void)checked;
    struct sp_gain gain;
    if (!sp_hint_has_volume(in) || !sp_value_known(in->time_s))
        return SP_SILENT;
    const struct sp_alternative *best = sp_best_format(in, "", false, &gain);
    if (!best || !sp_gain_is_worth(in, gain))
        return SP_SILENT;
    const bool in_flight =
        sp_hint_is_waiting(in) && in->format == SP_FORMAT_CRS && sp_is_in_lanes(best->option);
    if (!in_flight && !in->thorough)
        return SP_SILENT;
    sp_hint_take(in, hint, sp_then_storage(in, best), SP_MODELLED, in_flight ? SP_MEDIUM : SP_LOW);
    if (!in_flight)
        say_terms(in, best, hint);
    sp_hint_add_storage(in, hint, best->option);
    hint->change = best->change;
    snprintf(hint->expect, sizeof hint->expect,
             "a part of what is not explained goes; refuted if the time stays");
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_below_model = {
    .id = "C02",
    .title = "below its model",
    .version = 5,
    .effort = SP_EFFORT_STORAGE,
    .condition = "gathers wait in CRS, and a format that computes rows side by side (SELL) has more of them "
                 "in flight; or, "
                 "only where hints are tried, transfers and execution of another format make a shorter time",
    .remedy = "another format, once it has been measured to be faster",
    .gain =
        "V and P_core of the other format, by the formula of `gain`; rows side by side take away up to three "
        "quarters of the waiting, less where rows have more than 8 entries; at least six tenths of the upper "
        "end where that is large and they wait for memory",
    .judge = judge,
};
