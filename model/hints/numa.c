#include <stdio.h>
#include <string.h>

#include "model/hints/rules.h"
#include "model/hints/support.h"

static const double enough = 0.95;

static enum sp_verdict judge(const struct sp_hint_inputs *in, struct sp_hint *hint,
                             struct sp_checked *checked)
{
    if (!sp_value_known(in->local_share) || !sp_hint_in_memory(in))
        return SP_SILENT;
    double share = in->local_share.value;
    if (share >= enough)
        return sp_clear(checked, "%.0f %% local", 100 * share);
    /* Remote memory at half the local bandwidth: (2 - share) units of time instead of 1. */
    struct sp_then then = {.stated = sp_value_between(0, 0, (1 - share) / (2 - share), SP_MODELLED),
                           .roof_Bps = sp_hint_best_roof(in)};
    if (!sp_gain_is_worth(in, sp_gain_of(in, &then)))
        return SP_SILENT;
    sp_hint_take(in, hint, then, SP_MODELLED, SP_LOW);
    snprintf(
        hint->evidence, sizeof hint->evidence,
        "%.0f %% of the pages lie in the memory of another NUMA node than the thread that uses them. The "
        "gain assumes half the bandwidth for those.",
        100 * (1 - share));
    hint->under = "numactl --localalloc";
    snprintf(hint->expect, sizeof hint->expect,
             "a local share near 100 %%; if it stays, the nodes have too little free memory");
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_numa = {
    .id = "G02",
    .title = "remote pages",
    .version = 2,
    .condition = "less than 95 % of the pages are local to the thread that uses them",
    .remedy = "first touch by the thread that uses the data, pinned threads, free memory on every node",
    .check = "page placement",
    .gain = "0 to (1 - s)/(2 - s) for the local share s: remote memory at half the local bandwidth",
    .judge = judge,
};
