/* FusedMM, rows too wide for the registers of a warp: FUSED with `vectors` 0. */
#include "model/gpu/walk_batch.h"

enum step { BEGIN, BEGIN_END, BATCH, COLUMNS, SUM_Y, ENTRY_COL, ENTRY_SECOND, ROW_Y, DONE };

static void open_wide(struct sp_gpu_cursor *c)
{
    c->step = sp_gpu_open_row(c) ? BEGIN : DONE;
    c->k = 0;
}

static void open_batch(struct sp_gpu_cursor *c)
{
    sp_gpu_batch_open(c);
    c->step = BATCH;
}

/* Column k of the row and the entries of the batch, from the first on. */
static void open_columns(struct sp_gpu_cursor *c, int64_t k)
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
    const uint32_t in_row = sp_gpu_lanes_in_row(c);
    for (;;)
        switch ((enum step)c->step) {
        case BEGIN:
            c->step = BEGIN_END;
            return sp_gpu_load_ptr(c, r, 0);
        case BEGIN_END:
            open_batch(c);
            return sp_gpu_load_ptr(c, r, 1);
        case BATCH:
            if (sp_gpu_batch_next(c, r))
                return true;
            open_columns(c, 0);
            return next_of_wide(c, r);
        case COLUMNS:
            next_columns(c);
            break;
        case SUM_Y:
            sp_gpu_name_row(c, c->row);
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
            c->part++;
            c->step = ENTRY_COL;
            sp_gpu_name_gathered(c);
            return sp_gpu_load_wide(r, SP_GPU_SECOND, in_row, c->named, vector, true);
        case ROW_Y:
            sp_gpu_name_row(c, c->row);
            open_columns(c, c->k + (int64_t)SP_WARP * vector);
            return sp_gpu_store_wide(r, SP_GPU_Y, in_row, c->named, vector, true);
        default:
            return false;
        }
}

const struct sp_gpu_walk sp_gpu_walk_wide = {open_wide, next_of_wide};
