/* Walks over rows, chunks, equal shares: THREAD, LANES, KEEP, BINS; CHUNK; OUTPUT, GROUP, ROW,
 * SLOT; MERGE. */
#include "model/gpu/requests.h"

enum step { LONG_ROW, BEGIN, BEGIN_END, ENTRY_COL, ENTRY_VAL, ENTRY_X, ROW_PERM, ROW_Y, DONE };

/* named[]: the columns of the entries at[] of the active lanes. */
static void name_columns(struct sp_gpu_cursor *c)
{
    const struct sp_layout *l = c->grid->layout;
    for (uint32_t left = c->active; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        c->named[lane] = sp_layout_col(l, c->at[lane]);
    }
}

/* CRS by rows, `lanes` threads each: THREAD, LANES, KEEP, and BINS beside its long rows. turn: how
 * far the entries of a lane are apart. */

static bool has_long_row(const struct sp_gpu_cursor *c)
{
    return c->block < c->grid->launch.n_long;
}

/* The row of the warp's first thread. */
static int64_t first_row(const struct sp_gpu_cursor *c)
{
    const struct sp_gpu_launch *g = &c->grid->launch;
    return ((c->block - g->n_long) * g->block_threads + c->first_thread) / g->lanes;
}

static void open_long_row(struct sp_gpu_cursor *c)
{
    const struct sp_layout *l = c->grid->layout;
    const int64_t row = c->grid->start[c->block];
    c->lanes = UINT32_MAX;
    c->step = LONG_ROW;
    c->turn = c->grid->launch.block_threads;
    for (int lane = 0; lane < SP_WARP; lane++) {
        c->at[lane] = sp_layout_ptr(l, row) + c->first_thread + lane;
        c->end[lane] = sp_layout_ptr(l, row + 1);
    }
    sp_gpu_name_one(c, c->block);
}

static void open_rows(struct sp_gpu_cursor *c)
{
    const struct sp_layout *l = c->grid->layout;
    const struct sp_gpu_launch *g = &c->grid->launch;
    const int of_row = g->lanes;
    if (has_long_row(c)) {
        open_long_row(c);
        return;
    }
    const int64_t first = first_row(c);
    c->lanes = sp_gpu_first_lanes((l->n_r - first) * of_row);
    c->step = c->lanes ? BEGIN : DONE;
    c->turn = of_row;
    for (int lane = 0; lane < SP_WARP; lane++) {
        bool has_row = c->lanes & sp_gpu_bit(lane);
        int64_t row = first + lane / of_row;
        c->named[lane] = row;
        c->at[lane] = has_row ? sp_layout_ptr(l, row) + lane % of_row : 0;
        c->end[lane] = has_row ? sp_layout_ptr(l, row + 1) : 0;
        if (g->n_long > 0 && has_row && c->end[lane] - sp_layout_ptr(l, row) > g->items)
            c->end[lane] = 0;
    }
}

/* The rows once more, by the first thread of each: but those that are long. */
static uint32_t name_rows(struct sp_gpu_cursor *c)
{
    const struct sp_gpu_launch *g = &c->grid->launch;
    const struct sp_layout *l = c->grid->layout;
    uint32_t firsts = 0;
    if (has_long_row(c)) {
        c->named[0] = c->grid->start[c->block];
        return c->first_thread == 0;
    }
    const int64_t first = first_row(c);
    for (int lane = 0; lane < SP_WARP; lane += g->lanes) {
        const int64_t row = c->named[lane] = first + lane / g->lanes;
        if (g->n_long == 0 || (row < l->n_r && sp_layout_ptr(l, row + 1) - sp_layout_ptr(l, row) <= g->items))
            firsts |= sp_gpu_bit(lane);
    }
    return firsts & c->lanes;
}

/* The next entries of the lanes, by their x. */
static bool next_x_of_rows(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    const struct sp_layout *l = c->grid->layout;
    c->active = 0;
    for (int lane = 0; lane < SP_WARP; lane++) {
        if (c->at[lane] >= c->end[lane])
            continue;
        c->active |= sp_gpu_bit(lane);
        c->named[lane] = sp_layout_col(l, c->at[lane]);
        c->at[lane] += c->turn;
    }
    return c->active && sp_gpu_load(r, SP_GPU_X, c->active, c->named, false);
}

