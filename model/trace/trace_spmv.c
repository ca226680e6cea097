/* SpMV in CRS, SELL and SELLU. */
#include "model/trace/kinds.h"

#define NO_LINE UINT32_MAX

static ALWAYS_INLINE uint32_t x_line_spmv(const struct sp_trace *t, int64_t column, int shift)
{
    return (uint32_t)((t->x_base_B + column * (INT64_C(1) << shift)) >> t->line_shift);
}

/* y[row] is written; `before` is the event before. */
static ALWAYS_INLINE uint32_t *write_y(struct sp_trace *t, struct sp_trace_cursor *c, uint32_t *ev,
                                       int64_t row, bool every)
{
    int64_t line = (t->y_base_B + row * (int64_t)t->layout->s_y) >> t->line_shift;
    if (t->store_nt) {
        t->nt_lines += line != c->nt_line;
        c->nt_line = line;
        return ev;
    }
    uint32_t e = sp_trace_event(SP_EVENT_WRITE, (uint32_t)line);
    if (every || ev == t->event || ev[-1] != e)
        *ev++ = e;
    return ev;
}

/* ---- CRS ---- */

static ALWAYS_INLINE uint32_t *entries_every(const struct sp_trace *t, uint32_t *ev,
                                             struct sp_columns columns, int64_t first, int64_t stop,
                                             enum sp_index index, int x_shift)
{
    const struct sp_layout *l = t->layout;
    for (int64_t k = first; k < stop; k++) {
        *ev++ = sp_trace_event(SP_EVENT_TOUCH, sp_trace_line(t, SP_REGION_VALUES, k, l->s_a));
        *ev++ = sp_trace_event(SP_EVENT_TOUCH, sp_trace_line(t, SP_REGION_INDICES, k, l->s_i));
        *ev++ = sp_trace_event(SP_EVENT_TOUCH, x_line_spmv(t, sp_column_at(columns, k, index), x_shift));
    }
    return ev;
}

struct open_lines {
    bool values, indices;
    uint32_t x; /* line of x that was the last event apart from OPENs */
};

/* Entries [first, stop) of the row; `close`: their streams are not touched again at once. Cut into segments
 * in which neither stream changes its line. */
static ALWAYS_INLINE uint32_t *entries(const struct sp_trace *t, uint32_t *ev, struct sp_columns columns,
                                       int64_t first, int64_t stop, bool close, struct open_lines *open,
                                       enum sp_index index, int x_shift)
{
    const struct sp_layout *l = t->layout;
    const int64_t mask_a = t->line_B / (int64_t)l->s_a - 1, mask_i = t->line_B / (int64_t)l->s_i - 1;
    const int64_t mask = mask_a < mask_i ? mask_a : mask_i;
    uint32_t x = open->x;
    for (int64_t k = first; k < stop;) {
        int64_t last = (k | mask) < stop - 1 ? (k | mask) : stop - 1;
        bool end = close && last == stop - 1;
        bool ends_a = end || (last & mask_a) == mask_a, ends_i = end || (last & mask_i) == mask_i;
        uint32_t line_a = sp_trace_line(t, SP_REGION_VALUES, k, l->s_a);
        uint32_t line_i = sp_trace_line(t, SP_REGION_INDICES, k, l->s_i);
        bool single_a = ends_a && k == last && !open->values;
        /* Its touch must follow that of the values, be it a CLOSE. */
        bool single_i = ends_i && k == last && !open->indices && (single_a || !ends_a);
        if (single_a) {
            *ev++ = sp_trace_event(SP_EVENT_TOUCH, line_a);
            x = NO_LINE;
        } else if (!open->values) {
            *ev++ = sp_trace_event(SP_EVENT_OPEN, line_a);
            open->values = true;
        }
        if (single_i) {
            *ev++ = sp_trace_event(SP_EVENT_TOUCH, line_i);
            x = NO_LINE;
        } else if (!open->indices) {
            *ev++ = sp_trace_event(SP_EVENT_OPEN, line_i);
            open->indices = true;
        }
        for (; k < last; k++) {
            uint32_t line = x_line_spmv(t, sp_column_at(columns, k, index), x_shift);
            *ev = line;
            ev += line != x;
            x = line;
        }
        if (ends_a && open->values) {
            *ev++ = sp_trace_event(SP_EVENT_CLOSE, line_a);
            open->values = false;
            x = NO_LINE;
        }
        if (ends_i && open->indices) {
            *ev++ = sp_trace_event(SP_EVENT_CLOSE, line_i);
            open->indices = false;
            x = NO_LINE;
        }
        uint32_t line = x_line_spmv(t, sp_column_at(columns, k, index), x_shift);
        *ev = line;
        ev += line != x;
        x = line;
        k = last + 1;
    }
    open->x = x;
    return ev;
}

