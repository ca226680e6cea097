/* CRS by rows, `lanes` threads each: THREAD, LANES. */
#include "model/gpu/walk.h"

enum step { BEGIN, BEGIN_END, ENTRY_COL, ENTRY_VAL, ENTRY_X, DONE };

static void open_rows(struct sp_gpu_cursor *c)
{
    const struct sp_layout *l = c->grid->layout;
    const int of_row = c->grid->launch.lanes;
    const int64_t T = sp_gpu_grid_thread(c, c->grid->launch.block_threads), first = T / of_row;
    c->lanes = sp_gpu_first_lanes((l->n_r - first) * of_row);
    c->step = c->lanes ? BEGIN : DONE;
    for (int lane = 0; lane < SP_WARP; lane++) {
        bool has_row = c->lanes & sp_gpu_bit(lane);
        int64_t row = first + lane / of_row;
        c->named[lane] = row;
        c->at[lane] = has_row ? sp_layout_ptr(l, row) + lane % of_row : 0;
        c->end[lane] = has_row ? sp_layout_ptr(l, row + 1) : 0;
    }
}

/* The rows once more, by the first thread of each. */
static uint32_t name_rows(struct sp_gpu_cursor *c)
{
    const int of_row = c->grid->launch.lanes;
    const int64_t first = sp_gpu_grid_thread(c, c->grid->launch.block_threads) / of_row;
    uint32_t firsts = 0;
    for (int lane = 0; lane < SP_WARP; lane += of_row) {
        c->named[lane] = first + lane / of_row;
        firsts |= sp_gpu_bit(lane);
    }
    return firsts & c->lanes;
}

static bool next_of_rows(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    switch ((enum step)c->step) {
    case BEGIN:
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
            return sp_gpu_store(r, SP_GPU_Y, name_rows(c), c->named, true);
        }
        c->step = ENTRY_VAL;
        return sp_gpu_load(r, SP_GPU_COL, c->active, c->at, true);
    case ENTRY_VAL:
        sp_gpu_name_columns(c);
        c->step = ENTRY_X;
        return sp_gpu_load(r, SP_GPU_VAL, c->active, c->at, true);
    case ENTRY_X:
        for (int lane = 0; lane < SP_WARP; lane++)
            c->at[lane] += c->grid->launch.lanes;
        c->step = ENTRY_COL;
        return sp_gpu_load(r, SP_GPU_X, c->active, c->named, false);
    default:
        return false;
    }
}

const struct sp_gpu_walk sp_gpu_walk_rows = {open_rows, next_of_rows};