static bool next_of_rows(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    if (c->gathers_only)
        return c->step != DONE && next_x_of_rows(c, r);
    uint32_t firsts;
    switch ((enum step)c->step) {
    case LONG_ROW:
        c->step = BEGIN;
        return sp_gpu_load(r, SP_GPU_START, c->lanes, c->named, true);
    case BEGIN:
        if (has_long_row(c))
            sp_gpu_name_one(c, c->grid->start[c->block]);
        c->step = BEGIN_END;
        return sp_gpu_load(r, SP_GPU_PTR, c->lanes, c->named, true);
    case BEGIN_END:
        for (int lane = 0; lane < SP_WARP; lane++)
            c->named[lane]++;
        c->step = ENTRY_COL;
        return sp_gpu_load(r, SP_GPU_PTR, c->lanes, c->named, true);
    case ENTRY_COL:
        sp_gpu_activate(c);
        if (!c->active) {
            c->step = DONE;
            firsts = name_rows(c);
            return firsts && sp_gpu_store(r, SP_GPU_Y, firsts, c->named, true);
        }
        c->step = ENTRY_VAL;
        return sp_gpu_load(r, SP_GPU_COL, c->active, c->at, true);
    case ENTRY_VAL:
        name_columns(c);
        c->step = ENTRY_X;
        return sp_gpu_load(r, SP_GPU_VAL, c->active, c->at, true);
    case ENTRY_X:
        for (int lane = 0; lane < SP_WARP; lane++)
            c->at[lane] += c->turn;
        c->step = ENTRY_COL;
        return sp_gpu_load(r, SP_GPU_X, c->active, c->named, false);
    default:
        return false;
    }
}

const struct sp_gpu_walk sp_gpu_walk_rows = {open_rows, next_of_rows};

/* SELL, a lane of a chunk each: CHUNK. */

static void open_chunk(struct sp_gpu_cursor *c)
{
    const struct sp_layout *l = c->grid->layout;
    const int64_t T = sp_gpu_grid_thread(c, c->grid->launch.block_threads), chunk = T / l->C;
    c->step = chunk < l->n_chunks ? BEGIN : DONE;
    if (c->step == DONE)
        return;
    c->lanes = c->active = UINT32_MAX;
    c->slots = l->len[chunk];
    for (int lane = 0; lane < SP_WARP; lane++) {
        c->at[lane] = sp_layout_ptr(l, chunk) + T % l->C + lane;
        c->named[lane] = chunk;
    }
}

static uint32_t name_chunk_rows(struct sp_gpu_cursor *c)
{
    const struct sp_layout *l = c->grid->layout;
    const int64_t T = sp_gpu_grid_thread(c, c->grid->launch.block_threads);
    uint32_t with_row = 0;
    for (int lane = 0; lane < SP_WARP; lane++) {
        int64_t row = l->perm ? l->perm[T + lane] : T + lane;
        c->named[lane] = row;
        with_row |= (uint32_t)(row >= 0 && row < l->n_r) << lane;
    }
    return with_row;
}

