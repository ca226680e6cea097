#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "model/hint_rules.h"
#include "model/hint_support.h"

static void propose(const struct sp_hint_inputs *in, struct sp_hint *hint)
{
    char change[64];
    snprintf(change, sizeof change, "--reorder %s", in->reorder);
    sp_hint_command(in, hint, change);
    sp_hint_cost(in, hint, in->reorder_s);
}

/* What an order saves that misses less in the cache within; 0 where nothing is known. Where no run tells how
 * long gathers wait, but most of them miss (alpha of 1 and more), they may wait for all that transfers leave.
 */
static struct sp_gain gain_of_waiting(const struct sp_hint_inputs *in)
{
    if (!sp_value_known(in->linear_s) && sp_value_known(in->time_s) && sp_value_known(in->alpha_reordered) &&
        in->alpha.value >= 1) {
        const double V = sp_hint_volume_alpha(in, in->alpha_reordered).value;
        const double core = sp_value_known(in->core_s) ? in->core_s.value : 0;
        return (struct sp_gain){0, fmax(0, 1 - fmax(V / in->roof_Bps.value, core) / in->time_s.value)};
    }
    if (!sp_value_known(in->linear_s) || !sp_value_known(in->alpha_inner) ||
        !sp_value_known(in->alpha_inner_reordered) || !sp_value_known(in->time_s) ||
        in->alpha_inner.value <= 0)
        return (struct sp_gain){0, 0};
    double waits = fmax(0, 1 - in->linear_s.value / in->time_s.value);
    double fewer = fmax(0, 1 - in->alpha_inner_reordered.value / in->alpha_inner.value);
    return (struct sp_gain){0.5 * waits * fewer, waits * fewer};
}

/* Gathers that hit a cache, but not the innermost one: no bytes to save where they are counted, and yet time.
 */
static bool judge_latency(const struct sp_hint_inputs *in, struct sp_hint *hint)
{
    struct sp_gain gain = gain_of_waiting(in);
    if (!sp_gain_is_worth(in, gain))
        return false;
    sp_hint_take(hint, gain, SP_SIMULATED, SP_MEDIUM);
    char now[32], linear[32];
    snprintf(hint->evidence, sizeof hint->evidence,
             "Gathers wait: with all of them in the innermost cache it takes %s instead of %s (measured). "
             "After %s "
             "the alpha of the cache within falls from %.3f to %.3f (simulated).",
             sp_text_seconds(linear, sizeof linear, in->linear_s.value),
             sp_text_seconds(now, sizeof now, in->time_s.value), in->reorder, in->alpha_inner.value,
             in->alpha_inner_reordered.value);
    snprintf(hint->expect, sizeof hint->expect, "the part of latency shrinks; refuted if the time stays");
    propose(in, hint);
    return true;
}

static enum sp_verdict judge(const struct sp_hint_inputs *in, struct sp_hint *hint,
                             struct sp_checked *checked)
{
    static const char check[] = "x traffic";
    if (!sp_hint_has_volume(in) || !sp_value_known(in->alpha) || !sp_value_known(in->alpha_min) ||
        in->alpha_min.value <= 0)
        return SP_SILENT;
    double loads = in->alpha.value / in->alpha_min.value;
    char x[32];
    sp_text_bytes(x, sizeof x,
                  in->x_B > 0 ? in->x_B : (double)sp_precision_size(in->precision) * (double)in->n_c);
    struct sp_gain at_best = sp_gain_of(in, sp_hint_volume_alpha(in, in->alpha_min), sp_as_now());
    if (!sp_gain_is_worth(in, at_best) && judge_latency(in, hint))
        return SP_FIRES;
    if (!sp_gain_is_worth(in, at_best))
        return sp_clear(checked, check, "x (%s) is loaded %.1f times; %s %.1f %%", x, loads,
                        "as seldom as its caches allow would save at most", 100 * at_best.hi);
    if (!sp_value_known(in->alpha_reordered))
        return SP_SILENT;
    struct sp_gain gain = sp_gain_of(in, sp_hint_volume_alpha(in, in->alpha_reordered), sp_as_now());
    /* Something is lost, but this order does not bring it back: no hint, and no "not a problem" either. */
    if (!sp_gain_is_worth(in, gain))
        return judge_latency(in, hint) ? SP_FIRES : SP_SILENT;
    struct sp_gain waiting = gain_of_waiting(in); /* fewer misses of the cache within come on top */
    gain.hi = fmax(gain.hi, waiting.hi);
    sp_hint_take(hint, gain, in->alpha_reordered.origin, gain.lo >= in->threshold ? SP_HIGH : SP_MEDIUM);
    snprintf(hint->evidence, sizeof hint->evidence,
             "x (%s) is loaded %.1f times (alpha %.3f %s, least possible %.3f); after %s the %s alpha is "
             "%.3f.",
             x, loads, in->alpha.value, sp_origin_name(in->alpha.origin), in->alpha_min.value, in->reorder,
             sp_origin_name(in->alpha_reordered.origin), in->alpha_reordered.value);
    snprintf(hint->expect, sizeof hint->expect,
             "alpha towards %.3f; refuted if alpha stays, or if it falls and the time does not",
             in->alpha_reordered.value);
    propose(in, hint);
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_x_traffic = {
    .id = "A01",
    .title = "x traffic",
    .version = 2,
    .condition =
        "alpha is above alpha_min, and an order of rows and columns was simulated whose smaller "
        "alpha saves time: V falls by (alpha - alpha') s_x n_nz; or a run with linearised indices shows that "
        "gathers wait, and the order was simulated to miss less in the cache within",
    .remedy = "reorder: RCM brings the entries of meshes towards the diagonal; graphs with hubs need other "
              "orders",
    .judge = judge,
};
