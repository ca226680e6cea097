/* SpMM in CRS, a share of the merged path to each team, and the second grid: SHARE. */
#include "model/gpu/requests.h"

enum step { START, START_END, FIRST_PTR, ROW_Y, ROW_PTR, ENTRY_COL, ENTRY_VAL, ENTRY_X, CARRY, DONE };

static int64_t share_of(const struct sp_gpu_cursor *c, int lane)
{
    return c->first + lane / c->grid->launch.column_lanes;
}

/* place[]: the row that comes to its end next; at[], end[]: the entries of the lane's share. */
static void open_share(struct sp_gpu_cursor *c)
{
    const struct sp_layout *l = c->grid->layout;
    const struct sp_gpu_launch *g = &c->grid->launch;
    const int64_t all = l->n_r + l->n_nz, n_shares = sp_gpu_shares(l, g);
    const int64_t thread = c->block / g->n_tiles * g->block_threads + c->first_thread;
    c->first = thread / g->column_lanes;
    c->k = c->block % g->n_tiles * g->tile;
    c->lanes = sp_gpu_first_lanes((n_shares - c->first) * g->column_lanes);
    c->step = c->lanes ? START : DONE;
    for (uint32_t left = c->lanes; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        const int64_t s = share_of(c, lane), to = (s + 1) * g->items < all ? (s + 1) * g->items : all;
        c->place[lane] = c->grid->start[s];
        c->at[lane] = s * g->items - c->grid->start[s];
        c->end[lane] = to - c->grid->start[s + 1];
    }
}

static bool load_start(struct sp_gpu_cursor *c, struct sp_gpu_request *r, int more)
{
    for (int lane = 0; lane < SP_WARP; lane++)
        c->named[lane] = share_of(c, lane) + more;
    c->step++;
    return sp_gpu_load(r, SP_GPU_START, c->lanes, c->named, true);
}

/* Lanes of those given whose next row ends in their share. */
static uint32_t with_row(const struct sp_gpu_cursor *c, uint32_t lanes)
{
    uint32_t with = 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        with |= (uint32_t)(c->place[lane] < c->grid->start[share_of(c, lane) + 1]) << lane;
    }
    return with;
}

/* Of the given lanes, those whose next row has no entry from at[] on. */
static uint32_t with_end(const struct sp_gpu_cursor *c, uint32_t lanes)
{
    uint32_t with = 0;
    for (uint32_t left = with_row(c, lanes); left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        with |= (uint32_t)(sp_layout_ptr(c->grid->layout, c->place[lane] + 1) <= c->at[lane]) << lane;
    }
    return with;
}

static bool load_ptr(struct sp_gpu_cursor *c, struct sp_gpu_request *r, uint32_t lanes)
{
    const uint32_t with = with_row(c, lanes);
    for (int lane = 0; lane < SP_WARP; lane++)
        c->named[lane] = c->place[lane] + 1;
    return with && sp_gpu_load(r, SP_GPU_PTR, with, c->named, true);
}

static int64_t column_of(const struct sp_gpu_cursor *c, int lane)
{
    const struct sp_gpu_launch *g = &c->grid->launch;
    return c->k + lane % g->column_lanes * g->vector;
}

/* named[]: each lane's columns of its row of y, or of what its share carries. Returns the lanes
 * whose columns are in the row. */
static uint32_t name_columns(struct sp_gpu_cursor *c, bool carried)
{
    const struct sp_layout *l = c->grid->layout;
    uint32_t in_row = 0;
    for (int lane = 0; lane < SP_WARP; lane++) {
        const int64_t column = column_of(c, lane);
        c->named[lane] = (carried ? share_of(c, lane) * l->r : c->place[lane] * l->ld_y) + column;
        in_row |= (uint32_t)(column < l->r) << lane;
    }
    return in_row;
}

/* The next entry; after the last one all lanes end the rows that are left. */
static void begin_entry(struct sp_gpu_cursor *c)
{
    sp_gpu_activate(c);
    c->active &= c->lanes;
    c->slots = c->active != 0;
    if (!c->active)
        c->active = c->lanes;
    c->step = ROW_Y;
}

/* One row of each lane that has some to end before its entry. */
static bool store_rows(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    c->ending = with_end(c, c->active);
    c->step = c->ending ? ROW_PTR : c->slots ? ENTRY_COL : CARRY;
    const uint32_t storing = c->ending & name_columns(c, false);
    for (uint32_t left = c->ending; left; left &= left - 1)
        c->place[__builtin_ctz(left)]++;
    return storing && sp_gpu_store_wide(r, SP_GPU_Y, storing, c->named, c->grid->launch.vector, true);
}

/* Columns that are not in the row: the last ones of the row instead. */
static bool load_x(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    const struct sp_layout *l = c->grid->layout;
    const struct sp_gpu_launch *g = &c->grid->launch;
    for (uint32_t left = c->active; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        const int64_t column = column_of(c, lane), row = sp_layout_col(l, c->at[lane]);
        c->named[lane] = row * l->ld_x + (column < l->r ? column : l->r - g->vector);
        c->at[lane]++;
    }
    sp_gpu_load_wide(r, SP_GPU_X, c->active, c->named, g->vector, g->column_lanes == SP_WARP);
    begin_entry(c);
    return true;
}

