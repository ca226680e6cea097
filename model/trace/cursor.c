#include "model/trace/cursor.h"

void sp_cursor_reset(struct sp_trace_cursor *c)
{
    *c = (struct sp_trace_cursor){.thread = c->thread,
                                  .start_turn = c->start_turn,
                                  .n_steps = c->n_steps,
                                  .n_empty = c->n_empty,
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

void sp_cursor_skip(const struct sp_layout *layout, struct sp_trace_cursor *c, int64_t steps)
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
