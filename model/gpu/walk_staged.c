/* STAGE and TILE: in pass after pass each team of the block has the next item. */
#include "model/gpu/requests.h"

/* Lanes of a team: 2^shift. */
static int team_shift(const struct sp_gpu_cursor *c)
{
    return __builtin_ctz((unsigned)c->grid->launch.column_lanes);
}

/* at[]: `first` for the warp's first team, and the next item for each team after it. */
static void name_teams(struct sp_gpu_cursor *c, int64_t first)
{
    const int shift = team_shift(c);
    for (int lane = 0; lane < SP_WARP; lane++)
        c->at[lane] = first + (lane >> shift);
}

/* at[]: the item of each lane in this pass, from `from` on. Returns the lanes before `to`. */
static uint32_t name_turns(struct sp_gpu_cursor *c, int64_t from, int64_t to)
{
    const struct sp_gpu_launch *g = &c->grid->launch;
    const int shift = team_shift(c);
    const int64_t first = from + (int64_t)c->pass * (g->block_threads >> shift) + (c->first_thread >> shift);
    name_teams(c, first);
    return sp_gpu_first_lanes((to - first) * g->column_lanes);
}

/* Columns of the tile that begins with c->tile. */
static int64_t tile_width(const struct sp_gpu_cursor *c)
{
    const int64_t left = c->grid->layout->r - c->tile;
    return left < c->grid->launch.tile ? left : c->grid->launch.tile;
}

/* Lanes whose load begins in the tile, of those whose columns begin at c->k of it. */
static uint32_t lanes_in_tile(const struct sp_gpu_cursor *c)
{
    const struct sp_gpu_launch *g = &c->grid->launch;
    const int64_t left = tile_width(c) - c->k;
    if (left >= (int64_t)g->column_lanes * g->vector)
        return UINT32_MAX;
    uint32_t lanes = 0;
    for (int lane = 0; lane < SP_WARP; lane++)
        lanes |= (uint32_t)((lane & (g->column_lanes - 1)) * g->vector < left) << lane;
    return lanes;
}

/* The column of the operand that a lane's load begins with. */
static int64_t tile_column(const struct sp_gpu_cursor *c, int lane)
{
    const struct sp_gpu_launch *g = &c->grid->launch;
    return c->tile + c->k + (lane & (g->column_lanes - 1)) * g->vector;
}

/* The team's next columns of the tile; false: there are none. */
static bool next_tile_columns(struct sp_gpu_cursor *c)
{
    c->k += (int64_t)c->grid->launch.column_lanes * c->grid->launch.vector;
    return c->k < tile_width(c);
}

/* SpMM in STAGED: the listed rows of the operand into shared memory, then the chunks: STAGE. */
enum step_stage {
    BLOCK_LIST,
    BLOCK_LIST_END,
    CHUNK,
    CHUNK_END,
    STAGE_LIST,
    STAGE_X,
    NEXT_CHUNKS,
    CHUNK_LEN,
    SLOT_COL,
    SLOT_VAL,
    ROW_Y,
    STAGE_DONE
};

/* Of struct sp_staged_block, in items of 4 bytes. */
enum { LIST_ITEM = offsetof(struct sp_staged_block, list) / 4, LIST_ITEMS = 2 };
enum { CHUNK_ITEM = offsetof(struct sp_staged_block, chunk) / 4 };

static void open_stage(struct sp_gpu_cursor *c)
{
    const struct sp_gpu_launch *g = &c->grid->launch;
    c->row = c->block / g->n_tiles;
    c->tile = c->block % g->n_tiles * g->tile;
    const struct sp_staged_block *b = &c->grid->layout->block[c->row];
    c->from = b[0].list;
    c->to = b[1].list;
    c->part = b[0].chunk;
    c->part_end = b[1].chunk;
    c->pass = 0;
    c->k = 0;
    c->step = BLOCK_LIST;
}

