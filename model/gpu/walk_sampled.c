/* SAMPLE, EQUAL and FUSED: 32 entries that the teams of a warp have in turn, four together. */
#include "model/gpu/requests.h"

enum step {
    BEGIN,
    BEGIN_END,
    BATCH,
    ROW,
    COLUMNS,
    SUM_Y,
    PRODUCT_Y,
    ENTRY_COL,
    ENTRY_X,
    ENTRY_SECOND,
    ROW_Y,
    DONE
};

/* Threads of a warp whose entries are those of one pass. */
static int teams_of(const struct sp_gpu_cursor *c)
{
    return SP_WARP >> __builtin_ctz((unsigned)c->grid->launch.column_lanes);
}

/* Steps of a batch. */
enum { NAME_ROW, NAME_COLUMN, DOT_ROW, DOT_ENTRY_ROW, DOT_X, ENDED };

/* The entry of the first team in a pass from c->from on. */
static int64_t entry_of_pass(const struct sp_gpu_cursor *c, int pass)
{
    return c->from + (int64_t)pass * teams_of(c);
}

/* Lanes that have an entry in pass `pass` from c->from on: those before c->to. */
static uint32_t lanes_of_pass(const struct sp_gpu_cursor *c, int pass)
{
    return sp_gpu_first_lanes((c->to - entry_of_pass(c, pass)) * c->grid->launch.column_lanes);
}

/* at[]: their entries, and those after them. */
static void name_entries(struct sp_gpu_cursor *c, int pass)
{
    const int shift = __builtin_ctz((unsigned)c->grid->launch.column_lanes);
    const int64_t first = entry_of_pass(c, pass);
    for (int lane = 0; lane < SP_WARP; lane++)
        c->at[lane] = first + (lane >> shift);
}

/* The same for the one entry that each lane keeps: that of pass `its number in the team`. */
static uint32_t name_kept(struct sp_gpu_cursor *c)
{
    const int column_lanes = c->grid->launch.column_lanes, teams = teams_of(c);
    uint32_t kept = 0;
    for (int lane = 0; lane < SP_WARP; lane++) {
        c->at[lane] = c->from + (int64_t)(lane % column_lanes) * teams + lane / column_lanes;
        kept |= (uint32_t)(c->at[lane] < c->to) << lane;
    }
    return kept;
}

/* Lanes whose load begins in the row of the operand, of those whose columns begin at c->k. */
static uint32_t lanes_in_row(const struct sp_gpu_cursor *c)
{
    const struct sp_gpu_launch *g = &c->grid->launch;
    const int64_t left = c->grid->layout->r - c->k;
    if (left <= 0 || left >= (int64_t)g->column_lanes * g->vector)
        return left <= 0 ? 0 : UINT32_MAX;
    uint32_t lanes = 0;
    for (int lane = 0; lane < SP_WARP; lane++)
        lanes |= (uint32_t)((lane & (g->column_lanes - 1)) * g->vector < left) << lane;
    return lanes;
}

/* named[]: c->k and the lane's columns after it, in row `row`. */
static void name_row(struct sp_gpu_cursor *c, int64_t row)
{
    const struct sp_gpu_launch *g = &c->grid->launch;
    const int64_t first = row * c->grid->layout->r + c->k;
    for (int lane = 0; lane < SP_WARP; lane++)
        c->named[lane] = first + (lane & (g->column_lanes - 1)) * g->vector;
}

/* The same in rows of an operand, for the active lanes: those of the teams' entries, which follow
 * each other from `entry` on. The first lane of a team asks where any does. */
static void name_entry_rows(struct sp_gpu_cursor *c, int64_t entry)
{
    const struct sp_layout *l = c->grid->layout;
    const int lanes = c->grid->launch.column_lanes, vector = c->grid->launch.vector;
    for (int first = 0; first < SP_WARP && c->active & sp_gpu_bit(first); first += lanes, entry++) {
        const int64_t item = sp_layout_row(l, entry) * l->r + c->k;
        for (int lane = 0; lane < lanes; lane++)
            c->named[first + lane] = item + (int64_t)lane * vector;
    }
}
static void name_gathered(struct sp_gpu_cursor *c, int64_t entry)
{
    const struct sp_layout *l = c->grid->layout;
    const int lanes = c->grid->launch.column_lanes, vector = c->grid->launch.vector;
    for (int first = 0; first < SP_WARP && c->active & sp_gpu_bit(first); first += lanes, entry++) {
        const int64_t item = sp_layout_col(l, entry) * l->ld_x + c->k;
        for (int lane = 0; lane < lanes; lane++)
            c->named[first + lane] = item + (int64_t)lane * vector;
    }
}