static ALWAYS_INLINE int64_t crs_turn(struct sp_trace *t, struct sp_trace_cursor *c, bool every,
                                      enum sp_index index, int x_shift)
{
    const struct sp_layout *l = t->layout;
    uint32_t *ev = t->event;
    struct open_lines open = {.x = NO_LINE};
    for (int64_t steps = t->turn_steps; steps > 0;) {
        if (!c->inside) {
            if (!sp_cursor_enter(l, c))
                break;
            ev = sp_trace_read_run(t, ev, SP_REGION_PTR, c->unit + !c->begins, c->unit + 2, l->s_p, every);
            if (index == SP_D16)
                ev = sp_trace_read_run(t, ev, SP_REGION_BASE, c->unit, c->unit + 1, sizeof *l->base, every);
            open.x = NO_LINE;
            if (c->entry == c->entry_end)
                steps--;
        }
        int64_t stop = c->entry_end - c->entry < steps ? c->entry_end : c->entry + steps;
        if (stop > c->entry) {
            const struct sp_columns columns = sp_cursor_columns(l, c);
            steps -= stop - c->entry;
            if (every) {
                ev = entries_every(t, ev, columns, c->entry, stop, index, x_shift);
            } else {
                bool close = steps == 0 || (stop == c->entry_end && sp_cursor_gap(l, c));
                ev = entries(t, ev, columns, c->entry, stop, close, &open, index, x_shift);
            }
            c->entry = stop;
        }
        if (c->entry < c->entry_end)
            break;
        ev = write_y(t, c, ev, c->unit, every);
        open.x = NO_LINE;
        sp_cursor_leave(c);
    }
    return ev - t->event;
}

/* ---- SELL and SELLU ---- */

static ALWAYS_INLINE uint32_t *x_event(uint32_t *ev, uint32_t line, bool every)
{
    *ev = line;
    return ev + (every || ev[-1] != line); /* never the first event of a slot: its values come before */
}

static ALWAYS_INLINE uint32_t *sell_slot(const struct sp_trace *t, uint32_t *ev, int64_t chunk, int64_t slot,
                                         bool every, int x_shift)
{
    const struct sp_layout *l = t->layout;
    const int64_t C = l->C, first = sp_layout_ptr(l, chunk) + slot * C;
    int64_t index = first;
    ev = sp_trace_read_run(t, ev, SP_REGION_VALUES, first, first + C, l->s_a, every);
    if (l->format == SP_FORMAT_SELLU) {
        int64_t n_unit = l->n_unit[chunk];
        index = sp_layout_index_ptr(l, chunk) + (slot < n_unit ? slot : n_unit + (slot - n_unit) * C);
        if (slot < n_unit) {
            ev = sp_trace_read_run(t, ev, SP_REGION_INDICES, index, index + 1, l->s_i, every);
            int64_t base = sp_layout_col(l, index);
            for (int64_t lane = 0; lane < C; lane++)
                ev = x_event(ev, x_line_spmv(t, base + lane, x_shift), every);
            return ev;
        }
    }
    if (l->base)
        ev = sp_trace_read_run(t, ev, SP_REGION_BASE, first / C, first / C + 1, sizeof *l->base, every);
    ev = sp_trace_read_run(t, ev, SP_REGION_INDICES, index, index + C, l->s_i, every);
    for (int64_t lane = 0; lane < C; lane++)
        ev = x_event(ev, x_line_spmv(t, sp_layout_col_in(l, index + lane, first / C), x_shift), every);
    return ev;
}

