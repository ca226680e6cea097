/* SDDMM, 32 entries of a row, or of all, at a time: SAMPLE, EQUAL. */
#include "model/gpu/walk_batch.h"

enum step { BEGIN, BEGIN_END, BATCH, PRODUCT_Y, DONE };

static void open_batch(struct sp_gpu_cursor *c)
{
    sp_gpu_batch_open(c);
    c->step = BATCH;
}

static void open_sample(struct sp_gpu_cursor *c)
{
    const struct sp_layout *l = c->grid->layout;
    if (c->grid->launch.map == SP_GPU_SAMPLE) {
        c->step = sp_gpu_open_row(c) ? BEGIN : DONE;
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
        return sp_gpu_load_ptr(c, r, 0);
    case BEGIN_END:
        open_batch(c);
        return sp_gpu_load_ptr(c, r, 1);
    case BATCH:
        if (sp_gpu_batch_next(c, r))
            return true;
        c->active = sp_gpu_name_kept(c);
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
