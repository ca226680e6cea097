#include <stdio.h>
#include <string.h>

#include "model/hint_rules.h"
#include "model/hint_support.h"

static enum sp_verdict narrower(const struct sp_hint_inputs *in, struct sp_hint *hint, struct sp_gain gain)
{
    sp_hint_take(hint, gain, SP_MODELLED, SP_HIGH);
    hint->V_then_B = sp_hint_volume_less(in, 4 * sp_hint_stored(in));
    snprintf(hint->evidence, sizeof hint->evidence, "Column indices take 8 bytes each; %lld columns fit 4.",
             (long long)in->n_c);
    sp_hint_command(in, hint, "--index i32");
    snprintf(hint->expect, sizeof hint->expect, "the bytes of the indices halve");
    return SP_FIRES;
}

/* What another way of storing indices gains: a faster core is C01's, less padding D01's, what counts here is
 * bytes. */
static struct sp_gain gain_of_bytes(const struct sp_hint_inputs *in, const struct sp_alternative *other)
{
    struct sp_value core = other->core_s;
    if (sp_value_known(core) && sp_value_known(in->core_s) && core.value < in->core_s.value)
        core = in->core_s;
    return sp_gain_of(in, other->V_B, core);
}

static double mean(struct sp_gain gain)
{
    return (gain.lo + gain.hi) / 2;
}

static bool is_in_lanes(const struct sp_alternative *a)
{
    return strstr(a->option, "sell") != NULL;
}

/* What the change gains altogether, once its bytes have made the case: lanes have a faster core, too. */
static struct sp_gain gain_of_change(const struct sp_hint_inputs *in, const struct sp_alternative *other,
                                     struct sp_gain of_bytes)
{
    if (!is_in_lanes(other) || !sp_value_known(other->core_s))
        return of_bytes;
    const struct sp_gain all = sp_gain_in_lanes(in, sp_gain_of(in, other->V_B, other->core_s));
    return mean(all) > mean(of_bytes) ? all : of_bytes;
}

static enum sp_verdict use_offsets(const struct sp_hint_inputs *in, struct sp_hint *hint, struct sp_gain gain)
{
    const struct sp_alternative *o = in->offsets;
    const bool in_rows = in->format == SP_FORMAT_CRS;
    if (in_rows) { /* each row, or the change to slots, pays for its base, which P_core shows in part only */
        gain.lo = 0;
        gain.hi *= is_in_lanes(o) ? 1 : 0.5;
    }
    if (!sp_gain_is_worth(in, gain))
        return SP_SILENT;
    gain = gain_of_change(in, o, gain);
    sp_hint_take(hint, gain, SP_MODELLED, in_rows ? SP_LOW : SP_MEDIUM);
    hint->V_then_B = o->V_B;
    snprintf(
        hint->evidence, sizeof hint->evidence,
        "Column indices take %d bytes each; 16-bit offsets from a base of each row or slot do (counted from "
        "the pattern): V falls from %.4g to %.4g MB (%s).",
        (int)sp_index_size(in->index), in->V_B.value / 1e6, o->V_B.value / 1e6,
        sp_origin_name(o->V_B.origin));
    sp_hint_command(in, hint, o->option);
    snprintf(
        hint->expect, sizeof hint->expect,
        "a higher roofline in flop/s at the same bandwidth; refuted if the fraction of the roof falls by as "
        "much");
    return SP_FIRES;
}

static enum sp_verdict judge(const struct sp_hint_inputs *in, struct sp_hint *hint,
                             struct sp_checked *checked)
{
    if (!sp_hint_has_volume(in))
        return SP_SILENT;
    static const double least_share = 0.01; /* below, slots of unit stride are not why */
    struct sp_gain wide = {0, 0}, unit = {0, 0}, offsets = {0, 0};
    if (in->offsets) {
        offsets = gain_of_bytes(in, in->offsets);
        if (is_in_lanes(in->offsets))
            offsets = sp_gain_in_lanes(in, offsets);
    }
    if (in->index == SP_I64)
        wide = sp_gain_of(in, sp_hint_volume_less(in, 4 * sp_hint_stored(in)), sp_as_now());
    const struct sp_alternative *sellu = NULL;
    if (in->format != SP_FORMAT_SELLU && in->precision != SP_C128)
        sellu = sp_best_format(in, "sellu", true, &unit);
    if (sellu) {
        unit = sp_gain_in_lanes(in, gain_of_bytes(in, sellu));
        bool padded = in->format == SP_FORMAT_SELL && sp_value_known(in->beta) &&
                      sp_value_known(sellu->beta) && sellu->beta.value > 1.05 * in->beta.value;
        if (padded)
            sellu = NULL;
    }
    if (sp_gain_is_worth(in, wide) && mean(wide) >= mean(unit) && mean(wide) >= mean(offsets))
        return narrower(in, hint, wide);
    if (in->offsets && sp_gain_is_worth(in, offsets) && (!sellu || mean(offsets) >= mean(unit)))
        return use_offsets(in, hint, offsets);
    bool fewer = sellu && sp_value_known(sellu->V_B) && sellu->V_B.value < in->V_B.value;
    if (fewer && sp_gain_is_worth(in, unit)) {
        sp_hint_take(hint, gain_of_change(in, sellu, unit), SP_MODELLED, SP_MEDIUM);
        hint->V_then_B = sellu->V_B;
        int length = 0;
        if (sp_value_known(in->unit_share) && in->unit_share.value >= least_share)
            length =
                snprintf(hint->evidence, sizeof hint->evidence,
                         "In %.0f %% of the slots the columns of a chunk are consecutive: one base index "
                         "replaces them, and x is loaded as a vector instead of gathered. ",
                         100 * in->unit_share.value);
        else
            length = snprintf(hint->evidence, sizeof hint->evidence,
                              "Chunks need one start for all of their rows instead of one for each. ");
        snprintf(hint->evidence + length, sizeof hint->evidence - (size_t)length,
                 "V falls from %.4g to %.4g MB (%s).", in->V_B.value / 1e6, sellu->V_B.value / 1e6,
                 sp_origin_name(sellu->V_B.origin));
        char change[96];
        snprintf(change, sizeof change, "--format %s", sellu->option);
        sp_hint_command(in, hint, change);
        snprintf(
            hint->expect, sizeof hint->expect,
            "a higher roofline in flop/s at the same bandwidth; refuted if the fraction of the roof falls "
            "by as much");
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
    .version = 5,
    .spmv_only = true,
    .condition =
        "64-bit column indices where 32 bits do; 16-bit offsets from a base of each row or slot that reach: "
        "index bytes fall to 2 + 4/n_nzr (CRS) or 2 + 4/C (SELL) a stored entry; or many SELL slots with "
        "consecutive columns: to s_i (u/C + 1 - u)",
    .remedy = "32-bit indices, 16-bit offsets, or SELL with unit-stride slots",
    .check = "index bytes",
    .gain = "V with the narrower indices, counted from the pattern, by the formula of `gain`; 16-bit offsets "
            "of rows count 0 to half of that; lanes wait for several gathers at once, as in C02",
    .judge = judge,
};
