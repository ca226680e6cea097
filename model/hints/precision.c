#include <math.h>
#include <stdio.h>

#include "model/hints/rules.h"
#include "model/hints/support.h"

/* Share of V that goes with these bytes of the arrays. */
static double share_of(const struct sp_hint_inputs *in, double saved_B)
{
    return 1 - sp_hint_volume_less(in, saved_B).value / in->V_B.value;
}

/* Values that are not f32 numbers: what it would cost to store them so, not proposed. */
static enum sp_verdict state_change(const struct sp_hint_inputs *in, double mixed_B,
                                    struct sp_checked *checked)
{
    if (!sp_value_known(in->rounding_largest))
        return sp_clear(checked, "values need fp64");
    return sp_clear(checked,
                    "values need fp64; " SP_O_PRECISION
                    " mixed would save %.0f %% of V and change them by up to %.1e, "
                    "norm-wise %.1e",
                    100 * share_of(in, mixed_B), in->rounding_largest.value, in->rounding_normwise.value);
}

/* Converting values costs some of what fewer bytes save: where gathers wait, or rows are so short that
 * vectors carry most of the bytes, perhaps all of it [docs/results, advice scored]. */
static struct sp_value what_stays(const struct sp_hint_inputs *in)
{
    static const double stays = 0.3, short_row = 4;
    const bool is_long = (double)in->n_nz >= short_row * (double)in->n_r;
    return sp_value_between(1, is_long && !sp_hint_is_waiting(in) ? stays : 0, 1, SP_STATED);
}

static enum sp_verdict judge(const struct sp_hint_inputs *in, struct sp_hint *hint,
                             struct sp_checked *checked)
{
    if (in->precision != SP_F64 || in->fits_f32 == SP_UNKNOWN || !sp_hint_has_volume(in))
        return SP_SILENT;
    const double mixed_B = 4 * sp_hint_stored(in);
    if (in->fits_f32 == SP_FALSE)
        return state_change(in, mixed_B, checked);
    struct sp_value V = sp_hint_volume_less(in, mixed_B), core = sp_as_now();
    if (in->mixed) {
        V = in->mixed->V_B;
        core = in->mixed->core_s;
    }
    struct sp_then then = sp_then_bytes(in, V, core, mixed_B);
    then.keeps = what_stays(in);
    const struct sp_gain gain = sp_gain_of(in, &then);
    if (!sp_gain_is_worth(in, gain))
        return SP_SILENT;
    sp_hint_take(in, hint, then, SP_MODELLED, SP_LOW);
    sp_hint_add(hint, "Every value of the matrix is an fp32 number");
    if (in->n_distinct > 0)
        sp_hint_add(hint, " (%s%lld distinct)", in->n_distinct_is_bound ? "at least " : "",
                    (long long)in->n_distinct);
    sp_hint_add(hint, ": stored in 4 bytes instead of 8 it loses nothing. x, y and the sums stay fp64.");
    const bool has_mixed =
        in->format == SP_FORMAT_CRS || in->format == SP_FORMAT_SELL || in->format == SP_FORMAT_SELLU;
    if (in->mixed)
        hint->change = in->mixed->change;
    else {
        if (!has_mixed)
            sp_change_add(&hint->change, SP_OPTION_FORMAT, "crs");
        sp_change_add(&hint->change, SP_OPTION_PRECISION, "mixed");
    }
    snprintf(hint->expect, sizeof hint->expect,
             "V %s by %.0f %%; the result is checked with the bound of fp64",
             V.value <= in->V_B.value ? "falls" : "rises", 100 * fabs(1 - V.value / in->V_B.value));
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_precision = {
    .id = "E03",
    .title = "precision",
    .version = 6,
    .effort = SP_EFFORT_STORAGE,
    .spmv_only = true,
    .condition =
        "every value is exactly an fp32 number: stored so, s_a falls from 8 to 4 bytes, while x, y and the "
        "sums stay fp64",
    .remedy = "values in fp32 beside vectors in fp64 (" SP_O_PRECISION " mixed)",
    .check = "precision",
    .gain = "three tenths to all of what V with 4-byte values saves by the formula of `gain`: converting "
            "costs some "
            "of it, and perhaps all of it where gathers wait or rows have less than 4 entries",
    .judge = judge,
};
