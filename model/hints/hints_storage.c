/* Hints on how the matrix is stored, and on the bytes of each of its entries. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/hints/rules.h"
#include "model/volume/volume.h"
#include "sparse/formats/format.h"

const struct sp_storage *sp_hint_storage(const struct sp_hint_inputs *in, const char *format)
{
    static const struct sp_storage none = {.change.n = 0};
    for (int i = 0; i < sp_n_formats; i++)
        if (strcmp(sp_format_name(i), format) == 0)
            return &in->storage[i];
    return &none;
}

static enum sp_verdict judge_padding(const struct sp_hint_inputs *in, struct sp_hint *hint,
                                     struct sp_checked *checked)
{
    if (!sp_format_of(in->format)->in_chunks || !sp_value_known(in->beta) || !sp_hint_has_volume(in))
        return SP_SILENT;
    double item_B = (double)(sp_value_size(in->precision) + sp_index_size(in->index));
    double fill_B = (sp_hint_stored(in) - (double)in->n_nz) * item_B;
    /* Fill is computed with as well as loaded. */
    struct sp_value core = sp_value_known(in->core_s)
                               ? sp_value_of(in->core_s.value * in->beta.value, in->core_s.origin)
                               : sp_as_now();
    struct sp_then all = sp_then_bytes(in, sp_hint_volume_less(in, fill_B), core, fill_B);
    const struct sp_gain without = sp_gain_of(in, &all);
    if (!sp_gain_is_worth(in, without))
        return sp_clear(checked, "beta %.3f; no fill at all would save %.1f %%", in->beta.value,
                        100 * without.hi);
    struct sp_gain gain;
    const struct sp_alternative *best = sp_best_format(in, "", true, &gain);
    if (!best || !sp_gain_is_worth(in, gain) ||
        (sp_value_known(best->beta) && best->beta.value <= in->beta.value))
        return SP_SILENT;
    sp_hint_take(in, hint, sp_then_storage(in, best),
                 best->V_B.origin == SP_SIMULATED ? SP_SIMULATED : SP_MODELLED,
                 sp_value_known(best->core_s) ? SP_HIGH : SP_MEDIUM);
    int length = snprintf(hint->evidence, sizeof hint->evidence,
                          "%.0f %% of the stored entries are fill (beta = %.3f), loaded and computed "
                          "with like the others. With %s ",
                          100 * (1 - in->beta.value), in->beta.value, best->option);
    if (sp_value_known(best->beta))
        snprintf(hint->evidence + length, sizeof hint->evidence - (size_t)length, "beta is %.3f.",
                 best->beta.value);
    else
        snprintf(hint->evidence + length, sizeof hint->evidence - (size_t)length, "there is no fill.");
    hint->change = best->change;
    snprintf(hint->expect, sizeof hint->expect,
             "the padding part of the losses shrinks; refuted if V falls and the time stays");
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_padding = {
    .id = "D01",
    .title = "padding",
    .version = 2,
    .effort = SP_EFFORT_STORAGE,
    .condition =
        "SELL stores fill (beta = n_nz/stored entries is small), and max(W/P_core, V/b_S) of another C, "
        "sigma or of CRS is smaller; beta follows from the row lengths, nothing is converted",
    .remedy = "smaller C, larger sorting window sigma, or CRS",
    .check = "padding",
    .gain = "V(beta) and P_core of the other C and sigma or of CRS, by the formula of `gain`; beta follows "
            "from the row lengths",
    .judge = judge_padding,
};

static struct sp_then with_i32(const struct sp_hint_inputs *in)
{
    const double less_B = 4 * sp_hint_stored(in);
    return sp_then_bytes(in, sp_hint_volume_less(in, less_B), sp_as_now(), less_B);
}

static enum sp_verdict narrower(const struct sp_hint_inputs *in, struct sp_hint *hint)
{
    sp_hint_take(in, hint, with_i32(in), SP_MODELLED, SP_HIGH);
    snprintf(hint->evidence, sizeof hint->evidence, "Column indices take 8 bytes each; %lld columns fit 4.",
             (long long)in->n_c);
    hint->change = sp_change_of(SP_OPTION_INDEX, "i32");
    snprintf(hint->expect, sizeof hint->expect, "the bytes of the indices halve");
    return SP_FIRES;
}

