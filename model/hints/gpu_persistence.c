#include <math.h>
#include <stdio.h>

#include "model/gpu/gpu_predict.h"
#include "model/hints/rules.h"
#include "model/hints/support.h"

/* Of the L2 an access policy window may set aside at most this much (compute capability 8.0: three quarters).
 */
static const double SET_ASIDE = 0.75;

static enum sp_verdict judge(const struct sp_hint_inputs *in, struct sp_hint *hint,
                             struct sp_checked *checked)
{
    const struct sp_gpu_prediction *p = in->gpu ? in->gpu->now : NULL;
    if (!p || !sp_hint_has_volume(in) || !sp_value_known(p->traffic.x_B))
        return SP_SILENT;
    const double again_B = fmax(0, p->traffic.x_B.value - p->traffic.x_once_B);
    /* Each half of the L2 keeps its own copy: what is sure to stay is half of the nominal size. */
    const double room_B = SET_ASIDE * (double)p->traffic.L2_lo_B;
    struct sp_then then = sp_then_bytes(in, sp_hint_volume_less(in, again_B), sp_as_now(), 0);
    const struct sp_gain gain = sp_gain_of(in, &then);
    if (!sp_gain_is_worth(in, gain))
        return sp_clear(checked, "x beyond one load is %.1f %% of the bytes", 100 * again_B / in->V_B.value);
    if (p->traffic.x_once_B > room_B)
        return sp_clear(checked, "x (%.1f MB) exceeds what a window could keep (%.1f MB)",
                        p->traffic.x_once_B / 1e6, room_B / 1e6);
    sp_hint_take(in, hint, then, SP_MODELLED, SP_LOW);
    snprintf(
        hint->evidence, sizeof hint->evidence,
        "x (%.1f MB) would fit the L2 but is loaded %.1f times (modelled), as the matrix streams through "
        "the same cache.",
        p->traffic.x_once_B / 1e6, p->traffic.x_B.value / p->traffic.x_once_B);
    hint->in_words = "in your program: an L2 access policy window over x "
                     "(cudaStreamAttributeAccessPolicyWindow), and evict-first loads of the matrix";
    snprintf(
        hint->expect, sizeof hint->expect, "alpha towards %.3g; refuted if alpha falls and the time stays",
        in->n_nz > 0 ? p->traffic.x_once_B / ((double)sp_precision_size(in->precision) * (double)in->n_nz)
                     : 0);
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_gpu_persistence = {
    .id = "J03",
    .title = "x in the L2",
    .version = 2,
    .spmv_only = true,
    .condition = "on a GPU, x would fit three quarters of the smaller estimate of the L2 and is loaded from "
                 "memory more than once: its bytes beyond one load, at the roof",
    .remedy =
        "an L2 access policy window over x (compute capability 8.0 on), evict-first loads of the matrix",
    .check = "x in the L2",
    .gain = "V less the bytes of x beyond one load, by the formula of `gain`",
    .judge = judge,
};
