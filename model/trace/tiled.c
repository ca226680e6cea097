/* SDDMM in tiles: the stream of references of a thread is, per block and tile of the width, index_ptr of the
 * block and the next one; per column that the block has: column_ptr (of the first one also that before), col,
 * that part of the row of B; per entry row_index, that part of the row of A, from the second tile on P, at
 * the last tile val; P. The pointers of columns are the region LEN.
 *
 * A step is an entry of one tile, or an empty block. */
#include "model/trace/kinds.h"

static int64_t n_slices(const struct sp_layout *l)
{
    return (l->r + l->T_k - 1) / l->T_k;
}

static uint32_t *put_item(const struct sp_trace *t, uint32_t *ev, enum sp_trace_region region, int64_t i,
                          size_t size)
{
    return sp_trace_put(t, ev, SP_EVENT_TOUCH, sp_trace_line(t, region, i, size));
}

/* The part of row i of an operand that belongs to the cursor's tile. */
static uint32_t *put_part(const struct sp_trace *t, const struct sp_trace_cursor *c, uint32_t *ev,
                          int64_t base_B, int64_t i)
{
    const struct sp_layout *l = t->layout;
    const int64_t first = c->slice * l->T_k, end = first + l->T_k < l->r ? first + l->T_k : l->r;
    const int64_t row_B = base_B + i * l->r * (int64_t)l->s_x;
    return sp_trace_put_bytes(t, ev, SP_EVENT_TOUCH, row_B + first * (int64_t)l->s_x,
                              row_B + end * (int64_t)l->s_x, l->s_x);
}

/* Begins a walk through the block for one tile. */
static uint32_t *begin_tile(const struct sp_trace *t, struct sp_trace_cursor *c, uint32_t *ev)
{
    const struct sp_layout *l = t->layout;
    c->entry = sp_layout_ptr(l, c->unit);
    c->item = sp_layout_index_ptr(l, c->unit);
    ev = put_item(t, ev, SP_REGION_INDEX_PTR, c->unit, l->s_p);
    ev = put_item(t, ev, SP_REGION_INDEX_PTR, c->unit + 1, l->s_p);
    return c->entry < c->entry_end ? put_item(t, ev, SP_REGION_LEN, c->item, l->s_p) : ev;
}

static uint32_t *put_entry(const struct sp_trace *t, struct sp_trace_cursor *c, uint32_t *ev)
{
    const struct sp_layout *l = t->layout;
    const int64_t j = c->entry;
    const uint32_t p = (uint32_t)((t->y_base_B + j * (int64_t)l->s_y) >> t->line_shift);
    if (j == sp_layout_column_ptr(l, c->item)) {
        ev = put_item(t, ev, SP_REGION_LEN, c->item + 1, l->s_p);
        ev = put_item(t, ev, SP_REGION_INDICES, c->item, l->s_i);
        ev = put_part(t, c, ev, t->x_base_B, sp_layout_col(l, c->item));
        c->item++;
    }
    ev = put_item(t, ev, SP_REGION_ROW_INDEX, j, sizeof(uint16_t));
    ev = put_part(t, c, ev, t->rows_base_B, c->unit * l->T_i + sp_layout_row(l, j));
    if (c->slice > 0)
        ev = sp_trace_put(t, ev, SP_EVENT_TOUCH, p);
    if (c->slice + 1 == n_slices(l))
        ev = put_item(t, ev, SP_REGION_VALUES, j, l->s_a);
    return sp_trace_put(t, ev, SP_EVENT_WRITE, p);
}

static int64_t fill_turn(struct sp_trace *t, struct sp_trace_cursor *c)
{
    const struct sp_layout *l = t->layout;
    uint32_t *ev = t->event;
    for (int64_t steps = t->turn_steps; steps > 0; steps--) {
        if (!c->inside) {
            if (!sp_cursor_enter(l, c))
                break;
            ev = begin_tile(t, c, ev);
        }
        if (c->entry < c->entry_end) {
            ev = put_entry(t, c, ev);
            c->entry++;
        }
        if (c->entry < c->entry_end)
            continue;
        if (++c->slice < n_slices(l)) {
            ev = begin_tile(t, c, ev);
        } else {
            c->slice = 0;
            sp_cursor_leave(c);
        }
    }
    return ev - t->event;
}

static void measure_share(struct sp_trace *t, struct sp_trace_cursor *c)
{
    const struct sp_layout *l = t->layout;
    const int64_t slices = n_slices(l);
    sp_cursor_reset(c);
    for (; sp_cursor_enter(l, c); sp_cursor_leave(c)) {
        const int64_t n = c->entry_end - c->entry;
        const int64_t columns = sp_layout_index_ptr(l, c->unit + 1) - sp_layout_index_ptr(l, c->unit);
        c->n_steps += (n > 0 ? n : 1) * slices;
        c->n_empty += (n == 0) * slices;
        t->n_references += slices * (2 + (n > 0) + 2 * columns + 3 * n) + l->r * (columns + n);
    }
    sp_cursor_reset(c);
}

static int64_t events_bound(const struct sp_trace *t)
{
    const struct sp_layout *l = t->layout;
    int64_t row_lines = t->every ? l->r : l->r * (int64_t)l->s_x / t->line_B + 2;
    return t->turn_steps * (12 + 2 * row_lines);
}

static int64_t steps_in_turn(const struct sp_layout *l, int64_t entries)
{
    const int64_t lines = 1 + l->T_k * (int64_t)l->s_x / 64, steps = entries / lines;
    return steps > 1 ? steps : 1;
}

static void add_regions(const struct sp_layout *l, int n_threads, int64_t bytes[SP_N_REGIONS])
{
    (void)n_threads;
    bytes[SP_REGION_ROW_INDEX] = l->n_stored * (int64_t)sizeof(uint16_t);
    bytes[SP_REGION_LEN] = (l->n_indices + 1) * (int64_t)l->s_p;
    bytes[SP_REGION_PTR] = 0;
}

const struct sp_trace_kind sp_trace_tiled = {
    .fill_turn = fill_turn,
    .measure_share = measure_share,
    .events_bound = events_bound,
    .steps_in_turn = steps_in_turn,
    .add_regions = add_regions,
};
