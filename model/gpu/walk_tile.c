/* SDDMM in TILED: rows of A into shared memory, tile after tile of the width, and the columns of a part of
 * the block against them: TILE. */
#include "model/gpu/walk_turns.h"

enum step {
    LIST,
    LIST_END,
    STAGE_ROWS,
    NEXT_COLUMN,
    COLUMN_PTR,
    COLUMN_PTR_END,
    ENTRY_ROW,
    ENTRY_X,
    SUM_Y,
    PRODUCT_VAL,
    PRODUCT_Y,
    DONE
};

static void open_tile(struct sp_gpu_cursor *c, int64_t tile)
{
    c->tile = tile;
    c->k = 0;
    c->pass = 0;
    c->step = STAGE_ROWS;
}

/* row: the block of the layout; part, part_end: the columns of this warp, every warp-th one of the part. */
static void open_part(struct sp_gpu_cursor *c)
{
    const struct sp_layout *l = c->grid->layout;
    const struct sp_gpu_launch *g = &c->grid->launch;
    const int64_t part = c->block % g->n_parts;
    c->row = c->block / g->n_parts;
    const int64_t list = sp_layout_index_ptr(l, c->row), n = sp_layout_index_ptr(l, c->row + 1) - list;
    c->first = list + n * part / g->n_parts + c->first_thread / SP_WARP;
    c->part_end = list + n * (part + 1) / g->n_parts;
    open_tile(c, 0);
    c->step = LIST;
}

static bool next_list(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    sp_gpu_name_one(c, c->row + (c->step == LIST_END));
    c->step++;
    return sp_gpu_load(r, SP_GPU_INDEX_PTR, UINT32_MAX, c->named, true);
}

static bool next_rows(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    const struct sp_layout *l = c->grid->layout;
    const struct sp_gpu_launch *g = &c->grid->launch;
    const int64_t first = c->row * l->T_i, end = first + l->T_i < l->n_r ? first + l->T_i : l->n_r;
    const uint32_t lanes = sp_gpu_name_turns(c, first, end);
    if (!lanes) {
        c->part = c->first;
        c->step = NEXT_COLUMN;
        return false;
    }
    c->active = lanes & sp_gpu_lanes_in_tile(c);
    for (int lane = 0; lane < SP_WARP; lane++)
        c->named[lane] = c->at[lane] * l->r + sp_gpu_tile_column(c, lane);
    if (!sp_gpu_next_tile_columns(c)) {
        c->pass++;
        c->k = 0;
    }
    return c->active &&
           sp_gpu_load_wide(r, SP_GPU_ROWS, c->active, c->named, g->vector, g->column_lanes == SP_WARP);
}

/* The warp's next column, or the next tile. */
static bool next_column(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    if (c->part >= c->part_end) {
        const int64_t tile = c->tile + c->grid->launch.tile;
        open_tile(c, tile);
        if (tile >= c->grid->layout->r)
            c->step = DONE;
        return false;
    }
    c->from = sp_layout_column_ptr(c->grid->layout, c->part);
    c->to = sp_layout_column_ptr(c->grid->layout, c->part + 1);
    sp_gpu_name_one(c, c->part);
    c->step = COLUMN_PTR;
    return sp_gpu_load(r, SP_GPU_COL, UINT32_MAX, c->named, true);
}

static void open_entries(struct sp_gpu_cursor *c)
{
    c->turn = 0;
    c->step = ENTRY_ROW;
    if (c->from >= c->to) {
        c->part += sp_gpu_block_warps(&c->grid->launch);
        c->step = NEXT_COLUMN;
    }
}

static bool next_column_ptr(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    sp_gpu_name_one(c, c->part + (c->step == COLUMN_PTR_END));
    c->step++;
    if (c->step == ENTRY_ROW)
        open_entries(c);
    return sp_gpu_load(r, SP_GPU_COLUMN_PTR, UINT32_MAX, c->named, true);
}

/* at[]: entries of this turn; the lanes whose teams have one. */
static bool next_row_index(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    const int column_lanes = c->grid->launch.column_lanes;
    const int64_t first = c->from + (int64_t)c->turn * (SP_WARP / column_lanes);
    c->k = 0;
    if (c->turn >= column_lanes || first >= c->to) {
        c->step = SUM_Y;
        return false;
    }
    for (int lane = 0; lane < SP_WARP; lane++)
        c->at[lane] = first + lane / column_lanes;
    c->lanes = sp_gpu_first_lanes((c->to - first) * column_lanes);
    c->step = ENTRY_X;
    return sp_gpu_load(r, SP_GPU_ROW_INDEX, c->lanes, c->at, true);
}

static bool next_x(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    const struct sp_layout *l = c->grid->layout;
    const struct sp_gpu_launch *g = &c->grid->launch;
    const int64_t first = sp_layout_col(l, c->part) * l->ld_x;
    c->active = c->lanes & sp_gpu_lanes_in_tile(c);
    for (int lane = 0; lane < SP_WARP; lane++)
        c->named[lane] = first + sp_gpu_tile_column(c, lane);
    if (!sp_gpu_next_tile_columns(c)) {
        c->turn++;
        c->step = ENTRY_ROW;
    }
    return sp_gpu_load_wide(r, SP_GPU_X, c->active, c->named, g->vector, g->column_lanes == SP_WARP);
}

/* at[]: the entry that each lane keeps the product of. */
static void name_kept(struct sp_gpu_cursor *c)
{
    const int column_lanes = c->grid->launch.column_lanes, teams = SP_WARP / column_lanes;
    c->active = 0;
    for (int lane = 0; lane < SP_WARP; lane++) {
        c->at[lane] = c->from + (int64_t)(lane % column_lanes) * teams + lane / column_lanes;
        c->active |= (uint32_t)(c->at[lane] < c->to) << lane;
    }
}

static bool next_product(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    const int column_lanes = c->grid->launch.column_lanes;
    const bool in_order = column_lanes == 1 || column_lanes == SP_WARP;
    switch ((enum step)c->step) {
    case SUM_Y:
        name_kept(c);
        c->step = PRODUCT_VAL;
        return c->tile > 0 && sp_gpu_load(r, SP_GPU_Y, c->active, c->at, in_order);
    case PRODUCT_VAL:
        c->step = PRODUCT_Y;
        return c->tile + sp_gpu_tile_width(c) == c->grid->layout->r &&
               sp_gpu_load(r, SP_GPU_VAL, c->active, c->at, in_order);
    default:
        c->from += SP_WARP;
        open_entries(c);
        return sp_gpu_store(r, SP_GPU_Y, c->active, c->at, in_order);
    }
}

static bool next_of_tile(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    while (c->step != DONE) {
        bool asks = true;
        switch ((enum step)c->step) {
        case LIST:
        case LIST_END:
            return next_list(c, r);
        case STAGE_ROWS:
            asks = next_rows(c, r);
            break;
        case NEXT_COLUMN:
            asks = next_column(c, r);
            break;
        case COLUMN_PTR:
        case COLUMN_PTR_END:
            return next_column_ptr(c, r);
        case ENTRY_ROW:
            asks = next_row_index(c, r);
            break;
        case ENTRY_X:
            return next_x(c, r);
        default:
            asks = next_product(c, r);
        }
        if (asks)
            return true;
    }
    return false;
}

const struct sp_gpu_walk sp_gpu_walk_tile = {open_part, next_of_tile};
