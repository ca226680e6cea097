#include "sparse/launch/gpu_launch_dense.h"

#include "base/option/option_words.h"

enum { LOAD_B = 16, TEAM_ENTRIES = 2, ROW_VECTORS = 2, SHARE_ITEMS = 64 };

/* A part of a block's columns has so many for each row of A that it stages. */
enum { PART_COLUMNS = 4, MOST_PARTS = 256 };

/* Columns of a load: rows of r numbers begin at multiples of it where r is one. */
static int vector_for(const struct sp_layout *l)
{
    const int in_load = LOAD_B / (int)l->s_x;
    return l->r % in_load == 0 ? in_load : 1;
}

/* Registers of bodies with one load of a thread for each entry, and with two: the bounds that
 * kernels/cuda/dense_gpu.cu sets. */
enum { ONE_LOAD_REGISTERS = 48, TWO_LOADS_REGISTERS = 64 };

/* The smallest power of two of threads that has so many loads, up to a warp. */
static int team_for(int64_t loads)
{
    int team = 1;
    while (team < SP_WARP && team < loads)
        team *= 2;
    return team;
}

/* Teams over the whole width, in tiles of at most `vectors` loads of a thread. */
static void share_width(const struct sp_layout *l, int vectors, struct sp_gpu_launch *g)
{
    const int64_t loads = sp_gpu_ratio_up(l->r, g->vector);
    g->column_lanes = team_for(loads);
    g->vectors = loads > g->column_lanes ? vectors : 1;
    g->tile = g->column_lanes * g->vector * g->vectors;
    g->n_tiles = (int32_t)sp_gpu_ratio_up(l->r, g->tile);
}

/* A tile of at most `columns` columns, a team over it. */
static void share_tile(int64_t columns, struct sp_gpu_launch *g)
{
    if (columns < g->vector)
        g->vector = 1;
    g->tile = (int32_t)(columns - columns % g->vector);
    g->column_lanes = team_for(g->tile / g->vector);
    g->vectors = 1;
}

static int lanes_for(const struct sp_layout *l, const struct sp_gpu_launch *g, int wanted)
{
    int lanes = g->column_lanes, teams = 1;
    while (2 * lanes <= SP_WARP &&
           (wanted > 0 ? 2 * lanes <= wanted : 2 * teams * TEAM_ENTRIES * l->n_r <= l->n_nz)) {
        lanes *= 2;
        teams *= 2;
    }
    return lanes;
}

/* As wide a tile as shared memory can hold of the longest list. */
static enum sp_status make_stage(const struct sp_layout *l, struct sp_gpu_launch *g, struct sp_error *err)
{
    const int64_t column_B = (l->most_listed > 0 ? l->most_listed : 1) * (int64_t)l->s_x;
    int64_t columns = l->T_k < l->r ? l->T_k : l->r;
    if (columns * column_B > SP_GPU_SHARED_MOST_B)
        columns = SP_GPU_SHARED_MOST_B / column_B;
    if (columns < 1)
        return sp_fail(err, SP_ABSENT, "take a smaller T_i, for example " SP_O_FORMAT " staged:16,64",
                       "a block's list of %lld columns does not fit the %d KiB of shared memory",
                       (long long)l->most_listed, SP_GPU_SHARED_MOST_B >> 10);
    share_tile(columns, g);
    g->n_tiles = (int32_t)sp_gpu_ratio_up(l->r, g->tile);
    g->shared_B = (size_t)(g->tile * column_B);
    g->n_blocks = l->n_blocks * g->n_tiles;
    return SP_OK;
}

static enum sp_status make_tile(const struct sp_layout *l, struct sp_gpu_launch *g, struct sp_error *err)
{
    share_tile(l->T_k < l->r ? l->T_k : l->r, g);
    g->shared_B = (size_t)l->T_i * (size_t)g->tile * l->s_x;
    if (g->shared_B > SP_GPU_SHARED_MOST_B)
        return sp_fail(err, SP_ABSENT, "take smaller tiles, for example " SP_O_FORMAT " tiled:64,32",
                       "%d rows of %d columns do not fit the %d KiB of shared memory", (int)l->T_i,
                       (int)g->tile, SP_GPU_SHARED_MOST_B >> 10);
    int64_t parts = l->n_chunks > 0 ? l->n_indices / (l->n_chunks * PART_COLUMNS * l->T_i) : 1;
    g->n_parts = parts < 1 ? 1 : parts > MOST_PARTS ? MOST_PARTS : (int32_t)parts;
    g->n_blocks = l->n_chunks * g->n_parts;
    return SP_OK;
}

/* Teams that go over the whole width. */
static void make_sample(const struct sp_layout *l, struct sp_gpu_launch *g)
{
    share_width(l, 1, g);
    g->lanes = SP_WARP;
    g->n_tiles = 1;
    g->tile = l->r;
}

/* A row's part of a team stays in registers, or else the team is the warp. */
static void make_fused(const struct sp_layout *l, struct sp_gpu_launch *g)
{
    share_width(l, ROW_VECTORS, g);
    g->vectors = g->n_tiles == 1 ? ROW_VECTORS : 0;
    g->lanes = SP_WARP;
    g->n_tiles = 1;
    g->tile = l->r;
}

enum sp_status sp_gpu_launch_dense(const struct sp_layout *l, int lanes, struct sp_gpu_launch *g,
                                   struct sp_error *err)
{
    if (l->order != SP_ROW_MAJOR)
        return sp_fail(err, SP_ABSENT, "leave " SP_O_ORDER " out", "GPU kernels take row-major operands");
    g->vector = vector_for(l);
    g->n_tiles = g->n_parts = 1;
    int64_t threads = 0;
    switch (g->map) {
    case SP_GPU_OUTPUT:
        g->vector = g->vectors = g->column_lanes = 1;
        g->tile = l->r;
        g->n_tiles = 1;
        threads = l->n_r * l->r;
        break;
    case SP_GPU_GROUP:
    case SP_GPU_ROW:
        share_width(l, ROW_VECTORS, g);
        g->lanes = lanes_for(l, g, lanes);
        g->registers = g->vectors == 1 ? ONE_LOAD_REGISTERS : TWO_LOADS_REGISTERS;
        threads = l->n_r * g->lanes;
        break;
    case SP_GPU_SHARE:
        share_width(l, 1, g);
        g->items = SHARE_ITEMS;
        threads = sp_gpu_shares(l, g) * g->column_lanes;
        break;
    case SP_GPU_SLOT:
        share_width(l, 1, g);
        threads = l->n_chunks * l->C * g->column_lanes;
        break;
    case SP_GPU_STAGE:
        return make_stage(l, g, err);
    case SP_GPU_TILE:
        return make_tile(l, g, err);
    case SP_GPU_EQUAL:
        make_sample(l, g);
        threads = sp_gpu_ratio_up(l->n_nz, SP_WARP) * SP_WARP;
        break;
    case SP_GPU_SAMPLE:
        make_sample(l, g);
        threads = l->n_r * SP_WARP;
        break;
    default:
        make_fused(l, g);
        threads = l->n_r * SP_WARP;
    }
    g->n_blocks = sp_gpu_ratio_up(threads, g->block_threads) * g->n_tiles;
    return SP_OK;
}

void sp_gpu_chunk_starts(const struct sp_layout *l, int64_t *start)
{
    for (int64_t b = 0; b < l->n_blocks; b++) {
        int64_t at = sp_layout_ptr(l, b);
        for (int64_t k = l->block[b].chunk; k < l->block[b + 1].chunk; k++) {
            start[k] = at;
            at += (int64_t)l->len[k] * l->C;
        }
    }
}
