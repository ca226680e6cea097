#include <stdio.h>

#include "base/text.h"
#include "model/gpu/gpu_predict.h"
#include "model/hints/rules.h"
#include "model/hints/support.h"

static enum sp_verdict judge(const struct sp_hint_inputs *in, struct sp_hint *hint,
                             struct sp_checked *checked)
{
    const double now_s = sp_gpu_hint_time(in);
    const struct sp_gpu_hint_way *best = now_s > 0 ? sp_best_gpu_format(in->gpu) : NULL;
    char now_text[32], then_text[32];
    if (!best)
        return SP_SILENT;
    const double use = in->gpu->now->traffic.use;
    struct sp_then then = sp_then_times(now_s, best->time_s.value);
    const struct sp_gain gain = sp_gain_of(in, &then);
    if (!sp_gain_is_worth(in, gain))
        return sp_clear(checked,
                        "lanes use %.0f %% of the bytes of the sectors they load; the best other format "
                        "(%s) would save %.1f %%",
                        100 * use, best->option, 100 * gain.hi);
    sp_hint_take(in, hint, then, SP_MODELLED, SP_MEDIUM);
    snprintf(
        hint->evidence, sizeof hint->evidence,
        "Lanes use %.0f %% of the bytes of the 32-byte sectors that their warps load from the L1 "
        "(modelled, exact); the modelled time is bound by %s. For %s the model expects %s instead of %s.",
        100 * use, in->gpu->now->binding, best->option,
        sp_text_seconds(then_text, sizeof then_text, best->time_s.value),
        sp_text_seconds(now_text, sizeof now_text, now_s));
    hint->change = sp_change_of(SP_OPTION_FORMAT, best->option);
    snprintf(hint->expect, sizeof hint->expect,
             "fewer bytes between L1 and L2; refuted if the time stays where they fall");
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_gpu_format = {
    .id = "J01",
    .title = "format on a GPU",
    .version = 2,
    .effort = SP_EFFORT_STORAGE,
    .spmv_only = true,
    .condition = "on a GPU, the modelled time of another format is smaller: sectors that warps ask for, the "
                 "L2's and the memory's bytes follow from the entries (spmodel explain sectors)",
    .remedy = "the format whose warps ask for neighbouring bytes together: SELL-32-sigma, or CRS with "
              "several lanes a row",
    .check = "format on a GPU",
    .gain =
        "the modelled times of both formats: their difference, or their ratio where little is unexplained",
    .judge = judge,
};