/* The core's time of storage that removes bytes and no instructions: that of now at least. */
static struct sp_value not_faster(const struct sp_hint_inputs *in, struct sp_value core_s)
{
    const bool is_faster =
        sp_value_known(core_s) && sp_value_known(in->core_s) && core_s.value < in->core_s.value;
    return is_faster ? in->core_s : core_s;
}

/* Of storage that is loaded by the same instructions: faster by no more than its bytes are
 * fewer. */
static struct sp_value with_fewer_bytes(const struct sp_hint_inputs *in, const struct sp_alternative *other)
{
    struct sp_value core = other->core_s;
    if (!sp_value_known(core) || !sp_value_known(in->core_s) || !sp_value_known(other->V_B))
        return core;
    const double least_s = in->core_s.value * fmin(1, other->V_B.value / in->V_B.value);
    core.lo = fmax(core.lo, least_s);
    core.value = fmax(core.value, least_s);
    core.hi = fmax(core.hi, least_s);
    return core;
}

/* What another way of storing indices gains by its bytes: a faster core is C01's, gathers in flight
 * are C02's, less padding D01's. */
static struct sp_gain gain_of_bytes(const struct sp_hint_inputs *in, const struct sp_alternative *other)
{
    struct sp_then then = sp_then_storage(in, other);
    then.core_s = not_faster(in, then.core_s);
    then.gone = sp_value_none("bytes alone");
    then.faster = 0;
    then.held = false;
    return sp_gain_of(in, &then);
}

static double mean(struct sp_gain gain)
{
    return (gain.lo + gain.hi) / 2;
}

static void say_bytes(const struct sp_hint_inputs *in, struct sp_hint *hint,
                      const struct sp_alternative *other)
{
    sp_hint_add(hint, "V falls from %.4g to %.4g MB (%s).", in->V_B.value / 1e6, other->V_B.value / 1e6,
                sp_origin_name(other->V_B.origin));
    sp_hint_add_storage(in, hint, other->option);
}

/* In rows each one pays for its base, which P_core shows in part only. */
static struct sp_then with_offsets(const struct sp_hint_inputs *in)
{
    struct sp_then then = sp_then_storage(in, in->offsets);
    if (sp_format_of(in->format)->plain_rows && !sp_is_in_lanes(in->offsets->option))
        then.keeps = sp_value_between(0.5, 0, 0.5, SP_STATED);
    return then;
}

static enum sp_verdict use_offsets(const struct sp_hint_inputs *in, struct sp_hint *hint)
{
    struct sp_then then = with_offsets(in);
    if (!sp_gain_is_worth(in, sp_gain_of(in, &then)))
        return SP_SILENT;
    sp_hint_take(in, hint, then, SP_MODELLED, sp_format_of(in->format)->plain_rows ? SP_LOW : SP_MEDIUM);
    sp_hint_add(hint,
                "Column indices take %d bytes each; 16-bit offsets from a base of each row or slot reach. ",
                (int)sp_index_size(in->index));
    say_bytes(in, hint, in->offsets);
    hint->change = in->offsets->change;
    snprintf(hint->expect, sizeof hint->expect,
             "fewer bytes at the same bandwidth; refuted if the bandwidth falls too");
    return SP_FIRES;
}

