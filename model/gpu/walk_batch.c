#include "model/gpu/walk_batch.h"

/* Steps of a batch. */
enum { NAME_ROW, NAME_COLUMN, DOT_ROW, DOT_ENTRY_ROW, DOT_X, ENDED };

uint32_t sp_gpu_name_entries(struct sp_gpu_cursor *c, int pass)
{
    const int column_lanes = c->grid->launch.column_lanes;
    const int64_t first = c->from + (int64_t)pass * sp_gpu_teams(c);
    for (int lane = 0; lane < SP_WARP; lane++)
        c->at[lane] = first + lane / column_lanes;
    return sp_gpu_first_lanes((c->to - first) * column_lanes);
}

uint32_t sp_gpu_name_kept(struct sp_gpu_cursor *c)
{
    const int column_lanes = c->grid->launch.column_lanes, teams = sp_gpu_teams(c);
    uint32_t kept = 0;
    for (int lane = 0; lane < SP_WARP; lane++) {
        c->at[lane] = c->from + (int64_t)(lane % column_lanes) * teams + lane / column_lanes;
        kept |= (uint32_t)(c->at[lane] < c->to) << lane;
    }
    return kept;
}

uint32_t sp_gpu_lanes_in_row(const struct sp_gpu_cursor *c)
{
    const struct sp_gpu_launch *g = &c->grid->launch;
    const int64_t left = c->grid->layout->r - c->k;
    uint32_t lanes = 0;
    for (int lane = 0; lane < SP_WARP; lane++)
        lanes |= (uint32_t)(lane % g->column_lanes * g->vector < left) << lane;
    return lanes;
}

void sp_gpu_name_row(struct sp_gpu_cursor *c, int64_t row)
{
    const struct sp_gpu_launch *g = &c->grid->launch;
    const int64_t first = row * c->grid->layout->r + c->k;
    for (int lane = 0; lane < SP_WARP; lane++)
        c->named[lane] = first + lane % g->column_lanes * g->vector;
}

void sp_gpu_name_gathered(struct sp_gpu_cursor *c)
{
    const struct sp_layout *l = c->grid->layout;
    const struct sp_gpu_launch *g = &c->grid->launch;
    for (uint32_t left = c->active; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        c->named[lane] = sp_layout_col(l, c->at[lane]) * l->ld_x + c->k + lane % g->column_lanes * g->vector;
    }
}

/* The rows of the row operand that the entries of the active lanes name. */
static void name_entry_rows(struct sp_gpu_cursor *c)
{
    const struct sp_layout *l = c->grid->layout;
    const struct sp_gpu_launch *g = &c->grid->launch;
    for (uint32_t left = c->active; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        c->named[lane] = sp_layout_row(l, c->at[lane]) * l->r + c->k + lane % g->column_lanes * g->vector;
    }
}

static bool is_coo(const struct sp_gpu_cursor *c)
{
    return c->grid->launch.map == SP_GPU_EQUAL;
}

/* The next four of each team, or the end. */
static void open_pass(struct sp_gpu_cursor *c, int pass)
{
    const bool goes_on =
        pass < c->grid->launch.column_lanes && c->from + (int64_t)pass * sp_gpu_teams(c) < c->to;
    c->pass = pass;
    c->turn = 0;
    c->inner_step = goes_on ? NAME_ROW : ENDED;
}

void sp_gpu_batch_open(struct sp_gpu_cursor *c)
{
    open_pass(c, 0);
}

static void open_columns(struct sp_gpu_cursor *c, int64_t k)
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
    return c->turn < SP_GPU_TOGETHER && pass < c->grid->launch.column_lanes ? sp_gpu_name_entries(c, pass)
                                                                            : 0;
}

static bool next_dot(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    const struct sp_gpu_launch *g = &c->grid->launch;
    const bool one_team = g->column_lanes == SP_WARP;
    c->active = lanes_of_turn(c) & sp_gpu_lanes_in_row(c);
    if (c->inner_step == DOT_ENTRY_ROW) {
        name_entry_rows(c);
        c->inner_step = DOT_X;
        return sp_gpu_load_wide(r, SP_GPU_ROWS, c->active, c->named, g->vector, one_team);
    }
    sp_gpu_name_gathered(c);
    c->turn++;
    c->inner_step = is_coo(c) ? DOT_ENTRY_ROW : DOT_X;
    return sp_gpu_load_wide(r, SP_GPU_X, c->active, c->named, g->vector, one_team);
}

bool sp_gpu_batch_next(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    const struct sp_gpu_launch *g = &c->grid->launch;
    while (c->inner_step != ENDED)
        switch (c->inner_step) {
        case NAME_ROW:
            c->active = lanes_of_turn(c);
            if (!c->active) {
                open_columns(c, 0);
                break;
            }
            c->inner_step = NAME_COLUMN;
            if (is_coo(c))
                return sp_gpu_load(r, SP_GPU_ROW_INDEX, c->active, c->at, true);
            break;
        case NAME_COLUMN:
            c->turn++;
            c->inner_step = NAME_ROW;
            return sp_gpu_load(r, SP_GPU_COL, c->active, c->at, true);
        case DOT_ROW:
            c->inner_step = DOT_X;
            sp_gpu_name_row(c, c->row);
            return sp_gpu_load_wide(r, SP_GPU_ROWS, sp_gpu_lanes_in_row(c), c->named, g->vector,
                                    g->column_lanes == SP_WARP);
        default:
            if (lanes_of_turn(c))
                return next_dot(c, r);
            open_columns(c, c->k + (int64_t)g->column_lanes * g->vector);
        }
    return false;
}

bool sp_gpu_open_row(struct sp_gpu_cursor *c)
{
    const struct sp_layout *l = c->grid->layout;
    c->row = sp_gpu_grid_thread(c, c->grid->launch.block_threads) / SP_WARP;
    if (c->row >= l->n_r)
        return false;
    c->from = c->first = sp_layout_ptr(l, c->row);
    c->to = sp_layout_ptr(l, c->row + 1);
    return true;
}

bool sp_gpu_load_ptr(struct sp_gpu_cursor *c, struct sp_gpu_request *r, int more)
{
    sp_gpu_name_one(c, c->row + more);
    return sp_gpu_load(r, SP_GPU_PTR, UINT32_MAX, c->named, true);
}
