/* SDDMM in COO: the stream of references of a thread is, per entry, val, row_index, col, the row of A and the
 * row of B that they name, P. A step is an entry. */
#include "model/trace/kinds.h"

static uint32_t *put_entry(struct sp_trace *t, struct sp_trace_cursor *c, uint32_t *ev)
{
    const struct sp_layout *l = t->layout;
    const int64_t j = c->entry, row_B = l->r * (int64_t)l->s_x;
    const int64_t a_B = t->rows_base_B + sp_layout_row(l, j) * row_B;
    const int64_t b_B = t->x_base_B + sp_layout_col(l, j) * row_B;
    ev = sp_trace_put(t, ev, SP_EVENT_TOUCH, sp_trace_line(t, SP_REGION_VALUES, j, l->s_a));
    ev = sp_trace_put(t, ev, SP_EVENT_TOUCH, sp_trace_line(t, SP_REGION_ROW_INDEX, j, l->s_i));
    ev = sp_trace_put(t, ev, SP_EVENT_TOUCH, sp_trace_line(t, SP_REGION_INDICES, j, l->s_i));
    ev = sp_trace_put_bytes(t, ev, SP_EVENT_TOUCH, a_B, a_B + row_B, l->s_x);
    ev = sp_trace_put_bytes(t, ev, SP_EVENT_TOUCH, b_B, b_B + row_B, l->s_x);
    return sp_trace_put(t, ev, SP_EVENT_WRITE,
                        (uint32_t)((t->y_base_B + j * (int64_t)l->s_y) >> t->line_shift));
}

/* Units are entries. */
static int64_t fill_turn(struct sp_trace *t, struct sp_trace_cursor *c)
{
    uint32_t *ev = t->event;
    for (int64_t steps = t->turn_steps; steps > 0 && sp_cursor_enter(t->layout, c); steps--) {
        ev = put_entry(t, c, ev);
        sp_cursor_leave(c);
    }
    return ev - t->event;
}

static void measure_share(struct sp_trace *t, struct sp_trace_cursor *c)
{
    sp_cursor_reset(c);
    for (; sp_cursor_enter(t->layout, c); sp_cursor_leave(c))
        c->n_steps++;
    t->n_references += c->n_steps * (4 + 2 * (int64_t)t->layout->r);
    sp_cursor_reset(c);
}

static int64_t events_bound(const struct sp_trace *t)
{
    const struct sp_layout *l = t->layout;
    int64_t row_lines = t->every ? l->r : l->r * (int64_t)l->s_x / t->line_B + 2;
    return t->turn_steps * (4 + 2 * row_lines);
}

static int64_t steps_in_turn(const struct sp_layout *l, int64_t entries)
{
    const int64_t lines = 1 + l->r * (int64_t)l->s_x / 64, steps = entries / lines;
    return steps > 1 ? steps : 1;
}

static void add_regions(const struct sp_layout *l, int n_threads, int64_t bytes[SP_N_REGIONS])
{
    (void)n_threads;
    bytes[SP_REGION_ROW_INDEX] = l->n_stored * (int64_t)l->s_i;
    bytes[SP_REGION_PTR] = 0;
}

const struct sp_trace_kind sp_trace_coo = {
    .fill_turn = fill_turn,
    .measure_share = measure_share,
    .events_bound = events_bound,
    .steps_in_turn = steps_in_turn,
    .add_regions = add_regions,
};
