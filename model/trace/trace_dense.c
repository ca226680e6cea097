/* Operations with dense operands: SpMMV, SpMM, SDDMM and FusedMM in CRS, SpMMV in SELL.
 *
 * The stream of references of a thread is, with "row of X" for its r elements in turn,
 *   SpMMV,   ptr[first] of a range; then per row: ptr[i + 1]; per entry val, col, row col of X; at its end
 *   SpMM     row i of Y. Rows longer than a tile of registers (sp_layout_register_tile()) are walked once
 *            for each tile of the width, with that part of the rows of X and Y.
 *   SDDMM    per row with entries: row i of A; per entry val, col, row col of B, P; where a row is longer
 *            than a tile of registers, row i of A again at each entry.
 *   FusedMM  below.
 *   SELL     SpMMV: per chunk ptr, len; per slot C values, C indices, then the row of X of each lane; at
 *            its end C items of perm (where rows are permuted), then the row of Y of each lane.
 * Column-major operands: the r elements of a "row" are ld elements apart.
 *
 * A step is an entry or an empty row (CRS), a slot or an empty chunk (SELL). A turn has so many
 * steps that it makes about as many events as one of SpMV. */
#include "model/trace/kinds.h"

/* ---- CRS ---- */

static uint32_t *enter_row(const struct sp_trace *t, const struct sp_trace_cursor *c, uint32_t *ev)
{
    const struct sp_layout *l = t->layout;
    ev = sp_trace_read_run(t, ev, SP_REGION_PTR, c->unit + !c->begins, c->unit + 2, l->s_p, t->every);
    if (l->op == SP_OP_SDDMM && c->entry < c->entry_end)
        ev = sp_trace_put_row(t, ev, SP_EVENT_TOUCH, t->rows_base_B, c->unit, l->r, 0, l->r, l->s_x);
    return ev;
}

