#include <stdio.h>

#include "model/hints/rules.h"
#include "model/hints/support.h"

static enum sp_verdict judge(const struct sp_hint_inputs *in, struct sp_hint *hint,
                             struct sp_checked *checked)
{
    if ((in->format != SP_FORMAT_SELL && in->format != SP_FORMAT_SELLU) || !sp_value_known(in->beta) ||
        !sp_hint_has_volume(in))
        return SP_SILENT;
    double item_B = (double)(sp_value_size(in->precision) + sp_index_size(in->index));
    double fill_B = (sp_hint_stored(in) - (double)in->n_nz) * item_B;
    /* Fill is computed with as well as loaded. */
    struct sp_value core = sp_value_known(in->core_s)
                               ? sp_value_of(in->core_s.value * in->beta.value, in->core_s.origin)
                               : sp_as_now();
    struct sp_then all = sp_then_bytes(in, sp_hint_volume_less(in, fill_B), core, fill_B);
    const struct sp_gain without = sp_gain_of(in, &all);
    if (!sp_gain_is_worth(in, without))
        return sp_clear(checked, "beta %.3f; no fill at all would save %.1f %%", in->beta.value,
                        100 * without.hi);
    struct sp_gain gain;
    const struct sp_alternative *best = sp_best_format(in, "", true, &gain);
    if (!best || !sp_gain_is_worth(in, gain) ||
        (sp_value_known(best->beta) && best->beta.value <= in->beta.value))
        return SP_SILENT;
    sp_hint_take(in, hint, sp_then_storage(in, best),
                 best->V_B.origin == SP_SIMULATED ? SP_SIMULATED : SP_MODELLED,
                 sp_value_known(best->core_s) ? SP_HIGH : SP_MEDIUM);
    int length = snprintf(hint->evidence, sizeof hint->evidence,
                          "%.0f %% of the stored entries are fill (beta = %.3f), loaded and computed "
                          "with like the others. With %s ",
                          100 * (1 - in->beta.value), in->beta.value, best->option);
    if (sp_value_known(best->beta))
        snprintf(hint->evidence + length, sizeof hint->evidence - (size_t)length, "beta is %.3f.",
                 best->beta.value);
    else
        snprintf(hint->evidence + length, sizeof hint->evidence - (size_t)length, "there is no fill.");
    hint->change = best->change;
    snprintf(hint->expect, sizeof hint->expect,
             "the padding part of the losses shrinks; refuted if V falls and the time stays");
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_padding = {
    .id = "D01",
    .title = "padding",
    .version = 1,
    .effort = SP_EFFORT_STORAGE,
    .condition =
        "SELL stores fill (beta = n_nz/stored entries is small), and max(W/P_core, V/b_S) of another C, "
        "sigma or of CRS is smaller; beta follows from the row lengths, nothing is converted",
    .remedy = "smaller C, larger sorting window sigma, or CRS",
    .check = "padding",
    .gain = "V(beta) and P_core of the other C and sigma or of CRS, by the formula of `gain`; beta follows "
            "from the row lengths",
    .judge = judge,
};
