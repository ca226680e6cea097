#include <stdio.h>
#include <string.h>

#include "model/hints/rules.h"
#include "model/hints/support.h"

static struct sp_then with_i32(const struct sp_hint_inputs *in)
{
    const double less_B = 4 * sp_hint_stored(in);
    return sp_then_bytes(in, sp_hint_volume_less(in, less_B), sp_as_now(), less_B);
}

static enum sp_verdict narrower(const struct sp_hint_inputs *in, struct sp_hint *hint)
{
    sp_hint_take(in, hint, with_i32(in), SP_MODELLED, SP_HIGH);
    snprintf(hint->evidence, sizeof hint->evidence, "Column indices take 8 bytes each; %lld columns fit 4.",
             (long long)in->n_c);
    hint->change = sp_change_of(SP_OPTION_INDEX, "i32");
    snprintf(hint->expect, sizeof hint->expect, "the bytes of the indices halve");
    return SP_FIRES;
}

/* What another way of storing indices gains by its bytes: a faster core is C01's, gathers in flight are
 * C02's, less padding D01's. */
static struct sp_gain gain_of_bytes(const struct sp_hint_inputs *in, const struct sp_alternative *other)
{
    struct sp_then then = sp_then_storage(in, other);
    if (sp_value_known(then.core_s) && sp_value_known(in->core_s) && then.core_s.value < in->core_s.value)
        then.core_s = in->core_s;
    then.gone = sp_value_none("bytes alone");
    then.faster = 0;
    then.held = false;
    return sp_gain_of(in, &then);
}

static double mean(struct sp_gain gain)
{
    return (gain.lo + gain.hi) / 2;
}

static void say_bytes(const struct sp_hint_inputs *in, struct sp_hint *hint,
                      const struct sp_alternative *other)
{
    sp_hint_add(hint, "V falls from %.4g to %.4g MB (%s).", in->V_B.value / 1e6, other->V_B.value / 1e6,
                sp_origin_name(other->V_B.origin));
    sp_hint_add_storage(in, hint, other->option);
}

/* In rows each one pays for its base, which P_core shows in part only. */
static struct sp_then with_offsets(const struct sp_hint_inputs *in)
{
    struct sp_then then = sp_then_storage(in, in->offsets);
    if (in->format == SP_FORMAT_CRS && !sp_is_in_lanes(in->offsets->option))
        then.keeps = sp_value_between(0.5, 0, 0.5, SP_STATED);
    return then;
}

static enum sp_verdict use_offsets(const struct sp_hint_inputs *in, struct sp_hint *hint)
{
    struct sp_then then = with_offsets(in);
    if (!sp_gain_is_worth(in, sp_gain_of(in, &then)))
        return SP_SILENT;
    sp_hint_take(in, hint, then, SP_MODELLED, in->format == SP_FORMAT_CRS ? SP_LOW : SP_MEDIUM);
    sp_hint_add(hint,
                "Column indices take %d bytes each; 16-bit offsets from a base of each row or slot reach. ",
                (int)sp_index_size(in->index));
    say_bytes(in, hint, in->offsets);
    hint->change = in->offsets->change;
    snprintf(hint->expect, sizeof hint->expect,
             "fewer bytes at the same bandwidth; refuted if the bandwidth falls too");
    return SP_FIRES;
}

static enum sp_verdict judge(const struct sp_hint_inputs *in, struct sp_hint *hint,
                             struct sp_checked *checked)
{
    if (!sp_hint_has_volume(in))
        return SP_SILENT;
    static const double least_share = 0.01; /* below, slots of unit stride are not why */
    struct sp_gain wide = {0, 0}, unit = {0, 0}, offsets = {0, 0};
    if (in->offsets)
        offsets = gain_of_bytes(in, in->offsets);
    if (in->index == SP_I64) {
        struct sp_then then = with_i32(in);
        wide = sp_gain_of(in, &then);
    }
    const struct sp_alternative *sellu = NULL;
    if (in->format != SP_FORMAT_SELLU && in->precision != SP_C128)
        sellu = sp_best_format(in, "sellu", true, &unit);
    if (sellu) {
        unit = gain_of_bytes(in, sellu);
        bool padded = in->format == SP_FORMAT_SELL && sp_value_known(in->beta) &&
                      sp_value_known(sellu->beta) && sellu->beta.value > 1.05 * in->beta.value;
        if (padded)
            sellu = NULL;
    }
    if (sp_gain_is_worth(in, wide) && mean(wide) >= mean(unit) && mean(wide) >= mean(offsets))
        return narrower(in, hint);
    if (in->offsets && sp_gain_is_worth(in, offsets) && (!sellu || mean(offsets) >= mean(unit)))
        return use_offsets(in, hint);
    bool fewer = sellu && sp_value_known(sellu->V_B) && sellu->V_B.value < in->V_B.value;
    if (fewer && sp_gain_is_worth(in, unit)) {
        sp_hint_take(in, hint, sp_then_storage(in, sellu), SP_MODELLED, SP_MEDIUM);
        if (sp_value_known(in->unit_share) && in->unit_share.value >= least_share)
            sp_hint_add(hint,
                        "In %.0f %% of the slots the columns of a chunk are consecutive: one base index "
                        "replaces them, "
                        "and x is loaded as a vector instead of gathered. ",
                        100 * in->unit_share.value);
        else
            sp_hint_add(hint, "Chunks need one start for all of their rows instead of one for each. ");
        say_bytes(in, hint, sellu);
        hint->change = sellu->change;
        snprintf(hint->expect, sizeof hint->expect,
                 "fewer bytes at the same bandwidth; refuted if the bandwidth falls too");
        return SP_FIRES;
    }
    if (in->index == SP_I32 && sp_value_known(in->unit_share) && (sellu || in->format == SP_FORMAT_SELLU))
        return sp_clear(checked, "32-bit; %.0f %% unit-stride slots%s", 100 * in->unit_share.value,
                        in->format == SP_FORMAT_SELLU ? ", in use" : ", too few to gain");
    return SP_SILENT;
}

const struct sp_hint_rule sp_hint_index_bytes = {
    .id = "E01",
    .title = "index bytes",
    .version = 6,
    .effort = SP_EFFORT_STORAGE,
    .spmv_only = true,
    .condition =
        "64-bit column indices where 32 bits do; 16-bit offsets from a base of each row or slot that reach: "
        "index bytes fall to 2 + 4/n_nzr (CRS) or 2 + 4/C (SELL) a stored entry; or many SELL slots with "
        "consecutive columns: to s_i (u/C + 1 - u)",
    .remedy = "32-bit indices, 16-bit offsets, or SELL with unit-stride slots",
    .check = "index bytes",
    .gain = "V with the narrower indices, counted from the pattern, by the formula of `gain`; 16-bit offsets "
            "of rows count 0 to half of that; fires on bytes alone, and where the format also has more "
            "gathers in flight or a faster core, promises as C02 does",
    .judge = judge,
};