static bool next_of_chunk(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    const struct sp_layout *l = c->grid->layout;
    switch ((enum step)c->step) {
    case BEGIN:
        c->step = BEGIN_END;
        return sp_gpu_load(r, SP_GPU_PTR, c->lanes, c->named, true);
    case BEGIN_END:
        c->step = c->slots > 0 ? ENTRY_COL : ROW_PERM;
        return sp_gpu_load(r, SP_GPU_LEN, c->lanes, c->named, true);
    case ENTRY_COL:
        c->step = ENTRY_VAL;
        return sp_gpu_load(r, SP_GPU_COL, c->lanes, c->at, true);
    case ENTRY_VAL:
        name_columns(c);
        c->step = ENTRY_X;
        return sp_gpu_load(r, SP_GPU_VAL, c->lanes, c->at, true);
    case ENTRY_X:
        for (int lane = 0; lane < SP_WARP; lane++)
            c->at[lane] += l->C;
        c->step = --c->slots > 0 ? ENTRY_COL : ROW_PERM;
        return sp_gpu_load(r, SP_GPU_X, c->lanes, c->named, false);
    case ROW_PERM:
        c->step = ROW_Y;
        if (l->perm) {
            for (int lane = 0; lane < SP_WARP; lane++)
                c->named[lane] = sp_gpu_grid_thread(c, c->grid->launch.block_threads) + lane;
            return sp_gpu_load(r, SP_GPU_PERM, c->lanes, c->named, true);
        } /* fall through */
    case ROW_Y: {
        c->step = DONE;
        uint32_t rows = name_chunk_rows(c);
        return rows && sp_gpu_store(r, SP_GPU_Y, rows, c->named, !l->perm);
    }
    default:
        return false;
    }
}

const struct sp_gpu_walk sp_gpu_walk_chunk = {open_chunk, next_of_chunk};

/* SpMMV and SpMM, each lane with a row's entries and its own columns: OUTPUT, GROUP, ROW, SLOT. */

/* Threads of a row or place. */
static int64_t threads_of_place(const struct sp_gpu_launch *g, const struct sp_layout *l)
{
    return g->map == SP_GPU_OUTPUT ? l->r : g->map == SP_GPU_SLOT ? g->column_lanes : g->lanes;
}

/* at[], end[]: the entries of a lane that has a place. */
static void set_entries(struct sp_gpu_cursor *c, int lane)
{
    const struct sp_layout *l = c->grid->layout;
    const struct sp_gpu_launch *g = &c->grid->launch;
    const int64_t place = c->place[lane];
    if (g->map == SP_GPU_SLOT) {
        const int64_t chunk = place / l->C, begin = sp_layout_ptr(l, chunk);
        c->at[lane] = begin + place % l->C;
        c->end[lane] = begin + (int64_t)l->len[chunk] * l->C;
    } else {
        c->at[lane] = sp_layout_ptr(l, place) + lane % g->lanes / g->column_lanes;
        c->end[lane] = sp_layout_ptr(l, place + 1);
    }
}

static void open_columns(struct sp_gpu_cursor *c)
{
    const struct sp_layout *l = c->grid->layout;
    const struct sp_gpu_launch *g = &c->grid->launch;
    const int64_t of_place = threads_of_place(g, l), block = c->block / g->n_tiles;
    const int64_t first = block * g->block_threads + c->first_thread;
    const int64_t n_places = g->map == SP_GPU_SLOT ? l->n_chunks * l->C : l->n_r;
    c->tile = c->block % g->n_tiles * g->tile;
    c->lanes = sp_gpu_first_lanes(n_places * of_place - first);
    c->step = c->lanes ? BEGIN : DONE;
    c->vector = 0;
    for (int lane = 0; lane < SP_WARP; lane++) {
        c->place[lane] = (first + lane) / of_place;
        c->column[lane] = g->map == SP_GPU_OUTPUT ? (int32_t)((first + lane) % of_place)
                                                  : (int32_t)c->tile + lane % g->column_lanes * g->vector;
        c->at[lane] = c->end[lane] = 0;
        if (c->lanes & sp_gpu_bit(lane))
            set_entries(c, lane);
    }
}

/* Items of the chunks of the lanes, or of their rows and so many more. */
static void name_places(struct sp_gpu_cursor *c, int more)
{
    const bool slot = c->grid->launch.map == SP_GPU_SLOT;
    for (int lane = 0; lane < SP_WARP; lane++)
        c->named[lane] = slot ? c->place[lane] / c->grid->layout->C : c->place[lane] + more;
}

