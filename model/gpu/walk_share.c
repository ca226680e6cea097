/* SpMM in CRS, a share of the merged path to each team, and the second grid: SHARE. */
#include "model/gpu/requests.h"

/* Sums of 4 bytes that one store has. */
enum { STORE_SUMS = 16 / sizeof(float) };

enum step {
    START,
    START_END,
    FIRST_PTR,
    FIRST_SUM,
    SECOND_PTR,
    ROW_Y,
    ROW_PTR,
    ENTRY_COL,
    ENTRY_VAL,
    ENTRY_X,
    CARRY,
    DONE
};

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
    c->turn = 0;
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

/* named[]: each lane's columns of its row of y. Returns the lanes whose columns are in the row. */
static uint32_t name_columns(struct sp_gpu_cursor *c)
{
    const struct sp_layout *l = c->grid->layout;
    uint32_t in_row = 0;
    for (int lane = 0; lane < SP_WARP; lane++) {
        const int64_t column = column_of(c, lane);
        c->named[lane] = c->place[lane] * l->ld_y + column;
        in_row |= (uint32_t)(column < l->r) << lane;
    }
    return in_row;
}

/* One store of the lanes' first or last sum that their shares carry; after the last store the
 * cursor is at `next`. */
static bool store_sums(struct sp_gpu_cursor *c, struct sp_gpu_request *r, uint32_t lanes, int which,
                       enum step next)
{
    const struct sp_layout *l = c->grid->layout;
    const int n_sums = sp_gpu_share_sums(l), vector = c->grid->launch.vector;
    const int width = n_sums == 2 && vector > STORE_SUMS ? STORE_SUMS : vector;
    uint32_t in_row = 0;
    for (int lane = 0; lane < SP_WARP; lane++) {
        const int64_t column = column_of(c, lane), sum = share_of(c, lane) * n_sums + which;
        c->named[lane] = sum * l->r + column + c->turn * width;
        in_row |= (uint32_t)(column < l->r) << lane;
    }
    if (++c->turn * width >= vector) {
        c->turn = 0;
        c->step = next;
    }
    return (lanes & in_row) && sp_gpu_store_wide(r, SP_GPU_CARRY_VAL, lanes & in_row, c->named, width, true);
}

/* The given lanes whose shares have ended no row. */
static uint32_t before_first(const struct sp_gpu_cursor *c, uint32_t lanes)
{
    uint32_t before = 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        before |= (uint32_t)(c->place[lane] == c->grid->start[share_of(c, lane)]) << lane;
    }
    return before;
}

/* The next entry; after the last one all lanes end the rows that are left. */
static void begin_entry(struct sp_gpu_cursor *c)
{
    sp_gpu_activate(c);
    c->active &= c->lanes;
    c->slots = c->active != 0;
    if (!c->active)
        c->active = c->lanes;
    c->step = sp_gpu_share_sums(c->grid->layout) == 2 ? FIRST_SUM : ROW_Y;
}

static void end_row(struct sp_gpu_cursor *c)
{
    for (uint32_t left = c->ending; left; left &= left - 1)
        c->place[__builtin_ctz(left)]++;
}

/* The first row of each lane that has it to end before its entry. */
static bool store_first(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    if (c->turn == 0)
        c->ending = before_first(c, with_end(c, c->active));
    if (c->ending)
        return store_sums(c, r, c->ending, 0, SECOND_PTR);
    c->step = ROW_Y;
    return false;
}