static uint32_t *put_entry_dense(struct sp_trace *t, struct sp_trace_cursor *c, uint32_t *ev)
{
    const struct sp_layout *l = t->layout;
    const int64_t col = sp_layout_col(l, c->entry), tile = sp_layout_register_tile(l);
    int64_t first = 0, end = l->r;
    if (l->op == SP_OP_SPMMV || l->op == SP_OP_SPMM) {
        first = c->slice * tile;
        end = first + tile < l->r ? first + tile : l->r;
    }
    ev = sp_trace_put_item(t, ev, SP_REGION_VALUES, c->entry, l->s_a);
    ev = sp_trace_put_item(t, ev, SP_REGION_INDICES, c->entry, l->s_i);
    ev = sp_trace_put_row(t, ev, SP_EVENT_TOUCH, t->x_base_B, col, l->ld_x, first, end, l->s_x);
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
    if (l->op != SP_OP_SDDMM)
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
            ev = put_entry_dense(t, c, ev);
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

static int64_t fill_turn_dense(struct sp_trace *t, struct sp_trace_cursor *c)
{
    return t->layout->len ? sell_turn(t, c) : crs_turn(t, c);
}

static void measure_share_dense(const struct sp_trace *t, struct sp_trace_cursor *c)
{
    const struct sp_layout *l = t->layout;
    const int64_t r = l->r, slices = n_slices(l);
    sp_cursor_reset(c);
    while (sp_cursor_enter(l, c)) {
        int64_t n = c->entry_end - c->entry;
        c->n_steps += (n > 0 ? n : 1) * slices;
        c->n_empty += (n == 0) * slices;
        if (l->len) {
            int64_t first = c->unit * l->C, lanes = l->n_r - first < l->C ? l->n_r - first : l->C;
            c->n_references += n * l->C * (2 + r) + 2 + lanes * r + (l->perm ? l->C : 0);
        } else if (l->op == SP_OP_SDDMM) {
            bool again = r > sp_layout_register_tile(l);
            c->n_references += n * (3 + r + (again ? r : 0)) + (n > 0 ? r : 0) + 1 + c->begins;
        } else {
            c->n_references += n * (2 * slices + r) + r + 1 + c->begins;
        }
        sp_cursor_leave(c);
    }
    sp_cursor_reset(c);
}

static int64_t events_bound_dense(const struct sp_trace *t)
{
    const struct sp_layout *l = t->layout;
    const int64_t rows = sp_trace_row_lines(t);
    if (!l->len)
        return t->turn_steps * (8 + 4 * rows) + 16;
    return t->turn_steps * l->C * (8 + 2 * rows) + 16 * t->turn_steps + 16;
}

static int64_t steps_in_turn_dense(const struct sp_layout *l, int64_t entries)
{
    return sp_trace_steps_of(l, entries, l->r, l->C);
}

static const struct sp_trace_kind dense_kind = {
    .fill_turn = fill_turn_dense,
    .measure_share = measure_share_dense,
    .events_bound = events_bound_dense,
    .steps_in_turn = steps_in_turn_dense,
};

/* FusedMM in CRS, in blocks of rows (sp_layout_fused_end()) or in panels of columns
 * (sp_layout_fused_panel()). The stream of references of a thread is, for each block of a range, of
 * SP_FUSED_ROWS rows where there are panels, then with panels ptr[i] and ptr[i + 1] of each of its
 * rows, then for each panel, or once, for each row, without panels: ptr[i], ptr[i + 1]; where it
 * has entries in the panel: row i of C; per entry col, row col of B; for each row, without panels:
 * ptr[i], ptr[i + 1]; where it has entries in the panel, in the first panel for each row: row i of
 * E where it is not the first panel; per entry col, row col of D; row i of E, written. Where E is
 * stored past the caches it is so in the last panel, for each row; before, and as the products, it
 * is in the scratch of the thread, which is left out. A step is up to STEP_ENTRIES of a pass of a
 * row through one of the two. */
enum { STEP_ENTRIES = 32 };

static bool in_panels(const struct sp_layout *l)
{
    return sp_layout_fused_panel(l) < l->n_c;
}

/* The first entry of the row that is not before `column`. */
static int64_t first_past(const struct sp_layout *l, int64_t row, int64_t column)
{
    int64_t low = sp_layout_ptr(l, row), high = sp_layout_ptr(l, row + 1);
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (sp_layout_col(l, middle) < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The next pass of a row: unit, entry, entry_end, and at, which stays the first entry. The block
 * begins at c->chunk and ends at c->slice; c->item is the first column of the panel, c->slot which
 * of the two: 0 products, 1 sums. False at the end. */
static bool next_pass(const struct sp_layout *l, struct sp_trace_cursor *c)
{
    const int64_t panel = sp_layout_fused_panel(l);
    if (c->inside) {
        c->begins = false;
        c->unit++;
        if (c->unit == c->slice && (c->slot == 0 || c->item + panel < l->n_c)) {
            c->item += c->slot == 1 ? panel : 0;
            c->slot = !c->slot;
            c->unit = c->chunk;
        } else if (c->unit == c->slice) {
            c->inside = false;
        }
    }
    if (!c->inside) {
        if (!sp_cursor_enter(l, c))
            return false;
        c->chunk = c->unit;
        c->slice = !in_panels(l)                           ? sp_layout_fused_end(l, c->unit, c->unit_end)
                   : c->unit_end - c->unit < SP_FUSED_ROWS ? c->unit_end
                                                           : c->unit + SP_FUSED_ROWS;
        c->item = c->slot = 0;
        c->begins = true;
    }
    c->at = c->entry = panel < l->n_c ? first_past(l, c->unit, c->item) : sp_layout_ptr(l, c->unit);
    c->entry_end = panel < l->n_c ? first_past(l, c->unit, c->item + panel) : sp_layout_ptr(l, c->unit + 1);
    return true;
}

/* Pointers that the pass begins with: [unit, unit + n). */
static int64_t n_pointers(const struct sp_layout *l, const struct sp_trace_cursor *c)
{
    return !in_panels(l) ? 2 : c->begins ? c->slice - c->chunk + 1 : 0;
}

static bool last_panel(const struct sp_layout *l, const struct sp_trace_cursor *c)
{
    return c->item + sp_layout_fused_panel(l) >= l->n_c;
}

static bool reads_result(const struct sp_trace *t, const struct sp_trace_cursor *c)
{
    return !t->store_nt && c->item > 0 && c->at < c->entry_end;
}
static bool writes_result(const struct sp_trace *t, const struct sp_trace_cursor *c)
{
    return t->store_nt ? last_panel(t->layout, c) : c->item == 0 || c->at < c->entry_end;
}

static uint32_t *begin_pass(struct sp_trace *t, const struct sp_trace_cursor *c, uint32_t *ev)
{
    const struct sp_layout *l = t->layout;
    ev = sp_trace_read_run(t, ev, SP_REGION_PTR, c->unit, c->unit + n_pointers(l, c), l->s_p, t->every);
    if (!c->slot && c->entry < c->entry_end)
        ev = sp_trace_put_row(t, ev, SP_EVENT_TOUCH, t->rows_base_B, c->unit, l->r, 0, l->r, l->s_x);
    if (c->slot && reads_result(t, c))
        ev = sp_trace_put_row(t, ev, SP_EVENT_TOUCH, t->y_base_B, c->unit, l->ld_y, 0, l->r, l->s_y);
    return ev;
}

static int64_t fill_turn_fused(struct sp_trace *t, struct sp_trace_cursor *c)
{
    const struct sp_layout *l = t->layout;
    uint32_t *ev = t->event;
    for (int64_t steps = t->turn_steps; steps > 0; steps--) {
        if (!c->inside || c->entry == c->entry_end) {
            if (!next_pass(l, c))
                break;
            ev = begin_pass(t, c, ev);
        }
        const int64_t base_B = c->slot ? t->second_base_B : t->x_base_B;
        for (int n = 0; n < STEP_ENTRIES && c->entry < c->entry_end; n++, c->entry++) {
            ev = sp_trace_put(t, ev, SP_EVENT_TOUCH, sp_trace_line(t, SP_REGION_INDICES, c->entry, l->s_i));
            ev = sp_trace_put_row(t, ev, SP_EVENT_TOUCH, base_B, sp_layout_col(l, c->entry), l->ld_x, 0, l->r,
                                  l->s_x);
        }
        if (c->entry == c->entry_end && c->slot && writes_result(t, c))
            ev = sp_trace_put_result(t, c, ev, c->unit, 0, l->r);
    }
    return ev - t->event;
}

static void measure_share_fused(const struct sp_trace *t, struct sp_trace_cursor *c)
{
    const struct sp_layout *l = t->layout;
    sp_cursor_reset(c);
    while (next_pass(l, c)) {
        const int64_t n = c->entry_end - c->entry;
        int64_t rows = c->slot ? reads_result(t, c) + writes_result(t, c) : n > 0;
        c->n_steps += n > 0 ? (n + STEP_ENTRIES - 1) / STEP_ENTRIES : 1;
        c->n_empty += n == 0;
        c->n_references += n * (1 + l->r) + rows * l->r + n_pointers(l, c);
    }
    sp_cursor_reset(c);
}

static int64_t events_bound_fused(const struct sp_trace *t)
{
    const int64_t row_lines = sp_trace_row_lines(t);
    return t->turn_steps * (SP_FUSED_ROWS + 2 + STEP_ENTRIES * (1 + row_lines) + 3 * row_lines);
}

static int64_t steps_in_turn_fused(const struct sp_layout *l, int64_t entries)
{
    return sp_trace_steps_of(l, entries, l->r, SP_PANEL_ENTRIES);
}

static const struct sp_trace_kind fused_kind = {
    .fill_turn = fill_turn_fused,
    .measure_share = measure_share_fused,
    .events_bound = events_bound_fused,
    .steps_in_turn = steps_in_turn_fused,
};

/* SDDMM in COO: the stream of references of a thread is, per entry, val, row_index, col, the row of
 * A and the row of B that they name, P. A step is an entry. */

static uint32_t *put_entry_coo(struct sp_trace *t, struct sp_trace_cursor *c, uint32_t *ev)
{
    const struct sp_layout *l = t->layout;
    const int64_t j = c->entry, row_B = l->r * (int64_t)l->s_x;
    const int64_t a_B = t->rows_base_B + sp_layout_row(l, j) * row_B;
    const int64_t b_B = t->x_base_B + sp_layout_col(l, j) * row_B;
    ev = sp_trace_put(t, ev, SP_EVENT_TOUCH, sp_trace_line(t, SP_REGION_VALUES, j, l->s_a));
    ev = sp_trace_put(t, ev, SP_EVENT_TOUCH, sp_trace_line(t, SP_REGION_ROW_INDEX, j, l->s_i));
    ev = sp_trace_put(t, ev, SP_EVENT_TOUCH, sp_trace_line(t, SP_REGION_INDICES, j, l->s_i));
    ev = sp_trace_put_bytes(t, ev, SP_EVENT_TOUCH, a_B, a_B + row_B, l->s_x);
    ev = sp_trace_put_bytes(t, ev, SP_EVENT_TOUCH, b_B, b_B + row_B, l->s_x);
    return sp_trace_put(t, ev, SP_EVENT_WRITE,
                        (uint32_t)((t->y_base_B + j * (int64_t)l->s_y) >> t->line_shift));
}

/* Units are entries. */
static int64_t fill_turn_coo(struct sp_trace *t, struct sp_trace_cursor *c)
{
    uint32_t *ev = t->event;
    for (int64_t steps = t->turn_steps; steps > 0 && sp_cursor_enter(t->layout, c); steps--) {
        ev = put_entry_coo(t, c, ev);
        sp_cursor_leave(c);
    }
    return ev - t->event;
}

static void measure_share_coo(const struct sp_trace *t, struct sp_trace_cursor *c)
{
    sp_cursor_reset(c);
    for (; sp_cursor_enter(t->layout, c); sp_cursor_leave(c))
        c->n_steps++;
    c->n_references += c->n_steps * (4 + 2 * (int64_t)t->layout->r);
    sp_cursor_reset(c);
}

static int64_t events_bound_coo(const struct sp_trace *t)
{
    return t->turn_steps * (4 + 2 * sp_trace_row_lines(t));
}

static int64_t steps_in_turn_coo(const struct sp_layout *l, int64_t entries)
{
    return sp_trace_steps_of(l, entries, l->r, 1);
}

static void add_regions(const struct sp_layout *l, int n_threads, int64_t bytes[SP_N_REGIONS])
{
    (void)n_threads;
    bytes[SP_REGION_ROW_INDEX] = l->n_stored * (int64_t)l->s_i;
    bytes[SP_REGION_PTR] = 0;
}

static const struct sp_trace_kind coo_kind = {
    .fill_turn = fill_turn_coo,
    .measure_share = measure_share_coo,
    .events_bound = events_bound_coo,
    .steps_in_turn = steps_in_turn_coo,
    .add_regions = add_regions,
};

const struct sp_format_model sp_format_model_coo = {.dense = &coo_kind};
const struct sp_format_model sp_format_model_crs = {
    .spmv = &sp_trace_spmv, .dense = &dense_kind, .fused = &fused_kind};
const struct sp_format_model sp_format_model_sell = {.spmv = &sp_trace_spmv, .dense = &dense_kind};
const struct sp_format_model sp_format_model_sellu = {.spmv = &sp_trace_spmv};
