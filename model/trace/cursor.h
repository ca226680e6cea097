/* Where a thread is in its share of the matrix: what the two writers of events have in common. */
#ifndef SP_MODEL_TRACE_CURSOR_H
#define SP_MODEL_TRACE_CURSOR_H

#include "model/trace/trace.h"
#include "sparse/formats/permuted.h"

void sp_cursor_reset(struct sp_trace_cursor *c);

/* Goes to the next unit when between two: sets unit, entry, entry_end, inside, begins. False at the end. */
bool sp_cursor_enter(const struct sp_layout *layout, struct sp_trace_cursor *c);

/* Leaves the unit that was just ended. */
static inline void sp_cursor_leave(struct sp_trace_cursor *c)
{
    c->inside = false;
    c->unit++;
}

/* CRS, at the last entry of a row: does something other than the next entry's row follow at once? */
static inline bool sp_cursor_gap(const struct sp_layout *layout, const struct sp_trace_cursor *c)
{
    int64_t next = c->unit + 1;
    return next >= c->unit_end || sp_layout_ptr(layout, next) == sp_layout_ptr(layout, next + 1);
}

/* Where the columns of the row that a cursor is in are: entry k has at[k - origin], of the type that
 * sp_columns_index() says, behind `base`. */
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

/* Moves on by so many steps without events. */
void sp_cursor_skip(const struct sp_layout *layout, struct sp_trace_cursor *c, int64_t steps);

#endif
