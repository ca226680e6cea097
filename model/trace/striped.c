/* SpMV in STRIPED.
 *
 * The stream of references of a thread is, cell by cell: the cell and the one behind it (of the first only
 * when it begins); y of the rows that it clears; per entry val, row, col, x[col], y[row]. Read and written
 * again counts as one reference, a write.
 *
 * A step is a cell that begins, a row that is cleared or an entry. Of the cursor, `item` is the cell and `at`
 * the steps of it that are done. */
#include "model/trace/kinds.h"

static int64_t steps_of(const struct sp_layout *l, int64_t cell)
{
    return 1 + l->cell[cell].clears + l->cell[cell + 1].entry - l->cell[cell].entry;
}

/* To the first cell of the thread, where the cursor is nowhere yet. */
static void begin(const struct sp_layout *l, struct sp_trace_cursor *c)
{
    if (c->inside)
        return;
    c->inside = true;
    c->begins = true;
    c->item = l->cell_begin[c->thread];
    c->at = 0;
}

static bool is_past(const struct sp_layout *l, const struct sp_trace_cursor *c)
{
    return c->item == l->cell_begin[c->thread + 1];
}

static uint32_t y_line(const struct sp_trace *t, int64_t row)
{
    return (uint32_t)((t->y_base_B + row * (int64_t)t->layout->s_y) >> t->line_shift);
}

static uint32_t *put_entry(const struct sp_trace *t, uint32_t *ev, int64_t j, int64_t cell_row)
{
    const struct sp_layout *l = t->layout;
    const int64_t x_B = t->x_base_B + sp_layout_col(l, j) * (int64_t)l->s_x;
    ev = sp_trace_put(t, ev, SP_EVENT_TOUCH, sp_trace_line(t, SP_REGION_VALUES, j, l->s_a));
    ev = sp_trace_put(t, ev, SP_EVENT_TOUCH, sp_trace_line(t, SP_REGION_ROW_INDEX, j, sizeof(uint16_t)));
    ev = sp_trace_put(t, ev, SP_EVENT_TOUCH, sp_trace_line(t, SP_REGION_INDICES, j, l->s_i));
    ev = sp_trace_put(t, ev, SP_EVENT_TOUCH, (uint32_t)(x_B >> t->line_shift));
    return sp_trace_put(t, ev, SP_EVENT_WRITE, y_line(t, cell_row + sp_layout_row(l, j)));
}

/* The cell's next step. */
static uint32_t *put_step(const struct sp_trace *t, const struct sp_trace_cursor *c, uint32_t *ev)
{
    const struct sp_cell *cell = &t->layout->cell[c->item];
    if (c->at == 0)
        return sp_trace_read_run(t, ev, SP_REGION_PTR, c->item + !c->begins, c->item + 2, sizeof *cell,
                                 t->every);
    if (c->at <= cell->clears)
        return sp_trace_put(t, ev, SP_EVENT_WRITE, y_line(t, cell->row + c->at - 1));
    return put_entry(t, ev, cell->entry + c->at - 1 - cell->clears, cell->row);
}

/* To the next cell where this one is done. */
static void leave_cell(const struct sp_layout *l, struct sp_trace_cursor *c)
{
    if (c->at < steps_of(l, c->item))
        return;
    c->begins = false;
    c->item++;
    c->at = 0;
}

static int64_t fill_turn(struct sp_trace *t, struct sp_trace_cursor *c)
{
    const struct sp_layout *l = t->layout;
    uint32_t *ev = t->event;
    int64_t steps = t->turn_steps;
    begin(l, c);
    while (steps > 0 && !is_past(l, c)) {
        for (const int64_t n = steps_of(l, c->item); c->at < n && steps > 0; c->at++, steps--)
            ev = put_step(t, c, ev);
        leave_cell(l, c);
    }
    c->done = is_past(l, c);
    return ev - t->event;
}

static void skip(const struct sp_layout *l, struct sp_trace_cursor *c, int64_t steps)
{
    begin(l, c);
    while (steps > 0 && !is_past(l, c)) {
        const int64_t left = steps_of(l, c->item) - c->at, take = left < steps ? left : steps;
        c->at += take;
        steps -= take;
        leave_cell(l, c);
    }
    c->done = is_past(l, c);
}

static void measure_share(struct sp_trace *t, struct sp_trace_cursor *c)
{
    const struct sp_layout *l = t->layout;
    sp_cursor_reset(c);
    const int64_t first = l->cell_begin[c->thread], end = l->cell_begin[c->thread + 1];
    const int64_t rows = l->partition.begin[c->thread + 1] - l->partition.begin[c->thread];
    const int64_t entries = l->cell[end].entry - l->cell[first].entry;
    c->n_steps = rows + entries + end - first;
    c->n_empty = rows + end - first;
    t->n_references += rows + 5 * entries + (end - first) + (end > first);
}

static int64_t events_bound(const struct sp_trace *t)
{
    return 5 * t->turn_steps + 16;
}

static double values_in_step_B(const struct sp_layout *l)
{
    return (double)l->s_a;
}

static void add_regions(const struct sp_layout *l, int n_threads, int64_t bytes[SP_N_REGIONS])
{
    (void)n_threads;
    bytes[SP_REGION_ROW_INDEX] = l->n_stored * (int64_t)sizeof(uint16_t);
    bytes[SP_REGION_PTR] = (l->n_cells + 1) * (int64_t)sizeof *l->cell;
}

const struct sp_trace_kind sp_trace_striped = {
    .fill_turn = fill_turn,
    .measure_share = measure_share,
    .skip = skip,
    .events_bound = events_bound,
    .values_in_step_B = values_in_step_B,
    .add_regions = add_regions,
};
