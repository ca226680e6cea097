#include "model/trace_spmv.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/trace_cursor.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))
#define NO_LINE       UINT32_MAX

static const enum sp_array array_of_region[SP_N_REGIONS] = {
    SP_ARRAY_VALUES,   SP_ARRAY_INDICES, SP_ARRAY_POINTERS, SP_ARRAY_POINTERS, SP_ARRAY_POINTERS,
    SP_ARRAY_POINTERS, SP_ARRAY_PERM,    SP_ARRAY_X,        SP_ARRAY_Y,        SP_ARRAY_OTHER};

/* ---- events ---- */

static ALWAYS_INLINE uint32_t event(enum sp_event_kind kind, uint32_t line)
{
    return (uint32_t)kind << SP_EVENT_SHIFT | line;
}

static ALWAYS_INLINE uint32_t line_of(const struct sp_trace *t, enum sp_trace_region region, int64_t item,
                                      size_t size)
{
    return (uint32_t)(t->first_line[region] + (item * (int64_t)size >> t->line_shift));
}

static ALWAYS_INLINE uint32_t x_line(const struct sp_trace *t, int64_t column, int shift)
{
    return (uint32_t)((t->x_base_B + column * (INT64_C(1) << shift)) >> t->line_shift);
}

/* Items [first, end) of an array, read one after the other. */
static ALWAYS_INLINE uint32_t *read_run(const struct sp_trace *t, uint32_t *ev, enum sp_trace_region region,
                                        int64_t first, int64_t end, size_t size, bool every)
{
    if (first >= end)
        return ev;
    if (every) {
        for (int64_t i = first; i < end; i++)
            *ev++ = event(SP_EVENT_TOUCH, line_of(t, region, i, size));
        return ev;
    }
    uint32_t last = line_of(t, region, end - 1, size);
    for (uint32_t line = line_of(t, region, first, size); line <= last; line++)
        *ev++ = event(SP_EVENT_TOUCH, line);
    return ev;
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
    uint32_t e = event(SP_EVENT_WRITE, (uint32_t)line);
    if (every || ev == t->event || ev[-1] != e)
        *ev++ = e;
    return ev;
}

/* ---- CRS ---- */

static ALWAYS_INLINE int64_t column_at(const struct sp_layout *l, int64_t i, bool wide)
{
    return wide ? ((const int64_t *)l->col)[i] : ((const int32_t *)l->col)[i];
}

static ALWAYS_INLINE uint32_t *entries_every(const struct sp_trace *t, uint32_t *ev, int64_t first,
                                             int64_t stop, bool wide, int x_shift)
{
    const struct sp_layout *l = t->layout;
    for (int64_t k = first; k < stop; k++) {
        *ev++ = event(SP_EVENT_TOUCH, line_of(t, SP_REGION_VALUES, k, l->s_a));
        *ev++ = event(SP_EVENT_TOUCH, line_of(t, SP_REGION_INDICES, k, l->s_i));
        *ev++ = event(SP_EVENT_TOUCH, x_line(t, column_at(l, k, wide), x_shift));
    }
    return ev;
}

struct open_lines {
    bool values, indices;
    uint32_t x; /* line of x that was the last event apart from OPENs */
};

/* Entries [first, stop) of one row; `close`: their streams are not touched again at once. Cut into segments
 * in which neither stream changes its line. */
