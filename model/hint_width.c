#include <stdio.h>
#include <stdlib.h>

#include "model/hint_rules.h"
#include "model/hint_support.h"

static struct sp_value scaled(struct sp_value v, double by)
{
    return sp_value_known(v) ? sp_value_between(v.value * by, v.lo * by, v.hi * by, v.origin) : v;
}

/* The gain of a vector when `other` of them are multiplied at once instead of in->r. */
static struct sp_gain gain_with(const struct sp_hint_inputs *in, const struct sp_alternative *other)
{
    double per_vector = (double)in->r / strtod(other->option, NULL);
    return sp_gain_of(in, scaled(other->V_B, per_vector), scaled(other->core_s, per_vector));
}

static enum sp_verdict judge(const struct sp_hint_inputs *in, struct sp_hint *hint,
                             struct sp_checked *checked)
{
    if (in->op != SP_OP_SPMMV || in->n_widths == 0 || !sp_hint_has_volume(in))
        return SP_SILENT;
    const struct sp_alternative *best = NULL;
    struct sp_gain gain = {0, 0};
    for (int i = 0; i < in->n_widths; i++) {
        struct sp_gain g = gain_with(in, &in->widths[i]);
        if (g.lo + g.hi > gain.lo + gain.hi) {
            best = &in->widths[i];
            gain = g;
        }
    }
    if (!best || !sp_gain_is_worth(in, gain))
        return sp_clear(checked, "a vector is cheapest with r = %lld", (long long)in->r);
    sp_hint_take(hint, gain, SP_MODELLED, SP_MEDIUM);
    const double per_vector = (double)in->r / strtod(best->option, NULL); /* of the work of the run */
    hint->V_then_B = scaled(best->V_B, per_vector);
    hint->core_then_s = scaled(best->core_s, per_vector);
    snprintf(
        hint->evidence, sizeof hint->evidence,
        "The matrix is read once for all vectors: with r = %s each vector takes less than with r = %lld, "
        "where so many are at hand (B(r) modelled, P_core measured for both).",
        best->option, (long long)in->r);
    char change[96];
    snprintf(change, sizeof change, "--rhs %s", best->option);
    sp_hint_command(in, hint, change);
    snprintf(hint->expect, sizeof hint->expect,
             "time divided by r falls; refuted if it stays while B falls, as where P_core limits");
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_width = {
    .id = "E05",
    .title = "block vectors",
    .version = 1,
    .condition = "SpMMV: max(V(r)/b_S, W(r)/P_core(r)) of another r is smaller for each vector",
    .remedy = "as many right-hand sides at once as the caches and P_core allow",
    .check = "block vectors",
    .gain = "max(V(r)/b_S, W(r)/P_core(r))/r of the other number of vectors, by the formula of `gain`",
    .judge = judge,
};