static bool is_coo(const struct sp_gpu_cursor *c)
{
    return c->grid->launch.map == SP_GPU_EQUAL;
}

/* The next four of each team, or the end. */
static void open_pass(struct sp_gpu_cursor *c, int pass)
{
    const bool goes_on = pass < c->grid->launch.column_lanes && c->from + (int64_t)pass * teams_of(c) < c->to;
    c->pass = pass;
    c->turn = 0;
    c->inner_step = goes_on ? NAME_ROW : ENDED;
}

/* Begins a batch with entry c->from; the entries end before c->to. c->row is the warp's. */
static void begin_batch(struct sp_gpu_cursor *c)
{
    open_pass(c, 0);
}

static void open_columns_batch(struct sp_gpu_cursor *c, int64_t k)
{
    c->k = k;
    c->turn = 0;
    if (k >= c->grid->layout->r)
        open_pass(c, c->pass + SP_GPU_TOGETHER);
    else
        c->inner_step = is_coo(c) ? DOT_ENTRY_ROW : DOT_ROW;
}

/* Those of the entry of this turn; 0: there is none, and none of a later turn. */
static uint32_t lanes_of_turn(struct sp_gpu_cursor *c)
{
    const int pass = c->pass + c->turn;
    return c->turn < SP_GPU_TOGETHER && pass < c->grid->launch.column_lanes ? lanes_of_pass(c, pass) : 0;
}

static bool next_dot(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    const struct sp_gpu_launch *g = &c->grid->launch;
    const bool one_team = g->column_lanes == SP_WARP;
    c->active = lanes_of_turn(c) & lanes_in_row(c);
    const int64_t entry = entry_of_pass(c, c->pass + c->turn);
    if (c->inner_step == DOT_ENTRY_ROW && !c->gathers_only) {
        name_entry_rows(c, entry);
        c->inner_step = DOT_X;
        return sp_gpu_load_wide(r, SP_GPU_ROWS, c->active, c->named, g->vector, one_team);
    }
    name_gathered(c, entry);
    c->turn++;
    c->inner_step = is_coo(c) ? DOT_ENTRY_ROW : DOT_X;
    return sp_gpu_load_wide(r, SP_GPU_X, c->active, c->named, g->vector, one_team);
}

/* false: there are all products. */
static bool next_of_batch(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    const struct sp_gpu_launch *g = &c->grid->launch;
    while (c->inner_step != ENDED)
        switch (c->inner_step) {
        case NAME_ROW:
            c->active = c->gathers_only ? 0 : lanes_of_turn(c);
            if (!c->active) {
                open_columns_batch(c, 0);
                break;
            }
            c->inner_step = NAME_COLUMN;
            name_entries(c, c->pass + c->turn);
            if (is_coo(c))
                return sp_gpu_load(r, SP_GPU_ROW_INDEX, c->active, c->at, true);
            break;
        case NAME_COLUMN:
            c->turn++;
            c->inner_step = NAME_ROW;
            return sp_gpu_load(r, SP_GPU_COL, c->active, c->at, true);
        case DOT_ROW:
            c->inner_step = DOT_X;
            if (c->gathers_only)
                break;
            name_row(c, c->row);
            return sp_gpu_load_wide(r, SP_GPU_ROWS, lanes_in_row(c), c->named, g->vector,
                                    g->column_lanes == SP_WARP);
        default:
            if (lanes_of_turn(c))
                return next_dot(c, r);
            open_columns_batch(c, c->k + (int64_t)g->column_lanes * g->vector);
        }
    return false;
}

/* Opens a warp that has a row: c->row, c->from, c->to. false: there is no such row. */
static bool open_row(struct sp_gpu_cursor *c)
{
    const struct sp_layout *l = c->grid->layout;
    c->row = sp_gpu_grid_thread(c, c->grid->launch.block_threads) / SP_WARP;
    if (c->row >= l->n_r)
        return false;
    c->from = c->first = sp_layout_ptr(l, c->row);
    c->to = sp_layout_ptr(l, c->row + 1);
    return true;
}