static uint32_t *sell_rows(struct sp_trace *t, struct sp_trace_cursor *c, uint32_t *ev)
{
    const struct sp_layout *l = t->layout;
    int64_t first = c->unit * l->C, end = first + l->C;
    if (l->perm)
        ev = sp_trace_read_run(t, ev, SP_REGION_PERM, first, end, sizeof *l->perm, t->every);
    else if (end > l->n_r)
        end = l->n_r;
    for (int64_t i = first; i < end; i++) {
        int64_t row = l->perm ? l->perm[i] : i;
        if (row >= 0)
            ev = write_y(t, c, ev, row, t->every);
    }
    return ev;
}

static ALWAYS_INLINE int64_t sell_turn(struct sp_trace *t, struct sp_trace_cursor *c, bool every, int x_shift)
{
    const struct sp_layout *l = t->layout;
    uint32_t *ev = t->event;
    for (int64_t slots = t->turn_steps; slots > 0;) {
        if (!c->inside) {
            if (!sp_cursor_enter(l, c))
                break;
            ev = sp_trace_read_run(t, ev, SP_REGION_PTR, c->unit, c->unit + 1, l->s_p, every);
            ev = sp_trace_read_run(t, ev, SP_REGION_LEN, c->unit, c->unit + 1, sizeof *l->len, every);
            if (l->format == SP_FORMAT_SELLU) {
                ev = sp_trace_read_run(t, ev, SP_REGION_INDEX_PTR, c->unit, c->unit + 1, l->s_p, every);
                ev = sp_trace_read_run(t, ev, SP_REGION_N_UNIT, c->unit, c->unit + 1, sizeof *l->n_unit,
                                       every);
            }
            if (c->entry == c->entry_end)
                slots--;
        }
        for (; c->entry < c->entry_end && slots > 0; slots--, c->entry++)
            ev = sell_slot(t, ev, c->unit, c->entry, every, x_shift);
        if (c->entry < c->entry_end)
            break;
        ev = sell_rows(t, c, ev);
        sp_cursor_leave(c);
    }
    return ev - t->event;
}

/* ---- a turn, with what does not change in it made constant ---- */

static int64_t fill_turn_spmv(struct sp_trace *t, struct sp_trace_cursor *c)
{
    const struct sp_layout *l = t->layout;
    int x_shift = __builtin_ctzll(l->s_x);
    if (l->format != SP_FORMAT_CRS) {
        if (t->every)
            return sell_turn(t, c, true, x_shift);
        return x_shift == 3 ? sell_turn(t, c, false, 3) : sell_turn(t, c, false, x_shift);
    }
    const enum sp_index index = sp_columns_index(l);
    if (t->every)
        return crs_turn(t, c, true, index, x_shift);
    if (index == SP_I64)
        return crs_turn(t, c, false, SP_I64, x_shift);
    if (index == SP_D16)
        return crs_turn(t, c, false, SP_D16, x_shift);
    return x_shift == 3 ? crs_turn(t, c, false, SP_I32, 3) : crs_turn(t, c, false, SP_I32, x_shift);
}

/* ---- the kind ---- */

/* Steps and references of a thread's share, by walking over its units. */
static void measure_share_spmv(struct sp_trace *t, struct sp_trace_cursor *c)
{
    const struct sp_layout *l = t->layout;
    const bool crs = l->format == SP_FORMAT_CRS;
    sp_cursor_reset(c);
    while (sp_cursor_enter(l, c)) {
        int64_t n = c->entry_end - c->entry;
        c->n_steps += n > 0 ? n : 1;
        c->n_empty += n == 0;
        if (crs) {
            t->n_references += 3 * n + 2 + c->begins + (l->base != NULL);
        } else {
            int64_t n_unit = l->format == SP_FORMAT_SELLU ? l->n_unit[c->unit] : 0;
            int64_t first = c->unit * l->C, lanes = l->n_r - first < l->C ? l->n_r - first : l->C;
            t->n_references += 3 * n * l->C - n_unit * (l->C - 1) + (l->format == SP_FORMAT_SELLU ? 4 : 2) +
                               lanes + (l->perm ? l->C : 0) + (l->base ? n : 0);
        }
        sp_cursor_leave(c);
    }
    sp_cursor_reset(c);
}

