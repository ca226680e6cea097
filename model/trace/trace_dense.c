/* Operations with dense operands: SpMMV, SpMM, SDDMM and FusedMM in CRS, SpMMV in SELL.
 *
 * The stream of references of a thread is, with "row of X" for its r elements in turn,
 *   SpMMV,   ptr[first] of a range; then per row: ptr[i + 1]; per entry val, col, row col of X; at its end
 *   SpMM     row i of Y. Rows longer than a tile of registers (sp_layout_register_tile()) are walked once
 *            for each tile of the width, with that part of the rows of X and Y.
 *   SDDMM    per row with entries: row i of A; per entry val, col, row col of B, P; where a row is longer
 *            than a tile of registers, row i of A again at each entry.
 *   FusedMM  per row: row i of C where it has entries; per entry col, row col of B, row col of D; at its
 *            end row i of E (in panels of columns: trace_fused.c).
 *   SELL     SpMMV: per chunk ptr, len; per slot C values, C indices, then the row of X of each lane; at
 *            its end C items of perm (where rows are permuted), then the row of Y of each lane.
 * Column-major operands: the r elements of a "row" are ld elements apart.
 *
 * A step is an entry or an empty row (CRS), a slot or an empty chunk (SELL). A turn has so many steps that
 * it makes about as many events as one of SpMV. */
#include "model/trace/kinds.h"

static ALWAYS_INLINE uint32_t *put_item(const struct sp_trace *t, uint32_t *ev, enum sp_trace_region region,
                                        int64_t i, size_t size)
{
    return sp_trace_put(t, ev, SP_EVENT_TOUCH, sp_trace_line(t, region, i, size));
}

/* ---- CRS ---- */

static uint32_t *enter_row(const struct sp_trace *t, const struct sp_trace_cursor *c, uint32_t *ev)
{
    const struct sp_layout *l = t->layout;
    ev = sp_trace_read_run(t, ev, SP_REGION_PTR, c->unit + !c->begins, c->unit + 2, l->s_p, t->every);
    bool sampled = l->op == SP_OP_SDDMM || l->op == SP_OP_FUSEDMM;
    if (sampled && c->entry < c->entry_end)
        ev = sp_trace_put_row(t, ev, SP_EVENT_TOUCH, t->rows_base_B, c->unit, l->r, 0, l->r, l->s_x);
    return ev;
}

static uint32_t *put_entry(struct sp_trace *t, struct sp_trace_cursor *c, uint32_t *ev)
{
    const struct sp_layout *l = t->layout;
    const int64_t col = sp_layout_col(l, c->entry), tile = sp_layout_register_tile(l);
    int64_t first = 0, end = l->r;
    if (l->op == SP_OP_SPMMV || l->op == SP_OP_SPMM) {
        first = c->slice * tile;
        end = first + tile < l->r ? first + tile : l->r;
    }
    if (l->op != SP_OP_FUSEDMM)
        ev = put_item(t, ev, SP_REGION_VALUES, c->entry, l->s_a);
    ev = put_item(t, ev, SP_REGION_INDICES, c->entry, l->s_i);
    ev = sp_trace_put_row(t, ev, SP_EVENT_TOUCH, t->x_base_B, col, l->ld_x, first, end, l->s_x);
    if (l->op == SP_OP_FUSEDMM)
        return sp_trace_put_row(t, ev, SP_EVENT_TOUCH, t->second_base_B, col, l->ld_x, 0, l->r, l->s_x);
    if (l->op != SP_OP_SDDMM)
        return ev;
    if (l->r > tile)
        ev = sp_trace_put_row(t, ev, SP_EVENT_TOUCH, t->rows_base_B, c->unit, l->r, 0, l->r, l->s_x);
    if (!t->store_nt)
        return sp_trace_put(t, ev, SP_EVENT_WRITE, sp_trace_line(t, SP_REGION_Y, c->entry, l->s_y));
    int64_t line = sp_trace_line(t, SP_REGION_Y, c->entry, l->s_y);
    t->nt_lines += line != c->nt_line;
    c->nt_line = line;
    return ev;
}

static int64_t n_slices(const struct sp_layout *l)
{
    const int64_t tile = sp_layout_register_tile(l);
    return l->op == SP_OP_SPMMV || l->op == SP_OP_SPMM ? (l->r + tile - 1) / tile : 1;
}

/* The end of the row, or of its walk for one tile of the width. */
static uint32_t *end_row(struct sp_trace *t, struct sp_trace_cursor *c, uint32_t *ev)
{
    const struct sp_layout *l = t->layout;
    const int64_t tile = sp_layout_register_tile(l);
    if (l->op == SP_OP_FUSEDMM)
        ev = sp_trace_put_result(t, c, ev, c->unit, 0, l->r);
    else if (l->op != SP_OP_SDDMM)
        ev = sp_trace_put_result(t, c, ev, c->unit, c->slice * tile,
                                 (c->slice + 1) * tile < l->r ? (c->slice + 1) * tile : l->r);
    if (++c->slice < n_slices(l)) {
        c->entry = sp_layout_ptr(l, c->unit);
        return ev;
    }
    c->slice = 0;
    sp_cursor_leave(c);
    return ev;
}

