/* Private to the traces: how the trace of one kind of kernel is made, and what they share. */
#ifndef SP_MODEL_KINDS_H
#define SP_MODEL_KINDS_H

#include "model/formats/format.h"
#include "model/trace/trace.h"
#include "sparse/csr/permute.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))

/* How the layouts of one operation and format are walked. */
struct sp_trace_kind {
    /* The events of the cursor's next turn (t->turn_steps steps at most) into t->event; how
     * many. */
    int64_t (*fill_turn)(struct sp_trace *t, struct sp_trace_cursor *c);
    /* Sets n_steps, n_empty, n_references of the cursor's share; the cursor is at the start before
     * and after. */
    void (*measure_share)(const struct sp_trace *t, struct sp_trace_cursor *c);
    /* Moves on by so many steps without events. NULL: executions are simulated whole. */
    void (*skip)(const struct sp_layout *layout, struct sp_trace_cursor *c, int64_t steps);
    int64_t (*events_bound)(const struct sp_trace *t); /* that one turn can have at most */
    /* Steps of a turn that is to have about so many entries; NULL: as many. */
    int64_t (*steps_in_turn)(const struct sp_layout *layout, int64_t entries);
    /* Bytes of values that a step streams; NULL where skip is. */
    double (*values_in_step_B)(const struct sp_layout *layout);
    /* Bytes of regions that only this kind has, beside those of the layout's plain arrays; NULL:
     * none. */
    void (*add_regions)(const struct sp_layout *layout, int n_threads, int64_t bytes[SP_N_REGIONS]);
    /* Of a kind whose addresses do not follow from the layout, else NULL: bytes of the regions that
     * are its own arrays, in place of the layout's; what is opened once cursors are there, set to
     * the start, and closed. */
    void (*own_regions)(const struct sp_trace_options *o, int line_B, int64_t bytes[SP_N_REGIONS]);
    enum sp_status (*begin)(struct sp_trace *t, const struct sp_trace_options *o, struct sp_error *err);
    void (*rewind)(struct sp_trace *t);
    void (*end)(struct sp_trace *t);
};

extern const struct sp_trace_kind sp_trace_spmv;   /* SpMV in CRS, SELL, SELLU */
extern const struct sp_trace_kind sp_trace_walked; /* accesses that somebody tells */

/* ---- events ---- */

static ALWAYS_INLINE uint32_t sp_trace_event(enum sp_event_kind kind, uint32_t line)
{
    return (uint32_t)kind << SP_EVENT_SHIFT | line;
}

static ALWAYS_INLINE uint32_t sp_trace_line(const struct sp_trace *t, enum sp_trace_region region,
                                            int64_t item, size_t size)
{
    return (uint32_t)(t->first_line[region] + (item * (int64_t)size >> t->line_shift));
}

/* Items [first, end) of an array, read one after the other. */
static ALWAYS_INLINE uint32_t *sp_trace_read_run(const struct sp_trace *t, uint32_t *ev,
                                                 enum sp_trace_region region, int64_t first, int64_t end,
                                                 size_t size, bool every)
{
    if (first >= end)
        return ev;
    if (every) {
        for (int64_t i = first; i < end; i++)
            *ev++ = sp_trace_event(SP_EVENT_TOUCH, sp_trace_line(t, region, i, size));
        return ev;
    }
    uint32_t last = sp_trace_line(t, region, end - 1, size);
    for (uint32_t line = sp_trace_line(t, region, first, size); line <= last; line++)
        *ev++ = sp_trace_event(SP_EVENT_TOUCH, line);
    return ev;
}

/* `ev` unless it is the event before in this turn. */
static ALWAYS_INLINE uint32_t *sp_trace_put(const struct sp_trace *t, uint32_t *ev, enum sp_event_kind kind,
                                            uint32_t line)
{
    uint32_t e = sp_trace_event(kind, line);
    if (t->every || ev == t->event || ev[-1] != e)
        *ev++ = e;
    return ev;
}

/* Item i of an array is read. */
static ALWAYS_INLINE uint32_t *sp_trace_put_item(const struct sp_trace *t, uint32_t *ev,
                                                 enum sp_trace_region region, int64_t i, size_t size)
{
    return sp_trace_put(t, ev, SP_EVENT_TOUCH, sp_trace_line(t, region, i, size));
}

/* Bytes [first_B, end_B) of the address space, element by element of `size` bytes where every
 * reference is wanted. */
static ALWAYS_INLINE uint32_t *sp_trace_put_bytes(const struct sp_trace *t, uint32_t *ev,
                                                  enum sp_event_kind kind, int64_t first_B, int64_t end_B,
                                                  size_t size)
{
    if (t->every) {
        for (int64_t at = first_B; at < end_B; at += (int64_t)size)
            *ev++ = sp_trace_event(kind, (uint32_t)(at >> t->line_shift));
        return ev;
    }
    for (int64_t line = first_B >> t->line_shift; first_B < end_B && line <= (end_B - 1) >> t->line_shift;
         line++)
        ev = sp_trace_put(t, ev, kind, (uint32_t)line);
    return ev;
}