static bool store_carry(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    const uint32_t storing = c->lanes & name_columns(c, true);
    c->step = DONE;
    return storing && sp_gpu_store_wide(r, SP_GPU_CARRY_VAL, storing, c->named, c->grid->launch.vector, true);
}

static bool next_of_share(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    while (c->step != DONE)
        switch ((enum step)c->step) {
        case START:
        case START_END:
            return load_start(c, r, c->step - START);
        case FIRST_PTR:
            begin_entry(c);
            if (load_ptr(c, r, c->lanes))
                return true;
            break;
        case ROW_Y:
            if (store_rows(c, r))
                return true;
            break;
        case ROW_PTR:
            c->step = ROW_Y;
            if (load_ptr(c, r, c->ending))
                return true;
            break;
        case ENTRY_COL:
            c->step = ENTRY_VAL;
            return sp_gpu_load(r, SP_GPU_COL, c->active, c->at, true);
        case ENTRY_VAL:
            c->step = ENTRY_X;
            return sp_gpu_load(r, SP_GPU_VAL, c->active, c->at, true);
        case ENTRY_X:
            return load_x(c, r);
        default:
            return store_carry(c, r);
        }
    return false;
}

const struct sp_gpu_walk sp_gpu_walk_share = {open_share, next_of_share};

/* The second grid: at[] is the first share of each lane, place[] its column. */
enum carry_step { CARRIED_ROW, CARRIED_VAL, ADD, ADDED };

static void open_carries(struct sp_gpu_cursor *c)
{
    const struct sp_layout *l = c->grid->layout;
    const int64_t T = sp_gpu_grid_thread(c, SP_GPU_CARRY_THREADS), n = sp_gpu_shares(l, &c->grid->launch);
    c->lanes = 0;
    for (int lane = 0; lane < SP_WARP; lane++) {
        c->at[lane] = (T + lane) / l->r * SP_GPU_CARRY_SHARES;
        c->place[lane] = (T + lane) % l->r;
        c->end[lane] = c->at[lane] + SP_GPU_CARRY_SHARES < n ? c->at[lane] + SP_GPU_CARRY_SHARES : n;
        c->lanes |= (uint32_t)(c->at[lane] < n) << lane;
    }
    c->turn = 0;
    c->step = c->lanes ? CARRIED_ROW : ADDED;
}

/* named[]: share `turn` of each lane, and so many more. Returns the lanes that have it. */
static uint32_t name_shares(struct sp_gpu_cursor *c, int more)
{
    uint32_t with = 0;
    for (int lane = 0; lane < SP_WARP; lane++) {
        c->named[lane] = c->at[lane] + c->turn + more;
        with |= (uint32_t)(c->turn < SP_GPU_CARRY_SHARES && c->at[lane] + c->turn < c->end[lane]) << lane;
    }
    return with;
}

/* The lanes whose share of this turn is the last that carries its row. */
static uint32_t name_sums(struct sp_gpu_cursor *c)
{
    const struct sp_layout *l = c->grid->layout;
    uint32_t adding = 0;
    for (uint32_t left = name_shares(c, 0); left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        const int64_t s = c->named[lane], row = c->grid->start[s + 1];
        const bool is_last = s + 1 == c->end[lane] || c->grid->start[s + 2] != row;
        c->named[lane] = row * l->ld_y + c->place[lane];
        adding |= (uint32_t)(is_last && row < l->n_r) << lane;
    }
    return adding;
}

static bool next_of_carries(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    const struct sp_layout *l = c->grid->layout;
    uint32_t active;
    while (c->step != ADDED)
        switch ((enum carry_step)c->step) {
        case CARRIED_ROW:
            active = name_shares(c, 1);
            c->step = active ? CARRIED_VAL : ADD;
            c->turn = active ? c->turn : 0;
            if (active)
                return sp_gpu_load(r, SP_GPU_START, active, c->named, true);
            break;
        case CARRIED_VAL:
            active = name_shares(c, 0);
            for (int lane = 0; lane < SP_WARP; lane++)
                c->named[lane] = c->named[lane] * l->r + c->place[lane];
            c->turn++;
            c->step = CARRIED_ROW;
            return sp_gpu_load(r, SP_GPU_CARRY_VAL, active, c->named, true);
        default:
            active = name_sums(c);
            c->step = ++c->turn < SP_GPU_CARRY_SHARES ? ADD : ADDED;
            *r = (struct sp_gpu_request){SP_GPU_Y, SP_GPU_ATOMIC, active, 1, false, c->named};
            if (active)
                return true;
        }
    return false;
}

const struct sp_gpu_walk sp_gpu_walk_share_carry = {open_carries, next_of_carries};
