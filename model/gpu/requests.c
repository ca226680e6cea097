#include "model/gpu/requests.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sparse/formats/format.h"

static const struct sp_gpu_walk *walk_of(const struct sp_gpu_launch *g)
{
    static const struct sp_gpu_walk *const walks[SP_N_GPU_MAPS] = {
        [SP_GPU_THREAD] = &sp_gpu_walk_rows,    [SP_GPU_LANES] = &sp_gpu_walk_rows,
        [SP_GPU_KEEP] = &sp_gpu_walk_rows,      [SP_GPU_BINS] = &sp_gpu_walk_rows,
        [SP_GPU_MERGE] = &sp_gpu_walk_merge,    [SP_GPU_CHUNK] = &sp_gpu_walk_chunk,
        [SP_GPU_GROUP] = &sp_gpu_walk_columns,  [SP_GPU_SLOT] = &sp_gpu_walk_columns,
        [SP_GPU_OUTPUT] = &sp_gpu_walk_columns, [SP_GPU_ROW] = &sp_gpu_walk_columns,
        [SP_GPU_SHARE] = &sp_gpu_walk_share,    [SP_GPU_STAGE] = &sp_gpu_walk_stage,
        [SP_GPU_SAMPLE] = &sp_gpu_walk_sample,  [SP_GPU_EQUAL] = &sp_gpu_walk_sample,
        [SP_GPU_TILE] = &sp_gpu_walk_tile,      [SP_GPU_FUSED] = &sp_gpu_walk_fused,
        [SP_GPU_MMA] = &sp_gpu_walk_mma,
    };
    return g->map == SP_GPU_FUSED && g->vectors == 0 ? &sp_gpu_walk_wide : walks[g->map];
}

/* item_B 0: the format has no such array. */
static void set_array(struct sp_gpu_grid *g, enum sp_gpu_array array, int64_t n, size_t item_B)
{
    g->n_items[array] = n;
    g->item_shift[array] = item_B > 0 ? __builtin_ctzll(item_B) : 0;
}

/* The arrays that launches of this map ask for at all. */
static void set_matrix(struct sp_gpu_grid *g)
{
    const struct sp_layout *l = g->layout;
    const enum sp_gpu_map map = g->launch.map;
    const struct sp_format_kind *kind = sp_format_of(l->format);
    const bool has_ptr = kind->plain_rows || kind->in_chunks || kind->in_blocks;
    const bool staged = map == SP_GPU_STAGE, tiled = map == SP_GPU_TILE;
    set_array(g, SP_GPU_PTR, has_ptr ? l->n_ptr : 0, l->s_p);
    set_array(g, SP_GPU_LEN, l->len ? l->n_chunks : 0, sizeof *l->len);
    set_array(g, SP_GPU_INDEX_PTR, tiled ? l->n_chunks + 1 : 0, l->s_p);
    set_array(g, SP_GPU_COLUMN_PTR, tiled ? l->n_indices + 1 : 0, l->s_p);
    set_array(g, SP_GPU_BLOCK, staged ? (l->n_blocks + 1) * SP_GPU_BLOCK_ITEMS : 0, sizeof(int32_t));
    set_array(g, SP_GPU_LIST, staged ? l->n_list : 0, sizeof *l->list);
    set_array(g, SP_GPU_ROW_INDEX, l->row_index ? l->n_stored : 0, l->s_row);
    if (map == SP_GPU_MMA) /* in halves, if they are wide */
        set_array(g, SP_GPU_COL, l->n_indices * (int64_t)(l->s_i / sizeof(int32_t)), sizeof(int32_t));
    else
        set_array(g, SP_GPU_COL, l->n_indices, l->s_i);
    set_array(g, SP_GPU_VAL, map == SP_GPU_FUSED ? 0 : l->n_stored, l->s_a);
    set_array(g, SP_GPU_PERM, l->perm ? l->n_chunks * l->C : 0, sizeof *l->perm);
}

