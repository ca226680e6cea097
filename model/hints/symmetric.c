#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "model/hints/rules.h"
#include "model/hints/support.h"
#include "model/volume/volume_spmv.h"

/* Of the layout where there is one, else by formula, which knows no conflicts. Updates of y follow the
 * gathers' pattern transposed, which is the same one. */
static struct sp_value volume_of(const struct sp_hint_inputs *in)
{
    if (sp_value_known(in->half_V_B))
        return in->half_V_B;
    struct sp_sizes sizes = sp_sizes_of(in->precision, in->index, (double)in->n_nz / 2);
    double most = fmax(in->alpha.value, in->alpha_min.value), least = in->alpha_min.value;
    double V_lo = sp_volume_spmv_half(in->n_r, in->n_nz, sizes, least, least).total_B;
    double V_hi = sp_volume_spmv_half(in->n_r, in->n_nz, sizes, most, most).total_B;
    return sp_value_between((V_lo + V_hi) / 2, V_lo, V_hi, SP_MODELLED);
}

static void say_volume(const struct sp_hint_inputs *in, struct sp_value V, struct sp_hint *hint)
{
    char now[32], lo[32], hi[32], range[80], set[32];
    sp_text_bytes(lo, sizeof lo, V.lo);
    sp_text_bytes(hi, sizeof hi, V.hi);
    snprintf(range, sizeof range, strcmp(lo, hi) == 0 ? "%s" : "%s to %s", lo, hi);
    int length = snprintf(hint->evidence, sizeof hint->evidence,
                          "The matrix is symmetric and stored in full. One triangle would move %s instead of "
                          "%s through %s (%s; updates "
                          "of y counted, conflicts between threads %s).",
                          range, sp_text_bytes(now, sizeof now, in->V_B.value),
                          sp_hint_in_memory(in) ? "memory" : in->level, sp_origin_name(V.origin),
                          sp_value_known(in->half_V_B) ? "too" : "not");
    if (sp_value_known(hint->then.set_B) && hint->then.inner[0] && V.value < in->V_B.value / 4)
        snprintf(hint->evidence + length, sizeof hint->evidence - (size_t)length,
                 " The rest, %s, comes from %s.",
                 sp_text_bytes(set, sizeof set, fmax(0, hint->then.set_B.value - V.value)), hint->then.inner);
}

/* Updates of y depend on those before them, so that part of the transfers may not hide behind execution:
 * stencils took between max(T_data, T_core) and that with half of the shorter one added. */
static struct sp_then one_triangle(const struct sp_hint_inputs *in, struct sp_value V)
{
    static const double shows = 0.5;
    const double item_B = (double)(sp_value_size(in->precision) + sp_index_size(in->index));
    struct sp_then then = sp_then_bytes(in, V, in->half_core_s,
                                        item_B * (sp_hint_stored(in) - (double)(in->n_nz + in->n_r) / 2));
    if (sp_value_known(in->half_core_s))
        then.shows = shows;
    return then;
}

static enum sp_verdict judge(const struct sp_hint_inputs *in, struct sp_hint *hint,
                             struct sp_checked *checked)
{
    if (!in->symmetric || in->format == SP_FORMAT_HALF || !sp_hint_has_volume(in) ||
        !sp_value_known(in->alpha) || !sp_value_known(in->alpha_min) || in->n_nz == 0 || in->to_half.n == 0)
        return SP_SILENT;
    const bool measured = sp_value_known(in->half_core_s);
    struct sp_value V = volume_of(in);
    if (sp_hint_is_waiting(in)) /* updates of y wait as gathers of x do */
        return sp_clear(checked, "gathers wait, and with one triangle updates of y would too");
    struct sp_then one = one_triangle(in, V);
    const struct sp_gain gain = sp_gain_of(in, &one);
    char now[32], then[32];
    sp_text_bytes(now, sizeof now, in->V_B.value);
    sp_text_bytes(then, sizeof then, V.value);
    if (measured && V.value >= in->V_B.value) /* its interval may reach below, but is not expected to */
        return sp_clear(checked, "one triangle would move %s instead of %s", then, now);
    if (!sp_gain_is_worth(in, gain) || (!measured && gain.lo < in->threshold))
        return measured ? sp_clear(checked, "one triangle would move %s instead of %s, mean gain %.1f %%",
                                   then, now, 50 * (gain.lo + gain.hi))
                        : SP_SILENT; /* scattered updates may cost it all */
    sp_hint_take(in, hint, one, SP_MODELLED, measured && gain.lo >= in->threshold ? SP_MEDIUM : SP_LOW);
    say_volume(in, V, hint);
    hint->change = in->to_half;
    snprintf(hint->expect, sizeof hint->expect,
             "bytes of the matrix halve; refuted if conflicts or private copies of y cost as much");
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_symmetric = {
    .id = "E02",
    .title = "unused symmetry",
    .version = 6,
    .effort = SP_EFFORT_STORAGE,
    .spmv_only = true,
    .condition =
        "the matrix is symmetric: V of one triangle, (s_a + s_i)(n_nz + n_r)/2 + s_p n_r + gathers, "
        "updates of y and conflicts between threads, is smaller, and its P_core does not cost it all",
    .remedy = "store one triangle (" SP_O_FORMAT " half); threads are kept apart by phases or windows",
    .check = "symmetry",
    .gain =
        "V of one triangle (simulated at the level where it would live; by formula in the innermost cache), "
        "updates of y and conflicts counted, and its "
        "P_core, "
        "by the formula of `gain`, with omega = 0.5 at least at the lower end: updates of y depend on those "
        "before "
        "them",
    .judge = judge,
};