static int64_t crs_turn(struct sp_trace *t, struct sp_trace_cursor *c)
{
    uint32_t *ev = t->event;
    for (int64_t steps = t->turn_steps; steps > 0; steps--) {
        if (!c->inside) {
            if (!sp_cursor_enter(t->layout, c))
                break;
            ev = enter_row(t, c, ev);
        }
        if (c->entry < c->entry_end) {
            ev = put_entry(t, c, ev);
            c->entry++;
        }
        if (c->entry == c->entry_end)
            ev = end_row(t, c, ev);
    }
    return ev - t->event;
}

/* ---- SELL ---- */

static uint32_t *put_slot(const struct sp_trace *t, const struct sp_trace_cursor *c, uint32_t *ev)
{
    const struct sp_layout *l = t->layout;
    const int64_t first = sp_layout_ptr(l, c->unit) + c->entry * l->C;
    ev = sp_trace_read_run(t, ev, SP_REGION_VALUES, first, first + l->C, l->s_a, t->every);
    ev = sp_trace_read_run(t, ev, SP_REGION_INDICES, first, first + l->C, l->s_i, t->every);
    for (int64_t lane = 0; lane < l->C; lane++)
        ev = sp_trace_put_row(t, ev, SP_EVENT_TOUCH, t->x_base_B, sp_layout_col(l, first + lane), l->ld_x, 0,
                              l->r, l->s_x);
    return ev;
}

static uint32_t *end_chunk(struct sp_trace *t, struct sp_trace_cursor *c, uint32_t *ev)
{
    const struct sp_layout *l = t->layout;
    const int64_t first = c->unit * l->C;
    if (l->perm)
        ev = sp_trace_read_run(t, ev, SP_REGION_PERM, first, first + l->C, sizeof *l->perm, t->every);
    for (int64_t lane = first; lane < first + l->C; lane++) {
        int64_t row = l->perm ? l->perm[lane] : lane < l->n_r ? lane : -1;
        if (row >= 0)
            ev = sp_trace_put_result(t, c, ev, row, 0, l->r);
    }
    return ev;
}

static int64_t sell_turn(struct sp_trace *t, struct sp_trace_cursor *c)
{
    const struct sp_layout *l = t->layout;
    uint32_t *ev = t->event;
    for (int64_t steps = t->turn_steps; steps > 0; steps--) {
        if (!c->inside) {
            if (!sp_cursor_enter(l, c))
                break;
            ev = sp_trace_read_run(t, ev, SP_REGION_PTR, c->unit, c->unit + 1, l->s_p, t->every);
            ev = sp_trace_read_run(t, ev, SP_REGION_LEN, c->unit, c->unit + 1, sizeof *l->len, t->every);
        }
        if (c->entry < c->entry_end) {
            ev = put_slot(t, c, ev);
            c->entry++;
        }
        if (c->entry == c->entry_end) {
            ev = end_chunk(t, c, ev);
            sp_cursor_leave(c);
        }
    }
    return ev - t->event;
}

/* ---- the kind ---- */

static int64_t fill_turn(struct sp_trace *t, struct sp_trace_cursor *c)
{
    return t->layout->format == SP_FORMAT_CRS ? crs_turn(t, c) : sell_turn(t, c);
}

static void measure_share(struct sp_trace *t, struct sp_trace_cursor *c)
{
    const struct sp_layout *l = t->layout;
    const int64_t r = l->r, slices = n_slices(l);
    sp_cursor_reset(c);
    while (sp_cursor_enter(l, c)) {
        int64_t n = c->entry_end - c->entry;
        c->n_steps += (n > 0 ? n : 1) * slices;
        c->n_empty += (n == 0) * slices;
        if (l->format == SP_FORMAT_SELL) {
            int64_t first = c->unit * l->C, lanes = l->n_r - first < l->C ? l->n_r - first : l->C;
            t->n_references += n * l->C * (2 + r) + 2 + lanes * r + (l->perm ? l->C : 0);
        } else if (l->op == SP_OP_SDDMM) {
            bool again = r > sp_layout_register_tile(l);
            t->n_references += n * (3 + r + (again ? r : 0)) + (n > 0 ? r : 0) + 1 + c->begins;
        } else if (l->op == SP_OP_FUSEDMM) {
            t->n_references += n * (1 + 2 * r) + (n > 0 ? r : 0) + r + 1 + c->begins;
        } else {
            t->n_references += n * (2 * slices + r) + r + 1 + c->begins;
        }
        sp_cursor_leave(c);
    }
    sp_cursor_reset(c);
}

/* Lines of one row of a dense operand, at most. */
static int64_t row_lines(const struct sp_trace *t)
{
    const struct sp_layout *l = t->layout;
    return t->every || l->order == SP_COLUMN_MAJOR ? l->r : l->r * (int64_t)l->s_x / t->line_B + 2;
}

static int64_t events_bound(const struct sp_trace *t)
{
    const struct sp_layout *l = t->layout;
    const int64_t rows = row_lines(t);
    if (l->format == SP_FORMAT_CRS)
        return t->turn_steps * (8 + 4 * rows) + 16;
    return t->turn_steps * l->C * (8 + 2 * rows) + 16 * t->turn_steps + 16;
}

static int64_t steps_in_turn(const struct sp_layout *l, int64_t entries)
{
    const int64_t lines = 1 + l->r * (int64_t)l->s_x / 64, steps = entries / (lines * l->C);
    return steps > 1 ? steps : 1;
}

const struct sp_trace_kind sp_trace_dense = {
    .fill_turn = fill_turn,
    .measure_share = measure_share,
    .events_bound = events_bound,
    .steps_in_turn = steps_in_turn,
};
