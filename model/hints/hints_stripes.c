/* The hint on column blocking: the format striped. */
#include <stdio.h>

#include "base/text.h"
#include "model/hints/rules.h"

/* Gathers that missed the last-level cache and then hit it wait about a fifth as long. */
static struct sp_then in_stripes(const struct sp_hint_inputs *in, const struct sp_storage *storage)
{
    static const double as_long = 0.2;
    const double excess = in->alpha.value - in->alpha_min.value;
    struct sp_then then = sp_then_bytes(in, storage->V_B, storage->core_s, 0);
    then.held = sp_value_known(storage->core_s);
    if (then.held && sp_hint_is_waiting(in) && excess > 0)
        then.gone = sp_value_between(0, 0, (1 - as_long) * excess / in->alpha.value, SP_MODELLED);
    return then;
}

/* How much waiting stripes save depends on how much of the cache is theirs, now and then. Promises
 * below six tenths of the time gave -24 to +8 % in three trials, larger ones +17 to +71 % in four
 * [docs/results, advice scored]. */
static bool is_promising(const struct sp_hint_inputs *in, struct sp_gain gain)
{
    static const double much = 0.6;
    return sp_gain_is_worth(in, gain) && (!sp_hint_is_waiting(in) || gain.hi >= much);
}

static enum sp_verdict judge_stripes(const struct sp_hint_inputs *in, struct sp_hint *hint,
                                     struct sp_checked *checked)
{
    const struct sp_storage *storage = sp_hint_storage(in, "striped");
    if (!sp_hint_in_memory(in) || !sp_hint_has_volume(in) || !sp_value_known(in->alpha) ||
        !sp_value_known(in->alpha_min) || !sp_value_known(storage->V_B))
        return SP_SILENT;
    char x[32], now[32], lo[32], hi[32];
    sp_text_bytes(now, sizeof now, in->V_B.value);
    sp_text_bytes(lo, sizeof lo, storage->V_B.lo);
    sp_text_bytes(hi, sizeof hi, storage->V_B.hi);
    struct sp_then then = in_stripes(in, storage);
    const struct sp_gain gain = sp_gain_of(in, &then);
    if (!is_promising(in, gain))
        return sp_clear(checked, "stripes would move %s to %s instead of %s, at most %.0f %% less time", lo,
                        hi, now, 100 * gain.hi);
    sp_hint_take(in, hint, then, SP_MODELLED, sp_value_known(storage->core_s) ? SP_MEDIUM : SP_LOW);
    snprintf(hint->evidence, sizeof hint->evidence,
             "x (%s) exceeds the last-level cache and is loaded %.1f times. In stripes of columns whose part "
             "of x stays "
             "there, %s to %s would move instead of %s (modelled; repeated updates of y counted).",
             sp_text_bytes(x, sizeof x, (double)sp_precision_size(in->precision) * (double)in->n_c),
             in->alpha.value / in->alpha_min.value, lo, hi, now);
    hint->change = storage->change;
    sp_hint_cost(in, hint, storage->build_s);
    snprintf(hint->expect, sizeof hint->expect,
             "alpha near %.3f, and y moved several times; refuted if the time stays", in->alpha_min.value);
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_stripes = {
    .id = "A04",
    .title = "no column blocking",
    .version = 5,
    .effort = SP_EFFORT_STORAGE,
    .spmv_only = true,
    .condition =
        "x exceeds the last-level cache and alpha its least: in stripes of W columns, W s_x at most half of "
        "that cache, V = (s_a + s_i + 2) n_nz + 2 (s_y n_r + 64 L_y) + alpha_min s_x n_nz is "
        "smaller, and its P_core does not cost it all; where gathers wait, only if six tenths of the time "
        "may go",
    .remedy =
        "store the matrix in stripes of columns (" SP_O_FORMAT " striped:W), computed one after the other",
    .check = "column blocking",
    .gain = "V of the striped layout, later updates of y counted, and its P_core, by the formula of `gain`; "
            "at most, gathers that hit instead of missing wait a fifth as long, and at least six tenths of "
            "that",
    .judge = judge_stripes,
};