static bool next_block(struct sp_gpu_cursor *c, struct sp_gpu_request *r, int more, int item, int width)
{
    sp_gpu_name_one(c, (c->row + more) * SP_GPU_BLOCK_ITEMS + item);
    c->step++;
    return sp_gpu_load_wide(r, SP_GPU_BLOCK, UINT32_MAX, c->named, width, true);
}

static bool next_list_stage(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    c->lanes = name_turns(c, c->from, c->to);
    c->k = 0;
    c->step = c->lanes ? STAGE_X : NEXT_CHUNKS;
    c->pass = c->lanes ? c->pass : 0;
    return c->lanes && sp_gpu_load(r, SP_GPU_LIST, c->lanes, c->at, true);
}

static bool next_staged(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    const struct sp_layout *l = c->grid->layout;
    c->active = c->lanes & lanes_in_tile(c);
    for (uint32_t left = c->active; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        c->named[lane] = l->list[c->at[lane]] * l->ld_x + tile_column(c, lane);
    }
    if (!next_tile_columns(c)) {
        c->pass++;
        c->step = STAGE_LIST;
    }
    return c->active && sp_gpu_load_wide(r, SP_GPU_X, c->active, c->named, c->grid->launch.vector,
                                         c->grid->launch.column_lanes == SP_WARP);
}

/* at[]: chunks from here on. */
static bool next_chunks(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    c->lanes = name_turns(c, c->part, c->part_end);
    c->k = 0;
    c->step = c->lanes ? CHUNK_LEN : STAGE_DONE;
    return c->lanes && sp_gpu_load(r, SP_GPU_START, c->lanes, c->at, true);
}

/* All slots of the chunks for the columns at c->k. */
static void open_columns(struct sp_gpu_cursor *c)
{
    const struct sp_layout *l = c->grid->layout;
    c->slots = 0;
    c->turn = c->vector = 0;
    for (uint32_t left = c->lanes; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        c->end[lane] = l->len[c->at[lane]];
        c->slots = c->end[lane] > c->slots ? c->end[lane] : c->slots;
    }
    c->step = SLOT_COL;
}

/* Entry `more` of each lane's slot `turn`; active: lanes that have the slot. */
static void name_slots(struct sp_gpu_cursor *c, int more)
{
    const struct sp_layout *l = c->grid->layout;
    c->active = 0;
    for (uint32_t left = c->lanes & lanes_in_tile(c); left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        c->named[lane] = c->grid->start[c->at[lane]] + (int64_t)c->turn * l->C + more;
        c->active |= (uint32_t)(c->turn < c->end[lane]) << lane;
    }
}

static bool next_slot(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    const struct sp_layout *l = c->grid->layout;
    if (c->turn >= c->slots) {
        c->turn = 0;
        c->step = ROW_Y;
        return false;
    }
    name_slots(c, 0);
    c->vector = 0;
    c->step = SLOT_VAL;
    return sp_gpu_load_wide(r, SP_GPU_COL, c->active, c->named, l->C, true);
}

static bool next_val(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    const struct sp_layout *l = c->grid->layout;
    const int in_load = 16 / (int)l->s_a;
    name_slots(c, c->vector * in_load);
    if ((++c->vector) * in_load >= l->C) {
        c->turn++;
        c->step = SLOT_COL;
    }
    return sp_gpu_load_wide(r, SP_GPU_VAL, c->active, c->named, in_load, true);
}

/* Row `turn` of each chunk; after the last one the next columns, or chunks. */
static bool next_y(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    const struct sp_layout *l = c->grid->layout;
    c->active = 0;
    for (uint32_t left = c->lanes & lanes_in_tile(c); left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        const int64_t row = c->at[lane] * l->C + c->turn;
        c->named[lane] = row * l->ld_y + tile_column(c, lane);
        c->active |= (uint32_t)(row < l->n_r) << lane;
    }
    if (++c->turn == l->C) {
        if (next_tile_columns(c)) {
            open_columns(c);
        } else {
            c->pass++;
            c->step = NEXT_CHUNKS;
        }
    }
    return c->active && sp_gpu_store_wide(r, SP_GPU_Y, c->active, c->named, c->grid->launch.vector, true);
}

