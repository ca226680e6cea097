#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "model/hints/rules.h"
#include "model/hints/support.h"

/* Seconds that y's stores cost in copy kernels: plain moves 3 bytes per byte copied, non-temporal 2. */
static double measured_saving(const struct sp_hint_inputs *in, double y_B)
{
    if (!sp_value_known(in->roof_store_Bps) || !sp_value_known(in->roof_store_nt_Bps))
        return NAN;
    return y_B * (3 / in->roof_store_Bps.value - 2 / in->roof_store_nt_Bps.value);
}

static double result_bytes(const struct sp_hint_inputs *in)
{
    return in->y_B > 0 ? in->y_B : (double)sp_precision_size(in->precision) * (double)in->n_r;
}

static enum sp_verdict judge(const struct sp_hint_inputs *in, struct sp_hint *hint,
                             struct sp_checked *checked)
{
    if (!sp_hint_in_memory(in) || !sp_hint_has_volume(in))
        return SP_SILENT;
    const char *name = in->op == SP_OP_SPMV ? "y" : "the result";
    if (in->format == SP_FORMAT_HALF || in->format == SP_FORMAT_STRIPED)
        return sp_clear(checked, "%s is read and written by updates", name);
    if (in->store_nt)
        return sp_clear(checked, "%s is written with non-temporal stores", name);
    const double y_B = result_bytes(in);
    struct sp_then then = sp_then_bytes(in, sp_hint_volume_less(in, y_B), sp_as_now(), 0);
    struct sp_gain gain = sp_gain_of(in, &then);
    const double saving = measured_saving(in, y_B), time = sp_hint_time(in);
    const double sure = !isnan(saving) && time > 0 && gain.hi > 0 ? fmax(0, saving / time) : 0;
    if (sure < gain.lo) { /* hardware may evade the read already */
        then.keeps = sp_value_between(1, sure / gain.hi, 1, isnan(saving) ? SP_MODELLED : SP_MEASURED);
        gain = sp_gain_of(in, &then);
    }
    if (!sp_gain_is_worth(in, gain))
        return sp_clear(checked, "reading %s before writing it costs at most %.1f %%", name, 100 * gain.hi);
    if (!in->can_store_nt)
        return SP_SILENT;
    sp_hint_take(in, hint, then, SP_MODELLED, isnan(saving) ? SP_LOW : SP_MEDIUM);
    char y[32];
    snprintf(hint->evidence, sizeof hint->evidence,
             "Plain stores read each line of %s (%s) before they write it; non-temporal stores do not: w = 1 "
             "instead of 2.",
             name, sp_text_bytes(y, sizeof y, y_B));
    hint->change = sp_change_of(SP_OPTION_STORE, "nt");
    snprintf(hint->expect, sizeof hint->expect,
             "V falls by the size of %s; refuted if V stays (the hardware evades the read already)", name);
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_write_allocate = {
    .id = "G03",
    .title = "write-allocate",
    .version = 3,
    .condition = "the result is overwritten by plain stores (w = 2): V falls by its size, s_y n_r of y, r "
                 "times that of Y, s_y n_nz of the entries of SDDMM; measured copy ceilings with and "
                 "without non-temporal stores bound the gain",
    .remedy = "non-temporal stores of the result",
    .check = "write-allocate",
    .gain = "V less the size of the result, by the formula of `gain`; at the lower end what copy ceilings "
            "with and without non-temporal stores differ by",
    .judge = judge,
};
