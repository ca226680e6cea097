#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "model/hint_rules.h"
#include "model/hint_support.h"

static enum sp_verdict judge(const struct sp_hint_inputs *in, struct sp_hint *hint,
                             struct sp_checked *checked)
{
    if (!sp_value_known(in->prefetch_s) || !sp_value_known(in->time_s) || in->prefetch < 1)
        return SP_SILENT;
    const double now = in->time_s.value;
    const struct sp_gain gain = {fmax(0, 1 - in->prefetch_s.hi / now), fmax(0, 1 - in->prefetch_s.lo / now)};
    char asked[32], change[48];
    sp_text_seconds(asked, sizeof asked, in->prefetch_s.value);
    if (gain.lo <= 0 || !sp_gain_is_worth(in, gain))
        return sp_clear(checked, "with x asked for %d entries in advance it takes %s", in->prefetch, asked);
    sp_hint_take(hint, sp_gain_widened(gain), SP_MEASURED, SP_MEDIUM);
    hint->time_then_s = in->prefetch_s;
    snprintf(
        hint->evidence, sizeof hint->evidence,
        "Gathers miss without a pattern that hardware could follow. With x asked for %d entries in advance "
        "it took %s (measured on the same arrays).",
        in->prefetch, asked);
    snprintf(change, sizeof change, "--prefetch %d", in->prefetch);
    sp_hint_command(in, hint, change);
    snprintf(hint->expect, sizeof hint->expect,
             "the part of latency shrinks, bytes stay; refuted if the time stays");
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_prefetch = {
    .id = "A03",
    .title = "late gathers",
    .version = 2,
    .spmv_only = true,
    .condition =
        "transfers do not explain the time and x does not fit the second cache: a run that asks for x in "
        "advance was made, and took less",
    .remedy = "software prefetch of x, some tens of entries ahead",
    .check = "prefetch",
    .gain = "measured: the run that asks for x in advance beside the run itself on the same arrays, widened "
            "by 5 % of the new time",
    .judge = judge,
};
