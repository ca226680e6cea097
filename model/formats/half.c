#include <math.h>
#include <stdio.h>

#include "model/formats/format.h"
#include "model/formulas/formulas.h"
#include "model/trace/kinds.h"
#include "sparse/formats/half.h"

/* SpMV in HALF.
 *
 * The stream of references of a thread is
 *   before   the rows of others that it updates, or its window for them, cleared one by one.
 *   rows     ptr[first]; then per row: ptr[i + 1], x[i]; per entry val, col, x[col], y[col] (in the
 *            window where the row is another thread's), of the diagonal val and col; at its end y[i].
 *   after    with windows: each row that a later thread's window has for this thread: window, y.
 * Read and written again counts as one reference, a write. Windows begin on lines of their own.
 * Threads do not wait for each other between the parts.
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

static uint32_t y_line(const struct sp_trace *t, int64_t row)
{
    return (uint32_t)((t->y_base_B + row * (int64_t)t->layout->s_y) >> t->line_shift);
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
    bool outside = !sp_half_of(l)->phased && row < l->partition.begin[c->thread];
    uint32_t line =
        outside ? window_line(t, c->at, row - sp_half_of(l)->share[c->thread].lowest) : y_line(t, row);
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

/* Steps of the part at hand that are left, at most `most`; else `slice` moves on. */
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
    for (; !sp_half_of(l)->phased && c->chunk < l->partition.n_threads; c->chunk++, c->item = 0) {
        if (c->chunk <= c->thread)
            continue;
        int64_t lowest = sp_half_of(l)->share[c->chunk].lowest;
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
        ev = put_update(t, c, ev, sp_half_of(l)->share[c->thread].lowest + c->item);
    return ev;
}

static uint32_t *put_after(const struct sp_trace *t, struct sp_trace_cursor *c, uint32_t *ev, int64_t n)
{
    const struct sp_layout *l = t->layout;
    const int64_t base_B = window_base_B(l, (int)c->chunk), lowest = sp_half_of(l)->share[c->chunk].lowest;
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

static void measure_share_half(const struct sp_trace *t, struct sp_trace_cursor *c)
{
    const struct sp_layout *l = t->layout;
    sp_cursor_reset(c);
    c->n_empty += sp_half_window(l, c->thread);
    c->n_references += sp_half_window(l, c->thread);
    while (sp_cursor_enter(l, c)) {
        int64_t n = c->entry_end - c->entry;
        bool diagonal = n > 0 && sp_layout_col(l, c->entry_end - 1) == c->unit;
        c->n_steps += n > 0 ? n : 1;
        c->n_empty += n == 0;
        c->n_references += 3 + c->begins + 4 * n - 2 * diagonal;
        sp_cursor_leave(c);
    }
    c->n_steps += sp_half_window(l, c->thread);
    c->done = false;
    c->item = c->chunk = 0;
    for (int64_t n = steps_after(l, c, INT64_MAX); n > 0; n = steps_after(l, c, INT64_MAX)) {
        c->item += n;
        c->n_steps += n;
        c->n_empty += n;
        c->n_references += 2 * n;
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
    bytes[SP_REGION_STAGE] = sp_half_of(l)->phased ? 0 : window_base_B(l, l->partition.n_threads);
}

static const struct sp_trace_kind trace = {
    .fill_turn = fill_turn_half,
    .measure_share = measure_share_half,
    .skip = skip_half,
    .events_bound = events_bound_half,
    .values_in_step_B = values_in_step_B_half,
    .add_regions = add_regions_half,
};

/* ---- volumes ---- */

/* With n_h stored entries,
 *
 *     V_half = (s_a + s_i) n_h + s_p (n_r + 1) + w s_y n_r + alpha s_x n_h
 *
 * and, with W_h rows that threads share (sp_half_windows()) and no cache keeps, w = (2 alpha n_h +
 * c W_h)/n_r, at least 2. An entry that gathers from x updates y at the same place, so alpha is
 * that of both. Rows that threads share cost c = 2 in phases (cleared before), 5 with windows
 * (cleared: 2, read at the end: 1, y read and written again: 2). */
static double w(const struct sp_layout *l, double alpha, double kept_B)
{
    const double W_h = (double)sp_half_windows(l);
    return SP_FORMULA(w_half, .alpha = alpha, .n_h = (double)l->n_stored, .n_r = (double)l->n_r, .W_h = W_h,
                      .c = W_h * (double)l->s_y <= kept_B ? 0
                           : sp_half_of(l)->phased        ? 2
                                                          : 5);
}

static bool propose(const struct sp_storage_case *now, char *option, size_t size)
{
    snprintf(option, size, "half");
    return now->symmetric && now->in_memory;
}

/* By formula: x and y loaded as often as x is now at most, once at least; what threads share costs
 * nothing where a cache keeps it. */
static struct sp_volume_bounds bounds(const struct sp_storage_case *now, const struct sp_layout *half)
{
    const double of_half = sp_layout_gather_bytes(now->layout) / sp_layout_gather_bytes(half);
    const double least = now->alpha_min, most = fmax(now->alpha, least);
    return (struct sp_volume_bounds){least * of_half, INFINITY, most * of_half};
}

const struct sp_format_model sp_format_model_half = {
    .spmv = &trace,
    .w = w,
    .propose = propose,
    .bounds = bounds,
    .simulated = true,
};
