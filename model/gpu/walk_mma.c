/* SpMM in BCSR on matrix units: stage after stage of the stored columns, first where they are, then
 * the rows of X that belong to them, then their values; at last the sums: MMA. That copies are on
 * their way two stages ahead changes nothing of their order. */
#include "model/gpu/requests.h"

/* row: the block row, from to to its blocks; first: the part's first row in these; slots: columns
 * to be walked; k: the first one of the stage; pass: of the threads over the stage's parts. */
enum step { LIST, LIST_END, NEXT_PASS, FIND, FOUND, COPY, SUM_Y, DONE };
/* inner_step: what a stage brings. */
enum { OF_PLACES, OF_X, OF_BLOCKS };

enum { UNIT_ROWS = 8, WARP_COLUMNS = 16, COPY_B = 16 };

static int64_t stage_columns(const struct sp_gpu_cursor *c)
{
    return SP_GPU_MMA_STAGE_B / (int64_t)c->grid->layout->s_x;
}

static int64_t part_rows(const struct sp_gpu_cursor *c)
{
    return UNIT_ROWS * (int64_t)sp_gpu_mma_row_units(c->grid->layout);
}

static bool is_on(const struct sp_gpu_cursor *c, unsigned part)
{
    return (c->grid->launch.switches & part) != 0;
}

static void open_tile(struct sp_gpu_cursor *c, int64_t tile)
{
    c->tile = tile;
    c->k = 0;
    c->pass = 0;
    c->inner_step = OF_PLACES;
    c->step = NEXT_PASS;
}

static void open_strip(struct sp_gpu_cursor *c)
{
    const struct sp_layout *l = c->grid->layout;
    const struct sp_gpu_launch *g = &c->grid->launch;
    const int64_t in_turn = is_on(c, SP_GPU_MMA_TILES) ? g->n_tiles : 1;
    const int64_t parts = l->b_h / part_rows(c), which = c->block / in_turn;
    c->row = which / parts;
    c->first = which % parts * part_rows(c);
    c->from = sp_layout_ptr(l, c->row);
    c->to = sp_layout_ptr(l, c->row + 1);
    const int64_t all = sp_gpu_ratio_up(l->n_c, l->b_w);
    c->slots = (is_on(c, SP_GPU_MMA_SKIP) ? c->to - c->from : all) * l->b_w;
    open_tile(c, c->block % in_turn * g->tile);
    c->step = LIST;
}

static bool next_list(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    sp_gpu_name_one(c, c->row + (c->step == LIST_END));
    c->step++;
    return sp_gpu_load(r, SP_GPU_PTR, UINT32_MAX, c->named, true);
}

/* Numbers of a part of a row of the stage: what a thread brings at once. */
static int part_items(const struct sp_gpu_cursor *c)
{
    return c->inner_step == OF_X ? c->grid->launch.vector : COPY_B / (int)c->grid->layout->s_x;
}

/* The block that the bisection for block column J ends with, as the kernel's. */
static int64_t block_for(const struct sp_gpu_cursor *c, int64_t J)
{
    int64_t at = c->from;
    for (int64_t n = c->to - c->from, half; n > 1; n -= half) {
        half = n / 2;
        at += sp_layout_col(c->grid->layout, at + half) <= J ? half : 0;
    }
    return at;
}

/* place[], end[]: where column k of the walk is for a lane, the block column and the column in
 * it. */
static void set_column(struct sp_gpu_cursor *c, int lane, int64_t k)
{
    const struct sp_layout *l = c->grid->layout;
    c->place[lane] = k / l->b_w;
    c->end[lane] = k % l->b_w;
    c->lanes |= (uint32_t)(k < c->slots) << lane;
}

/* at[]: the block of each lane, or the first one where it is to be found. false: the warp has no
 * column of the stage to look for. */
static bool open_places(struct sp_gpu_cursor *c)
{
    if (c->pass > 0 || c->first_thread >= stage_columns(c))
        return false;
    c->lanes = 0;
    for (int lane = 0; lane < SP_WARP && lane < stage_columns(c); lane++) {
        set_column(c, lane, c->k + lane);
        c->at[lane] = c->from + (is_on(c, SP_GPU_MMA_SKIP) ? c->place[lane] : 0);
    }
    c->part_end = c->to - c->from;
    return true;
}

/* column[]: the first number of each lane's part, at[] its block. false: the warp has no more parts
 * of the stage. */
static bool open_parts(struct sp_gpu_cursor *c)
{
    const struct sp_gpu_launch *g = &c->grid->launch;
    const int64_t in_row = c->inner_step == OF_X ? g->tile : part_rows(c), n_parts = in_row / part_items(c);
    const int64_t first = c->first_thread + (int64_t)c->pass * g->block_threads;
    if (first >= stage_columns(c) * n_parts)
        return false;
    c->lanes = 0;
    for (int lane = 0; lane < SP_WARP; lane++) {
        const int64_t part = first + lane;
        set_column(c, lane, c->k + part / n_parts);
        c->column[lane] = (int32_t)(part % n_parts * part_items(c));
        c->at[lane] = is_on(c, SP_GPU_MMA_SKIP) ? c->from + c->place[lane] : block_for(c, c->place[lane]);
    }
    return true;
}

