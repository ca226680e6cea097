/* What MERGE carried, a block of the first grid each. */
#include "model/gpu/walk.h"

enum step { ROW, VAL, Y, Y_IMAGINARY, DONE };

static int64_t carried_row(const struct sp_gpu_cursor *c, int64_t block)
{
    return block < c->grid->launch.n_blocks ? c->grid->start[block + 1] : c->grid->layout->n_r;
}

static void open_carry(struct sp_gpu_cursor *c)
{
    const int64_t first = sp_gpu_grid_thread(c, SP_GPU_CARRY_THREADS);
    c->lanes = sp_gpu_first_lanes(c->grid->launch.n_blocks - first);
    c->step = c->lanes ? ROW : DONE;
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
    case ROW:
        c->step = VAL;
        return sp_gpu_load(r, SP_GPU_CARRY_ROW, c->lanes, c->at, true);
    case VAL:
        c->step = Y;
        return sp_gpu_load(r, SP_GPU_CARRY_VAL, c->lanes, c->at, true);
    case Y:
    case Y_IMAGINARY: /* the other half of the same items */
        c->step = c->step == Y && c->grid->layout->precision == SP_C128 ? Y_IMAGINARY : DONE;
        adding = name_carried_rows(c);
        *r = (struct sp_gpu_request){SP_GPU_Y, SP_GPU_ATOMIC, adding, 1, true, c->named};
        return adding != 0;
    default:
        return false;
    }
}

const struct sp_gpu_walk sp_gpu_walk_carry = {open_carry, next_of_carry};