/* Events that one turn can have at most. */
static int64_t events_bound_spmv(const struct sp_trace *t)
{
    const struct sp_layout *l = t->layout;
    if (l->format == SP_FORMAT_CRS)
        return 9 * t->turn_steps + 16;
    return t->turn_steps * (5 * (int64_t)l->C + 25) + 16;
}

static double values_in_step_B_spmv(const struct sp_layout *l)
{
    return (l->format == SP_FORMAT_CRS ? 1.0 : l->C) * (double)l->s_a;
}

static int64_t steps_in_turn(const struct sp_layout *l, int64_t entries)
{
    return entries / l->C > 1 ? entries / l->C : 1;
}

const struct sp_trace_kind sp_trace_spmv = {
    .fill_turn = fill_turn_spmv,
    .measure_share = measure_share_spmv,
    .skip = sp_cursor_skip,
    .events_bound = events_bound_spmv,
    .steps_in_turn = steps_in_turn,
    .values_in_step_B = values_in_step_B_spmv,
};

/* SpMV in STRIPED.
 *
 * The stream of references of a thread is, cell by cell: the cell and the one behind it (of the first only
 * when it begins); y of the rows that it clears; per entry val, row, col, x[col], y[row]. Read and written
 * again counts as one reference, a write.
 *
 * A step is a cell that begins, a row that is cleared or an entry. Of the cursor, `item` is the cell and `at`
 * the steps of it that are done. */

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

static uint32_t *put_entry_striped(const struct sp_trace *t, uint32_t *ev, int64_t j, int64_t cell_row)
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
    return put_entry_striped(t, ev, cell->entry + c->at - 1 - cell->clears, cell->row);
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

static int64_t fill_turn_striped(struct sp_trace *t, struct sp_trace_cursor *c)
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

static void skip_striped(const struct sp_layout *l, struct sp_trace_cursor *c, int64_t steps)
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

static void measure_share_striped(struct sp_trace *t, struct sp_trace_cursor *c)
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

static int64_t events_bound_striped(const struct sp_trace *t)
{
    return 5 * t->turn_steps + 16;
}

static double values_in_step_B_striped(const struct sp_layout *l)
{
    return (double)l->s_a;
}

static void add_regions_striped(const struct sp_layout *l, int n_threads, int64_t bytes[SP_N_REGIONS])
{
    (void)n_threads;
    bytes[SP_REGION_ROW_INDEX] = l->n_stored * (int64_t)sizeof(uint16_t);
    bytes[SP_REGION_PTR] = (l->n_cells + 1) * (int64_t)sizeof *l->cell;
}

const struct sp_trace_kind sp_trace_striped = {
    .fill_turn = fill_turn_striped,
    .measure_share = measure_share_striped,
    .skip = skip_striped,
    .events_bound = events_bound_striped,
    .values_in_step_B = values_in_step_B_striped,
    .add_regions = add_regions_striped,
};

/* SpMV in HALF.
 *
 * The stream of references of a thread is
 *   before   the rows of others that it updates, or its window for them, cleared one by one.
 *   rows     ptr[first]; then per row: ptr[i + 1], x[i]; per entry val, col, x[col], y[col] (in the window
 *            where the row is another thread's), of the diagonal val and col alone; at its end y[i].
 *   after    with windows: each row that a later thread's window has for this thread: window, y.
 * Read and written again counts as one reference, a write. Windows begin on lines of their own. Threads do
 * not wait for each other between the parts.
 *
 * A step is an entry, an empty row, a row before or a row after. */

/* Where a cursor is: its `slice`. */
enum { BEFORE, ROWS, AFTER };

/* Bytes from the start of the windows' region to that of thread t. */
static int64_t window_base_B(const struct sp_layout *l, int t)
{
    const int64_t line_B = 4096; /* of the widest that can be simulated */
    int64_t base_B = 0;
    for (int before = 0; before < t; before++)
        base_B += (sp_half_window(l, before) * (int64_t)l->s_y + line_B - 1) / line_B * line_B;
    return base_B;
}