/* ptr[row] (0) or ptr[row + 1] (1) by all lanes. */
static bool load_ptr(struct sp_gpu_cursor *c, struct sp_gpu_request *r, int more)
{
    sp_gpu_name_one(c, c->row + more);
    return sp_gpu_load(r, SP_GPU_PTR, UINT32_MAX, c->named, true);
}

/* SDDMM, 32 entries of a row, or of all, at a time: SAMPLE, EQUAL. */

static void open_batch(struct sp_gpu_cursor *c)
{
    begin_batch(c);
    c->step = BATCH;
}

static void open_sample(struct sp_gpu_cursor *c)
{
    const struct sp_layout *l = c->grid->layout;
    if (c->grid->launch.map == SP_GPU_SAMPLE) {
        c->step = open_row(c) ? BEGIN : DONE;
        return;
    }
    c->row = 0;
    c->from = sp_gpu_grid_thread(c, c->grid->launch.block_threads);
    c->to = c->from + SP_WARP < l->n_nz ? c->from + SP_WARP : l->n_nz;
    if (c->from < l->n_nz)
        open_batch(c);
    else
        c->step = DONE;
}

static bool next_of_sample(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    const int column_lanes = c->grid->launch.column_lanes;
    const bool in_order = column_lanes == 1 || column_lanes == SP_WARP;
    switch ((enum step)c->step) {
    case BEGIN:
        c->step = BEGIN_END;
        return load_ptr(c, r, 0);
    case BEGIN_END:
        open_batch(c);
        return load_ptr(c, r, 1);
    case BATCH:
        if (next_of_batch(c, r))
            return true;
        c->active = name_kept(c);
        c->step = c->active ? PRODUCT_Y : DONE;
        return c->active && sp_gpu_load(r, SP_GPU_VAL, c->active, c->at, in_order);
    case PRODUCT_Y:
        c->from += SP_WARP;
        c->step = DONE;
        if (c->from < c->to)
            open_batch(c);
        return sp_gpu_store(r, SP_GPU_Y, c->active, c->at, in_order);
    default:
        return false;
    }
}

const struct sp_gpu_walk sp_gpu_walk_sample = {open_sample, next_of_sample};

/* FusedMM, a row of C and one of E in the registers of a warp: FUSED. */

static void open_fused(struct sp_gpu_cursor *c)
{
    c->step = open_row(c) ? BEGIN : DONE;
    c->vector = 0;
}

/* The columns of load `vector` of each thread. Returns the lanes that have some. */
static uint32_t begin_vector(struct sp_gpu_cursor *c)
{
    const struct sp_gpu_launch *g = &c->grid->launch;
    c->k = (int64_t)c->vector * g->column_lanes * g->vector;
    return c->vector < g->vectors ? lanes_in_row(c) : 0;
}

/* A load or store for each `vector` that has columns: those of the row, by the lanes of `mask`. */
static uint32_t next_of_row(struct sp_gpu_cursor *c, uint32_t mask)
{
    const uint32_t active = begin_vector(c) & mask;
    name_row(c, c->row);
    c->vector++;
    return active;
}

/* Four entries of each team, one after the other, `vectors` times; then the next step. */
static bool next_gather(struct sp_gpu_cursor *c, struct sp_gpu_request *r, enum sp_gpu_array array,
                        enum step next)
{
    const struct sp_gpu_launch *g = &c->grid->launch;
    for (; c->turn < SP_GPU_TOGETHER; c->turn++, c->vector = 0) {
        c->active = lanes_of_pass(c, c->turn) & begin_vector(c);
        if (!c->active)
            continue;
        c->vector++;
        name_gathered(c, entry_of_pass(c, c->turn));
        return sp_gpu_load_wide(r, array, c->active, c->named, g->vector, g->column_lanes == SP_WARP);
    }
    c->turn = 0;
    c->step = (int)next;
    return false;
}

static bool next_column(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    c->active = c->turn < SP_GPU_TOGETHER && !c->gathers_only ? lanes_of_pass(c, c->turn) : 0;
    if (c->active) {
        name_entries(c, c->turn);
        c->turn++;
        return sp_gpu_load(r, SP_GPU_COL, c->active, c->at, true);
    }
    c->turn = c->vector = 0;
    c->step = ENTRY_X;
    return false;
}