static void set_dense(struct sp_gpu_grid *g)
{
    const struct sp_layout *l = g->layout;
    const enum sp_op op = sp_gpu_map_op(g->launch.map);
    const bool sampled = op == SP_OP_SDDMM || op == SP_OP_FUSEDMM;
    set_array(g, SP_GPU_X, l->n_c * l->r, l->s_x);
    set_array(g, SP_GPU_SECOND, op == SP_OP_FUSEDMM ? l->n_c * l->r : 0, l->s_x);
    set_array(g, SP_GPU_ROWS, sampled ? l->n_r * l->r : 0, l->s_x);
    set_array(g, SP_GPU_Y, op == SP_OP_SDDMM ? l->n_stored : l->n_r * l->r, l->s_y);
}

static enum sp_status make_starts(struct sp_gpu_grid *g, struct sp_error *err)
{
    const bool merge = g->launch.map == SP_GPU_MERGE, staged = g->launch.map == SP_GPU_STAGE;
    const int64_t n_shares = sp_gpu_shares(g->layout, &g->launch);
    const int64_t n = n_shares > 0 ? n_shares + 1 : staged ? g->layout->n_chunks : g->launch.n_long;
    set_array(g, SP_GPU_START, n, sizeof *g->start);
    set_array(g, SP_GPU_CARRY_ROW, merge ? n_shares : 0, sizeof(int64_t));
    set_array(g, SP_GPU_CARRY_VAL, sp_gpu_carries(g->layout, &g->launch), sp_gpu_carry_size(g->layout));
    if (n == 0)
        return SP_OK;
    enum sp_status status =
        sp_new_array(n, sizeof *g->start, "where blocks and chunks begin", (void **)&g->start, err);
    if (status == SP_OK && n_shares > 0)
        sp_gpu_merge_starts(g->layout, &g->launch, g->start);
    else if (status == SP_OK && staged)
        sp_gpu_chunk_starts(g->layout, g->start);
    else if (status == SP_OK)
        sp_gpu_long_rows(g->layout, &g->launch, g->start);
    return status;
}

enum sp_status sp_gpu_grid_make(const struct sp_layout *l, const struct sp_gpu_launch *launch,
                                struct sp_gpu_grid *g, struct sp_error *err)
{
    memset(g, 0, sizeof *g);
    g->layout = l;
    g->launch = *launch;
    set_matrix(g);
    set_dense(g);
    return make_starts(g, err);
}

void sp_gpu_grid_free(struct sp_gpu_grid *g)
{
    free(g->start);
    memset(g, 0, sizeof *g);
}

int64_t sp_gpu_carry_blocks(const struct sp_gpu_grid *g)
{
    return sp_gpu_ratio_up(sp_gpu_carry_threads(g->layout, &g->launch), SP_GPU_CARRY_THREADS);
}

static void begin(const struct sp_gpu_grid *grid, const struct sp_gpu_walk *walk, int64_t block, int warp,
                  struct sp_gpu_cursor *c)
{
    c->grid = grid;
    c->walk = walk;
    c->block = block;
    c->first_thread = warp * SP_WARP;
    c->gathers_only = false;
    walk->begin(c);
}

void sp_gpu_cursor_open(const struct sp_gpu_grid *grid, int64_t block, int warp, struct sp_gpu_cursor *c)
{
    begin(grid, walk_of(&grid->launch), block, warp, c);
}

void sp_gpu_cursor_open_carry(const struct sp_gpu_grid *grid, int64_t block, int warp,
                              struct sp_gpu_cursor *c)
{
    const struct sp_gpu_walk *walk = grid->launch.map != SP_GPU_SHARE       ? &sp_gpu_walk_carry
                                     : sp_gpu_share_sums(grid->layout) == 2 ? &sp_gpu_walk_share_parts
                                                                            : &sp_gpu_walk_share_carry;
    begin(grid, walk, block, warp, c);
}

bool sp_gpu_cursor_next(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    return c->walk->next(c, r);
}