/* Columns that are not in the row: the last ones of the row instead. */
static void name_x(struct sp_gpu_cursor *c)
{
    const struct sp_layout *l = c->grid->layout;
    const struct sp_gpu_launch *g = &c->grid->launch;
    const int apart = c->vector * g->column_lanes * g->vector;
    int64_t entry = -1, row = 0; /* neighbouring lanes mostly have the same one */
    for (uint32_t left = c->active; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        const int64_t column = c->column[lane] + apart;
        if (c->at[lane] != entry) {
            entry = c->at[lane];
            row = sp_layout_col(l, entry) * l->ld_x;
        }
        c->named[lane] = row + (column < l->r ? column : l->r - g->vector);
    }
}

static void go_on(struct sp_gpu_cursor *c)
{
    const struct sp_gpu_launch *g = &c->grid->launch;
    const int64_t stride = g->map == SP_GPU_SLOT ? c->grid->layout->C : g->lanes / g->column_lanes;
    for (int lane = 0; lane < SP_WARP; lane++)
        c->at[lane] += stride;
    c->vector = 0;
    c->step = ENTRY_COL;
}

static bool next_x(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    const struct sp_gpu_launch *g = &c->grid->launch;
    name_x(c);
    if (++c->vector == g->vectors)
        go_on(c);
    return sp_gpu_load_wide(r, SP_GPU_X, c->active, c->named, g->vector, g->column_lanes == SP_WARP);
}

static int64_t row_of(const struct sp_gpu_cursor *c, int lane)
{
    const struct sp_layout *l = c->grid->layout;
    return c->grid->launch.map == SP_GPU_SLOT && l->perm ? l->perm[c->place[lane]] : c->place[lane];
}

/* The rows once more, by the first team of each. */
static uint32_t name_y(struct sp_gpu_cursor *c)
{
    const struct sp_layout *l = c->grid->layout;
    const struct sp_gpu_launch *g = &c->grid->launch;
    const int apart = c->vector * g->column_lanes * g->vector;
    uint32_t storing = 0;
    for (uint32_t left = c->lanes; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        const int64_t row = row_of(c, lane), column = c->column[lane] + apart;
        const bool is_first = lane % g->lanes < g->column_lanes;
        c->named[lane] = row * l->ld_y + column;
        storing |= (uint32_t)(is_first && row >= 0 && row < l->n_r && column < l->r) << lane;
    }
    return storing;
}

static bool next_y(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    const struct sp_gpu_launch *g = &c->grid->launch;
    while (c->vector < g->vectors) {
        const uint32_t storing = name_y(c);
        c->vector++;
        if (storing)
            return sp_gpu_store_wide(r, SP_GPU_Y, storing, c->named, g->vector, !c->grid->layout->perm);
    }
    c->step = DONE;
    return false;
}

static bool next_of_columns(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    const bool slot = c->grid->launch.map == SP_GPU_SLOT;
    switch ((enum step)c->step) {
    case BEGIN:
        name_places(c, 0);
        c->step = BEGIN_END;
        return sp_gpu_load(r, SP_GPU_PTR, c->lanes, c->named, true);
    case BEGIN_END:
        name_places(c, 1);
        c->step = ENTRY_COL;
        return sp_gpu_load(r, slot ? SP_GPU_LEN : SP_GPU_PTR, c->lanes, c->named, true);
    case ENTRY_COL:
        sp_gpu_activate(c);
        if (c->active) {
            c->step = ENTRY_VAL;
            return sp_gpu_load(r, SP_GPU_COL, c->active, c->at, true);
        }
        c->step = ROW_Y;
        if (slot && c->grid->layout->perm)
            return sp_gpu_load(r, SP_GPU_PERM, c->lanes, c->place, true); /* fall through */
    case ROW_Y:
        return next_y(c, r);
    case ENTRY_VAL:
        c->step = ENTRY_X;
        return sp_gpu_load(r, SP_GPU_VAL, c->active, c->at, true);
    case ENTRY_X:
        return next_x(c, r);
    default:
        return false;
    }
}

const struct sp_gpu_walk sp_gpu_walk_columns = {open_columns, next_of_columns};

/* CRS, a part of the path from rows' ends and entries each: MERGE. */

