/* FusedMM in CRS in panels of columns (sp_layout_fused_panel()): the stream of references of a thread is, for
 * each block of SP_FUSED_ROWS rows of a range, ptr[i] and ptr[i + 1] of each of its rows, then for each panel
 *   for each row with entries in the panel: row i of C; per entry col, row col of B;
 *   for each row with entries in the panel, in the first panel for each row: row i of E where it is not the
 *   first panel; per entry col, row col of D; row i of E, written.
 * Where E is stored past the caches it is so in the last panel, for each row; before, and as the products, it
 * is in the scratch of the thread, which is left out. A step is a pass of a row through one of the two. */
#include "model/trace/kinds.h"

/* The first entry of the row that is not before `column`. */
static int64_t first_past(const struct sp_layout *l, int64_t row, int64_t column)
{
    int64_t low = sp_layout_ptr(l, row), high = sp_layout_ptr(l, row + 1);
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (sp_layout_col(l, middle) < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The next pass of a row: unit, entry, entry_end. The block begins at c->chunk; c->item is the first column
 * of the panel, c->slot which of the two: 0 products, 1 sums. False at the end. */
static bool next_pass(const struct sp_layout *l, struct sp_trace_cursor *c)
{
    const int64_t panel = sp_layout_fused_panel(l);
    if (c->inside) {
        const int64_t end = c->chunk + SP_FUSED_ROWS < c->unit_end ? c->chunk + SP_FUSED_ROWS : c->unit_end;
        c->begins = false;
        c->unit++;
        if (c->unit == end && (c->slot == 0 || c->item + panel < l->n_c)) {
            c->item += c->slot == 1 ? panel : 0;
            c->slot = !c->slot;
            c->unit = c->chunk;
        } else if (c->unit == end) {
            c->inside = false;
        }
    }
    if (!c->inside) {
        if (!sp_cursor_enter(l, c))
            return false;
        c->chunk = c->unit;
        c->item = c->slot = 0;
        c->begins = true;
    }
    c->entry = first_past(l, c->unit, c->item);
    c->entry_end = first_past(l, c->unit, c->item + panel);
    return true;
}

/* Rows of the block at hand. */
static int64_t rows_of_block(const struct sp_trace_cursor *c)
{
    return c->unit_end - c->chunk < SP_FUSED_ROWS ? c->unit_end - c->chunk : SP_FUSED_ROWS;
}

static bool last_panel(const struct sp_layout *l, const struct sp_trace_cursor *c)
{
    return c->item + sp_layout_fused_panel(l) >= l->n_c;
}

static bool reads_result(const struct sp_trace *t, const struct sp_trace_cursor *c)
{
    return !t->store_nt && c->item > 0 && c->entry < c->entry_end;
}
static bool writes_result(const struct sp_trace *t, const struct sp_trace_cursor *c)
{
    return t->store_nt ? last_panel(t->layout, c) : c->item == 0 || c->entry < c->entry_end;
}

static int64_t fill_turn(struct sp_trace *t, struct sp_trace_cursor *c)
{
    const struct sp_layout *l = t->layout;
    uint32_t *ev = t->event;
    for (int64_t steps = t->turn_steps; steps > 0 && next_pass(l, c); steps--) {
        const int64_t base_B = c->slot ? t->second_base_B : t->x_base_B;
        if (c->begins)
            ev = sp_trace_read_run(t, ev, SP_REGION_PTR, c->unit, c->unit + rows_of_block(c) + 1, l->s_p,
                                   t->every);
        if (!c->slot && c->entry < c->entry_end)
            ev = sp_trace_put_row(t, ev, SP_EVENT_TOUCH, t->rows_base_B, c->unit, l->r, 0, l->r, l->s_x);
        if (c->slot && reads_result(t, c))
            ev = sp_trace_put_row(t, ev, SP_EVENT_TOUCH, t->y_base_B, c->unit, l->ld_y, 0, l->r, l->s_y);
        for (int64_t j = c->entry; j < c->entry_end; j++) {
            ev = sp_trace_put(t, ev, SP_EVENT_TOUCH, sp_trace_line(t, SP_REGION_INDICES, j, l->s_i));
            ev = sp_trace_put_row(t, ev, SP_EVENT_TOUCH, base_B, sp_layout_col(l, j), l->ld_x, 0, l->r,
                                  l->s_x);
        }
        if (c->slot && writes_result(t, c))
            ev = sp_trace_put_result(t, c, ev, c->unit, 0, l->r);
    }
    return ev - t->event;
}

static void measure_share(struct sp_trace *t, struct sp_trace_cursor *c)
{
    const struct sp_layout *l = t->layout;
    sp_cursor_reset(c);
    while (next_pass(l, c)) {
        const int64_t n = c->entry_end - c->entry;
        int64_t rows = c->slot ? reads_result(t, c) + writes_result(t, c) : n > 0;
        c->n_steps++;
        c->n_empty += n == 0;
        t->n_references += n * (1 + l->r) + rows * l->r + (c->begins ? rows_of_block(c) + 1 : 0);
    }
    sp_cursor_reset(c);
}

static int64_t events_bound(const struct sp_trace *t)
{
    const struct sp_layout *l = t->layout;
    const int64_t row_lines = t->every ? l->r : l->r * (int64_t)l->s_x / t->line_B + 2;
    int64_t longest =
        0; /* pass: a row that has columns more than once may have more entries than a panel has */
    for (int64_t i = 0; i < l->n_r; i++) {
        const int64_t n = sp_layout_ptr(l, i + 1) - sp_layout_ptr(l, i);
        longest = n > longest ? n : longest;
    }
    return t->turn_steps * (SP_FUSED_ROWS + 2 + longest * (1 + row_lines) + 3 * row_lines);
}

static int64_t steps_in_turn(const struct sp_layout *l, int64_t entries)
{
    const int64_t lines = SP_PANEL_ENTRIES * (1 + l->r * (int64_t)l->s_x / 64), steps = entries / lines;
    return steps > 1 ? steps : 1;
}

const struct sp_trace_kind sp_trace_fused = {
    .fill_turn = fill_turn,
    .measure_share = measure_share,
    .events_bound = events_bound,
    .steps_in_turn = steps_in_turn,
};
