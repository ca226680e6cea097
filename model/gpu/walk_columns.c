/* SpMMV and SpMM, row-major, each lane with the entries of a row or place and columns of its own: OUTPUT,
 * GROUP, ROW, SLOT. */
#include "model/gpu/walk.h"

enum step { BEGIN, BEGIN_END, ENTRY_COL, ENTRY_VAL, ENTRY_X, ROW_Y, DONE };

/* Threads of a row or place. */
static int64_t threads_of_place(const struct sp_gpu_launch *g, const struct sp_layout *l)
{
    return g->map == SP_GPU_OUTPUT ? l->r : g->map == SP_GPU_SLOT ? g->column_lanes : g->lanes;
}

/* at[], end[]: the entries of a lane that has a place. */
static void set_entries(struct sp_gpu_cursor *c, int lane)
{
    const struct sp_layout *l = c->grid->layout;
    const struct sp_gpu_launch *g = &c->grid->launch;
    const int64_t place = c->place[lane];
    if (g->map == SP_GPU_SLOT) {
        const int64_t chunk = place / l->C, begin = sp_layout_ptr(l, chunk);
        c->at[lane] = begin + place % l->C;
        c->end[lane] = begin + (int64_t)l->len[chunk] * l->C;
    } else {
        c->at[lane] = sp_layout_ptr(l, place) + lane % g->lanes / g->column_lanes;
        c->end[lane] = sp_layout_ptr(l, place + 1);
    }
}

static void open_columns(struct sp_gpu_cursor *c)
{
    const struct sp_layout *l = c->grid->layout;
    const struct sp_gpu_launch *g = &c->grid->launch;
    const int64_t of_place = threads_of_place(g, l), block = c->block / g->n_tiles;
    const int64_t first = block * g->block_threads + c->first_thread;
    const int64_t n_places = g->map == SP_GPU_SLOT ? l->n_chunks * l->C : l->n_r;
    c->tile = c->block % g->n_tiles * g->tile;
    c->lanes = sp_gpu_first_lanes(n_places * of_place - first);
    c->step = c->lanes ? BEGIN : DONE;
    c->vector = 0;
    for (int lane = 0; lane < SP_WARP; lane++) {
        c->place[lane] = (first + lane) / of_place;
        c->column[lane] = g->map == SP_GPU_OUTPUT ? (int32_t)((first + lane) % of_place)
                                                  : (int32_t)c->tile + lane % g->column_lanes * g->vector;
        c->at[lane] = c->end[lane] = 0;
        if (c->lanes & sp_gpu_bit(lane))
            set_entries(c, lane);
    }
}

/* Items of the chunks of the lanes, or of their rows and so many more. */
static void name_places(struct sp_gpu_cursor *c, int more)
{
    const bool slot = c->grid->launch.map == SP_GPU_SLOT;
    for (int lane = 0; lane < SP_WARP; lane++)
        c->named[lane] = slot ? c->place[lane] / c->grid->layout->C : c->place[lane] + more;
}

/* Columns that are not in the row: the last ones of the row instead. */
static void name_x(struct sp_gpu_cursor *c)
{
    const struct sp_layout *l = c->grid->layout;
    const struct sp_gpu_launch *g = &c->grid->launch;
    const int apart = c->vector * g->column_lanes * g->vector;
    int64_t entry = -1, row = 0; /* neighbouring lanes mostly have the same one */
    for (uint32_t left = c->active; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        const int64_t column = c->column[lane] + apart;
        if (c->at[lane] != entry) {
            entry = c->at[lane];
            row = sp_layout_col(l, entry) * l->ld_x;
        }
        c->named[lane] = row + (column < l->r ? column : l->r - g->vector);
    }
}

static void go_on(struct sp_gpu_cursor *c)
{
    const struct sp_gpu_launch *g = &c->grid->launch;
    const int64_t stride = g->map == SP_GPU_SLOT ? c->grid->layout->C : g->lanes / g->column_lanes;
    for (int lane = 0; lane < SP_WARP; lane++)
        c->at[lane] += stride;
    c->vector = 0;
    c->step = ENTRY_COL;
}

static bool next_x(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    const struct sp_gpu_launch *g = &c->grid->launch;
    name_x(c);
    if (++c->vector == g->vectors)
        go_on(c);
    return sp_gpu_load_wide(r, SP_GPU_X, c->active, c->named, g->vector, g->column_lanes == SP_WARP);
}

static int64_t row_of(const struct sp_gpu_cursor *c, int lane)
{
    const struct sp_layout *l = c->grid->layout;
    return c->grid->launch.map == SP_GPU_SLOT && l->perm ? l->perm[c->place[lane]] : c->place[lane];
}

/* The rows once more, by the first team of each. */
static uint32_t name_y(struct sp_gpu_cursor *c)
{
    const struct sp_layout *l = c->grid->layout;
    const struct sp_gpu_launch *g = &c->grid->launch;
    const int apart = c->vector * g->column_lanes * g->vector;
    uint32_t storing = 0;
    for (uint32_t left = c->lanes; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        const int64_t row = row_of(c, lane), column = c->column[lane] + apart;
        const bool is_first = lane % g->lanes < g->column_lanes;
        c->named[lane] = row * l->ld_y + column;
        storing |= (uint32_t)(is_first && row >= 0 && row < l->n_r && column < l->r) << lane;
    }
    return storing;
}

static bool next_y(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    const struct sp_gpu_launch *g = &c->grid->launch;
    while (c->vector < g->vectors) {
        const uint32_t storing = name_y(c);
        c->vector++;
        if (storing)
            return sp_gpu_store_wide(r, SP_GPU_Y, storing, c->named, g->vector, !c->grid->layout->perm);
    }
    c->step = DONE;
    return false;
}

static bool next_of_columns(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    const bool slot = c->grid->launch.map == SP_GPU_SLOT;
    switch ((enum step)c->step) {
    case BEGIN:
        name_places(c, 0);
        c->step = BEGIN_END;
        return sp_gpu_load(r, SP_GPU_PTR, c->lanes, c->named, true);
    case BEGIN_END:
        name_places(c, 1);
        c->step = ENTRY_COL;
        return sp_gpu_load(r, slot ? SP_GPU_LEN : SP_GPU_PTR, c->lanes, c->named, true);
    case ENTRY_COL:
        sp_gpu_activate(c);
        if (c->active) {
            c->step = ENTRY_VAL;
            return sp_gpu_load(r, SP_GPU_COL, c->active, c->at, true);
        }
        c->step = ROW_Y;
        if (slot && c->grid->layout->perm)
            return sp_gpu_load(r, SP_GPU_PERM, c->lanes, c->place, true); /* fall through */
    case ROW_Y:
        return next_y(c, r);
    case ENTRY_VAL:
        c->step = ENTRY_X;
        return sp_gpu_load(r, SP_GPU_VAL, c->active, c->at, true);
    case ENTRY_X:
        return next_x(c, r);
    default:
        return false;
    }
}

const struct sp_gpu_walk sp_gpu_walk_columns = {open_columns, next_of_columns};
