/* SpMM in STAGED: the listed rows of the operand into shared memory, then the chunks: STAGE. */
#include "model/gpu/walk_turns.h"

enum step {
    LIST,
    LIST_END,
    CHUNK,
    CHUNK_END,
    STAGE_LIST,
    STAGE_X,
    NEXT_CHUNKS,
    CHUNK_LEN,
    SLOT_COL,
    SLOT_VAL,
    ROW_Y,
    DONE
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
    c->step = LIST;
}

static bool next_block(struct sp_gpu_cursor *c, struct sp_gpu_request *r, int more, int item, int width)
{
    sp_gpu_name_one(c, (c->row + more) * SP_GPU_BLOCK_ITEMS + item);
    c->step++;
    return sp_gpu_load_wide(r, SP_GPU_BLOCK, UINT32_MAX, c->named, width, true);
}

static bool next_list(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    c->lanes = sp_gpu_name_turns(c, c->from, c->to);
    c->k = 0;
    c->step = c->lanes ? STAGE_X : NEXT_CHUNKS;
    c->pass = c->lanes ? c->pass : 0;
    return c->lanes && sp_gpu_load(r, SP_GPU_LIST, c->lanes, c->at, true);
}

static bool next_staged(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    const struct sp_layout *l = c->grid->layout;
    c->active = c->lanes & sp_gpu_lanes_in_tile(c);
    for (uint32_t left = c->active; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        c->named[lane] = l->list[c->at[lane]] * l->ld_x + sp_gpu_tile_column(c, lane);
    }
    if (!sp_gpu_next_tile_columns(c)) {
        c->pass++;
        c->step = STAGE_LIST;
    }
    return c->active && sp_gpu_load_wide(r, SP_GPU_X, c->active, c->named, c->grid->launch.vector,
                                         c->grid->launch.column_lanes == SP_WARP);
}

/* at[]: chunks from here on. */
static bool next_chunks(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    c->lanes = sp_gpu_name_turns(c, c->part, c->part_end);
    c->k = 0;
    c->step = c->lanes ? CHUNK_LEN : DONE;
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
    for (uint32_t left = c->lanes & sp_gpu_lanes_in_tile(c); left; left &= left - 1) {
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
    for (uint32_t left = c->lanes & sp_gpu_lanes_in_tile(c); left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        const int64_t row = c->at[lane] * l->C + c->turn;
        c->named[lane] = row * l->ld_y + sp_gpu_tile_column(c, lane);
        c->active |= (uint32_t)(row < l->n_r) << lane;
    }
    if (++c->turn == l->C) {
        if (sp_gpu_next_tile_columns(c)) {
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
    while (c->step != DONE) {
        bool asks = true;
        switch ((enum step)c->step) {
        case LIST:
        case LIST_END:
            return next_block(c, r, c->step - LIST, LIST_ITEM, LIST_ITEMS);
        case CHUNK:
        case CHUNK_END:
            return next_block(c, r, c->step - CHUNK, CHUNK_ITEM, 1);
        case STAGE_LIST:
            asks = next_list(c, r);
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
