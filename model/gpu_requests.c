#include "model/gpu_requests.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static const char *const array_names[SP_N_GPU_ARRAYS] = {"ptr",  "len",   "col", "val",       "x",
                                                         "perm", "start", "y",   "carry_row", "carry_val"};

const char *sp_gpu_array_name(enum sp_gpu_array array)
{
    return array_names[array];
}

static void set_array(struct sp_gpu_grid *g, enum sp_gpu_array array, int64_t n, size_t item_B)
{
    g->n_items[array] = n;
    g->item_shift[array] = __builtin_ctzll(item_B);
}

enum sp_status sp_gpu_grid_make(const struct sp_layout *l, const struct sp_gpu_launch *launch,
                                struct sp_gpu_grid *g, struct sp_error *err)
{
    memset(g, 0, sizeof *g);
    if (sp_gpu_map_op(launch->map) != SP_OP_SPMV)
        return sp_fail(err, SP_ABSENT, "take --op spmv", "requests of %s on a GPU are not modelled",
                       sp_op_name(sp_gpu_map_op(launch->map)));
    g->layout = l;
    g->launch = *launch;
    bool merge = launch->map == SP_GPU_MERGE;
    set_array(g, SP_GPU_PTR, l->n_ptr, l->s_p);
    set_array(g, SP_GPU_LEN, l->len ? l->n_chunks : 0, sizeof *l->len);
    set_array(g, SP_GPU_COL, l->n_stored, l->s_i);
    set_array(g, SP_GPU_VAL, l->n_stored, l->s_a);
    set_array(g, SP_GPU_X, l->n_c, l->s_x);
    set_array(g, SP_GPU_PERM, l->perm ? l->n_chunks * l->C : 0, sizeof *l->perm);
    set_array(g, SP_GPU_START, merge ? launch->n_blocks + 1 : 0, sizeof *g->start);
    set_array(g, SP_GPU_Y, l->n_r, l->s_y);
    set_array(g, SP_GPU_CARRY_ROW, merge ? launch->n_blocks : 0, sizeof(int64_t));
    set_array(g, SP_GPU_CARRY_VAL, merge ? launch->n_blocks : 0, l->s_x);
    if (!merge)
        return SP_OK;
    enum sp_status status =
        sp_new_array(launch->n_blocks + 1, sizeof *g->start, "the blocks' rows", (void **)&g->start, err);
    if (status == SP_OK)
        sp_gpu_merge_starts(l, launch, g->start);
    return status;
}

void sp_gpu_grid_free(struct sp_gpu_grid *g)
{
    free(g->start);
    memset(g, 0, sizeof *g);
}

int64_t sp_gpu_carry_blocks(const struct sp_gpu_grid *g)
{
    const int64_t n = g->n_items[SP_GPU_CARRY_ROW];
    return n / SP_GPU_CARRY_THREADS + (n % SP_GPU_CARRY_THREADS != 0);
}

/* Requests of each map in order; ADD_ROW and what follows belong to the second grid. */
enum step {
    BEGIN,
    BEGIN_END,
    ENTRY_COL,
    ENTRY_VAL,
    ENTRY_X,
    ROW_PERM,
    ROW_Y,
    MERGE_START,
    MERGE_START_END,
    MERGE_PTR,
    MERGE_COL,
    MERGE_VAL,
    MERGE_X,
    MERGE_ROWS,
    MERGE_CARRY_ROW,
    MERGE_CARRY_VAL,
    ADD_ROW,
    ADD_VAL,
    ADD_Y,
    DONE
};

static bool load(struct sp_gpu_request *r, enum sp_gpu_array array, uint32_t active, const int64_t *item,
                 bool in_order)
{
    *r = (struct sp_gpu_request){array, SP_GPU_LOAD, active, in_order, item};
    return true;
}

static bool store(struct sp_gpu_request *r, enum sp_gpu_array array, uint32_t active, const int64_t *item,
                  bool in_order)
{
    *r = (struct sp_gpu_request){array, SP_GPU_STORE, active, in_order, item};
    return true;
}

static uint32_t bit(int lane)
{
    return UINT32_C(1) << lane;
}

/* The first n lanes. */
static uint32_t first_lanes(int64_t n)
{
    return n >= SP_WARP ? UINT32_MAX : n > 0 ? bit((int)n) - 1 : 0;
}

static int64_t grid_thread(const struct sp_gpu_cursor *c, int threads)
{
    return c->block * threads + c->first_thread;
}

static void name_columns(struct sp_gpu_cursor *c)
{
    const struct sp_layout *l = c->grid->layout;
    for (uint32_t left = c->active; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        c->named[lane] = sp_layout_col(l, c->at[lane]);
    }
}

