#include <math.h>
#include <stdio.h>

#include "model/hints/rules.h"
#include "model/hints/support.h"

/* V of BCSR, r = 1 [THEORY 7]: (b_h b_w s_a + s_i) n_e + s_p (ceil(n_r/b_h) + 1) + vectors as now. */
static double block_matrix_B(const struct sp_hint_inputs *in)
{
    double s_a = (double)sp_value_size(in->precision), s_i = (double)sp_index_size(in->index);
    int64_t n_block_rows = (in->n_r + in->block_h - 1) / in->block_h;
    return (in->block_h * in->block_w * s_a + s_i) * (double)in->n_blocks + 4 * (double)(n_block_rows + 1);
}

/* Whole blocks are loaded where CRS gathers: that fetched up to a fifth faster than the same bytes of CRS,
 * and one gather of x for a block waits instead of one for each of its entries. */
static void put_in_blocks(const struct sp_hint_inputs *in, struct sp_then *then)
{
    static const double faster = 0.2;
    if (in->format != SP_FORMAT_CRS)
        return;
    then->faster = faster;
    then->held = true;
    if (sp_hint_is_waiting(in))
        then->gone =
            sp_value_between(0, 0, 1 - fmin(1, (double)in->n_blocks / (double)in->n_nz), SP_MODELLED);
}

static enum sp_verdict judge(const struct sp_hint_inputs *in, struct sp_hint *hint,
                             struct sp_checked *checked)
{
    if (in->block_h * in->block_w < 2 || in->n_blocks < 1 || !sp_hint_has_volume(in) ||
        in->format == SP_FORMAT_SELLU || in->format == SP_FORMAT_BCSR || in->n_nz <= 0)
        return SP_SILENT;
    double s_a = (double)sp_value_size(in->precision), s_i = (double)sp_index_size(in->index);
    double now_B = (s_a + s_i) * sp_hint_stored(in) + 4 * (double)in->n_r / in->C;
    double fill = (double)in->n_nz / ((double)in->n_blocks * in->block_h * in->block_w);
    const double less_B = now_B - block_matrix_B(in);
    struct sp_then then = sp_then_bytes(in, sp_hint_volume_less(in, less_B), sp_as_now(), less_B);
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
    .title = "dense blocks",
    .version = 4,
    .effort = SP_EFFORT_STORAGE,
    .spmv_only = true,
    .condition =
        "the entries form dense blocks: V of BCSR, (b_h b_w s_a + s_i) n_e + s_p n_r/b_h, is smaller "
        "although blocks are filled up",
    .remedy = "BCSR: one index a block, and kernels that take a block at a time",
    .check = "dense blocks",
    .gain =
        "V of BCSR, (b_h b_w s_a + s_i) n_e + s_p n_r/b_h, by the formula of `gain`; at the upper end a "
        "fifth faster than that, and one gather waits for a block instead of one for each entry; at least "
        "six tenths of that where gathers wait for memory and it is large",
    .judge = judge,
};
