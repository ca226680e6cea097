#include <stdio.h>

#include "base/text.h"
#include "model/gpu/gpu_predict.h"
#include "model/hints/rules.h"
#include "model/hints/support.h"
#include "model/volume/sddmm_choice.h"

/* The kernel of least modelled time for TILED, or for another format; NULL: none was looked at. */
static const struct sp_gpu_hint_way *best_of(const struct sp_gpu_hint_inputs *gpu, bool tiled)
{
    const struct sp_gpu_hint_way *best = NULL;
    for (int i = 0; i < gpu->n_ways; i++) {
        const struct sp_gpu_hint_way *w = &gpu->way[i];
        if (!w->same_format && (w->T_i > 0) == tiled && sp_value_known(w->time_s) &&
            (!best || w->time_s.value < best->time_s.value))
            best = w;
    }
    return best;
}

static enum sp_verdict judge(const struct sp_hint_inputs *in, struct sp_hint *hint,
                             struct sp_checked *checked)
{
    const double now_s = sp_gpu_hint_time(in);
    char now_text[32], then_text[32];
    if (in->op != SP_OP_SDDMM || now_s <= 0 || in->n_nz < 1)
        return SP_SILENT;
    const bool has_tiles = in->gpu->run.T_i > 0;
    const struct sp_gpu_hint_way *best = best_of(in->gpu, !has_tiles);
    const struct sp_gpu_hint_way *tiled = has_tiles ? &in->gpu->run : best;
    if (!best || tiled->n_indices < 1)
        return SP_SILENT;
    const double density = (double)in->n_nz / ((double)in->n_r * (double)in->n_c);
    const double from = sp_sddmm_threshold(tiled->T_i, tiled->T_k, (double)in->r, (double)in->n_c);
    const double of_column = (double)in->n_nz / (double)tiled->n_indices;
    struct sp_then then = sp_then_times(now_s, best->time_s.value);
    const struct sp_gain gain = sp_gain_of(in, &then);
    if (!sp_gain_is_worth(in, gain))
        return sp_clear(checked,
                        "density %.2g, tiles pay from %.2g on; %.1f entries a column of a tile; %s would "
                        "save %.1f %%",
                        density, from, of_column, best->option, 100 * gain.hi);
    if ((density >= from) == has_tiles)
        return SP_SILENT; /* the count of entries says the contrary */
    sp_hint_take(in, hint, then, SP_MODELLED, SP_MEDIUM);
    snprintf(hint->evidence, sizeof hint->evidence,
             "The mask has density %.2g; by the entries that are read, tiles of %d rows pay from %.2g on. A "
             "column of such a tile has %.1f entries. For %s the model expects %s instead of %s, which are "
             "bound by %s.",
             density, (int)tiled->T_i, from, of_column, best->option,
             sp_text_seconds(then_text, sizeof then_text, best->time_s.value),
             sp_text_seconds(now_text, sizeof now_text, now_s), in->gpu->now->binding);
    hint->change = sp_change_of(SP_OPTION_FORMAT, best->option);
    snprintf(hint->expect, sizeof hint->expect,
             "%s bytes of the gathered operand from the L2; refuted if they stay and the time does, too",
             has_tiles ? "other" : "fewer");
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_gpu_tiles = {
    .id = "J07",
    .title = "tiles of SDDMM",
    .version = 2,
    .condition =
        "SDDMM on a GPU, where the modelled time with tiles, or without those in use, is smaller and "
        "the mask's density agrees: tiles read a row of the gathered operand once for each column "
        "of a tile and pay from a density on (docs/theory.md), CRS and COO below it",
    .remedy =
        "tiled:64,32 for dense masks, CRS or COO for sparse ones; an order that gathers entries in tiles",
    .check = "tiles of SDDMM",
    .gain = "the modelled times with and without tiles: their difference, or their ratio where little is "
            "unexplained",
    .judge = judge,
};
