#include "model/volume/volume_staged.h"

#include <assert.h>
#include <math.h>

/* Bytes of the entries of the largest block, with the results that SDDMM gathers beside them. */
static double largest_block_B(const struct sp_layout *l)
{
    int64_t most = 0;
    for (int64_t b = 0; b < l->n_blocks; b++)
        if (sp_layout_ptr(l, b + 1) - sp_layout_ptr(l, b) > most)
            most = sp_layout_ptr(l, b + 1) - sp_layout_ptr(l, b);
    const size_t s_y = l->op == SP_OP_SDDMM ? l->s_y : 0;
    return (double)most * (double)(l->s_a + l->s_i + s_y);
}

struct sp_staged_reuse sp_staged_reuse_of(const struct sp_layout *l, double cache_B)
{
    assert(l->format == SP_FORMAT_STAGED);
    const bool stays = largest_block_B(l) + (double)sp_layout_stage_bytes(l) <= cache_B;
    return (struct sp_staged_reuse){
        .of_x = l->n_list > 0 ? (double)l->n_nz / (double)l->n_list : 1,
        .r_t = (double)(stays ? l->r : sp_layout_stage_tile(l)),
    };
}

struct sp_volume sp_volume_staged(const struct sp_layout *l, struct sp_staged_reuse reuse, double w)
{
    assert(reuse.of_x >= 1 && reuse.r_t >= 1);
    struct sp_volume v = sp_volume_layout(l, 1 / reuse.of_x, w);
    const double again = ceil(l->r / reuse.r_t) - 1;
    const bool sampled = l->op == SP_OP_SDDMM;
    const enum sp_array often = sampled ? SP_ARRAY_Y : SP_ARRAY_VALUES;
    const double often_B = (sampled ? 2 : 1) * sp_layout_array_bytes(l, often) * again;
    const double indices_B = v.array_B[SP_ARRAY_INDICES] * again;
    const double pointers_B = v.array_B[SP_ARRAY_POINTERS] * again;
    v.array_B[SP_ARRAY_INDICES] += indices_B;
    v.array_B[SP_ARRAY_POINTERS] += pointers_B;
    v.array_B[often] += often_B;
    v.write_B += sampled ? often_B / 2 : 0;
    v.total_B += indices_B + pointers_B + often_B;
    v.read_B = v.total_B - v.write_B;
    return v;
}