static bool next_of_stage(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    while (c->step != STAGE_DONE) {
        bool asks = true;
        switch ((enum step_stage)c->step) {
        case BLOCK_LIST:
        case BLOCK_LIST_END:
            return next_block(c, r, c->step - BLOCK_LIST, LIST_ITEM, LIST_ITEMS);
        case CHUNK:
        case CHUNK_END:
            return next_block(c, r, c->step - CHUNK, CHUNK_ITEM, 1);
        case STAGE_LIST:
            asks = next_list_stage(c, r);
            break;
        case STAGE_X:
            asks = next_staged(c, r);
            break;
        case NEXT_CHUNKS:
            asks = next_chunks(c, r);
            break;
        case CHUNK_LEN:
            open_columns(c);
            return sp_gpu_load(r, SP_GPU_LEN, c->lanes, c->at, true);
        case SLOT_COL:
            asks = next_slot(c, r);
            break;
        case SLOT_VAL:
            asks = next_val(c, r);
            break;
        default:
            asks = next_y(c, r);
        }
        if (asks)
            return true;
    }
    return false;
}

const struct sp_gpu_walk sp_gpu_walk_stage = {open_stage, next_of_stage};

/* SDDMM in TILED: rows of A into shared memory, tile after tile of the width, and the columns of a
 * part of the block against them: TILE. */

enum step_tile {
    TILE_LIST,
    TILE_LIST_END,
    STAGE_ROWS,
    NEXT_COLUMN,
    COLUMN_PTR,
    COLUMN_PTR_END,
    ENTRY_ROW,
    ENTRY_X,
    SUM_Y,
    PRODUCT_VAL,
    PRODUCT_Y,
    TILE_DONE
};

static void open_tile(struct sp_gpu_cursor *c, int64_t tile)
{
    c->tile = tile;
    c->k = 0;
    c->pass = 0;
    c->step = STAGE_ROWS;
}

/* row: the block of the layout; part, part_end: this warp's columns, every warp-th of the part. */
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
    c->step = TILE_LIST;
}

static bool next_list_tile(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    sp_gpu_name_one(c, c->row + (c->step == TILE_LIST_END));
    c->step++;
    return !c->gathers_only && sp_gpu_load(r, SP_GPU_INDEX_PTR, UINT32_MAX, c->named, true);
}

static bool next_rows(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    const struct sp_layout *l = c->grid->layout;
    const struct sp_gpu_launch *g = &c->grid->launch;
    const int64_t first = c->row * l->T_i, end = first + l->T_i < l->n_r ? first + l->T_i : l->n_r;
    const uint32_t lanes = c->gathers_only ? 0 : name_turns(c, first, end);
    if (!lanes) {
        c->part = c->first;
        c->step = NEXT_COLUMN;
        return false;
    }
    c->active = lanes & lanes_in_tile(c);
    for (int lane = 0; lane < SP_WARP; lane++)
        c->named[lane] = c->at[lane] * l->r + tile_column(c, lane);
    if (!next_tile_columns(c)) {
        c->pass++;
        c->k = 0;
    }
    return c->active &&
           sp_gpu_load_wide(r, SP_GPU_ROWS, c->active, c->named, g->vector, g->column_lanes == SP_WARP);
}

static void open_entries(struct sp_gpu_cursor *c)
{
    c->turn = c->vector = 0;
    c->step = ENTRY_ROW;
    if (c->from >= c->to) {
        c->part += sp_gpu_block_warps(&c->grid->launch);
        c->step = NEXT_COLUMN;
    }
}

