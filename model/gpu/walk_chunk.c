/* SELL, a lane of a chunk each: CHUNK. */
#include "model/gpu/walk.h"

enum step { BEGIN, BEGIN_END, ENTRY_COL, ENTRY_VAL, ENTRY_X, ROW_PERM, ROW_Y, DONE };

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
        sp_gpu_name_columns(c);
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
