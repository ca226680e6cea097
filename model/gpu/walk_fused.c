/* FusedMM, a row of C and one of E in the registers of a warp: FUSED. */
#include "model/gpu/walk_batch.h"

enum step { BEGIN, BEGIN_END, ROW, ENTRY_COL, ENTRY_X, ENTRY_SECOND, ROW_Y, DONE };

static void open_fused(struct sp_gpu_cursor *c)
{
    c->step = sp_gpu_open_row(c) ? BEGIN : DONE;
    c->vector = 0;
}

/* The columns of load `vector` of each thread. Returns the lanes that have some. */
static uint32_t begin_vector(struct sp_gpu_cursor *c)
{
    const struct sp_gpu_launch *g = &c->grid->launch;
    c->k = (int64_t)c->vector * g->column_lanes * g->vector;
    return c->vector < g->vectors ? sp_gpu_lanes_in_row(c) : 0;
}

/* A load or store for each `vector` that has columns: those of the row, by the lanes of `mask`. */
static uint32_t next_of_row(struct sp_gpu_cursor *c, uint32_t mask)
{
    const uint32_t active = begin_vector(c) & mask;
    sp_gpu_name_row(c, c->row);
    c->vector++;
    return active;
}

/* Four entries of each team, one after the other, `vectors` times; then the next step. */
static bool next_gather(struct sp_gpu_cursor *c, struct sp_gpu_request *r, enum sp_gpu_array array,
                        enum step next)
{
    const struct sp_gpu_launch *g = &c->grid->launch;
    for (; c->turn < SP_GPU_TOGETHER; c->turn++, c->vector = 0) {
        c->active = sp_gpu_name_entries(c, c->turn) & begin_vector(c);
        if (!c->active)
            continue;
        c->vector++;
        sp_gpu_name_gathered(c);
        return sp_gpu_load_wide(r, array, c->active, c->named, g->vector, g->column_lanes == SP_WARP);
    }
    c->turn = 0;
    c->step = (int)next;
    return false;
}

static bool next_column(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    c->active = c->turn < SP_GPU_TOGETHER ? sp_gpu_name_entries(c, c->turn) : 0;
    if (c->active) {
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
            return sp_gpu_load_ptr(c, r, 0);
        case BEGIN_END:
            c->step = ROW;
            return sp_gpu_load_ptr(c, r, 1);
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
            c->from += (int64_t)SP_GPU_TOGETHER * sp_gpu_teams(c);
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