static enum sp_verdict judge_index_bytes(const struct sp_hint_inputs *in, struct sp_hint *hint,
                                         struct sp_checked *checked)
{
    if (!sp_hint_has_volume(in))
        return SP_SILENT;
    static const double least_share = 0.01; /* below, slots of unit stride are not why */
    struct sp_gain wide = {0, 0}, unit = {0, 0}, offsets = {0, 0};
    if (in->offsets)
        offsets = gain_of_bytes(in, in->offsets);
    if (in->index == SP_I64) {
        struct sp_then then = with_i32(in);
        wide = sp_gain_of(in, &then);
    }
    const struct sp_alternative *sellu = NULL;
    if (!sp_format_of(in->format)->unit_slots && in->precision != SP_C128)
        sellu = sp_best_format(in, "sellu", true, &unit);
    if (sellu) {
        unit = gain_of_bytes(in, sellu);
        bool padded = sp_format_of(in->format)->in_chunks && !sp_format_of(in->format)->unit_slots &&
                      sp_value_known(in->beta) && sp_value_known(sellu->beta) &&
                      sellu->beta.value > 1.05 * in->beta.value;
        if (padded)
            sellu = NULL;
    }
    if (sp_gain_is_worth(in, wide) && mean(wide) >= mean(unit) && mean(wide) >= mean(offsets))
        return narrower(in, hint);
    if (in->offsets && sp_gain_is_worth(in, offsets) && (!sellu || mean(offsets) >= mean(unit)))
        return use_offsets(in, hint);
    bool fewer = sellu && sp_value_known(sellu->V_B) && sellu->V_B.value < in->V_B.value;
    if (fewer && sp_gain_is_worth(in, unit)) {
        sp_hint_take(in, hint, sp_then_storage(in, sellu), SP_MODELLED, SP_MEDIUM);
        if (sp_value_known(in->unit_share) && in->unit_share.value >= least_share)
            sp_hint_add(hint,
                        "In %.0f %% of the slots the columns of a chunk are consecutive: one base index "
                        "replaces them, "
                        "and x is loaded as a vector instead of gathered. ",
                        100 * in->unit_share.value);
        else
            sp_hint_add(hint, "Chunks need one start for all of their rows instead of one for each. ");
        say_bytes(in, hint, sellu);
        hint->change = sellu->change;
        snprintf(hint->expect, sizeof hint->expect,
                 "fewer bytes at the same bandwidth; refuted if the bandwidth falls too");
        return SP_FIRES;
    }
    if (in->index == SP_I32 && sp_value_known(in->unit_share) &&
        (sellu || sp_format_of(in->format)->unit_slots))
        return sp_clear(checked, "32-bit; %.0f %% unit-stride slots%s", 100 * in->unit_share.value,
                        sp_format_of(in->format)->unit_slots ? ", in use" : ", too few to gain");
    return SP_SILENT;
}

const struct sp_hint_rule sp_hint_index_bytes = {
    .id = "E01",
    .for_own = SP_FOR_OWN_CRS,
    .title = "index bytes",
    .version = 7,
    .effort = SP_EFFORT_STORAGE,
    .spmv_only = true,
    .condition =
        "64-bit column indices where 32 bits do; 16-bit offsets from a base of each row or slot that reach: "
        "index bytes fall to 2 + 4/n_nzr (CRS) or 2 + 4/C (SELL) a stored entry; or many SELL slots with "
        "consecutive columns: to s_i (u/C + 1 - u)",
    .remedy = "32-bit indices, 16-bit offsets, or SELL with unit-stride slots",
    .check = "index bytes",
    .gain = "V with the narrower indices, counted from the pattern, by the formula of `gain`; 16-bit offsets "
            "of rows count 0 to half of that; fires on bytes alone, and where the format also has more "
            "gathers in flight or a faster core, promises as C02 does",
    .judge = judge_index_bytes,
};

/* Of the layout where there is one, else by formula, which knows no conflicts. Updates of y follow
 * the gathers' pattern transposed, which is the same one. */
static struct sp_value volume_of(const struct sp_hint_inputs *in, const struct sp_storage *half)
{
    if (sp_value_known(half->V_B))
        return half->V_B;
    struct sp_sizes sizes =
        sp_sizes_with_pointers(sp_sizes_of(in->precision, in->index, (double)in->n_nz / 2), in->row_ptr_B);
    double most = fmax(in->alpha.value, in->alpha_min.value), least = in->alpha_min.value;
    double V_lo = sp_volume_spmv_half(in->n_r, in->n_nz, sizes, least, least).total_B;
    double V_hi = sp_volume_spmv_half(in->n_r, in->n_nz, sizes, most, most).total_B;
    return sp_value_between((V_lo + V_hi) / 2, V_lo, V_hi, SP_MODELLED);
}

static void say_volume(const struct sp_hint_inputs *in, const struct sp_storage *half, struct sp_value V,
                       struct sp_hint *hint)
{
    char now[32], lo[32], hi[32], range[80], set[32];
    sp_text_bytes(lo, sizeof lo, V.lo);
    sp_text_bytes(hi, sizeof hi, V.hi);
    snprintf(range, sizeof range, strcmp(lo, hi) == 0 ? "%s" : "%s to %s", lo, hi);
    int length = snprintf(hint->evidence, sizeof hint->evidence,
                          "The matrix is symmetric and stored in full. One triangle would move %s instead of "
                          "%s through memory (%s; updates of y counted, conflicts between threads %s).",
                          range, sp_text_bytes(now, sizeof now, in->V_B.value), sp_origin_name(V.origin),
                          sp_value_known(half->V_B) ? "too" : "not");
    if (sp_value_known(hint->then.set_B) && hint->then.inner[0] && V.value < in->V_B.value / 4)
        snprintf(hint->evidence + length, sizeof hint->evidence - (size_t)length,
                 " The rest, %s, comes from %s.",
                 sp_text_bytes(set, sizeof set, fmax(0, hint->then.set_B.value - V.value)), hint->then.inner);
}

