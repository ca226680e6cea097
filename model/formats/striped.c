#include <math.h>
#include <stdio.h>

#include "model/formats/format.h"
#include "model/formulas/formulas.h"
#include "model/trace/kinds.h"
#include "sparse/formats/striped.h"

/* SpMV in STRIPED.
 *
 * The stream of references of a thread is, cell by cell: the cell and the one behind it (of the
 * first only when it begins); y of the rows that it clears; per entry val, row, col, x[col],
 * y[row]. Read and written again counts as one reference, a write.
 *
 * A step is a cell that begins, a row that is cleared or an entry. Of the cursor, `item` is the
 * cell and `at` the steps of it that are done. */

static int64_t steps_of(const struct sp_stripes *s, int64_t cell)
{
    return 1 + s->cell[cell].clears + s->cell[cell + 1].entry - s->cell[cell].entry;
}

/* To the first cell of the thread, where the cursor is nowhere yet. */
static void begin(const struct sp_stripes *s, struct sp_trace_cursor *c)
{
    if (c->inside)
        return;
    c->inside = true;
    c->begins = true;
    c->item = s->cell_begin[c->thread];
    c->at = 0;
}

static bool is_past(const struct sp_stripes *s, const struct sp_trace_cursor *c)
{
    return c->item == s->cell_begin[c->thread + 1];
}

static uint32_t y_line(const struct sp_trace *t, int64_t row)
{
    return (uint32_t)((t->y_base_B + row * (int64_t)t->layout->s_y) >> t->line_shift);
}

static uint32_t *put_entry(const struct sp_trace *t, uint32_t *ev, int64_t j, int64_t cell_row)
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
    const struct sp_cell *cell = &sp_stripes_of(t->layout)->cell[c->item];
    if (c->at == 0)
        return sp_trace_read_run(t, ev, SP_REGION_PTR, c->item + !c->begins, c->item + 2, sizeof *cell,
                                 t->every);
    if (c->at <= cell->clears)
        return sp_trace_put(t, ev, SP_EVENT_WRITE, y_line(t, cell->row + c->at - 1));
    return put_entry(t, ev, cell->entry + c->at - 1 - cell->clears, cell->row);
}

/* To the next cell where this one is done. */
static void leave_cell(const struct sp_stripes *s, struct sp_trace_cursor *c)
{
    if (c->at < steps_of(s, c->item))
        return;
    c->begins = false;
    c->item++;
    c->at = 0;
}

static int64_t fill_turn(struct sp_trace *t, struct sp_trace_cursor *c)
{
    const struct sp_stripes *s = sp_stripes_of(t->layout);
    uint32_t *ev = t->event;
    int64_t steps = t->turn_steps;
    begin(s, c);
    while (steps > 0 && !is_past(s, c)) {
        for (const int64_t n = steps_of(s, c->item); c->at < n && steps > 0; c->at++, steps--)
            ev = put_step(t, c, ev);
        leave_cell(s, c);
    }
    c->done = is_past(s, c);
    return ev - t->event;
}

static void skip(const struct sp_layout *l, struct sp_trace_cursor *c, int64_t steps)
{
    const struct sp_stripes *s = sp_stripes_of(l);
    begin(s, c);
    while (steps > 0 && !is_past(s, c)) {
        const int64_t left = steps_of(s, c->item) - c->at, take = left < steps ? left : steps;
        c->at += take;
        steps -= take;
        leave_cell(s, c);
    }
    c->done = is_past(s, c);
}

static void measure_share(const struct sp_trace *t, struct sp_trace_cursor *c)
{
    const struct sp_layout *l = t->layout;
    const struct sp_stripes *s = sp_stripes_of(l);
    sp_cursor_reset(c);
    const int64_t first = s->cell_begin[c->thread], end = s->cell_begin[c->thread + 1];
    const int64_t rows = l->partition.begin[c->thread + 1] - l->partition.begin[c->thread];
    const int64_t entries = s->cell[end].entry - s->cell[first].entry;
    c->n_steps = rows + entries + end - first;
    c->n_empty = rows + end - first;
    c->n_references += rows + 5 * entries + (end - first) + (end > first);
}