/* One row of each lane that has some to end before its entry. */
static bool store_rows(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    c->ending = with_end(c, c->active);
    c->step = c->ending ? ROW_PTR : c->slots ? ENTRY_COL : CARRY;
    const uint32_t storing = c->ending & name_columns(c);
    end_row(c);
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
        case FIRST_SUM:
            if (store_first(c, r))
                return true;
            break;
        case SECOND_PTR:
            end_row(c);
            c->step = ROW_Y;
            if (load_ptr(c, r, c->ending))
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
            if (store_sums(c, r, c->lanes, sp_gpu_share_sums(c->grid->layout) - 1, DONE))
                return true;
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

/* That of 16-bit storage: at[] is the share of each lane, place[] its column, end[] the share that
 * its row begins in. */
enum part_step { PART_START, PART_START_END, PART_PTR, PART_OWN, PART_MANY, PART_REST, PART_Y, SUMMED };

static void open_parts(struct sp_gpu_cursor *c)
{
    const struct sp_layout *l = c->grid->layout;
    const struct sp_gpu_launch *g = &c->grid->launch;
    const int64_t T = sp_gpu_grid_thread(c, SP_GPU_CARRY_THREADS), n = sp_gpu_shares(l, g);
    const int64_t *start = c->grid->start;
    c->lanes = c->active = 0;
    for (int lane = 0; lane < SP_WARP; lane++) {
        const int64_t s = (T + lane) / l->r;
        c->at[lane] = s;
        c->place[lane] = (T + lane) % l->r;
        c->end[lane] = 0;
        if (s >= n)
            continue;
        c->lanes |= sp_gpu_bit(lane);
        if (start[s] == start[s + 1])
            continue;
        c->active |= sp_gpu_bit(lane);
        c->end[lane] = (sp_layout_ptr(l, start[s]) + start[s]) / g->items;
    }
    c->turn = 0;
    c->step = c->lanes ? PART_START : SUMMED;
}

/* named[]: the second sum of each lane's share of number `turn`, from the one that its row begins
 * in on, of many or of the rest. Returns the lanes that have it. */
static uint32_t name_before(struct sp_gpu_cursor *c, bool of_many)
{
    uint32_t with = 0;
    for (uint32_t left = c->active; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        const int64_t all = c->at[lane] - c->end[lane], many = all / SP_GPU_CARRY_MANY * SP_GPU_CARRY_MANY;
        const int64_t i = c->turn + (of_many ? 0 : many);
        c->named[lane] = ((c->end[lane] + i) * 2 + 1) * c->grid->layout->r + c->place[lane];
        with |= (uint32_t)(i < (of_many ? many : all)) << lane;
    }
    return with;
}

static bool next_of_parts(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    const struct sp_layout *l = c->grid->layout;
    const int64_t *start = c->grid->start;
    uint32_t before;
    while (c->step != SUMMED)
        switch ((enum part_step)c->step++) {
        case PART_START:
            return sp_gpu_load(r, SP_GPU_START, c->lanes, c->at, true);
        case PART_START_END:
            for (int lane = 0; lane < SP_WARP; lane++)
                c->named[lane] = c->at[lane] + 1;
            if (!c->active)
                c->step = SUMMED;
            return sp_gpu_load(r, SP_GPU_START, c->lanes, c->named, true);
        case PART_PTR:
            for (uint32_t left = c->active; left; left &= left - 1)
                c->named[__builtin_ctz(left)] = start[c->at[__builtin_ctz(left)]];
            return sp_gpu_load(r, SP_GPU_PTR, c->active, c->named, true);
        case PART_OWN:
            for (uint32_t left = c->active; left; left &= left - 1) {
                const int lane = __builtin_ctz(left);
                c->named[lane] = c->at[lane] * 2 * l->r + c->place[lane];
            }
            return sp_gpu_load(r, SP_GPU_CARRY_VAL, c->active, c->named, true);
        case PART_MANY:
        case PART_REST:
            before = name_before(c, c->step == PART_MANY + 1);
            if (!before) {
                c->turn = 0;
                break;
            }
            c->turn++;
            c->step--;
            return sp_gpu_load(r, SP_GPU_CARRY_VAL, before, c->named, true);
        default:
            for (uint32_t left = c->active; left; left &= left - 1) {
                const int lane = __builtin_ctz(left);
                c->named[lane] = start[c->at[lane]] * l->ld_y + c->place[lane];
            }
            return sp_gpu_store(r, SP_GPU_Y, c->active, c->named, true);
        }
    return false;
}

const struct sp_gpu_walk sp_gpu_walk_share_parts = {open_parts, next_of_parts};
