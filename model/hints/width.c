#include <stdio.h>
#include <stdlib.h>

#include "model/hints/rules.h"
#include "model/hints/support.h"

static struct sp_value scaled(struct sp_value v, double by)
{
    return sp_value_known(v) ? sp_value_between(v.value * by, v.lo * by, v.hi * by, v.origin) : v;
}

/* The work of the run when `other` vectors are multiplied at once instead of in->r. */
static struct sp_then with_width(const struct sp_hint_inputs *in, const struct sp_alternative *other)
{
    const double per_vector = (double)in->r / strtod(other->option, NULL);
    return (struct sp_then){.V_B = scaled(other->V_B, per_vector),
                            .core_s = scaled(other->core_s, per_vector)};
}

static enum sp_verdict judge(const struct sp_hint_inputs *in, struct sp_hint *hint,
                             struct sp_checked *checked)
{
    if (in->op != SP_OP_SPMMV || in->n_widths == 0 || !sp_hint_has_volume(in))
        return SP_SILENT;
    const struct sp_alternative *best = NULL;
    struct sp_gain gain = {0, 0};
    for (int i = 0; i < in->n_widths; i++) {
        struct sp_then then = with_width(in, &in->widths[i]);
        const struct sp_gain g = sp_gain_of(in, &then);
        if (g.lo + g.hi > gain.lo + gain.hi) {
            best = &in->widths[i];
            gain = g;
        }
    }
    if (!best || !sp_gain_is_worth(in, gain))
        return sp_clear(checked, "a vector is cheapest with r = %lld", (long long)in->r);
    sp_hint_take(in, hint, with_width(in, best), SP_MODELLED, SP_MEDIUM);
    snprintf(
        hint->evidence, sizeof hint->evidence,
        "The matrix is read once for all vectors: with r = %s each vector takes less than with r = %lld, "
        "where so many are at hand (B(r) modelled, P_core measured for both).",
        best->option, (long long)in->r);
    hint->change = sp_change_of(SP_OPTION_RHS, best->option);
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