/* Updates of y depend on those before them, so that part of the transfers may not hide behind
 * execution: stencils took between max(T_data, T_core) and that with half of the shorter one
 * added. */
static struct sp_then one_triangle(const struct sp_hint_inputs *in, const struct sp_storage *half,
                                   struct sp_value V)
{
    static const double shows = 0.5;
    const double item_B = (double)(sp_value_size(in->precision) + sp_index_size(in->index));
    struct sp_then then =
        sp_then_bytes(in, V, half->core_s, item_B * (sp_hint_stored(in) - (double)(in->n_nz + in->n_r) / 2));
    if (sp_value_known(half->core_s))
        then.shows = shows;
    return then;
}

static enum sp_verdict judge_symmetric(const struct sp_hint_inputs *in, struct sp_hint *hint,
                                       struct sp_checked *checked)
{
    const struct sp_storage *half = sp_hint_storage(in, "half");
    if (!in->symmetric || sp_format_of(in->format)->mirrored || !sp_hint_has_volume(in) ||
        !sp_value_known(in->alpha) || !sp_value_known(in->alpha_min) || in->n_nz == 0)
        return SP_SILENT;
    if (!sp_hint_in_memory(in)) /* 13 of 14 trials took longer, some twice as long */
        return sp_clear(checked, "data in caches: updates of y wait for each other");
    if (half->change.n == 0)
        return SP_SILENT;
    const bool measured = sp_value_known(half->core_s);
    struct sp_value V = volume_of(in, half);
    if (sp_hint_is_waiting(in)) /* updates of y wait as gathers of x do */
        return sp_clear(checked, "gathers wait, and with one triangle updates of y would too");
    struct sp_then one = one_triangle(in, half, V);
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
    say_volume(in, half, V, hint);
    hint->change = half->change;
    snprintf(hint->expect, sizeof hint->expect,
             "bytes of the matrix halve; refuted if conflicts or private copies of y cost as much");
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_symmetric = {
    .id = "E02",
    .for_own = SP_FOR_OWN_CRS,
    .title = "unused symmetry",
    .version = 8,
    .effort = SP_EFFORT_STORAGE,
    .spmv_only = true,
    .condition =
        "the matrix is symmetric and read from memory: V of one triangle, "
        "(s_a + s_i)(n_nz + n_r)/2 + s_p n_r + gathers, updates of y and conflicts between threads, is "
        "smaller, and its P_core does not cost it all",
    .remedy = "store one triangle (" SP_O_FORMAT " half); threads are kept apart by phases or windows",
    .check = "symmetry",
    .gain =
        "V of one triangle (simulated at the level where it would live; by formula in the innermost cache), "
        "updates of y and conflicts counted, and its "
        "P_core, "
        "by the formula of `gain`, with omega = 0.5 at least at the lower end: updates of y depend on those "
        "before "
        "them",
    .judge = judge_symmetric,
};

/* Share of V that goes with these bytes of the arrays. */
static double share_of(const struct sp_hint_inputs *in, double saved_B)
{
    return 1 - sp_hint_volume_less(in, saved_B).value / in->V_B.value;
}

/* Values that are not f32 numbers: what it would cost to store them so, not proposed. */
static enum sp_verdict state_change(const struct sp_hint_inputs *in, double mixed_B,
                                    struct sp_checked *checked)
{
    if (!sp_value_known(in->rounding_largest))
        return sp_clear(checked, "values need fp64");
    return sp_clear(checked,
                    "values need fp64; " SP_O_PRECISION
                    " mixed would save %.0f %% of V and change them by up to %.1e, "
                    "norm-wise %.1e",
                    100 * share_of(in, mixed_B), in->rounding_largest.value, in->rounding_normwise.value);
}

/* Converting values costs some of what fewer bytes save: where gathers wait, or rows are so short
 * that vectors carry most of the bytes, perhaps all of it [docs/results, advice scored]. */
static struct sp_value what_stays(const struct sp_hint_inputs *in)
{
    static const double stays = 0.3, short_row = 16;
    const bool is_long = (double)in->n_nz >= short_row * (double)in->n_r;
    return sp_value_between(1, is_long && !sp_hint_is_waiting(in) ? stays : 0, 1, SP_STATED);
}

static enum sp_verdict judge_precision(const struct sp_hint_inputs *in, struct sp_hint *hint,
                                       struct sp_checked *checked)
{
    if (in->precision != SP_F64 || in->fits_f32 == SP_UNKNOWN || !sp_hint_has_volume(in))
        return SP_SILENT;
    const double mixed_B = 4 * sp_hint_stored(in);
    if (in->fits_f32 == SP_FALSE)
        return state_change(in, mixed_B, checked);
    struct sp_value V = sp_hint_volume_less(in, mixed_B), core = sp_as_now();
    if (in->mixed) {
        V = in->mixed->V_B;
        core = with_fewer_bytes(in, in->mixed);
    }
    struct sp_then then = sp_then_bytes(in, V, core, mixed_B);
    then.keeps = what_stays(in);
    const struct sp_gain gain = sp_gain_of(in, &then);
    if (!sp_gain_is_worth(in, gain))
        return SP_SILENT;
    sp_hint_take(in, hint, then, SP_MODELLED, SP_LOW);
    sp_hint_add(hint, "Every value of the matrix is an fp32 number");
    if (in->n_distinct > 0)
        sp_hint_add(hint, " (%s%lld distinct)", in->n_distinct_is_bound ? "at least " : "",
                    (long long)in->n_distinct);
    sp_hint_add(hint, ": stored in 4 bytes instead of 8 it loses nothing. x, y and the sums stay fp64.");
    const bool has_mixed = sp_format_of(in->format)->plain_rows || sp_format_of(in->format)->in_chunks;
    if (in->mixed)
        hint->change = in->mixed->change;
    else {
        if (!has_mixed)
            sp_change_add(&hint->change, SP_OPTION_FORMAT, "crs");
        sp_change_add(&hint->change, SP_OPTION_PRECISION, "mixed");
    }
    snprintf(hint->expect, sizeof hint->expect,
             "V %s by %.0f %%; the result is checked with the bound of fp64",
             V.value <= in->V_B.value ? "falls" : "rises", 100 * fabs(1 - V.value / in->V_B.value));
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_precision = {
    .id = "E03",
    .for_own = SP_FOR_OWN_CRS,
    .title = "precision",
    .version = 9,
    .effort = SP_EFFORT_STORAGE,
    .spmv_only = true,
    .condition =
        "every value is exactly an fp32 number: stored so, s_a falls from 8 to 4 bytes, while x, y and the "
        "sums stay fp64",
    .remedy = "values in fp32 beside vectors in fp64 (" SP_O_PRECISION " mixed)",
    .check = "precision",
    .gain = "three tenths to all of what V with 4-byte values saves by the formula of `gain`, with their "
            "P_core, faster by no more than bytes are fewer: converting costs some of it, and perhaps all of "
            "it where gathers wait or rows have less than 16 entries",
    .judge = judge_precision,
};

/* V of BCSR, r = 1 [THEORY 7]: (b_h b_w s_a + s_i) n_e + s_p (ceil(n_r/b_h) + 1) + vectors. */
static double block_matrix_B(const struct sp_hint_inputs *in)
{
    double s_a = (double)sp_value_size(in->precision), s_i = (double)sp_index_size(in->index);
    int64_t n_block_rows = (in->n_r + in->block_h - 1) / in->block_h;
    return (in->block_h * in->block_w * s_a + s_i) * (double)in->n_blocks + 4 * (double)(n_block_rows + 1);
}

/* Whole blocks are loaded where CRS gathers: where P_core was not measured, that fetched up to a
 * fifth faster than the same bytes of CRS; and one gather of x for a block waits instead of one for
 * each of its entries. */
static void put_in_blocks(const struct sp_hint_inputs *in, struct sp_then *then)
{
    static const double faster = 0.2;
    if (!sp_format_of(in->format)->plain_rows)
        return;
    then->faster = sp_value_known(in->blocks_core_s) ? 0 : faster;
    then->held = true;
    if (sp_hint_is_waiting(in))
        then->gone =
            sp_value_between(0, 0, 1 - fmin(1, (double)in->n_blocks / (double)in->n_nz), SP_MODELLED);
}

static enum sp_verdict judge_blocks(const struct sp_hint_inputs *in, struct sp_hint *hint,
                                    struct sp_checked *checked)
{
    if (in->block_h * in->block_w < 2 || in->n_blocks < 1 || !sp_hint_has_volume(in) ||
        sp_format_of(in->format)->unit_slots || sp_format_of(in->format)->in_blocks || in->n_nz <= 0)
        return SP_SILENT;
    double s_a = (double)sp_value_size(in->precision), s_i = (double)sp_index_size(in->index);
    double now_B = (s_a + s_i) * sp_hint_stored(in) + 4 * (double)in->n_r / in->C;
    double fill = (double)in->n_nz / ((double)in->n_blocks * in->block_h * in->block_w);
    const double less_B = now_B - block_matrix_B(in);
    struct sp_then then = sp_then_bytes(in, sp_hint_volume_less(in, less_B), in->blocks_core_s, less_B);
    const struct sp_gain gain = sp_gain_of(in, &then);
    if (!sp_gain_is_worth(in, gain))
        return sp_clear(checked, "best %d x %d: filled to %.0f %%; would save at most %.1f %%", in->block_h,
                        in->block_w, 100 * fill, 100 * gain.hi);
    if (fill < 0.5 || in->to_blocks.n == 0) /* what is saved then is padding of another format, or nothing */
        return SP_SILENT;
    put_in_blocks(in, &then);
    sp_hint_take(in, hint, then, SP_MODELLED, SP_LOW);
    snprintf(hint->evidence, sizeof hint->evidence,
             "%d x %d blocks are filled to %.0f %% (n_e = %lld): one index a block instead of one an entry.",
             in->block_h, in->block_w, 100 * fill, (long long)in->n_blocks);
    hint->change = in->to_blocks;
    snprintf(hint->expect, sizeof hint->expect, "bytes of the indices fall to 1/%d of the blocks' entries",
             in->block_h * in->block_w);
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_blocks = {
    .id = "E04",
    .for_own = SP_FOR_OWN_CRS,
    .title = "dense blocks",
    .version = 6,
    .effort = SP_EFFORT_STORAGE,
    .spmv_only = true,
    .condition =
        "the entries form dense blocks: V of BCSR, (b_h b_w s_a + s_i) n_e + s_p n_r/b_h, is smaller "
        "although blocks are filled up",
    .remedy = "BCSR: one index a block, and kernels that take a block at a time",
    .check = "dense blocks",
    .gain =
        "V of BCSR, (b_h b_w s_a + s_i) n_e + s_p n_r/b_h, and its P_core, by the formula of `gain`; without "
        "P_core, at the upper end a fifth faster than that; one gather waits for a block instead of one for "
        "each entry; at least "
        "six tenths of that where gathers wait for memory and it is large",
    .judge = judge_blocks,
};

static struct sp_value scaled(struct sp_value v, double by)
{
    return sp_value_known(v) ? sp_value_between(v.value * by, v.lo * by, v.hi * by, v.origin) : v;
}

/* The work of the run when `other` vectors are multiplied at once instead of in->r. */
static struct sp_then with_width(const struct sp_hint_inputs *in, const struct sp_alternative *other)
{
    const double per_vector = (double)in->r / strtod(other->option, NULL);
    return (struct sp_then){.V_B = scaled(other->V_B, per_vector),
                            .core_s = scaled(other->core_s, per_vector)};
}

static enum sp_verdict judge_width(const struct sp_hint_inputs *in, struct sp_hint *hint,
                                   struct sp_checked *checked)
{
    if (in->op != SP_OP_SPMMV || in->n_widths == 0 || !sp_hint_has_volume(in))
        return SP_SILENT;
    const struct sp_alternative *best = NULL;
    struct sp_gain gain = {0, 0};
    for (int i = 0; i < in->n_widths; i++) {
        struct sp_then then = with_width(in, &in->widths[i]);
        const struct sp_gain g = sp_gain_of(in, &then);
        if (g.lo + g.hi > gain.lo + gain.hi) {
            best = &in->widths[i];
            gain = g;
        }
    }
    if (!best || !sp_gain_is_worth(in, gain))
        return sp_clear(checked, "a vector is cheapest with r = %lld", (long long)in->r);
    sp_hint_take(in, hint, with_width(in, best), SP_MODELLED, SP_MEDIUM);
    snprintf(
        hint->evidence, sizeof hint->evidence,
        "The matrix is read once for all vectors: with r = %s each vector takes less than with r = %lld, "
        "where so many are at hand (B(r) modelled, P_core measured for both).",
        best->option, (long long)in->r);
    hint->change = sp_change_of(SP_OPTION_RHS, best->option);
    snprintf(hint->expect, sizeof hint->expect,
             "time divided by r falls; refuted if it stays while B falls, as where P_core limits");
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_width = {
    .id = "E05",
    .title = "block vectors",
    .version = 2,
    .condition = "SpMMV: max(V(r)/b_S, W(r)/P_core(r)) of another r is smaller for each vector",
    .remedy = "as many right-hand sides at once as the caches and P_core allow",
    .check = "block vectors",
    .gain = "max(V(r)/b_S, W(r)/P_core(r))/r of the other number of vectors, by the formula of `gain`",
    .judge = judge_width,
};

/* V without the zeros: their values and indices; in lanes (SELL) fill may take their place. */
static struct sp_value volume_without(const struct sp_hint_inputs *in)
{
    const double item_B = (double)(sp_value_size(in->precision) + sp_index_size(in->index));
    const struct sp_value V = sp_hint_volume_less(in, (double)in->n_zeros * item_B);
    if (sp_format_of(in->format)->plain_rows)
        return V;
    return sp_value_between((V.value + in->V_B.value) / 2, V.lo, in->V_B.hi, V.origin);
}

static enum sp_verdict judge_zeros(const struct sp_hint_inputs *in, struct sp_hint *hint,
                                   struct sp_checked *checked)
{
    const bool in_lanes = sp_format_of(in->format)->in_chunks;
    if (in->n_zeros <= 0 || in->n_zeros >= in->n_nz || (!sp_format_of(in->format)->plain_rows && !in_lanes) ||
        !sp_hint_has_volume(in))
        return SP_SILENT;
    const double share = (double)in->n_zeros / (double)in->n_nz;
    const struct sp_value V = volume_without(in);
    const struct sp_value core = sp_value_known(in->core_s) && !in_lanes
                                     ? sp_value_of(in->core_s.value * (1 - share), in->core_s.origin)
                                     : sp_as_now();
    struct sp_then then = sp_then_bytes(
        in, V, core,
        in_lanes ? 0
                 : (double)in->n_zeros * (double)(sp_value_size(in->precision) + sp_index_size(in->index)));
    if (sp_hint_is_waiting(in)) /* zeros gather too */
        then.gone = sp_value_between(0, 0, share, SP_MODELLED);
    const struct sp_gain gain = sp_gain_of(in, &then);
    if (!sp_gain_is_worth(in, gain))
        return sp_clear(checked, "%.2g %% of the entries; without them at most %.1f %% would be saved",
                        100 * share, 100 * gain.hi);
    sp_hint_take(in, hint, then, SP_MODELLED, SP_MEDIUM);
    snprintf(
        hint->evidence, sizeof hint->evidence,
        "%lld of the %lld entries (%.2g %%) have the value 0: they are loaded and computed with like the "
        "others, and change no result.",
        (long long)in->n_zeros, (long long)in->n_nz, 100 * share);
    hint->change = sp_change_of(SP_OPTION_DROP_ZEROS, "");
    snprintf(hint->expect, sizeof hint->expect,
             "n_nz falls by %lld, V by up to that share; refuted if V falls and the time stays",
             (long long)in->n_zeros);
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_zeros = {
    .id = "E06",
    .for_own = SP_FOR_OWN_CRS,
    .title = "explicit zeros",
    .version = 3,
    .spmv_only = true,
    .condition = "the file stores entries of value 0, and V without their values and indices is smaller by "
                 "enough (CRS, SELL)",
    .remedy = "leave them out: " SP_O_DROP_ZEROS ", or convert " SP_O_DROP_ZEROS
              " once; not where later values of the same "
              "pattern will differ from 0",
    .check = "explicit zeros",
    .gain = "V less (s_a + s_i) for each of them, in SELL from nothing to that, because fill may take their "
            "place; in CRS W/P_core falls with the entries; by the formula of `gain`; where gathers wait, at "
            "the upper end as much time as entries",
    .judge = judge_zeros,
};
