/* SpMV, SpMMV and SpMM in BCSR.
 *
 * The stream of references of a thread is, with "row of X" for its r elements in turn,
 *   ptr[first] of a range; then per block row: ptr[I + 1]; per block its column index, its b_h b_w values,
 * the b_w rows of X (as far as there are any); at its end the b_h rows of Y (likewise). Above a
 * tile of registers of columns (sp_layout_register_tile()) the blocks of a block row are walked
 * once for each tile of the width, with that part of the rows of X and Y.
 *
 * A step is a block or an empty block row, once for each tile. A turn has so many steps that it
 * makes about as many events as one of SpMV in CRS. */
#include "model/trace/kinds.h"

static int64_t n_slices(const struct sp_layout *l)
{
    const int64_t tile = sp_layout_register_tile(l);
    return (l->r + tile - 1) / tile;
}

/* Columns [*first, *end) of the tile at hand. */
static void slice_of(const struct sp_layout *l, const struct sp_trace_cursor *c, int64_t *first, int64_t *end)
{
    const int64_t tile = sp_layout_register_tile(l);
    *first = c->slice * tile;
    *end = *first + tile < l->r ? *first + tile : l->r;
}

static uint32_t *put_block(const struct sp_trace *t, const struct sp_trace_cursor *c, uint32_t *ev)
{
    const struct sp_layout *l = t->layout;
    const int64_t area = (int64_t)l->b_h * l->b_w, column = sp_layout_col(l, c->entry) * l->b_w;
    const int64_t stop = column + l->b_w < l->n_c ? column + l->b_w : l->n_c;
    int64_t first, end;
    slice_of(l, c, &first, &end);
    ev = sp_trace_put(t, ev, SP_EVENT_TOUCH, sp_trace_line(t, SP_REGION_INDICES, c->entry, l->s_i));
    ev = sp_trace_read_run(t, ev, SP_REGION_VALUES, c->entry * area, (c->entry + 1) * area, l->s_a, t->every);
    for (int64_t i = column; i < stop; i++)
        ev = sp_trace_put_row(t, ev, SP_EVENT_TOUCH, t->x_base_B, i, l->ld_x, first, end, l->s_x);
    return ev;
}

/* Goes on to the next tile of the same block row, or leaves it. */
static void leave(const struct sp_layout *l, struct sp_trace_cursor *c)
{
    if (++c->slice < n_slices(l)) {
        c->entry = sp_layout_ptr(l, c->unit);
        return;
    }
    c->slice = 0;
    sp_cursor_leave(c);
}

static uint32_t *end_block_row(struct sp_trace *t, struct sp_trace_cursor *c, uint32_t *ev)
{
    const struct sp_layout *l = t->layout;
    const int64_t row = c->unit * l->b_h, stop = row + l->b_h < l->n_r ? row + l->b_h : l->n_r;
    int64_t first, end;
    slice_of(l, c, &first, &end);
    for (int64_t i = row; i < stop; i++)
        ev = sp_trace_put_result(t, c, ev, i, first, end);
    leave(l, c);
    return ev;
}

static int64_t fill_turn(struct sp_trace *t, struct sp_trace_cursor *c)
{
    const struct sp_layout *l = t->layout;
    uint32_t *ev = t->event;
    for (int64_t steps = t->turn_steps; steps > 0; steps--) {
        if (!c->inside) {
            if (!sp_cursor_enter(l, c))
                break;
            ev = sp_trace_read_run(t, ev, SP_REGION_PTR, c->unit + !c->begins, c->unit + 2, l->s_p, t->every);
        }
        if (c->entry < c->entry_end) {
            ev = put_block(t, c, ev);
            c->entry++;
        }
        if (c->entry == c->entry_end)
            ev = end_block_row(t, c, ev);
    }
    return ev - t->event;
}

static void skip(const struct sp_layout *l, struct sp_trace_cursor *c, int64_t steps)
{
    while (steps > 0) {
        if (!c->inside && !sp_cursor_enter(l, c))
            return;
        int64_t left = c->entry_end - c->entry, take = left < steps ? left : steps;
        c->entry += take;
        steps -= left > 0 ? take : 1;
        if (c->entry == c->entry_end)
            leave(l, c);
    }
}

/* Elements of X in stored block b that exist. */
static int64_t columns_of(const struct sp_layout *l, int64_t b)
{
    int64_t left = l->n_c - sp_layout_col(l, b) * l->b_w;
    return left < l->b_w ? left : l->b_w;
}

static void measure_share(struct sp_trace *t, struct sp_trace_cursor *c)
{
    const struct sp_layout *l = t->layout;
    const int64_t r = l->r, slices = n_slices(l), area = (int64_t)l->b_h * l->b_w;
    sp_cursor_reset(c);
    while (sp_cursor_enter(l, c)) {
        int64_t n = c->entry_end - c->entry, rows = l->n_r - c->unit * l->b_h;
        c->n_steps += (n > 0 ? n : 1) * slices;
        c->n_empty += (n == 0) * slices;
        t->n_references += n * slices * (1 + area) + (rows < l->b_h ? rows : l->b_h) * r + 1 + c->begins;
        for (; c->entry < c->entry_end; c->entry++)
            t->n_references += columns_of(l, c->entry) * r;
        sp_cursor_leave(c);
    }
    sp_cursor_reset(c);
}

/* Lines of `bytes` that follow each other, at most. */
static int64_t lines(const struct sp_trace *t, int64_t bytes, size_t size)
{
    return t->every ? bytes / (int64_t)size : bytes / t->line_B + 2;
}

static int64_t events_bound(const struct sp_trace *t)
{
    const struct sp_layout *l = t->layout;
    int64_t row = l->order == SP_COLUMN_MAJOR ? l->r : lines(t, l->r * (int64_t)l->s_x, l->s_x);
    int64_t values = lines(t, l->b_h * l->b_w * (int64_t)l->s_a, l->s_a);
    return t->turn_steps * (8 + values + (l->b_w + l->b_h) * row) + 16;
}

static int64_t steps_in_turn(const struct sp_layout *l, int64_t entries)
{
    int64_t values = l->b_h * l->b_w * (int64_t)l->s_a / 64, row = 1 + l->r * (int64_t)l->s_x / 64;
    int64_t steps = 2 * entries / (2 + values + l->b_w * row);
    return steps > 1 ? steps : 1;
}

/* On average: the blocks of a block row are streamed by its first walk alone. */
static double values_in_step_B(const struct sp_layout *l)
{
    return (double)l->b_h * l->b_w * (double)l->s_a / (double)n_slices(l);
}

const struct sp_trace_kind sp_trace_bcsr = {
    .fill_turn = fill_turn,
    .measure_share = measure_share,
    .skip = skip,
    .events_bound = events_bound,
    .steps_in_turn = steps_in_turn,
    .values_in_step_B = values_in_step_B,
};

const struct sp_format_model sp_format_model_bcsr = {.spmv = &sp_trace_bcsr, .dense = &sp_trace_bcsr};