enum step_merge {
    START,
    START_END,
    PTR,
    COL,
    MERGE_VAL,
    X,
    ROWS,
    MERGE_CARRY_ROW,
    MERGE_CARRY_VAL,
    MERGE_DONE
};

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
    c->step = MERGE_CARRY_ROW;
    return c->lanes && sp_gpu_store(r, SP_GPU_Y, c->lanes, c->end, true);
}

static bool merge_carry(struct sp_gpu_cursor *c, struct sp_gpu_request *r, enum sp_gpu_array array)
{
    const int last = SP_WARP - 1;
    const bool has_last = c->first_thread + last == c->grid->launch.block_threads - 1;
    c->named[last] = c->block;
    c->step = array == SP_GPU_CARRY_ROW && has_last ? MERGE_CARRY_VAL : MERGE_DONE;
    return has_last && sp_gpu_store(r, array, UINT32_C(1) << last, c->named, true);
}

static bool next_of_merge(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    if (c->gathers_only && c->step < COL) {
        begin_entries(c);
        c->step = COL;
    }
    switch ((enum step_merge)c->step) {
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
        if (c->gathers_only) {
            name_columns(c);
            return c->active && sp_gpu_load(r, SP_GPU_X, c->active, c->named, false);
        }
        if (c->active) {
            c->step = MERGE_VAL;
            return sp_gpu_load(r, SP_GPU_COL, c->active, c->at, true);
        }
        begin_rows(c);
        c->step = ROWS; /* fall through */
    case ROWS:
        if (merge_rows(c, r))
            return true; /* fall through */
    case MERGE_CARRY_ROW:
        return merge_carry(c, r, SP_GPU_CARRY_ROW);
    case MERGE_CARRY_VAL:
        return merge_carry(c, r, SP_GPU_CARRY_VAL);
    case MERGE_VAL:
        name_columns(c);
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

/* What MERGE carried, a block of the first grid each. */

enum step_carry { ROW, CARRY_VAL, Y, Y_IMAGINARY, CARRY_DONE };

static int64_t carried_row(const struct sp_gpu_cursor *c, int64_t block)
{
    return block < c->grid->launch.n_blocks ? c->grid->start[block + 1] : c->grid->layout->n_r;
}

static void open_carry(struct sp_gpu_cursor *c)
{
    const int64_t first = sp_gpu_grid_thread(c, SP_GPU_CARRY_THREADS);
    c->lanes = sp_gpu_first_lanes(c->grid->launch.n_blocks - first);
    c->step = c->lanes ? ROW : CARRY_DONE;
    for (int lane = 0; lane < SP_WARP; lane++)
        c->at[lane] = first + lane;
}

/* The lanes whose row is not that of the next thread of the block, and is a row. */
static uint32_t name_carried_rows(struct sp_gpu_cursor *c)
{
    uint32_t adding = 0;
    for (int lane = 0; lane < SP_WARP; lane++) {
        int64_t row = carried_row(c, c->at[lane]);
        bool last =
            c->first_thread + lane == SP_GPU_CARRY_THREADS - 1 || carried_row(c, c->at[lane] + 1) != row;
        c->named[lane] = row;
        adding |= (uint32_t)(last && row < c->grid->layout->n_r) << lane;
    }
    return adding & c->lanes;
}

static bool next_of_carry(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    uint32_t adding;
    switch ((enum step_carry)c->step) {
    case ROW:
        c->step = CARRY_VAL;
        return sp_gpu_load(r, SP_GPU_CARRY_ROW, c->lanes, c->at, true);
    case CARRY_VAL:
        c->step = Y;
        return sp_gpu_load(r, SP_GPU_CARRY_VAL, c->lanes, c->at, true);
    case Y:
    case Y_IMAGINARY: /* the other half of the same items */
        c->step = c->step == Y && c->grid->layout->precision == SP_C128 ? Y_IMAGINARY : CARRY_DONE;
        adding = name_carried_rows(c);
        *r = (struct sp_gpu_request){SP_GPU_Y, SP_GPU_ATOMIC, adding, 1, true, c->named};
        return adding != 0;
    default:
        return false;
    }
}

const struct sp_gpu_walk sp_gpu_walk_carry = {open_carry, next_of_carry};
