#include <stdio.h>

#include "model/gpu_predict.h"
#include "model/hint_rules.h"
#include "model/hint_support.h"
#include "model/sddmm_choice.h"

/* The kernel for TILED, in use or not; NULL: none was looked at. */
static const struct sp_gpu_hint_way *tiled_of(const struct sp_gpu_hint_inputs *gpu)
{
    if (gpu->run.T_i > 0)
        return &gpu->run;
    for (int i = 0; i < gpu->n_ways; i++)
        if (gpu->way[i].T_i > 0)
            return &gpu->way[i];
    return NULL;
}

static enum sp_verdict judge(const struct sp_hint_inputs *in, struct sp_hint *hint,
                             struct sp_checked *checked)
{
    if (in->op != SP_OP_SDDMM || !in->gpu || !in->gpu->now || in->n_nz < 1 ||
        !sp_value_known(in->gpu->now->roofline.time_s))
        return SP_SILENT;
    const struct sp_gpu_hint_way *tiled = tiled_of(in->gpu), *best = sp_best_gpu_format(in->gpu);
    if (!tiled || !best || tiled->n_indices < 1)
        return SP_SILENT;
    const double density = (double)in->n_nz / ((double)in->n_r * (double)in->n_c);
    const double from = sp_sddmm_threshold(tiled->T_i, tiled->T_k, (double)in->r, (double)in->n_c);
    const double of_column = (double)in->n_nz / (double)tiled->n_indices;
    const double now_s = in->gpu->now->roofline.time_s.value, then_s = best->time_s.value;
    const struct sp_gain gain = sp_gain_of_seconds(in, now_s, then_s);
    if (!sp_gain_is_worth(in, gain))
        return sp_clear(
            checked, "tiles of SDDMM",
            "density %.2g, tiles pay from %.2g on; %.1f entries a column of a tile; the best other "
            "format (%s) would save %.1f %%",
            density, from, of_column, best->option, 100 * gain.hi);
    sp_hint_take(hint, gain, SP_MODELLED, SP_MEDIUM);
    snprintf(
        hint->evidence, sizeof hint->evidence,
        "The mask has density %.2g; by the entries that are read, tiles of %d rows pay from %.2g on. A "
        "column of such a tile has %.1f entries. For %s the model expects %.3g ms instead of %.3g, which "
        "are bound by %s.",
        density, (int)tiled->T_i, from, of_column, best->option, 1e3 * then_s, 1e3 * now_s,
        in->gpu->now->binding);
    char change[64];
    snprintf(change, sizeof change, "--format %s", best->option);
    sp_hint_command(in, hint, change);
    snprintf(hint->expect, sizeof hint->expect,
             "%s bytes of the gathered operand from the L2; refuted if they stay and the time does, too",
             best->T_i > 0 ? "fewer" : "other");
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_gpu_tiles = {
    .id = "J07",
    .title = "tiles of SDDMM",
    .version = 1,
    .condition = "SDDMM on a GPU, where the modelled time of another format is smaller: tiles read a row of "
                 "the gathered operand once for each column of a tile and pay from a density of the mask on "
                 "(docs/theory.md), CRS and COO below it",
    .remedy =
        "tiled:64,32 for dense masks, CRS or COO for sparse ones; an order that gathers entries in tiles",
    .judge = judge,
};