/* CRS by rows: `lanes` threads each. */

static void open_rows(struct sp_gpu_cursor *c)
{
    const struct sp_layout *l = c->grid->layout;
    const int of_row = c->grid->launch.lanes;
    const int64_t T = grid_thread(c, c->grid->launch.block_threads), first = T / of_row;
    c->lanes = first_lanes((l->n_r - first) * of_row);
    c->step = c->lanes ? BEGIN : DONE;
    for (int lane = 0; lane < SP_WARP; lane++) {
        bool has_row = c->lanes & bit(lane);
        int64_t row = first + lane / of_row;
        c->named[lane] = row;
        c->at[lane] = has_row ? sp_layout_ptr(l, row) + lane % of_row : 0;
        c->end[lane] = has_row ? sp_layout_ptr(l, row + 1) : 0;
    }
}

static void next_entries(struct sp_gpu_cursor *c)
{
    c->active = 0;
    for (int lane = 0; lane < SP_WARP; lane++)
        c->active |= (uint32_t)(c->at[lane] < c->end[lane]) << lane;
}

/* The rows once more, by the first thread of each. */
static uint32_t name_rows(struct sp_gpu_cursor *c)
{
    const int of_row = c->grid->launch.lanes;
    const int64_t first = grid_thread(c, c->grid->launch.block_threads) / of_row;
    uint32_t firsts = 0;
    for (int lane = 0; lane < SP_WARP; lane += of_row) {
        c->named[lane] = first + lane / of_row;
        firsts |= bit(lane);
    }
    return firsts & c->lanes;
}

static bool next_of_rows(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    switch ((enum step)c->step) {
    case BEGIN:
        c->step = BEGIN_END;
        return load(r, SP_GPU_PTR, c->lanes, c->named, true);
    case BEGIN_END:
        for (int lane = 0; lane < SP_WARP; lane++)
            c->named[lane]++;
        c->step = ENTRY_COL;
        return load(r, SP_GPU_PTR, c->lanes, c->named, true);
    case ENTRY_COL:
        next_entries(c);
        if (!c->active) {
            c->step = DONE;
            return store(r, SP_GPU_Y, name_rows(c), c->named, true);
        }
        c->step = ENTRY_VAL;
        return load(r, SP_GPU_COL, c->active, c->at, true);
    case ENTRY_VAL:
        name_columns(c);
        c->step = ENTRY_X;
        return load(r, SP_GPU_VAL, c->active, c->at, true);
    case ENTRY_X:
        for (int lane = 0; lane < SP_WARP; lane++)
            c->at[lane] += c->grid->launch.lanes;
        c->step = ENTRY_COL;
        return load(r, SP_GPU_X, c->active, c->named, false);
    default:
        return false;
    }
}

/* SELL: a lane of a chunk each. */

static void open_chunk(struct sp_gpu_cursor *c)
{
    const struct sp_layout *l = c->grid->layout;
    const int64_t T = grid_thread(c, c->grid->launch.block_threads), chunk = T / l->C;
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
    const int64_t T = grid_thread(c, c->grid->launch.block_threads);
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
        return load(r, SP_GPU_PTR, c->lanes, c->named, true);
    case BEGIN_END:
        c->step = c->slots > 0 ? ENTRY_COL : ROW_PERM;
        return load(r, SP_GPU_LEN, c->lanes, c->named, true);
    case ENTRY_COL:
        c->step = ENTRY_VAL;
        return load(r, SP_GPU_COL, c->lanes, c->at, true);
    case ENTRY_VAL:
        name_columns(c);
        c->step = ENTRY_X;
        return load(r, SP_GPU_VAL, c->lanes, c->at, true);
    case ENTRY_X:
        for (int lane = 0; lane < SP_WARP; lane++)
            c->at[lane] += l->C;
        c->step = --c->slots > 0 ? ENTRY_COL : ROW_PERM;
        return load(r, SP_GPU_X, c->lanes, c->named, false);
    case ROW_PERM:
        c->step = ROW_Y;
        if (l->perm) {
            for (int lane = 0; lane < SP_WARP; lane++)
                c->named[lane] = grid_thread(c, c->grid->launch.block_threads) + lane;
            return load(r, SP_GPU_PERM, c->lanes, c->named, true);
        } /* fall through */
    case ROW_Y: {
        c->step = DONE;
        uint32_t rows = name_chunk_rows(c);
        return rows && store(r, SP_GPU_Y, rows, c->named, !l->perm);
    }
    default:
        return false;
    }
}

