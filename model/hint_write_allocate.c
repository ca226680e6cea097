#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "model/hint_rules.h"
#include "model/hint_support.h"

/* Seconds that y's stores cost in copy kernels: plain moves 3 bytes per byte copied, non-temporal 2. */
static double measured_saving(const struct sp_hint_inputs *in, double y_B)
{
    if (!sp_value_known(in->roof_store_Bps) || !sp_value_known(in->roof_store_nt_Bps))
        return NAN;
    return y_B * (3 / in->roof_store_Bps.value - 2 / in->roof_store_nt_Bps.value);
}

static enum sp_verdict judge(const struct sp_hint_inputs *in, struct sp_hint *hint,
                             struct sp_checked *checked)
{
    if (!sp_hint_in_memory(in) || !sp_hint_has_volume(in))
        return SP_SILENT;
    if (in->format == SP_FORMAT_HALF || in->format == SP_FORMAT_STRIPED)
        return sp_clear(checked, "y is read and written by updates");
    if (in->store_nt)
        return sp_clear(checked, "y is written with non-temporal stores");
    double y_B = (double)sp_precision_size(in->precision) * (double)in->n_r;
    struct sp_gain gain = sp_gain_of(in, sp_hint_volume_less(in, y_B), sp_as_now());
    double saving = measured_saving(in, y_B), time = sp_hint_time(in);
    if (!isnan(saving) && time > 0) {
        double measured = fmin(fmax(saving / time, 0), gain.hi);
        gain.lo = fmin(gain.lo, measured);
    } else {
        gain.lo = 0; /* hardware may evade the read already */
    }
    if (!sp_gain_is_worth(in, gain))
        return sp_clear(checked, "reading y before writing it costs at most %.1f %%", 100 * gain.hi);
    sp_hint_take(hint, gain, isnan(saving) ? SP_MODELLED : SP_MEASURED, isnan(saving) ? SP_LOW : SP_MEDIUM);
    hint->V_then_B = sp_hint_volume_less(in, y_B);
    char y[32];
    snprintf(hint->evidence, sizeof hint->evidence,
             "Plain stores read each line of y (%s) before they write it; non-temporal stores do not: w = 1 "
             "instead of 2.",
             sp_text_bytes(y, sizeof y, y_B));
    if (in->option_nt)
        sp_hint_command(in, hint, in->option_nt);
    else
        snprintf(hint->try_command, sizeof hint->try_command,
                 "not available in this version: non-temporal stores of y for this kernel");
    snprintf(hint->expect, sizeof hint->expect,
             "V falls by the size of y; refuted if V stays (the hardware evades the read already)");
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_write_allocate = {
    .id = "G03",
    .title = "write-allocate",
    .version = 1,
    .condition =
        "y is overwritten by plain stores (w = 2): V falls by s_y n_r; measured copy ceilings with and "
        "without non-temporal stores bound the gain",
    .remedy = "non-temporal stores of y",
    .check = "write-allocate",
    .gain = "V less s_y n_r, by the formula of `gain`; at the lower end what copy ceilings with and without "
            "non-temporal stores differ by",
    .judge = judge,
};
