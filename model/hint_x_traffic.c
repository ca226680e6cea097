#include <stdio.h>

#include "base/text.h"
#include "model/hint_rules.h"
#include "model/hint_support.h"

static enum sp_verdict judge(const struct sp_hint_inputs *in, struct sp_hint *hint,
                             struct sp_checked *checked)
{
    static const char check[] = "x traffic";
    if (!sp_hint_has_volume(in) || !sp_value_known(in->alpha) || !sp_value_known(in->alpha_min) ||
        in->alpha_min.value <= 0)
        return SP_SILENT;
    double loads = in->alpha.value / in->alpha_min.value;
    char x[32];
    sp_text_bytes(x, sizeof x, (double)sp_precision_size(in->precision) * (double)in->n_c);
    struct sp_gain at_best = sp_gain_of(in, sp_hint_volume_alpha(in, in->alpha_min), sp_as_now());
    if (!sp_gain_is_worth(in, at_best))
        return sp_clear(checked, check, "x (%s) is loaded %.1f times; %s %.1f %%", x, loads,
                        "as seldom as its caches allow would save at most", 100 * at_best.hi);
    if (!sp_value_known(in->alpha_reordered))
        return SP_SILENT;
    struct sp_gain gain = sp_gain_of(in, sp_hint_volume_alpha(in, in->alpha_reordered), sp_as_now());
    /* Something is lost, but this order does not bring it back: no hint, and no "not a problem" either. */
    if (!sp_gain_is_worth(in, gain))
        return SP_SILENT;
    sp_hint_take(hint, gain, in->alpha_reordered.origin, gain.lo >= in->threshold ? SP_HIGH : SP_MEDIUM);
    snprintf(hint->evidence, sizeof hint->evidence,
             "x (%s) is loaded %.1f times (alpha %.3f %s, least possible %.3f); after %s the %s alpha is "
             "%.3f.",
             x, loads, in->alpha.value, sp_origin_name(in->alpha.origin), in->alpha_min.value, in->reorder,
             sp_origin_name(in->alpha_reordered.origin), in->alpha_reordered.value);
    char change[64];
    snprintf(change, sizeof change, "--reorder %s", in->reorder);
    sp_hint_command(in, hint, change);
    snprintf(hint->expect, sizeof hint->expect,
             "alpha towards %.3f; refuted if alpha stays, or if it falls and the time does not",
             in->alpha_reordered.value);
    sp_hint_cost(in, hint, in->reorder_s);
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_x_traffic = {
    .id = "A01",
    .title = "x traffic",
    .version = 1,
    .condition = "alpha is above alpha_min, and an order of rows and columns was simulated whose smaller "
                 "alpha saves time: V falls by (alpha - alpha') s_x n_nz",
    .remedy = "reorder: RCM brings the entries of meshes towards the diagonal; graphs with hubs need other "
              "orders",
    .judge = judge,
};
