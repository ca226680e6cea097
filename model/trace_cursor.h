/* Where a thread is in its share of the matrix: what the two writers of events have in common. */
#ifndef SP_MODEL_TRACE_CURSOR_H
#define SP_MODEL_TRACE_CURSOR_H

#include "model/trace.h"

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

/* Moves on by so many steps without events. */
void sp_cursor_skip(const struct sp_layout *layout, struct sp_trace_cursor *c, int64_t steps);

#endif