/* The event of a row in the window of thread t, which begins at base_B. */
static uint32_t window_line(const struct sp_trace *t, int64_t base_B, int64_t place)
{
    int64_t first_B = t->first_line[SP_REGION_STAGE] * t->line_B + base_B;
    return (uint32_t)((first_B + place * (int64_t)t->layout->s_y) >> t->line_shift);
}

static uint32_t x_line_half(const struct sp_trace *t, int64_t row)
{
    return (uint32_t)((t->x_base_B + row * (int64_t)t->layout->s_x) >> t->line_shift);
}

/* An update of a row, the thread's own or not. */
static uint32_t *put_update(const struct sp_trace *t, const struct sp_trace_cursor *c, uint32_t *ev,
                            int64_t row)
{
    const struct sp_layout *l = t->layout;
    bool outside = !l->phased && row < l->partition.begin[c->thread];
    uint32_t line = outside ? window_line(t, c->at, row - l->share[c->thread].lowest) : y_line(t, row);
    return sp_trace_put(t, ev, SP_EVENT_WRITE, line);
}

static uint32_t *put_entry_half(const struct sp_trace *t, const struct sp_trace_cursor *c, uint32_t *ev)
{
    const struct sp_layout *l = t->layout;
    const int64_t column = sp_layout_col(l, c->entry);
    ev = sp_trace_put(t, ev, SP_EVENT_TOUCH, sp_trace_line(t, SP_REGION_VALUES, c->entry, l->s_a));
    ev = sp_trace_put(t, ev, SP_EVENT_TOUCH, sp_trace_line(t, SP_REGION_INDICES, c->entry, l->s_i));
    if (column == c->unit)
        return ev;
    ev = sp_trace_put(t, ev, SP_EVENT_TOUCH, x_line_half(t, column));
    return put_update(t, c, ev, column);
}

/* Steps of the part at hand that are left, `most` at most; `slice` moves on where there are none. */
static int64_t steps_before(const struct sp_layout *l, struct sp_trace_cursor *c, int64_t most)
{
    int64_t left = sp_half_window(l, c->thread) - c->item;
    if (left == 0)
        c->slice = ROWS;
    return left < most ? left : most;
}

/* Goes to the next row (`item`) that a later thread's window (`chunk`) has for this thread. */
static int64_t steps_after(const struct sp_layout *l, struct sp_trace_cursor *c, int64_t most)
{
    const int64_t *begin = l->partition.begin;
    for (; !l->phased && c->chunk < l->partition.n_threads; c->chunk++, c->item = 0) {
        if (c->chunk <= c->thread)
            continue;
        int64_t lowest = l->share[c->chunk].lowest;
        if (c->item < begin[c->thread] || c->item < lowest)
            c->item = begin[c->thread] > lowest ? begin[c->thread] : lowest;
        int64_t end = lowest < begin[c->chunk] ? begin[c->thread + 1] : 0;
        if (c->item < end)
            return end - c->item < most ? end - c->item : most;
    }
    c->done = true;
    return 0;
}

static uint32_t *put_before(const struct sp_trace *t, struct sp_trace_cursor *c, uint32_t *ev, int64_t n)
{
    const struct sp_layout *l = t->layout;
    for (; n > 0; n--, c->item++)
        ev = put_update(t, c, ev, l->share[c->thread].lowest + c->item);
    return ev;
}

static uint32_t *put_after(const struct sp_trace *t, struct sp_trace_cursor *c, uint32_t *ev, int64_t n)
{
    const struct sp_layout *l = t->layout;
    const int64_t base_B = window_base_B(l, (int)c->chunk), lowest = l->share[c->chunk].lowest;
    for (; n > 0; n--, c->item++) {
        ev = sp_trace_put(t, ev, SP_EVENT_TOUCH, window_line(t, base_B, c->item - lowest));
        ev = sp_trace_put(t, ev, SP_EVENT_WRITE, y_line(t, c->item));
    }
    return ev;
}

/* Into the next row, or past the last one. */
static bool enter_row(const struct sp_layout *l, struct sp_trace_cursor *c)
{
    if (sp_cursor_enter(l, c))
        return true;
    c->done = false;
    c->slice = AFTER;
    c->item = c->chunk = 0;
    return false;
}

