/* SpMV in CRS, SELL and SELLU; SpMV, SpMMV and SpMM in BCSR. */
#include "model/trace/kinds.h"

/* ---- where a thread is ---- */

void sp_cursor_reset(struct sp_trace_cursor *c)
{
    *c = (struct sp_trace_cursor){.thread = c->thread,
                                  .index = c->index,
                                  .start_turn = c->start_turn,
                                  .n_steps = c->n_steps,
                                  .n_empty = c->n_empty,
                                  .n_references = c->n_references,
                                  .nt_line = -1,
                                  .window = c->window};
}

/* The row that a merge share ends inside, where there is one. */
static bool enter_tail(const struct sp_layout *layout, struct sp_trace_cursor *c)
{
    const struct sp_partition *p = &layout->partition;
    if (p->schedule != SP_SCHEDULE_MERGE || c->tail)
        return false;
    int64_t row = p->begin[c->thread + 1], stop = p->entry_begin[c->thread + 1];
    if (row >= layout->n_r)
        return false;
    int64_t first = sp_layout_ptr(layout, row);
    if (first < p->entry_begin[c->thread])
        first = p->entry_begin[c->thread];
    if (first >= stop)
        return false;
    c->begins = p->begin[c->thread] == row;
    c->tail = true;
    c->unit = row;
    c->unit_end = row + 1;
    c->entry = first;
    c->entry_end = stop;
    c->inside = true;
    return true;
}

bool sp_cursor_enter(const struct sp_layout *layout, struct sp_trace_cursor *c)
{
    if (c->done)
        return false;
    c->begins = false;
    while (c->unit >= c->unit_end) {
        int64_t first, end;
        if (!sp_partition_next(&layout->partition, c->thread, &c->range, &first, &end)) {
            c->done = !enter_tail(layout, c);
            return !c->done;
        }
        c->unit = first;
        c->unit_end = end;
        c->begins = true;
    }
    if (!layout->len) {
        c->entry = sp_layout_ptr(layout, c->unit);
        c->entry_end = sp_layout_ptr(layout, c->unit + 1);
        if (c->begins && layout->partition.schedule == SP_SCHEDULE_MERGE)
            c->entry = layout->partition.entry_begin[c->thread];
    } else {
        c->entry = 0;
        c->entry_end = layout->len[c->unit];
    }
    c->inside = true;
    return true;
}

/* Moves on by so many steps without events. */
static void skip_spmv(const struct sp_layout *layout, struct sp_trace_cursor *c, int64_t steps)
{
    while (steps > 0) {
        if (!c->inside) {
            if (!sp_cursor_enter(layout, c))
                return;
            if (c->entry == c->entry_end)
                steps--;
        }
        int64_t take = c->entry_end - c->entry;
        if (take > steps)
            take = steps;
        c->entry += take;
        steps -= take;
        if (c->entry < c->entry_end)
            return;
        sp_cursor_leave(c);
    }
}

/* ---- events ---- */

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
static void measure_share_spmv(const struct sp_trace *t, struct sp_trace_cursor *c)
{
    const struct sp_layout *l = t->layout;
    const bool crs = !l->len;
    sp_cursor_reset(c);
    while (sp_cursor_enter(l, c)) {
        int64_t n = c->entry_end - c->entry;
        c->n_steps += n > 0 ? n : 1;
        c->n_empty += n == 0;
        if (crs) {
            c->n_references += 3 * n + 2 + c->begins + (l->base != NULL);
        } else {
            int64_t n_unit = l->n_unit ? l->n_unit[c->unit] : 0;
            int64_t first = c->unit * l->C, lanes = l->n_r - first < l->C ? l->n_r - first : l->C;
            c->n_references += 3 * n * l->C - n_unit * (l->C - 1) + (l->n_unit ? 4 : 2) + lanes +
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
    .skip = skip_spmv,
    .events_bound = events_bound_spmv,
    .steps_in_turn = steps_in_turn,
    .values_in_step_B = values_in_step_B_spmv,
};

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

static void measure_share(const struct sp_trace *t, struct sp_trace_cursor *c)
{
    const struct sp_layout *l = t->layout;
    const int64_t r = l->r, slices = n_slices(l), area = (int64_t)l->b_h * l->b_w;
    sp_cursor_reset(c);
    while (sp_cursor_enter(l, c)) {
        int64_t n = c->entry_end - c->entry, rows = l->n_r - c->unit * l->b_h;
        c->n_steps += (n > 0 ? n : 1) * slices;
        c->n_empty += (n == 0) * slices;
        c->n_references += n * slices * (1 + area) + (rows < l->b_h ? rows : l->b_h) * r + 1 + c->begins;
        for (; c->entry < c->entry_end; c->entry++)
            c->n_references += columns_of(l, c->entry) * r;
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

static int64_t steps_in_turn_bcsr(const struct sp_layout *l, int64_t entries)
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

static const struct sp_trace_kind bcsr_kind = {
    .fill_turn = fill_turn,
    .measure_share = measure_share,
    .skip = skip,
    .events_bound = events_bound,
    .steps_in_turn = steps_in_turn_bcsr,
    .values_in_step_B = values_in_step_B,
};

const struct sp_format_model sp_format_model_bcsr = {.spmv = &bcsr_kind, .dense = &bcsr_kind};
