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

/* Entries [first, stop) of the row; `close`: their streams are not touched again at once. Cut into
 * segments in which neither stream changes its line. */
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
    if (l->n_unit) {
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
            if (l->n_unit) {
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
    if (l->len) {
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
    const bool crs = !l->len;
    sp_cursor_reset(c);
    while (sp_cursor_enter(l, c)) {
        int64_t n = c->entry_end - c->entry;
        c->n_steps += n > 0 ? n : 1;
        c->n_empty += n == 0;
        if (crs) {
            t->n_references += 3 * n + 2 + c->begins + (l->base != NULL);
        } else {
            int64_t n_unit = l->n_unit ? l->n_unit[c->unit] : 0;
            int64_t first = c->unit * l->C, lanes = l->n_r - first < l->C ? l->n_r - first : l->C;
            t->n_references += 3 * n * l->C - n_unit * (l->C - 1) + (l->n_unit ? 4 : 2) + lanes +
                               (l->perm ? l->C : 0) + (l->base ? n : 0);
        }
        sp_cursor_leave(c);
    }
    sp_cursor_reset(c);
}

/* Events that one turn can have at most. */
static int64_t events_bound_spmv(const struct sp_trace *t)
{
    const struct sp_layout *l = t->layout;
    if (!l->len)
        return 9 * t->turn_steps + 16;
    return t->turn_steps * (5 * (int64_t)l->C + 25) + 16;
}

static double values_in_step_B_spmv(const struct sp_layout *l)
{
    return (l->len ? (double)l->C : 1.0) * (double)l->s_a;
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

const struct sp_format_model sp_format_model_crs = {
    .spmv = &sp_trace_spmv, .dense = &sp_trace_dense, .fused = &sp_trace_fused};
const struct sp_format_model sp_format_model_sell = {.spmv = &sp_trace_spmv, .dense = &sp_trace_dense};
const struct sp_format_model sp_format_model_sellu = {.spmv = &sp_trace_spmv};
