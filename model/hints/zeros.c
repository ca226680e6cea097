#include <math.h>
#include <stdio.h>

#include "model/hints/rules.h"
#include "model/hints/support.h"

/* V without the zeros: their values and indices. In lanes (SELL) they may lie where fill takes their place.
 */
static struct sp_value volume_without(const struct sp_hint_inputs *in)
{
    const double item_B = (double)(sp_value_size(in->precision) + sp_index_size(in->index));
    const struct sp_value V = sp_hint_volume_less(in, (double)in->n_zeros * item_B);
    if (in->format == SP_FORMAT_CRS)
        return V;
    return sp_value_between((V.value + in->V_B.value) / 2, V.lo, in->V_B.hi, V.origin);
}

static enum sp_verdict judge(const struct sp_hint_inputs *in, struct sp_hint *hint,
                             struct sp_checked *checked)
{
    const bool in_lanes = in->format == SP_FORMAT_SELL || in->format == SP_FORMAT_SELLU;
    if (in->n_zeros <= 0 || in->n_zeros >= in->n_nz || (in->format != SP_FORMAT_CRS && !in_lanes) ||
        !sp_hint_has_volume(in))
        return SP_SILENT;
    const double share = (double)in->n_zeros / (double)in->n_nz;
    const struct sp_value V = volume_without(in);
    const struct sp_value core = sp_value_known(in->core_s) && !in_lanes
                                     ? sp_value_of(in->core_s.value * (1 - share), in->core_s.origin)
                                     : sp_as_now();
    struct sp_then then = sp_then_bytes(
        in, V, core,
        in_lanes ? 0
                 : (double)in->n_zeros * (double)(sp_value_size(in->precision) + sp_index_size(in->index)));
    if (sp_hint_is_waiting(in)) /* zeros gather too */
        then.gone = sp_value_between(0, 0, share, SP_MODELLED);
    const struct sp_gain gain = sp_gain_of(in, &then);
    if (!sp_gain_is_worth(in, gain))
        return sp_clear(checked, "%.2g %% of the entries; without them at most %.1f %% would be saved",
                        100 * share, 100 * gain.hi);
    sp_hint_take(in, hint, then, SP_MODELLED, SP_MEDIUM);
    snprintf(
        hint->evidence, sizeof hint->evidence,
        "%lld of the %lld entries (%.2g %%) have the value 0: they are loaded and computed with like the "
        "others, and change no result.",
        (long long)in->n_zeros, (long long)in->n_nz, 100 * share);
    hint->change = sp_change_of(SP_OPTION_DROP_ZEROS, "");
    snprintf(hint->expect, sizeof hint->expect,
             "n_nz falls by %lld, V by up to that share; refuted if V falls and the time stays",
             (long long)in->n_zeros);
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_zeros = {
    .id = "E06",
    .title = "explicit zeros",
    .version = 2,
    .spmv_only = true,
    .condition = "the file stores entries of value 0, and V without their values and indices is smaller by "
                 "enough (CRS, SELL)",
    .remedy = "leave them out: " SP_O_DROP_ZEROS ", or convert " SP_O_DROP_ZEROS
              " once; not where later values of the same "
              "pattern will differ from 0",
    .check = "explicit zeros",
    .gain = "V less (s_a + s_i) for each of them, in SELL from nothing to that, because fill may take their "
            "place; in CRS W/P_core falls with the entries; by the formula of `gain`; where gathers wait, at "
            "the upper end as much time as entries",
    .judge = judge,
};
