#include <stdio.h>

#include "base/text.h"
#include "model/gpu/gpu_predict.h"
#include "model/hints/rules.h"
#include "model/hints/support.h"

static double bytes_of(const struct sp_gpu_prediction *p, enum sp_gpu_term level, double n_nz)
{
    return p->term[level].amount.value / n_nz;
}

static enum sp_verdict judge(const struct sp_hint_inputs *in, struct sp_hint *hint,
                             struct sp_checked *checked)
{
    const struct sp_gpu_prediction *now = in->gpu ? in->gpu->now : NULL;
    const struct sp_gpu_prediction *then = in->gpu ? in->gpu->reordered : NULL;
    const double now_s = sp_gpu_hint_time(in);
    char now_text[32], then_text[32];
    if (now_s <= 0 || !then || !sp_value_known(then->roofline.time_s))
        return SP_SILENT;
    const double then_s = then->roofline.time_s.value;
    sp_text_seconds(now_text, sizeof now_text, now_s);
    sp_text_seconds(then_text, sizeof then_text, then_s);
    struct sp_then ordered = sp_then_times(now_s, then_s);
    const struct sp_gain gain = sp_gain_of(in, &ordered);
    if (!sp_gain_is_worth(in, gain))
        return sp_clear(checked, "after %s the model expects %s instead of %s", in->reorder, then_text,
                        now_text);
    const double n_nz = (double)in->n_nz;
    sp_hint_take(in, hint, ordered, SP_MODELLED, SP_MEDIUM);
    snprintf(hint->evidence, sizeof hint->evidence,
             "The modelled time is bound by %s: %.1f bytes a nonzero from the L2, %.1f from memory. After %s "
             "the same "
             "kernel would move %.1f and %.1f (modelled), in %s instead of %s.",
             now->binding, bytes_of(now, SP_GPU_TERM_L2, n_nz), bytes_of(now, SP_GPU_TERM_MEMORY, n_nz),
             in->reorder, bytes_of(then, SP_GPU_TERM_L2, n_nz), bytes_of(then, SP_GPU_TERM_MEMORY, n_nz),
             then_text, now_text);
    hint->change = sp_change_of(SP_OPTION_REORDER, in->reorder);
    snprintf(hint->expect, sizeof hint->expect,
             "fewer bytes behind the L1s; refuted if they fall and the time does not");
    sp_hint_cost(in, hint, in->reorder_s);
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_gpu_order = {
    .id = "J04",
    .title = "order on a GPU",
    .version = 2,
    .effort = SP_EFFORT_ORDER,
    .spmv_only = true,
    .condition = "on a GPU, gathers of x take bytes of the L2 or of memory beyond one load, and the modelled "
                 "time of the same kernel after a reordering is smaller",
    .remedy = "an order in which neighbouring rows use neighbouring elements of x",
    .check = "order on a GPU",
    .gain = "the modelled times of the same kernel in both orders: their difference, or their ratio where "
            "little is unexplained",
    .judge = judge,
};