static ALWAYS_INLINE uint32_t *entries(const struct sp_trace *t, uint32_t *ev, int64_t first, int64_t stop,
                                       bool close, struct open_lines *open, bool wide, int x_shift)
{
    const struct sp_layout *l = t->layout;
    const int64_t mask_a = t->line_B / (int64_t)l->s_a - 1, mask_i = t->line_B / (int64_t)l->s_i - 1;
    const int64_t mask = mask_a < mask_i ? mask_a : mask_i;
    uint32_t x = open->x;
    for (int64_t k = first; k < stop;) {
        int64_t last = (k | mask) < stop - 1 ? (k | mask) : stop - 1;
        bool end = close && last == stop - 1;
        bool ends_a = end || (last & mask_a) == mask_a, ends_i = end || (last & mask_i) == mask_i;
        uint32_t line_a = line_of(t, SP_REGION_VALUES, k, l->s_a);
        uint32_t line_i = line_of(t, SP_REGION_INDICES, k, l->s_i);
        bool single_a = ends_a && k == last && !open->values;
        /* Its touch must follow that of the values, be it a CLOSE. */
        bool single_i = ends_i && k == last && !open->indices && (single_a || !ends_a);
        if (single_a) {
            *ev++ = event(SP_EVENT_TOUCH, line_a);
            x = NO_LINE;
        } else if (!open->values) {
            *ev++ = event(SP_EVENT_OPEN, line_a);
            open->values = true;
        }
        if (single_i) {
            *ev++ = event(SP_EVENT_TOUCH, line_i);
            x = NO_LINE;
        } else if (!open->indices) {
            *ev++ = event(SP_EVENT_OPEN, line_i);
            open->indices = true;
        }
        for (; k < last; k++) {
            uint32_t line = x_line(t, column_at(l, k, wide), x_shift);
            *ev = line;
            ev += line != x;
            x = line;
        }
        if (ends_a && open->values) {
            *ev++ = event(SP_EVENT_CLOSE, line_a);
            open->values = false;
            x = NO_LINE;
        }
        if (ends_i && open->indices) {
            *ev++ = event(SP_EVENT_CLOSE, line_i);
            open->indices = false;
            x = NO_LINE;
        }
        uint32_t line = x_line(t, column_at(l, k, wide), x_shift);
        *ev = line;
        ev += line != x;
        x = line;
        k = last + 1;
    }
    open->x = x;
    return ev;
}

