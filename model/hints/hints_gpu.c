/* Hints on runs on GPUs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "model/gpu/gpu_predict.h"
#include "model/gpu/gpu_time.h"
#include "model/hints/rules.h"
#include "model/volume/volume.h"

enum { SP_BOUND_TEXT = 80 };

/* What binds the modelled time, and of the possible, as its line says, where that is another. */
static const char *bound_by(const struct sp_gpu_hint_inputs *gpu, char text[SP_BOUND_TEXT])
{
    const bool other = gpu->possible_by && strcmp(gpu->possible_by, gpu->now->binding) != 0;
    snprintf(text, SP_BOUND_TEXT, other ? "%s (what is possible, by %s)" : "%s", gpu->now->binding,
             gpu->possible_by);
    return text;
}

static enum sp_verdict judge_format(const struct sp_hint_inputs *in, struct sp_hint *hint,
                                    struct sp_checked *checked)
{
    const double now_s = sp_gpu_hint_time(in);
    const struct sp_gpu_hint_way *best = now_s > 0 ? sp_best_gpu_format(in->gpu) : NULL;
    char now_text[32], then_text[32], bound[SP_BOUND_TEXT];
    if (!best)
        return SP_SILENT;
    const double use = in->gpu->now->traffic.use;
    struct sp_then then = sp_then_times(now_s, best->time_s.value);
    const struct sp_gain gain = sp_gain_of(in, &then);
    if (!sp_gain_is_worth(in, gain))
        return sp_clear(checked,
                        "lanes use %.0f %% of the bytes of the sectors they load; the best other format "
                        "(%s) would save %.1f %%",
                        100 * use, best->option, 100 * gain.hi);
    sp_hint_take(in, hint, then, SP_MODELLED, SP_MEDIUM);
    snprintf(
        hint->evidence, sizeof hint->evidence,
        "Lanes use %.0f %% of the bytes of the 32-byte sectors that their warps load from the L1 "
        "(modelled, exact); the modelled time is bound by %s. For %s the model expects %s instead of %s.",
        100 * use, bound_by(in->gpu, bound), best->option,
        sp_text_seconds(then_text, sizeof then_text, best->time_s.value),
        sp_text_seconds(now_text, sizeof now_text, now_s));
    hint->change = sp_change_of(SP_OPTION_FORMAT, best->option);
    snprintf(hint->expect, sizeof hint->expect,
             "fewer bytes between L1 and L2; refuted if the time stays where they fall");
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_gpu_format = {
    .id = "J01",
    .title = "format on a GPU",
    .version = 2,
    .effort = SP_EFFORT_STORAGE,
    .spmv_only = true,
    .condition = "on a GPU, the modelled time of another format is smaller: sectors that warps ask for, the "
                 "L2's and the memory's bytes follow from the entries (spmodel explain sectors)",
    .remedy = "the format whose warps ask for neighbouring bytes together: SELL-32-sigma, or CRS with "
              "several lanes a row",
    .check = "format on a GPU",
    .gain =
        "the modelled times of both formats: their difference, or their ratio where little is unexplained",
    .judge = judge_format,
};

/* The time without the launches [s]. */
static double others_s(const struct sp_gpu_prediction *p)
{
    struct sp_roof_term term[SP_N_GPU_TERMS];
    memcpy(term, p->term, sizeof term);
    term[SP_GPU_TERM_LAUNCH].rate = sp_value_none("left out");
    const struct sp_value t = sp_gpu_time_of(0, term).time_s;
    return sp_value_known(t) ? t.value : 0;
}

static enum sp_verdict judge_launch(const struct sp_hint_inputs *in, struct sp_hint *hint,
                                    struct sp_checked *checked)
{
    const struct sp_gpu_prediction *p = in->gpu ? in->gpu->now : NULL;
    if (!p || !sp_value_known(p->term[SP_GPU_TERM_LAUNCH].rate))
        return SP_SILENT;
    const double launch_s = p->term[SP_GPU_TERM_LAUNCH].amount.value / p->term[SP_GPU_TERM_LAUNCH].rate.value;
    const double work_s = others_s(p);
    struct sp_then then = sp_then_times(launch_s + work_s, work_s);
    const struct sp_gain gain = sp_gain_of(in, &then);
    const bool is_one = p->term[SP_GPU_TERM_LAUNCH].amount.value == 1;
    char start[32], work[32];
    sp_text_seconds(start, sizeof start, launch_s);
    sp_text_seconds(work, sizeof work, work_s);
    if (!sp_gain_is_worth(in, gain))
        return sp_clear(checked, "%s for %s, %s of work", start, is_one ? "a launch" : "two launches", work);
    sp_hint_take(in, hint, then, SP_MODELLED, SP_MEDIUM);
    snprintf(hint->evidence, sizeof hint->evidence,
             "Starting %s takes %s (%s), the work %s (modelled); nothing hides the start.",
             is_one ? "the kernel" : "two kernels", start,
             sp_origin_name(p->term[SP_GPU_TERM_LAUNCH].rate.origin), work);
    hint->in_program = "record the solver's kernels as a CUDA graph, or multiply several vectors at a time "
                       "(" SP_O_OP " spmmv)";
    snprintf(hint->expect, sizeof hint->expect, "time towards the work's; refuted if it stays");
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_gpu_launch = {
    .id = "J02",
    .title = "launch overhead",
    .version = 3,
    .spmv_only = true,
    .condition =
        "on a GPU whose launch overhead is known, launches are a part of the time worth saving, beside the "
        "slowest of memory, L2, arithmetic and latency",
    .remedy = "CUDA graphs, fewer and larger kernels, several vectors at a time",
    .check = "launch overhead",
    .gain = "the launch overhead, which adds to the slowest of memory, L2, arithmetic and latency",
    .judge = judge_launch,
};

static enum sp_verdict judge_persistence(const struct sp_hint_inputs *in, struct sp_hint *hint,
                                         struct sp_checked *checked)
{
    const struct sp_gpu_prediction *p = in->gpu ? in->gpu->now : NULL;
    if (!p || !sp_hint_has_volume(in) || !sp_value_known(p->traffic.x_B))
        return SP_SILENT;
    const struct sp_value x_B = sp_value_known(in->gpu->x_B) ? in->gpu->x_B : p->traffic.x_B;
    const double once_B = p->traffic.x_once_B, again_B = fmax(0, x_B.value - once_B);
    char once[32], room[32];
    /* Each half of the L2 keeps its own copy: what is sure to stay is half of the nominal size. */
    const double room_B = SP_GPU_SET_ASIDE * (double)p->traffic.L2_lo_B;
    struct sp_then then = sp_then_bytes(in, sp_hint_volume_less(in, again_B), sp_as_now(), 0);
    const struct sp_gain gain = sp_gain_of(in, &then);
    if (!sp_gain_is_worth(in, gain))
        return sp_clear(checked, "x beyond one load is %.1f %% of the bytes", 100 * again_B / in->V_B.value);
    sp_text_bytes(once, sizeof once, once_B);
    if (once_B > room_B)
        return sp_clear(checked, "x (%s) exceeds what a window could keep (%s)", once,
                        sp_text_bytes(room, sizeof room, room_B));
    sp_hint_take(in, hint, then, SP_MODELLED, SP_LOW);
    snprintf(hint->evidence, sizeof hint->evidence,
             "x (%s) would fit the L2 but is loaded %.1f times (%s), as the matrix streams through the same "
             "cache.",
             once, x_B.value / once_B, sp_origin_name(x_B.origin));
    if (in->gpu->window)
        hint->change = sp_change_of(SP_OPTION_ISA, in->gpu->window);
    else
        hint->in_program =
            "an L2 access policy window over x (cudaLaunchAttributeAccessPolicyWindow), with L2 set aside "
            "for it "
            "(cudaLimitPersistingL2CacheSize), or evict-first loads of the matrix; here, for CRS: " SP_O_ISA
            " cuda-window or cuda-keep";
    snprintf(
        hint->expect, sizeof hint->expect, "alpha towards %.3g; refuted if alpha falls and the time stays",
        in->n_nz > 0 ? p->traffic.x_once_B / ((double)sp_precision_size(in->precision) * (double)in->n_nz)
                     : 0);
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_gpu_persistence = {
    .id = "J03",
    .title = "x in the L2",
    .version = 3,
    .spmv_only = true,
    .condition = "on a GPU, x would fit three quarters of the smaller estimate of the L2 and is loaded from "
                 "memory more than once: its bytes beyond one load, at the roof",
    .remedy = "an L2 access policy window over x (compute capability 8.0 on; here, for CRS: " SP_O_ISA
              " cuda-window), or evict-first loads of the matrix (" SP_O_ISA " cuda-keep)",
    .check = "x in the L2",
    .gain = "V less the bytes of x beyond one load, by the formula of `gain`",
    .judge = judge_persistence,
};

static double bytes_of(const struct sp_gpu_prediction *p, enum sp_gpu_term level, double n_nz)
{
    return p->term[level].amount.value / n_nz;
}

static enum sp_verdict judge_order(const struct sp_hint_inputs *in, struct sp_hint *hint,
                                   struct sp_checked *checked)
{
    const struct sp_gpu_prediction *now = in->gpu ? in->gpu->now : NULL;
    const struct sp_gpu_prediction *then = in->gpu ? in->gpu->reordered : NULL;
    const double now_s = sp_gpu_hint_time(in);
    char now_text[32], then_text[32], bound[SP_BOUND_TEXT];
    if (now_s <= 0 || !then || !sp_value_known(then->roofline.time_s))
        return SP_SILENT;
    const double then_s = then->roofline.time_s.value;
    sp_text_seconds(now_text, sizeof now_text, now_s);
    sp_text_seconds(then_text, sizeof then_text, then_s);
    struct sp_then ordered = sp_then_times(now_s, then_s);
    const struct sp_gain gain = sp_gain_of(in, &ordered);
    if (!sp_gain_is_worth(in, gain))
        return sp_clear(checked, "after %s the model expects %s instead of %s", in->reorder, then_text,
                        now_text);
    const double n_nz = (double)in->n_nz;
    sp_hint_take(in, hint, ordered, SP_MODELLED, SP_MEDIUM);
    snprintf(hint->evidence, sizeof hint->evidence,
             "The modelled time is bound by %s: %.1f bytes a nonzero from the L2, %.1f from memory. After %s "
             "the same "
             "kernel would move %.1f and %.1f (modelled), in %s instead of %s.",
             bound_by(in->gpu, bound), bytes_of(now, SP_GPU_TERM_L2, n_nz),
             bytes_of(now, SP_GPU_TERM_MEMORY, n_nz), in->reorder, bytes_of(then, SP_GPU_TERM_L2, n_nz),
             bytes_of(then, SP_GPU_TERM_MEMORY, n_nz), then_text, now_text);
    hint->change = sp_change_of(SP_OPTION_REORDER, in->reorder);
    snprintf(hint->expect, sizeof hint->expect,
             "fewer bytes behind the L1s; refuted if they fall and the time does not");
    sp_hint_cost(in, hint, in->reorder_s);
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_gpu_order = {
    .id = "J04",
    .title = "order on a GPU",
    .version = 2,
    .effort = SP_EFFORT_ORDER,
    .spmv_only = true,
    .condition = "on a GPU, gathers of x take bytes of the L2 or of memory beyond one load, and the modelled "
                 "time of the same kernel after a reordering is smaller",
    .remedy = "an order in which neighbouring rows use neighbouring elements of x",
    .check = "order on a GPU",
    .gain = "the modelled times of the same kernel in both orders: their difference, or their ratio where "
            "little is unexplained",
    .judge = judge_order,
};

/* A kernel is more even from so many more of the lanes' turns on. */
static const double MORE_ACTIVE = 0.05;

/* The fastest kernel by the model in the run's format whose lanes idle less; NULL: none. */
static const struct sp_gpu_hint_way *more_even(const struct sp_gpu_hint_inputs *gpu, double active)
{
    const struct sp_gpu_hint_way *best = NULL;
    for (int i = 0; i < gpu->n_ways; i++) {
        const struct sp_gpu_hint_way *w = &gpu->way[i];
        if (w->same_format && w->active > active + MORE_ACTIVE && sp_value_known(w->time_s) &&
            (!best || w->time_s.value < best->time_s.value))
            best = w;
    }
    return best;
}

static enum sp_verdict judge_divergence(const struct sp_hint_inputs *in, struct sp_hint *hint,
                                        struct sp_checked *checked)
{
    const struct sp_gpu_prediction *now = in->gpu ? in->gpu->now : NULL;
    const double now_s = sp_gpu_hint_time(in);
    char now_text[32], then_text[32], bound[SP_BOUND_TEXT];
    if (!now || now_s <= 0 || isnan(now->traffic.active))
        return SP_SILENT;
    const double active = now->traffic.active;
    const struct sp_gpu_hint_way *even = more_even(in->gpu, active), *other = sp_best_gpu_format(in->gpu);
    const double then_s = even ? even->time_s.value : now_s;
    struct sp_then then = sp_then_times(now_s, then_s);
    const struct sp_gain gain = sp_gain_of(in, &then);
    if (!even || !sp_gain_is_worth(in, gain))
        return even ? sp_clear(checked,
                               "%.0f %% of the lanes' turns have an entry; %s, whose lanes idle less, would "
                               "save %.1f %%",
                               100 * active, even->kernel, 100 * gain.hi)
                    : sp_clear(checked,
                               "%.0f %% of the lanes' turns have an entry; in no other kernel of the format "
                               "they idle less",
                               100 * active);
    if (other && other->active > active + MORE_ACTIVE && other->time_s.value <= then_s)
        return SP_SILENT; /* J01 proposes it */
    sp_hint_take(in, hint, then, SP_MODELLED, SP_MEDIUM);
    snprintf(hint->evidence, sizeof hint->evidence,
             "%s: only %.0f %% of the lanes' turns have an entry of the matrix (modelled, exact), with %s "
             "%.0f %%. The modelled time is bound by %s; the model expects %s instead of %s.",
             in->gpu->equal_rows ? "Rows are equally long, but do not fill the lanes that share them"
                                 : "Rows of a warp differ in length",
             100 * active, even->kernel, 100 * even->active, bound_by(in->gpu, bound),
             sp_text_seconds(then_text, sizeof then_text, then_s),
             sp_text_seconds(now_text, sizeof now_text, now_s));
    hint->change = sp_change_of(SP_OPTION_ISA, even->kernel);
    snprintf(hint->expect, sizeof hint->expect, "%s; refuted if the time stays",
             in->gpu->equal_rows ? "fewer turns without entries" : "shorter longest warps");
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_gpu_divergence = {
    .id = "J05",
    .title = "divergence",
    .version = 2,
    .spmv_only = true,
    .condition = "on a GPU, lanes idle until the longest row of their warp is done, or multiply fill, and a "
                 "kernel for the same format whose lanes idle less has a smaller modelled time; silent where "
                 "another format (J01) does more",
    .remedy = "equal shares of rows and entries (cuda-merge), several lanes a row, sorted rows",
    .check = "divergence",
    .gain =
        "the modelled times of both kernels: their difference, or their ratio where little is unexplained",
    .judge = judge_divergence,
};

/* What the units' arithmetic does to results, in 120 characters. */
static const char *accuracy_of(enum sp_precision units, enum sp_precision run)
{
    if (units != run)
        return "fp16 has 11 significant bits, inputs and results are rounded to it (inf above 65504), sums "
               "are fp32";
    if (units == SP_F32)
        return "fp32 as three products of tf32: errors near 2^-22 of a product instead of 2^-24";
    return units == SP_F64 ? "products and sums are fp64, as now"
                           : "products are exact and sums fp32, as now";
}

static struct sp_then then_of(const struct sp_hint_inputs *in, const struct sp_gpu_hint_way *w)
{
    const double now_s = sp_gpu_hint_time(in);
    return sp_then_times(now_s, sp_value_known(w->time_s) ? w->time_s.value : now_s);
}

static struct sp_gain gain_of(const struct sp_hint_inputs *in, const struct sp_gpu_hint_way *w)
{
    struct sp_then then = then_of(in, w);
    return sp_gain_of(in, &then);
}

/* The first one that is worth it: another precision only where the run's is not. */
static const struct sp_gpu_hint_way *first_worth(const struct sp_hint_inputs *in)
{
    for (int i = 0; i < in->gpu->n_units; i++)
        if (sp_gain_is_worth(in, gain_of(in, &in->gpu->units[i])))
            return &in->gpu->units[i];
    return &in->gpu->units[0];
}

static enum sp_verdict judge_units(const struct sp_hint_inputs *in, struct sp_hint *hint,
                                   struct sp_checked *checked)
{
    const double now_s = sp_gpu_hint_time(in);
    char now_text[32], then_text[32], bound[SP_BOUND_TEXT];
    if (in->op != SP_OP_SPMM || now_s <= 0 || in->gpu->n_units == 0)
        return SP_SILENT;
    const struct sp_gpu_hint_way *units = first_worth(in);
    const struct sp_gain gain = gain_of(in, units);
    const double fill = 1 - (double)in->n_nz / (double)units->n_stored;
    const char *name = sp_precision_name(units->precision);
    sp_text_seconds(now_text, sizeof now_text, now_s);
    sp_text_seconds(then_text, sizeof then_text, units->time_s.value);
    if (!sp_gain_is_worth(in, gain))
        return sp_clear(checked, "%s in %s: %lld blocks, %.0f %% fill; %s modelled, %s now", units->option,
                        name, (long long)units->n_indices, 100 * fill, then_text, now_text);
    const bool as_now = units->precision == in->precision;
    sp_hint_take(in, hint, then_of(in, units), SP_MODELLED, as_now ? SP_MEDIUM : SP_LOW);
    snprintf(hint->evidence, sizeof hint->evidence,
             "%lld blocks of %s hold the matrix with %.0f %% fill. On matrix units in %s the model expects "
             "%s instead of %s, which are bound by %s. Accuracy: %s.",
             (long long)units->n_indices, units->option, 100 * fill, name, then_text, now_text,
             bound_by(in->gpu, bound), accuracy_of(units->precision, in->precision));
    hint->change = sp_change_of(SP_OPTION_FORMAT, units->option);
    if (!as_now)
        sp_change_add(&hint->change, SP_OPTION_PRECISION, name);
    snprintf(hint->expect, sizeof hint->expect,
             "time towards the model's; refuted if it stays: peaks of matrix units are nominal");
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_gpu_units = {
    .id = "J06",
    .title = "matrix units",
    .version = 2,
    .condition = "SpMM on a GPU whose peak of matrix units is known: blocks with their fill take less "
                 "modelled time on them than the kernel in use, in its precision or else in fp16",
    .remedy =
        "BCSR with b_h a multiple of 8; an order that fills blocks; fp16 only where its 11 bits suffice",
    .check = "matrix units",
    .gain =
        "the modelled times of both kernels: their difference, or their ratio where little is unexplained",
    .judge = judge_units,
};

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

static enum sp_verdict judge_tiles(const struct sp_hint_inputs *in, struct sp_hint *hint,
                                   struct sp_checked *checked)
{
    const double now_s = sp_gpu_hint_time(in);
    char now_text[32], then_text[32], bound[SP_BOUND_TEXT];
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
             sp_text_seconds(now_text, sizeof now_text, now_s), bound_by(in->gpu, bound));
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
    .judge = judge_tiles,
};