static uint32_t *put_row_step(const struct sp_trace *t, struct sp_trace_cursor *c, uint32_t *ev)
{
    const struct sp_layout *l = t->layout;
    if (!c->inside) {
        if (!enter_row(l, c))
            return ev;
        ev = sp_trace_read_run(t, ev, SP_REGION_PTR, c->unit + !c->begins, c->unit + 2, l->s_p, t->every);
        ev = sp_trace_put(t, ev, SP_EVENT_TOUCH, x_line_half(t, c->unit));
    }
    if (c->entry < c->entry_end) {
        ev = put_entry_half(t, c, ev);
        c->entry++;
    }
    if (c->entry == c->entry_end) {
        ev = sp_trace_put(t, ev, SP_EVENT_WRITE, y_line(t, c->unit));
        sp_cursor_leave(c);
    }
    return ev;
}

static int64_t fill_turn_half(struct sp_trace *t, struct sp_trace_cursor *c)
{
    const struct sp_layout *l = t->layout;
    uint32_t *ev = t->event;
    c->at = window_base_B(l, c->thread);
    for (int64_t steps = t->turn_steps; steps > 0 && !c->done;) {
        int64_t n = 1;
        if (c->slice == BEFORE) {
            n = steps_before(l, c, steps);
            ev = put_before(t, c, ev, n);
        } else if (c->slice == ROWS) {
            ev = put_row_step(t, c, ev);
            n = c->slice == ROWS;
        } else {
            n = steps_after(l, c, steps);
            ev = put_after(t, c, ev, n);
        }
        steps -= n;
    }
    return ev - t->event;
}

static void skip_half(const struct sp_layout *l, struct sp_trace_cursor *c, int64_t steps)
{
    while (steps > 0 && !c->done) {
        int64_t n;
        if (c->slice != ROWS) {
            n = c->slice == BEFORE ? steps_before(l, c, steps) : steps_after(l, c, steps);
            c->item += n;
        } else {
            if (!c->inside && !enter_row(l, c))
                continue;
            int64_t left = c->entry_end - c->entry;
            int64_t take = left < steps ? left : steps;
            c->entry += take;
            n = left > 0 ? take : 1;
            if (c->entry == c->entry_end)
                sp_cursor_leave(c);
        }
        steps -= n;
    }
}

static void measure_share_half(struct sp_trace *t, struct sp_trace_cursor *c)
{
    const struct sp_layout *l = t->layout;
    sp_cursor_reset(c);
    c->n_empty += sp_half_window(l, c->thread);
    t->n_references += sp_half_window(l, c->thread);
    while (sp_cursor_enter(l, c)) {
        int64_t n = c->entry_end - c->entry;
        bool diagonal = n > 0 && sp_layout_col(l, c->entry_end - 1) == c->unit;
        c->n_steps += n > 0 ? n : 1;
        c->n_empty += n == 0;
        t->n_references += 3 + c->begins + 4 * n - 2 * diagonal;
        sp_cursor_leave(c);
    }
    c->n_steps += sp_half_window(l, c->thread);
    c->done = false;
    c->item = c->chunk = 0;
    for (int64_t n = steps_after(l, c, INT64_MAX); n > 0; n = steps_after(l, c, INT64_MAX)) {
        c->item += n;
        c->n_steps += n;
        c->n_empty += n;
        t->n_references += 2 * n;
    }
    sp_cursor_reset(c);
}

static int64_t events_bound_half(const struct sp_trace *t)
{
    return 8 * t->turn_steps + 16;
}

static double values_in_step_B_half(const struct sp_layout *l)
{
    return (double)l->s_a;
}

static void add_regions_half(const struct sp_layout *l, int n_threads, int64_t bytes[SP_N_REGIONS])
{
    (void)n_threads;
    bytes[SP_REGION_STAGE] = l->phased ? 0 : window_base_B(l, l->partition.n_threads);
}

const struct sp_trace_kind sp_trace_half = {
    .fill_turn = fill_turn_half,
    .measure_share = measure_share_half,
    .skip = skip_half,
    .events_bound = events_bound_half,
    .values_in_step_B = values_in_step_B_half,
    .add_regions = add_regions_half,
};