/* The next entries, or the result. */
static void begin_entries(struct sp_gpu_cursor *c)
{
    c->turn = c->vector = 0;
    c->step = c->from < c->to ? ENTRY_COL : ROW_Y;
}

static bool next_of_fused(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    const struct sp_gpu_launch *g = &c->grid->launch;
    const bool one_team = g->column_lanes == SP_WARP;
    for (;;)
        switch ((enum step)c->step) {
        case BEGIN:
            c->step = BEGIN_END;
            return load_ptr(c, r, 0);
        case BEGIN_END:
            c->step = ROW;
            return load_ptr(c, r, 1);
        case ROW:
            c->active = next_of_row(c, UINT32_MAX);
            if (c->active)
                return sp_gpu_load_wide(r, SP_GPU_ROWS, c->active, c->named, g->vector, one_team);
            begin_entries(c);
            break;
        case ENTRY_COL:
            if (next_column(c, r))
                return true;
            break;
        case ENTRY_X:
            if (next_gather(c, r, SP_GPU_X, ENTRY_SECOND))
                return true;
            break;
        case ENTRY_SECOND:
            if (next_gather(c, r, SP_GPU_SECOND, ENTRY_COL))
                return true;
            c->from += (int64_t)SP_GPU_TOGETHER * teams_of(c);
            begin_entries(c);
            break;
        case ROW_Y:
            c->active = next_of_row(c, sp_gpu_first_lanes(g->column_lanes));
            c->step = c->active ? ROW_Y : DONE;
            if (c->active)
                return sp_gpu_store_wide(r, SP_GPU_Y, c->active, c->named, g->vector, true);
            break;
        default:
            return false;
        }
}

const struct sp_gpu_walk sp_gpu_walk_fused = {open_fused, next_of_fused};

/* FusedMM, rows too wide for the registers of a warp: FUSED with `vectors` 0. */

static void open_wide(struct sp_gpu_cursor *c)
{
    c->step = open_row(c) ? BEGIN : DONE;
    c->k = 0;
}

/* Column k of the row and the entries of the batch, from the first on. */
static void open_columns_wide(struct sp_gpu_cursor *c, int64_t k)
{
    c->k = k;
    c->part = c->from;
    c->part_end = c->to - c->from < SP_WARP ? c->to : c->from + SP_WARP;
    c->step = COLUMNS;
}

static void next_columns(struct sp_gpu_cursor *c)
{
    if (c->k < c->grid->layout->r) {
        c->step = c->from > c->first ? SUM_Y : ENTRY_COL;
        return;
    }
    c->from += SP_WARP;
    c->step = DONE;
    if (c->from < c->to)
        open_batch(c);
}

static bool next_of_wide(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    const int vector = c->grid->launch.vector;
    const uint32_t in_row = lanes_in_row(c);
    for (;;)
        switch ((enum step)c->step) {
        case BEGIN:
            c->step = BEGIN_END;
            return load_ptr(c, r, 0);
        case BEGIN_END:
            open_batch(c);
            return load_ptr(c, r, 1);
        case BATCH:
            if (next_of_batch(c, r))
                return true;
            open_columns_wide(c, 0);
            return next_of_wide(c, r);
        case COLUMNS:
            next_columns(c);
            break;
        case SUM_Y:
            name_row(c, c->row);
            c->step = ENTRY_COL;
            return sp_gpu_load_wide(r, SP_GPU_Y, in_row, c->named, vector, true);
        case ENTRY_COL:
            c->step = ROW_Y;
            if (c->part >= c->part_end)
                break;
            c->active = in_row;
            for (int lane = 0; lane < SP_WARP; lane++)
                c->at[lane] = c->part;
            c->step = ENTRY_SECOND;
            return sp_gpu_load(r, SP_GPU_COL, UINT32_MAX, c->at, true);
        case ENTRY_SECOND:
            c->step = ENTRY_COL;
            name_gathered(c, c->part++);
            return sp_gpu_load_wide(r, SP_GPU_SECOND, in_row, c->named, vector, true);
        case ROW_Y:
            name_row(c, c->row);
            open_columns_wide(c, c->k + (int64_t)SP_WARP * vector);
            return sp_gpu_store_wide(r, SP_GPU_Y, in_row, c->named, vector, true);
        default:
            return false;
        }
}

const struct sp_gpu_walk sp_gpu_walk_wide = {open_wide, next_of_wide};
