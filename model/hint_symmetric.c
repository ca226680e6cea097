#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "model/hint_rules.h"
#include "model/hint_support.h"
#include "model/volume_spmv.h"

static enum sp_verdict judge(const struct sp_hint_inputs *in, struct sp_hint *hint,
                             struct sp_checked *checked)
{
    (void)checked;
    if (!in->symmetric || !sp_hint_has_volume(in) || !sp_value_known(in->alpha) ||
        !sp_value_known(in->alpha_min) || in->n_nz == 0)
        return SP_SILENT;
    struct sp_sizes sizes = sp_sizes_of(in->precision, in->index, (double)in->n_nz / 2);
    double most = in->alpha.value > in->alpha_min.value ? in->alpha.value : in->alpha_min.value;
    double least = in->alpha_min.value;
    /* Updates of y follow the gathers' pattern transposed, which is the same one; half as many of each. */
    double V_lo = sp_volume_spmv_half(in->n_r, in->n_nz, sizes, least, least).total_B;
    double V_hi = sp_volume_spmv_half(in->n_r, in->n_nz, sizes, most, most).total_B;
    struct sp_gain gain =
        sp_gain_of(in, sp_value_between((V_lo + V_hi) / 2, V_lo, V_hi, SP_MODELLED), sp_as_now());
    if (!sp_gain_is_worth(in, gain) || gain.lo < in->threshold) /* scattered updates may cost it all */
        return SP_SILENT;
    sp_hint_take(hint, gain, SP_MODELLED, SP_LOW);
    char now[32], lo[32], hi[32], range[80];
    sp_text_bytes(lo, sizeof lo, V_lo);
    sp_text_bytes(hi, sizeof hi, V_hi);
    snprintf(range, sizeof range, strcmp(lo, hi) == 0 ? "%s" : "%s to %s", lo, hi);
    snprintf(
        hint->evidence, sizeof hint->evidence,
        "The matrix is symmetric and stored in full. One triangle would move %s instead of %s (modelled; "
        "updates of y counted, conflicts between threads not).",
        range, sp_text_bytes(now, sizeof now, in->V_B.value));
    if (in->option_half)
        sp_hint_command(in, hint, in->option_half);
    else
        snprintf(hint->try_command, sizeof hint->try_command,
                 "not available in this version: half storage with updates of y free of conflicts");
    snprintf(hint->expect, sizeof hint->expect,
             "bytes of the matrix halve; refuted if conflicts or private copies of y cost as much");
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_symmetric = {
    .id = "E02",
    .title = "unused symmetry",
    .version = 1,
    .spmv_only = true,
    .condition = "the matrix is symmetric: V of one triangle, (s_a + s_i)(n_nz + n_r)/2 + s_p n_r + gathers "
                 "and updates of y, is smaller",
    .remedy = "store one triangle; threads need level groups or private partial results",
    .judge = judge,
};