static int64_t events_bound(const struct sp_trace *t)
{
    return 5 * t->turn_steps + 16;
}

static double values_in_step_B(const struct sp_layout *l)
{
    return (double)l->s_a;
}

static void add_regions(const struct sp_layout *l, int n_threads, int64_t bytes[SP_N_REGIONS])
{
    (void)n_threads;
    bytes[SP_REGION_ROW_INDEX] = l->n_stored * (int64_t)sizeof(uint16_t);
    bytes[SP_REGION_PTR] = (sp_stripes_of(l)->n_cells + 1) * (int64_t)sizeof(struct sp_cell);
}

static const struct sp_trace_kind trace = {
    .fill_turn = fill_turn,
    .measure_share = measure_share,
    .skip = skip,
    .events_bound = events_bound,
    .values_in_step_B = values_in_step_B,
    .add_regions = add_regions,
};

/* ---- volumes ---- */

/* With n_C cells,
 *
 *     V_striped = (s_a + s_i + 2) n_nz + 16 (n_C + 1) + w s_y n_r + alpha s_x n_nz
 *
 * and, with L_y lines of y that stripes after the first one update (n_updated), w = 2 + 2 64
 * L_y/(s_y n_r) where y is out of the caches before the next stripe comes. */
static double w(const struct sp_layout *l, double alpha, double kept_B)
{
    (void)alpha;
    const double y_B = sp_layout_array_bytes(l, SP_ARRAY_Y);
    if (y_B + (double)l->W * (double)l->s_x <= kept_B)
        return 2;
    return SP_FORMULA(w_striped, .L_y = (double)sp_stripes_of(l)->n_updated, .s_y = (double)l->s_y,
                      .n_r = (double)l->n_r);
}

/* Columns of a stripe: a power of two whose part of x takes at most half of a last-level cache; the
 * rest is for what streams through it. 0: there is no such cache. */
static int32_t stripe_of(const struct sp_storage_case *now)
{
    const size_t s_x = now->layout->s_x;
    int64_t W = SP_MIN_STRIPE;
    while (2 * (double)W * 2 * (double)s_x <= now->cache_B && W < (1 << 30))
        W *= 2;
    return (double)W * (double)s_x * 2 <= now->cache_B ? (int32_t)W : 0;
}

/* Does x exceed the cache, and could stripes move less with x loaded once and y kept there? */
static bool propose(const struct sp_storage_case *now, char *option, size_t size)
{
    const struct sp_layout *l = now->layout;
    const int32_t W = stripe_of(now);
    const double least_B = (double)l->n_nz * (double)(l->s_a + l->s_i + sizeof(uint16_t)) +
                           2 * sp_layout_array_bytes(l, SP_ARRAY_Y) +
                           now->alpha_min * sp_layout_gather_bytes(l);
    snprintf(option, size, "striped:%d", (int)W);
    return now->in_memory && W > 0 && sp_layout_array_bytes(l, SP_ARRAY_X) > now->cache_B &&
           least_B < now->V_B;
}

/* x loaded once where its part stays in the cache; of the rest of today's loads, a third at most
 * may remain. y costs nothing in later stripes where it stays there too. */
static struct sp_volume_bounds bounds(const struct sp_storage_case *now, const struct sp_layout *striped)
{
    static const double may_remain = 1.0 / 3;
    const double least = now->alpha_min, most = least + may_remain * fmax(0, now->alpha - least);
    /* each further domain keeps a stripe of x, too */
    const double other_stripes_B = (now->n_domains - 1) * (double)striped->W * (double)striped->s_x;
    return (struct sp_volume_bounds){least, now->cache_B * now->n_domains - other_stripes_B, most};
}

const struct sp_format_model sp_format_model_striped = {
    .spmv = &trace,
    .w = w,
    .propose = propose,
    .bounds = bounds,
};
