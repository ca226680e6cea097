/* CRS, a part of the path from rows' ends and entries each: MERGE. */
#include "model/gpu/walk.h"

enum step { START, START_END, PTR, COL, VAL, X, ROWS, CARRY_ROW, CARRY_VAL, DONE };

static int64_t path_item(const struct sp_gpu_cursor *c, int thread)
{
    const struct sp_gpu_launch *g = &c->grid->launch;
    const int64_t all = c->grid->layout->n_r + c->grid->layout->n_nz;
    const int64_t item = c->block * sp_gpu_block_items(g) + (int64_t)thread * g->items;
    return item < all ? item : all;
}

/* All of the block's threads read where its rows begin and end. */
static bool merge_start(struct sp_gpu_cursor *c, struct sp_gpu_request *r, int more)
{
    sp_gpu_name_one(c, c->block + more);
    c->step++;
    return sp_gpu_load(r, SP_GPU_START, UINT32_MAX, c->named, true);
}

/* The next 32 items of the warp in [from, to): named[] and the lanes that have one. */
static uint32_t share_of(struct sp_gpu_cursor *c, int64_t base, int64_t from, int64_t to, int64_t *item)
{
    const int threads = c->grid->launch.block_threads;
    uint32_t active = 0;
    while (!active) {
        int64_t first = base + (int64_t)c->pass * threads + c->first_thread;
        if (first >= to)
            return 0;
        for (int lane = 0; lane < SP_WARP; lane++)
            item[lane] = first + lane;
        active = sp_gpu_first_lanes(to - first) & ~sp_gpu_first_lanes(from - first);
        c->pass++;
    }
    return active;
}

static void begin_entries(struct sp_gpu_cursor *c)
{
    c->pass = 0;
    c->from = path_item(c, 0) - c->grid->start[c->block];
    c->to = path_item(c, c->grid->launch.block_threads) - c->grid->start[c->block + 1];
}

static bool merge_pointers(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    const int64_t first = c->grid->start[c->block];
    uint32_t active = share_of(c, first, first, c->grid->start[c->block + 1], c->named);
    for (int lane = 0; lane < SP_WARP; lane++)
        c->named[lane]++;
    return active && sp_gpu_load(r, SP_GPU_PTR, active, c->named, true);
}

/* at[]: the row that each lane's part begins in. */
static void begin_rows(struct sp_gpu_cursor *c)
{
    const struct sp_layout *l = c->grid->layout;
    int64_t row = sp_gpu_merge_rows_before(l, path_item(c, c->first_thread));
    c->pass = 0;
    c->lanes = 0;
    for (int lane = 0; lane < SP_WARP; lane++) {
        int64_t to = path_item(c, c->first_thread + lane + 1);
        c->at[lane] = row;
        c->end[lane] = -1;
        while (row < l->n_r && sp_layout_ptr(l, row + 1) + row < to)
            row++;
        c->lanes |= (uint32_t)(row > c->at[lane]) << lane;
    }
}

/* Item `pass` of the lanes: the rows that end there, but the first of each lane. */
static uint32_t ends_of_pass(struct sp_gpu_cursor *c)
{
    const struct sp_layout *l = c->grid->layout;
    uint32_t ends = 0;
    for (uint32_t left = c->lanes; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        int64_t row = c->at[lane], item = path_item(c, c->first_thread + lane) + c->pass;
        if (row >= l->n_r || sp_layout_ptr(l, row + 1) + row != item)
            continue;
        if (c->end[lane] < 0)
            c->end[lane] = row;
        else
            ends |= sp_gpu_bit(lane);
        c->named[lane] = row;
        c->at[lane]++;
    }
    return ends;
}

static bool merge_rows(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    while (c->lanes && c->pass < c->grid->launch.items) {
        uint32_t ends = ends_of_pass(c);
        c->pass++;
        if (ends)
            return sp_gpu_store(r, SP_GPU_Y, ends, c->named, true);
    }
    c->step = CARRY_ROW;
    return c->lanes && sp_gpu_store(r, SP_GPU_Y, c->lanes, c->end, true);
}

static bool merge_carry(struct sp_gpu_cursor *c, struct sp_gpu_request *r, enum sp_gpu_array array)
{
    const int last = SP_WARP - 1;
    const bool has_last = c->first_thread + last == c->grid->launch.block_threads - 1;
    c->named[last] = c->block;
    c->step = array == SP_GPU_CARRY_ROW && has_last ? CARRY_VAL : DONE;
    return has_last && sp_gpu_store(r, array, UINT32_C(1) << last, c->named, true);
}

static bool next_of_merge(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    switch ((enum step)c->step) {
    case START:
        return merge_start(c, r, 0);
    case START_END:
        return merge_start(c, r, 1);
    case PTR:
        if (merge_pointers(c, r))
            return true;
        begin_entries(c);
        c->step = COL; /* fall through */
    case COL:
        c->active = share_of(c, c->from / SP_WARP * SP_WARP, c->from, c->to, c->at);
        if (c->active) {
            c->step = VAL;
            return sp_gpu_load(r, SP_GPU_COL, c->active, c->at, true);
        }
        begin_rows(c);
        c->step = ROWS; /* fall through */
    case ROWS:
        if (merge_rows(c, r))
            return true; /* fall through */
    case CARRY_ROW:
        return merge_carry(c, r, SP_GPU_CARRY_ROW);
    case CARRY_VAL:
        return merge_carry(c, r, SP_GPU_CARRY_VAL);
    case VAL:
        sp_gpu_name_columns(c);
        c->step = X;
        return sp_gpu_load(r, SP_GPU_VAL, c->active, c->at, true);
    case X:
        c->step = COL;
        return sp_gpu_load(r, SP_GPU_X, c->active, c->named, false);
    default:
        return false;
    }
}

static void open_merge(struct sp_gpu_cursor *c)
{
    c->pass = 0;
    c->step = START;
}

const struct sp_gpu_walk sp_gpu_walk_merge = {open_merge, next_of_merge};
