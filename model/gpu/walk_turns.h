/* What the teams of a block have by turns, as STAGE and TILE deal it: in pass after pass each team of the
 * block the next item. Private to model. */
#ifndef SP_MODEL_GPU_WALK_TURNS_H
#define SP_MODEL_GPU_WALK_TURNS_H

#include "model/gpu/walk.h"

/* at[]: the item of each lane in this pass, from `from` on. Returns the lanes for which it is before `to`. */
static inline uint32_t sp_gpu_name_turns(struct sp_gpu_cursor *c, int64_t from, int64_t to)
{
    const struct sp_gpu_launch *g = &c->grid->launch;
    const int teams = g->block_threads / g->column_lanes;
    const int64_t first = from + (int64_t)c->pass * teams + c->first_thread / g->column_lanes;
    for (int lane = 0; lane < SP_WARP; lane++)
        c->at[lane] = first + lane / g->column_lanes;
    return sp_gpu_first_lanes((to - first) * g->column_lanes);
}

/* Columns of the tile that begins with c->tile. */
static inline int64_t sp_gpu_tile_width(const struct sp_gpu_cursor *c)
{
    const int64_t left = c->grid->layout->r - c->tile;
    return left < c->grid->launch.tile ? left : c->grid->launch.tile;
}

/* Lanes whose load begins in the tile, of those whose columns begin at c->k of it. */
static inline uint32_t sp_gpu_lanes_in_tile(const struct sp_gpu_cursor *c)
{
    const struct sp_gpu_launch *g = &c->grid->launch;
    const int64_t left = sp_gpu_tile_width(c) - c->k;
    uint32_t lanes = 0;
    for (int lane = 0; lane < SP_WARP; lane++)
        lanes |= (uint32_t)(lane % g->column_lanes * g->vector < left) << lane;
    return lanes;
}

/* The column of the operand that a lane's load begins with. */
static inline int64_t sp_gpu_tile_column(const struct sp_gpu_cursor *c, int lane)
{
    const struct sp_gpu_launch *g = &c->grid->launch;
    return c->tile + c->k + lane % g->column_lanes * g->vector;
}

/* The team's next columns of the tile; false: there are none. */
static inline bool sp_gpu_next_tile_columns(struct sp_gpu_cursor *c)
{
    c->k += (int64_t)c->grid->launch.column_lanes * c->grid->launch.vector;
    return c->k < sp_gpu_tile_width(c);
}

#endif