static void next_pass(struct sp_gpu_cursor *c)
{
    const int places = is_on(c, SP_GPU_MMA_SKIP) ? FOUND : FIND;
    if (c->k >= c->slots) {
        c->turn = 0;
        c->step = SUM_Y;
    } else if (c->inner_step == OF_PLACES ? open_places(c) : open_parts(c)) {
        c->pass++;
        if (c->lanes)
            c->step = c->inner_step == OF_PLACES ? places : COPY;
    } else {
        c->pass = 0;
        c->k += c->inner_step == OF_BLOCKS ? stage_columns(c) : 0;
        c->inner_step = c->inner_step == OF_BLOCKS ? OF_PLACES : c->inner_step + 1;
    }
}

/* Of indices with 8 bytes the kernel asks for the lower half. */
static int64_t index_item(const struct sp_gpu_cursor *c, int64_t block)
{
    return block * (int64_t)(c->grid->layout->s_i / sizeof(int32_t));
}

/* One step of the bisection: part_end blocks from at[] on are left. */
static bool next_bisection(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    const int64_t half = c->part_end / 2;
    if (c->part_end <= 1) {
        c->step = c->part_end > 0 ? FOUND : NEXT_PASS;
        return false;
    }
    for (int lane = 0; lane < SP_WARP; lane++) {
        const int64_t middle = c->at[lane] + half;
        c->named[lane] = index_item(c, middle);
        c->at[lane] += sp_layout_col(c->grid->layout, middle) <= c->place[lane] ? half : 0;
    }
    c->part_end -= half;
    return sp_gpu_load(r, SP_GPU_COL, c->lanes, c->named, true);
}

static bool next_found(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    for (int lane = 0; lane < SP_WARP; lane++)
        c->named[lane] = index_item(c, c->at[lane]);
    c->step = NEXT_PASS;
    return sp_gpu_load(r, SP_GPU_COL, c->lanes, c->named, true);
}

/* named[]: what the lane brings of row x_row of X, or of its stored column; false: zeros. */
static bool name_part(struct sp_gpu_cursor *c, int lane)
{
    const struct sp_layout *l = c->grid->layout;
    const bool stored = c->from < c->to;
    const int64_t J = stored ? sp_layout_col(l, c->at[lane]) : -1;
    const int64_t x_row = (is_on(c, SP_GPU_MMA_SKIP) ? J : c->place[lane]) * l->b_w + c->end[lane];
    if (c->inner_step == OF_X) {
        c->named[lane] = x_row * l->ld_x + c->tile + c->column[lane];
        return x_row < l->n_c && c->tile + c->column[lane] < l->r;
    }
    c->named[lane] = (c->at[lane] * l->b_w + c->end[lane]) * l->b_h + c->first + c->column[lane];
    return x_row < l->n_c && (J == c->place[lane] || (stored && is_on(c, SP_GPU_MMA_SKIP)));
}

static bool next_copy(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    const bool async = is_on(c, SP_GPU_MMA_ASYNC) && part_items(c) > 1;
    c->step = NEXT_PASS;
    c->active = 0;
    for (uint32_t left = c->lanes; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        c->active |= (uint32_t)name_part(c, lane) << lane;
    }
    *r = (struct sp_gpu_request){c->inner_step == OF_X ? SP_GPU_X : SP_GPU_VAL,
                                 async ? SP_GPU_COPY : SP_GPU_LOAD,
                                 c->active,
                                 part_items(c),
                                 true,
                                 c->named};
    return c->active != 0;
}

/* The warp's sums one by one, as the fragments of its units hold them; then the next tile. */
static bool next_sum(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    const struct sp_layout *l = c->grid->layout;
    const int sums = l->s_x == 8 ? 2 : 4, lefts = l->s_x == 8 ? 2 : 1;
    const int e = c->turn % sums, left = c->turn / sums % lefts, unit = c->turn / sums / lefts;
    const int64_t row = c->row * l->b_h + c->first + unit * UNIT_ROWS + e % 2;
    const int64_t column = c->tile + c->first_thread / SP_WARP * WARP_COLUMNS + left * UNIT_ROWS + e / 2 * 8;
    c->active = 0;
    for (int lane = 0; lane < SP_WARP; lane++) {
        const int64_t i = row + lane % 4 * 2, k = column + lane / 4;
        c->named[lane] = i * l->ld_y + k;
        c->active |= (uint32_t)(i < l->n_r && k < l->r) << lane;
    }
    if (++c->turn == sums * lefts * sp_gpu_mma_row_units(l)) {
        open_tile(c, c->tile + c->grid->launch.tile);
        if (is_on(c, SP_GPU_MMA_TILES) || c->tile >= l->r)
            c->step = DONE;
    }
    return c->active && sp_gpu_store(r, SP_GPU_Y, c->active, c->named, false);
}

static bool next_of_strip(struct sp_gpu_cursor *c, struct sp_gpu_request *r)
{
    while (c->step != DONE) {
        bool asks = false;
        switch ((enum step)c->step) {
        case LIST:
        case LIST_END:
            return next_list(c, r);
        case NEXT_PASS:
            next_pass(c);
            break;
        case FIND:
            asks = next_bisection(c, r);
            break;
        case FOUND:
            return next_found(c, r);
        case COPY:
            asks = next_copy(c, r);
            break;
        default:
            asks = next_sum(c, r);
        }
        if (asks)
            return true;
    }
    return false;
}

const struct sp_gpu_walk sp_gpu_walk_mma = {open_strip, next_of_strip};