/* The warp's next column, or the next tile. */
static bool next_column(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    if (c->part >= c->part_end) {
        const int64_t tile = c->tile + c->grid->launch.tile;
        open_tile(c, tile);
        if (tile >= c->grid->layout->r)
            c->step = TILE_DONE;
        return false;
    }
    c->from = sp_layout_column_ptr(c->grid->layout, c->part);
    c->to = sp_layout_column_ptr(c->grid->layout, c->part + 1);
    if (c->gathers_only) {
        open_entries(c);
        return false;
    }
    sp_gpu_name_one(c, c->part);
    c->step = COLUMN_PTR;
    return sp_gpu_load(r, SP_GPU_COL, UINT32_MAX, c->named, true);
}

static bool next_column_ptr(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    sp_gpu_name_one(c, c->part + (c->step == COLUMN_PTR_END));
    c->step++;
    if (c->step == ENTRY_ROW)
        open_entries(c);
    return sp_gpu_load(r, SP_GPU_COLUMN_PTR, UINT32_MAX, c->named, true);
}

/* at[]: entries of this turn, by the lanes whose teams have one; after four turns x, by those that
 * had one in the first of them (`vector` of the four are done). */
static bool next_row_index(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    const int column_lanes = c->grid->launch.column_lanes;
    const int64_t first = c->from + (int64_t)c->turn * (SP_WARP >> team_shift(c));
    c->active = c->turn < column_lanes ? sp_gpu_first_lanes((c->to - first) * column_lanes) : 0;
    if (c->vector == SP_GPU_TOGETHER || !c->active) {
        c->step = c->vector > 0 ? ENTRY_X : SUM_Y;
        c->vector = 0;
        c->k = 0;
        return false;
    }
    if (c->vector == 0)
        c->lanes = c->active;
    c->turn++;
    c->vector++;
    if (c->gathers_only)
        return false;
    name_teams(c, first);
    return sp_gpu_load(r, SP_GPU_ROW_INDEX, c->active, c->at, true);
}

static bool next_x(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    const struct sp_layout *l = c->grid->layout;
    const struct sp_gpu_launch *g = &c->grid->launch;
    const int64_t first = sp_layout_col(l, c->part) * l->ld_x;
    c->active = c->lanes & lanes_in_tile(c);
    for (int lane = 0; lane < SP_WARP; lane++)
        c->named[lane] = first + tile_column(c, lane);
    if (!next_tile_columns(c))
        c->step = ENTRY_ROW;
    return sp_gpu_load_wide(r, SP_GPU_X, c->active, c->named, g->vector, g->column_lanes == SP_WARP);
}

/* at[]: the entry that each lane keeps the product of. */
static void name_kept(struct sp_gpu_cursor *c)
{
    const int shift = team_shift(c), last = c->grid->launch.column_lanes - 1, teams = SP_WARP >> shift;
    c->active = 0;
    for (int lane = 0; lane < SP_WARP; lane++) {
        c->at[lane] = c->from + (int64_t)(lane & last) * teams + (lane >> shift);
        c->active |= (uint32_t)(c->at[lane] < c->to) << lane;
    }
}

static bool next_product(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    const int column_lanes = c->grid->launch.column_lanes;
    const bool in_order = column_lanes == 1 || column_lanes == SP_WARP;
    switch ((enum step_tile)c->step) {
    case SUM_Y:
        if (c->gathers_only) {
            c->from += SP_WARP;
            open_entries(c);
            return false;
        }
        name_kept(c);
        c->step = PRODUCT_VAL;
        return c->tile > 0 && sp_gpu_load(r, SP_GPU_Y, c->active, c->at, in_order);
    case PRODUCT_VAL:
        c->step = PRODUCT_Y;
        return c->tile + tile_width(c) == c->grid->layout->r &&
               sp_gpu_load(r, SP_GPU_VAL, c->active, c->at, in_order);
    default:
        c->from += SP_WARP;
        open_entries(c);
        return sp_gpu_store(r, SP_GPU_Y, c->active, c->at, in_order);
    }
}

static bool next_of_tile(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    while (c->step != TILE_DONE) {
        bool asks = true;
        switch ((enum step_tile)c->step) {
        case TILE_LIST:
        case TILE_LIST_END:
            asks = next_list_tile(c, r);
            break;
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
