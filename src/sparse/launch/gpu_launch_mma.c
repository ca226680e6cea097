#include "sparse/launch/gpu_launch_mma.h"

#include "base/option/option_words.h"

/* Columns of a warp, rows of a matrix of the units, and most warps of a block and rows of it in such units.
 */
enum { WARP_COLUMNS = 16, UNIT_ROWS = 8, MOST_WARPS = SP_GPU_DENSE_THREADS / SP_WARP, MOST_ROW_UNITS = 4 };

int sp_gpu_mma_row_units(const struct sp_layout *l)
{
    int units = MOST_ROW_UNITS;
    while (l->b_h / UNIT_ROWS % units != 0)
        units /= 2;
    return units;
}

/* Sums of 8 rows with 16 columns, and what is there beside them. */
static int registers_for(const struct sp_layout *l)
{
    const int units = sp_gpu_mma_row_units(l), of_sums = l->s_x == 8 ? 12 : 8;
    return 52 + units * of_sums;
}

/* Equally wide tiles of the width. */
static void share_columns(const struct sp_layout *l, struct sp_gpu_launch *g)
{
    const int64_t in_warps = sp_gpu_ratio_up(l->r, WARP_COLUMNS),
                  n_tiles = sp_gpu_ratio_up(in_warps, MOST_WARPS);
    const int64_t warps = sp_gpu_ratio_up(in_warps, n_tiles);
    g->block_threads = (int)warps * SP_WARP;
    g->tile = (int32_t)(warps * WARP_COLUMNS);
    g->n_tiles = (int32_t)sp_gpu_ratio_up(l->r, g->tile);
}

static size_t stage_bytes(const struct sp_layout *l, const struct sp_gpu_launch *g)
{
    const size_t pad = l->s_x == 8 ? 4 : 8, n_k = SP_GPU_MMA_STAGE_B / l->s_x;
    const size_t rows = (size_t)sp_gpu_mma_row_units(l) * UNIT_ROWS;
    return n_k * (((size_t)g->tile | pad) + (rows | pad)) * l->s_x;
}

static int64_t block_rows(const struct sp_layout *l)
{
    return (l->n_ptr - 1) * (l->b_h / UNIT_ROWS / sp_gpu_mma_row_units(l));
}

static void set_switches(const struct sp_layout *l, unsigned switches, struct sp_gpu_launch *g)
{
    const int n_stages = switches & SP_GPU_MMA_ASYNC ? SP_GPU_MMA_STAGES : 1;
    g->switches = switches;
    g->shared_B = (size_t)n_stages * stage_bytes(l, g);
    g->n_blocks = block_rows(l) * (switches & SP_GPU_MMA_TILES ? g->n_tiles : 1);
}

enum sp_status sp_gpu_launch_mma(const struct sp_layout *l, struct sp_gpu_launch *g, struct sp_error *err)
{
    if (l->b_h % UNIT_ROWS != 0)
        return sp_fail(
            err, SP_ABSENT, SP_O_FORMAT " bcsr:8x8, or another multiple of 8 rows",
            "matrix units take blocks of 8, 16, ... 64 rows and any number of columns, not %d x %d",
            (int)l->b_h, (int)l->b_w);
    if (l->n_c > INT32_MAX - l->b_w)
        return sp_fail(err, SP_ABSENT, "cut the matrix into parts", "%lld columns, the kernel counts to 2^31",
                       (long long)l->n_c);
    share_columns(l, g);
    g->registers = registers_for(l);
    g->vector = l->r % (16 / (int)l->s_x) == 0 ? 16 / (int)l->s_x : 1;
    g->vectors = 1;
    g->n_parts = 1;
    set_switches(l, SP_GPU_MMA_ALL, g);
    return SP_OK;
}

enum sp_status sp_gpu_launch_switch(const struct sp_layout *l, unsigned switches, struct sp_gpu_launch *g,
                                    struct sp_error *err)
{
    if (g->map != SP_GPU_MMA)
        return sp_fail(err, SP_ABSENT, "name the kernel cuda-mma",
                       "GPU kernels that share by %s have no parts "
                       "to switch off",
                       sp_gpu_map_name(g->map));
    if (switches != SP_GPU_MMA_ALL && (l->precision != SP_F16 || g->vector == 1))
        return sp_fail(err, SP_ABSENT, SP_O_PRECISION " f16, and a width that is a multiple of 8",
                       "parts of the kernel can be switched off for f16 and whole loads only");
    set_switches(l, switches & SP_GPU_MMA_ALL, g);
    return SP_OK;
}
