#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "model/hints/rules.h"
#include "model/hints/support.h"

static enum sp_verdict judge(const struct sp_hint_inputs *in, struct sp_hint *hint,
                             struct sp_checked *checked)
{
    if (!sp_value_known(in->prefetch_s) || !sp_value_known(in->time_s) || in->prefetch < 1)
        return SP_SILENT;
    const double now = in->time_s.value;
    struct sp_then then = {.time_s = in->prefetch_s};
    const struct sp_gain gain = sp_gain_of(in, &then);
    char asked[32];
    sp_text_seconds(asked, sizeof asked, in->prefetch_s.value);
    if (in->prefetch_s.hi >= now || !sp_gain_is_worth(in, gain))
        return sp_clear(checked, "with x prefetched %d entries ahead it takes %s", in->prefetch, asked);
    sp_hint_take(in, hint, then, SP_MEASURED, SP_MEDIUM);
    snprintf(
        hint->evidence, sizeof hint->evidence,
        "Gathers miss in an order that hardware cannot follow. With x prefetched %d entries ahead it took %s "
        "(measured on the same arrays).",
        in->prefetch, asked);
    sp_change_add_number(&hint->change, SP_OPTION_PREFETCH, in->prefetch);
    snprintf(hint->expect, sizeof hint->expect,
             "the part of latency shrinks, bytes stay; refuted if the time stays");
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_prefetch = {
    .id = "A03",
    .title = "late gathers",
    .version = 3,
    .spmv_only = true,
    .condition =
        "transfers do not explain the time and x does not fit the second cache: a run that prefetches x "
        "was made, and took less",
    .remedy = "software prefetch of x, some tens of entries ahead",
    .check = "prefetch",
    .gain = "measured: the run that prefetches x beside the run itself on the same arrays, widened "
            "by 5 % of the new time",
    .judge = judge,
};