static ALWAYS_INLINE int64_t crs_turn(struct sp_trace *t, struct sp_trace_cursor *c, bool every, bool wide,
                                      int x_shift)
{
    const struct sp_layout *l = t->layout;
    uint32_t *ev = t->event;
    struct open_lines open = {.x = NO_LINE};
    for (int64_t steps = t->turn_steps; steps > 0;) {
        if (!c->inside) {
            if (!sp_cursor_enter(l, c))
                break;
            ev = read_run(t, ev, SP_REGION_PTR, c->unit + !c->begins, c->unit + 2, l->s_p, every);
            open.x = NO_LINE;
            if (c->entry == c->entry_end)
                steps--;
        }
        int64_t stop = c->entry_end - c->entry < steps ? c->entry_end : c->entry + steps;
        if (stop > c->entry) {
            steps -= stop - c->entry;
            if (every) {
                ev = entries_every(t, ev, c->entry, stop, wide, x_shift);
            } else {
                bool close = steps == 0 || (stop == c->entry_end && sp_cursor_gap(l, c));
                ev = entries(t, ev, c->entry, stop, close, &open, wide, x_shift);
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
    ev = read_run(t, ev, SP_REGION_VALUES, first, first + C, l->s_a, every);
    if (l->format == SP_FORMAT_SELLU) {
        int64_t n_unit = l->n_unit[chunk];
        index = sp_layout_index_ptr(l, chunk) + (slot < n_unit ? slot : n_unit + (slot - n_unit) * C);
        if (slot < n_unit) {
            ev = read_run(t, ev, SP_REGION_INDICES, index, index + 1, l->s_i, every);
            int64_t base = sp_layout_col(l, index);
            for (int64_t lane = 0; lane < C; lane++)
                ev = x_event(ev, x_line(t, base + lane, x_shift), every);
            return ev;
        }
    }
    ev = read_run(t, ev, SP_REGION_INDICES, index, index + C, l->s_i, every);
    for (int64_t lane = 0; lane < C; lane++)
        ev = x_event(ev, x_line(t, sp_layout_col(l, index + lane), x_shift), every);
    return ev;
}

static uint32_t *sell_rows(struct sp_trace *t, struct sp_trace_cursor *c, uint32_t *ev)
{
    const struct sp_layout *l = t->layout;
    int64_t first = c->unit * l->C, end = first + l->C;
    if (l->perm)
        ev = read_run(t, ev, SP_REGION_PERM, first, end, sizeof *l->perm, t->every);
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
            ev = read_run(t, ev, SP_REGION_PTR, c->unit, c->unit + 1, l->s_p, every);
            ev = read_run(t, ev, SP_REGION_LEN, c->unit, c->unit + 1, sizeof *l->len, every);
            if (l->format == SP_FORMAT_SELLU) {
                ev = read_run(t, ev, SP_REGION_INDEX_PTR, c->unit, c->unit + 1, l->s_p, every);
                ev = read_run(t, ev, SP_REGION_N_UNIT, c->unit, c->unit + 1, sizeof *l->n_unit, every);
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

static int64_t fill_turn(struct sp_trace *t, struct sp_trace_cursor *c)
{
    const struct sp_layout *l = t->layout;
    int x_shift = __builtin_ctzll(l->s_x);
    if (l->format != SP_FORMAT_CRS) {
        if (t->every)
            return sell_turn(t, c, true, x_shift);
        return x_shift == 3 ? sell_turn(t, c, false, 3) : sell_turn(t, c, false, x_shift);
    }
    if (t->every)
        return crs_turn(t, c, true, l->index == SP_I64, x_shift);
    if (l->index == SP_I64)
        return crs_turn(t, c, false, true, x_shift);
    return x_shift == 3 ? crs_turn(t, c, false, false, 3) : crs_turn(t, c, false, false, x_shift);
}

bool sp_trace_next(struct sp_trace *t, struct sp_trace_piece *piece)
{
    while (t->turn < t->n_turns) {
        int index = t->next;
        struct sp_trace_cursor *c = &t->cursor[index];
        int64_t turn = t->turn;
        if (++t->next == t->n_threads) {
            t->next = 0;
            t->turn++;
        }
        if (turn < c->start_turn || c->done)
            continue;
        int64_t n = fill_turn(t, c);
        if (n > 0) {
            *piece = (struct sp_trace_piece){index, t->event, n};
            return true;
        }
    }
    return false;
}

void sp_trace_rewind(struct sp_trace *t, int64_t turn)
{
    for (int i = 0; i < t->n_threads; i++) {
        struct sp_trace_cursor *c = &t->cursor[i];
        sp_cursor_reset(c);
        if (turn > c->start_turn)
            sp_cursor_skip(t->layout, c, (turn - c->start_turn) * t->turn_steps);
    }
    t->turn = turn;
    t->next = 0;
    t->nt_lines = 0;
}

/* Bytes of values that thread i still streams at the start of a round, at least. */
static double values_left_B(const struct sp_trace *t, int i, int64_t turn)
{
    const struct sp_trace_cursor *c = &t->cursor[i];
    const struct sp_layout *l = t->layout;
    int64_t past = turn > c->start_turn ? (turn - c->start_turn) * t->turn_steps : 0;
    int64_t left = c->n_steps - c->n_empty - (past < c->n_steps ? past : c->n_steps);
    double entries_in_step = l->format == SP_FORMAT_CRS ? 1 : l->C;
    return left > 0 ? (double)left * entries_in_step * (double)l->s_a : 0;
}

static bool tail_suffices(const struct sp_trace *t, int64_t turn, double private_B, double shared_B)
{
    double sum = 0;
    for (int i = 0; i < t->n_threads; i++) {
        double left = values_left_B(t, i, turn);
        if (left < private_B && turn > t->cursor[i].start_turn)
            return false;
        sum += left;
    }
    return sum >= shared_B;
}

int64_t sp_trace_tail_turn(const struct sp_trace *t, double private_B, double shared_B)
{
    int64_t good = 0, bad = t->n_turns;
    if (!tail_suffices(t, 0, private_B, shared_B))
        return 0;
    while (bad - good > 1) {
        int64_t middle = good + (bad - good) / 2;
        if (tail_suffices(t, middle, private_B, shared_B))
            good = middle;
        else
            bad = middle;
    }
    return good;
}

/* ---- opening ---- */

/* Steps and references of a thread's share, by walking over its units. */
static void measure_share(struct sp_trace *t, struct sp_trace_cursor *c)
{
    const struct sp_layout *l = t->layout;
    const bool crs = l->format == SP_FORMAT_CRS;
    sp_cursor_reset(c);
    while (sp_cursor_enter(l, c)) {
        int64_t n = c->entry_end - c->entry;
        c->n_steps += n > 0 ? n : 1;
        c->n_empty += n == 0;
        if (crs) {
            t->n_references += 3 * n + 2 + c->begins;
        } else {
            int64_t n_unit = l->format == SP_FORMAT_SELLU ? l->n_unit[c->unit] : 0;
            int64_t first = c->unit * l->C, lanes = l->n_r - first < l->C ? l->n_r - first : l->C;
            t->n_references += 3 * n * l->C - n_unit * (l->C - 1) + (l->format == SP_FORMAT_SELLU ? 4 : 2) +
                               lanes + (l->perm ? l->C : 0);
        }
        sp_cursor_leave(c);
    }
    sp_cursor_reset(c);
}

static void place_regions(struct sp_trace *t, const struct sp_trace_options *o)
{
    const struct sp_layout *l = t->layout;
    const bool crs = l->format == SP_FORMAT_CRS, unit = l->format == SP_FORMAT_SELLU;
    const int64_t n_chunks = crs ? 0 : l->n_chunks, guard = unit ? l->C : 0;
    const int64_t bytes[SP_N_REGIONS] = {
        [SP_REGION_VALUES] = l->n_stored * (int64_t)l->s_a,
        [SP_REGION_INDICES] = l->n_indices * (int64_t)l->s_i,
        [SP_REGION_PTR] = l->n_ptr * (int64_t)l->s_p,
        [SP_REGION_LEN] = n_chunks * (int64_t)sizeof *l->len,
        [SP_REGION_N_UNIT] = unit ? n_chunks * (int64_t)sizeof *l->n_unit : 0,
        [SP_REGION_INDEX_PTR] = unit ? (n_chunks + 1) * (int64_t)l->s_p : 0,
        [SP_REGION_PERM] = l->perm ? n_chunks * l->C * (int64_t)sizeof *l->perm : 0,
        [SP_REGION_X] = (l->n_c + 2 * guard) * (int64_t)l->s_x + (int64_t)o->x_offset_B + t->line_B,
        [SP_REGION_Y] = l->n_r * (int64_t)l->s_y + (int64_t)o->y_offset_B,
        [SP_REGION_OTHER] = o->between_B,
    };
    int64_t next = 0;
    for (int r = 0; r < SP_N_REGIONS; r++) {
        t->first_line[r] = next;
        t->n_region_lines[r] = (bytes[r] + t->line_B - 1) / t->line_B;
        int64_t groups = (t->n_region_lines[r] + SP_LINES_PER_GROUP - 1) / SP_LINES_PER_GROUP;
        next += groups * SP_LINES_PER_GROUP;
    }
    t->n_lines = next;
    int64_t guard_B = (guard * (int64_t)l->s_x + t->line_B - 1) / t->line_B * t->line_B;
    t->x_base_B = t->first_line[SP_REGION_X] * t->line_B + guard_B + (int64_t)o->x_offset_B;
    t->y_base_B = t->first_line[SP_REGION_Y] * t->line_B + (int64_t)o->y_offset_B;
}

/* Events that one turn can have at most. */
static int64_t events_bound(const struct sp_trace *t)
{
    const struct sp_layout *l = t->layout;
    if (l->format == SP_FORMAT_CRS)
        return 8 * t->turn_steps + 16;
    return t->turn_steps * (5 * (int64_t)l->C + 24) + 16;
}

static enum sp_status check(const struct sp_layout *l, const struct sp_trace_options *o, int line_B,
                            struct sp_error *err)
{
    if (line_B < 16 || line_B > 4096 || (line_B & (line_B - 1)))
        return sp_fail(err, SP_USAGE, "describe a machine whose lines have 64 or 128 bytes",
                       "cache lines of %d bytes cannot be simulated", line_B);
    if (o->skew < 0)
        return sp_fail(err, SP_USAGE, "give a fraction of a thread's share", "the skew is negative");
    if (o->n_threads > l->partition.n_threads)
        return sp_fail(err, SP_BUG, NULL, "trace of %d threads from a layout of %d", o->n_threads,
                       l->partition.n_threads);
    return SP_OK;
}

enum sp_status sp_trace_open(const struct sp_layout *layout, const struct sp_trace_options *o,
                             struct sp_trace *t, struct sp_error *err)
{
    memset(t, 0, sizeof *t);
    int line_B = o->line_B ? o->line_B : 64;
    enum sp_status status = check(layout, o, line_B, err);
    if (status != SP_OK)
        return status;
    t->layout = layout;
    t->line_B = line_B;
    t->line_shift = __builtin_ctz((unsigned)line_B);
    t->store_nt = o->store_nt;
    t->every = o->every;
    t->n_threads = o->n_threads ? o->n_threads : layout->partition.n_threads;
    t->turn_steps = o->turn_steps ? o->turn_steps : t->n_threads > 1 ? 64 : 1024;
    if (layout->format != SP_FORMAT_CRS)
        t->turn_steps = t->turn_steps / layout->C > 1 ? t->turn_steps / layout->C : 1;
    place_regions(t, o);
    if (t->n_lines > SP_EVENT_LINE) {
        memset(t, 0, sizeof *t);
        return sp_fail(err, SP_USAGE, "leave the simulation out, or simulate a part of the matrix",
                       "the arrays have more than 2^30 cache lines, too many to simulate");
    }
    int64_t n_groups = t->n_lines / SP_LINES_PER_GROUP + 1;
    status = sp_new_array(n_groups, 1, "the address map of the simulation", (void **)&t->array_of_group, err);
    if (status == SP_OK)
        status = sp_new_array(t->n_threads, sizeof *t->cursor, "the threads of the simulation",
                              (void **)&t->cursor, err);
    if (status == SP_OK)
        status = sp_new_array(events_bound(t), sizeof *t->event, "the events of the simulation",
                              (void **)&t->event, err);
    if (status != SP_OK) {
        sp_trace_close(t);
        return status;
    }
    for (int r = 0; r < SP_N_REGIONS; r++) {
        int64_t first = t->first_line[r], end = r + 1 < SP_N_REGIONS ? t->first_line[r + 1] : t->n_lines;
        memset(t->array_of_group + first / SP_LINES_PER_GROUP, array_of_region[r],
               (size_t)((end - first) / SP_LINES_PER_GROUP));
    }
    int64_t start = 0;
    for (int i = 0; i < t->n_threads; i++) {
        struct sp_trace_cursor *c = &t->cursor[i];
        c->thread = o->thread ? o->thread[i] : i;
        measure_share(t, c);
        int64_t turns = (c->n_steps + t->turn_steps - 1) / t->turn_steps;
        if (i > 0)
            start += (int64_t)(o->skew * (double)turns);
        c->start_turn = start;
        if (start + turns > t->n_turns)
            t->n_turns = start + turns;
    }
    return SP_OK;
}

void sp_trace_close(struct sp_trace *t)
{
    if (!t)
        return;
    free(t->array_of_group);
    free(t->cursor);
    free(t->event);
    memset(t, 0, sizeof *t);
}