/* MERGE: a part of the path from rows' ends and entries each. */

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
    for (int lane = 0; lane < SP_WARP; lane++)
        c->named[lane] = c->block + more;
    c->step++;
    return load(r, SP_GPU_START, UINT32_MAX, c->named, true);
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
        active = first_lanes(to - first) & ~first_lanes(from - first);
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
    return active && load(r, SP_GPU_PTR, active, c->named, true);
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
            ends |= bit(lane);
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
            return store(r, SP_GPU_Y, ends, c->named, true);
    }
    c->step = MERGE_CARRY_ROW;
    return c->lanes && store(r, SP_GPU_Y, c->lanes, c->end, true);
}

static bool merge_carry(struct sp_gpu_cursor *c, struct sp_gpu_request *r, enum sp_gpu_array array)
{
    const int last = SP_WARP - 1;
    const bool has_last = c->first_thread + last == c->grid->launch.block_threads - 1;
    c->named[last] = c->block;
    c->step = array == SP_GPU_CARRY_ROW && has_last ? MERGE_CARRY_VAL : DONE;
    return has_last && store(r, array, UINT32_C(1) << last, c->named, true);
}

static bool next_of_merge(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    switch ((enum step)c->step) {
    case MERGE_START:
        return merge_start(c, r, 0);
    case MERGE_START_END:
        return merge_start(c, r, 1);
    case MERGE_PTR:
        if (merge_pointers(c, r))
            return true;
        begin_entries(c);
        c->step = MERGE_COL; /* fall through */
    case MERGE_COL:
        c->active = share_of(c, c->from / SP_WARP * SP_WARP, c->from, c->to, c->at);
        if (c->active) {
            c->step = MERGE_VAL;
            return load(r, SP_GPU_COL, c->active, c->at, true);
        }
        begin_rows(c);
        c->step = MERGE_ROWS; /* fall through */
    case MERGE_ROWS:
        if (merge_rows(c, r))
            return true; /* fall through */
    case MERGE_CARRY_ROW:
        return merge_carry(c, r, SP_GPU_CARRY_ROW);
    case MERGE_CARRY_VAL:
        return merge_carry(c, r, SP_GPU_CARRY_VAL);
    case MERGE_VAL:
        name_columns(c);
        c->step = MERGE_X;
        return load(r, SP_GPU_VAL, c->active, c->at, true);
    case MERGE_X:
        c->step = MERGE_COL;
        return load(r, SP_GPU_X, c->active, c->named, false);
    default:
        return false;
    }
}

/* What is carried: a block of the first grid each. */

static int64_t carried_row(const struct sp_gpu_cursor *c, int64_t block)
{
    return block < c->grid->launch.n_blocks ? c->grid->start[block + 1] : c->grid->layout->n_r;
}

static void open_carry(struct sp_gpu_cursor *c)
{
    const int64_t first = grid_thread(c, SP_GPU_CARRY_THREADS);
    c->lanes = first_lanes(c->grid->launch.n_blocks - first);
    c->step = c->lanes ? ADD_ROW : DONE;
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
    switch ((enum step)c->step) {
    case ADD_ROW:
        c->step = ADD_VAL;
        return load(r, SP_GPU_CARRY_ROW, c->lanes, c->at, true);
    case ADD_VAL:
        c->step = ADD_Y;
        return load(r, SP_GPU_CARRY_VAL, c->lanes, c->at, true);
    case ADD_Y:
        c->step = DONE;
        adding = name_carried_rows(c);
        *r = (struct sp_gpu_request){SP_GPU_Y, SP_GPU_ATOMIC, adding, true, c->named};
        return adding != 0;
    default:
        return false;
    }
}

void sp_gpu_cursor_open(const struct sp_gpu_grid *grid, int64_t block, int warp, struct sp_gpu_cursor *c)
{
    c->grid = grid;
    c->block = block;
    c->first_thread = warp * SP_WARP;
    c->pass = 0;
    switch (grid->launch.map) {
    case SP_GPU_MERGE:
        c->step = MERGE_START;
        break;
    case SP_GPU_CHUNK:
        open_chunk(c);
        break;
    default:
        open_rows(c);
    }
}

void sp_gpu_cursor_open_carry(const struct sp_gpu_grid *grid, int64_t block, int warp,
                              struct sp_gpu_cursor *c)
{
    c->grid = grid;
    c->block = block;
    c->first_thread = warp * SP_WARP;
    open_carry(c);
}

bool sp_gpu_cursor_next(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    if (c->step >= ADD_ROW)
        return next_of_carry(c, r);
    switch (c->grid->launch.map) {
    case SP_GPU_MERGE:
        return next_of_merge(c, r);
    case SP_GPU_CHUNK:
        return next_of_chunk(c, r);
    default:
        return next_of_rows(c, r);
    }
}