/* Row `i` of a dense operand whose element 0 is at base_B, columns [first, end) of it. */
static ALWAYS_INLINE uint32_t *sp_trace_put_row(const struct sp_trace *t, uint32_t *ev,
                                                enum sp_event_kind kind, int64_t base_B, int64_t i,
                                                int64_t ld, int64_t first, int64_t end, size_t size)
{
    const int64_t s = (int64_t)size;
    if (t->layout->order == SP_ROW_MAJOR)
        return sp_trace_put_bytes(t, ev, kind, base_B + (i * ld + first) * s, base_B + (i * ld + end) * s,
                                  size);
    for (int64_t k = first; k < end; k++)
        ev = sp_trace_put(t, ev, kind, (uint32_t)((base_B + (k * ld + i) * s) >> t->line_shift));
    return ev;
}

/* The result is written; non-temporal stores are counted line by line. */
static inline uint32_t *sp_trace_put_result(struct sp_trace *t, struct sp_trace_cursor *c, uint32_t *ev,
                                            int64_t i, int64_t first, int64_t end)
{
    const struct sp_layout *l = t->layout;
    if (!t->store_nt)
        return sp_trace_put_row(t, ev, SP_EVENT_WRITE, t->y_base_B, i, l->ld_y, first, end, l->s_y);
    for (int64_t k = first; k < end; k++) {
        int64_t at = l->order == SP_ROW_MAJOR ? i * l->ld_y + k : k * l->ld_y + i;
        int64_t line = (t->y_base_B + at * (int64_t)l->s_y) >> t->line_shift;
        t->nt_lines += line != c->nt_line;
        c->nt_line = line;
    }
    return ev;
}

/* Events that one row of X can cause at most: its lines, or every element. */
static inline int64_t sp_trace_row_lines(const struct sp_trace *t)
{
    const struct sp_layout *l = t->layout;
    return t->every || l->order == SP_COLUMN_MAJOR ? l->r : l->r * (int64_t)l->s_x / t->line_B + 2;
}

/* Steps of a turn of so many entries, where a step takes `entries_of_step`, each with `width`
 * elements of X. */
static inline int64_t sp_trace_steps_of(const struct sp_layout *l, int64_t entries, int64_t width,
                                        int64_t entries_of_step)
{
    const int64_t lines = 1 + width * (int64_t)l->s_x / 64, steps = entries / (lines * entries_of_step);
    return steps > 1 ? steps : 1;
}

/* Where a thread is in its share of the matrix: what the two writers of events have in common. */

void sp_cursor_reset(struct sp_trace_cursor *c);

/* Goes to the next unit when between two: sets unit, entry, entry_end, inside, begins. False at the
 * end. */
bool sp_cursor_enter(const struct sp_layout *layout, struct sp_trace_cursor *c);

/* Leaves the unit that was just ended. */
static inline void sp_cursor_leave(struct sp_trace_cursor *c)
{
    c->inside = false;
    c->unit++;
}

/* CRS, at the last entry of a row: does something other than the next entry's row follow at
 * once? */
static inline bool sp_cursor_gap(const struct sp_layout *layout, const struct sp_trace_cursor *c)
{
    int64_t next = c->unit + 1;
    return next >= c->unit_end || sp_layout_ptr(layout, next) == sp_layout_ptr(layout, next + 1);
}

/* Where the columns of the row that a cursor is in are: entry k has at[k - origin], of the type
 * that sp_columns_index() says, behind `base`. */
struct sp_columns {
    const void *at;
    int64_t origin, base;
};
static inline struct sp_columns sp_cursor_columns(const struct sp_layout *layout,
                                                  const struct sp_trace_cursor *c)
{
    if (!layout->permuted)
        return (struct sp_columns){layout->col, 0, layout->base ? layout->base[c->unit] : 0};
    sp_permuted_window_to(layout->permuted, c->window, c->unit, c->unit_end);
    return (struct sp_columns){c->window->col, sp_layout_ptr(layout, c->window->first), 0};
}
static inline enum sp_index sp_columns_index(const struct sp_layout *layout)
{
    return layout->permuted ? SP_I32 : layout->index;
}
static inline int64_t sp_column_at(struct sp_columns c, int64_t k, enum sp_index index)
{
    return index == SP_I32   ? ((const int32_t *)c.at)[k - c.origin]
           : index == SP_I64 ? ((const int64_t *)c.at)[k - c.origin]
                             : c.base + ((const uint16_t *)c.at)[k - c.origin];
}

#endif
