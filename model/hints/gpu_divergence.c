#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "model/gpu/gpu_predict.h"
#include "model/hints/rules.h"
#include "model/hints/support.h"

/* A kernel is more even from so many more of the lanes' turns on. */
static const double MORE_ACTIVE = 0.05;

/* The kernel of least modelled time in the run's format whose lanes idle less; NULL: there is none. */
static const struct sp_gpu_hint_way *more_even(const struct sp_gpu_hint_inputs *gpu, double active)
{
    const struct sp_gpu_hint_way *best = NULL;
    for (int i = 0; i < gpu->n_ways; i++) {
        const struct sp_gpu_hint_way *w = &gpu->way[i];
        if (w->same_format && w->active > active + MORE_ACTIVE && sp_value_known(w->time_s) &&
            (!best || w->time_s.value < best->time_s.value))
            best = w;
    }
    return best;
}

static enum sp_verdict judge(const struct sp_hint_inputs *in, struct sp_hint *hint,
                             struct sp_checked *checked)
{
    const struct sp_gpu_prediction *now = in->gpu ? in->gpu->now : NULL;
    const double now_s = sp_gpu_hint_time(in);
    char now_text[32], then_text[32];
    if (!now || now_s <= 0 || isnan(now->traffic.active))
        return SP_SILENT;
    const double active = now->traffic.active;
    const struct sp_gpu_hint_way *even = more_even(in->gpu, active), *other = sp_best_gpu_format(in->gpu);
    const double then_s = even ? even->time_s.value : now_s;
    struct sp_then then = sp_then_times(now_s, then_s);
    const struct sp_gain gain = sp_gain_of(in, &then);
    if (!even || !sp_gain_is_worth(in, gain))
        return sp_clear(checked, "%.0f %% of the lanes' turns have an entry; %s%s would save %.1f %%",
                        100 * active, even ? even->kernel : "no other kernel of the format",
                        even ? ", whose lanes idle less," : "", 100 * gain.hi);
    if (other && other->active > active + MORE_ACTIVE && other->time_s.value <= then_s)
        return SP_SILENT; /* J01 proposes it */
    sp_hint_take(in, hint, then, SP_MODELLED, SP_MEDIUM);
    snprintf(hint->evidence, sizeof hint->evidence,
             "%s: only %.0f %% of the lanes' turns have an entry of the matrix (modelled, exact), with %s "
             "%.0f %%. The modelled time is bound by %s; the model expects %s instead of %s.",
             in->gpu->equal_rows ? "Rows are equally long, but do not fill the lanes that share them"
                                 : "Rows of a warp differ in length",
             100 * active, even->kernel, 100 * even->active, now->binding,
             sp_text_seconds(then_text, sizeof then_text, then_s),
             sp_text_seconds(now_text, sizeof now_text, now_s));
    hint->change = sp_change_of(SP_OPTION_ISA, even->kernel);
    snprintf(hint->expect, sizeof hint->expect, "%s; refuted if the time stays",
             in->gpu->equal_rows ? "fewer turns without entries" : "shorter longest warps");
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_gpu_divergence = {
    .id = "J05",
    .title = "divergence",
    .version = 2,
    .spmv_only = true,
    .condition = "on a GPU, lanes idle until the longest row of their warp is done, or multiply fill, and a "
                 "kernel for the same format whose lanes idle less has a smaller modelled time; silent where "
                 "another format (J01) does more",
    .remedy = "equal shares of rows and entries (cuda-merge), several lanes a row, sorted rows",
    .check = "divergence",
    .gain =
        "the modelled times of both kernels: their difference, or their ratio where little is unexplained",
    .judge = judge,
};
