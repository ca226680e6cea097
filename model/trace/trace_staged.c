/* SpMM and SDDMM in format STAGED.
 *
 * The stream of references of a thread is, for each block and each tile of the width: block[b],
 * block[b + 1], ptr[b]; per listed column list, its row of X in the tile, that row of the thread's
 * buffer written (whole lines); then per chunk len and
 *   SpMM     per slot C values, C places, the row of the buffer of each lane; at its end the rows of Y in
 *            the tile
 *   SDDMM    the row of A in the tile; per entry its place, the row of the buffer, P written, and in the
 *            last tile its value.
 * A step is a listed column, a slot or an empty chunk. */
#include "model/trace/kinds.h"

static const int64_t block_B = sizeof(struct sp_staged_block);

static int64_t n_tiles(const struct sp_layout *l)
{
    const int64_t tile = sp_layout_stage_tile(l);
    return (l->r + tile - 1) / tile;
}

/* The columns [first, end) of the tile at hand. */
static void tile_of(const struct sp_layout *l, const struct sp_trace_cursor *c, int64_t *first, int64_t *end)
{
    const int64_t tile = sp_layout_stage_tile(l);
    *first = c->slice * tile;
    *end = *first + tile < l->r ? *first + tile : l->r;
}

static int64_t listed(const struct sp_layout *l, int64_t b)
{
    return l->block[b + 1].list - l->block[b].list;
}

/* Steps of a block for one tile; *n_empty of them are empty chunks. */
static int64_t steps_of(const struct sp_layout *l, int64_t b, int64_t *n_empty)
{
    int64_t n = listed(l, b);
    *n_empty = 0;
    for (int64_t k = l->block[b].chunk; k < l->block[b + 1].chunk; k++) {
        n += l->len[k] > 0 ? l->len[k] : 1;
        *n_empty += l->len[k] == 0;
    }
    return n;
}

/* To the next block, or its next tile. */
static bool enter_tile(const struct sp_layout *l, struct sp_trace_cursor *c)
{
    while (c->unit >= c->unit_end) {
        int64_t first, end;
        c->done = !sp_partition_next(&l->partition, c->thread, &c->range, &first, &end);
        if (c->done)
            return false;
        c->unit = first;
        c->unit_end = end;
    }
    int64_t n_empty;
    c->entry = 0;
    c->entry_end = steps_of(l, c->unit, &n_empty);
    c->chunk = l->block[c->unit].chunk;
    c->slot = 0;
    c->at = sp_layout_ptr(l, c->unit);
    c->inside = true;
    return true;
}

static void leave_tile(const struct sp_layout *l, struct sp_trace_cursor *c)
{
    c->inside = false;
    if (++c->slice == n_tiles(l)) {
        c->slice = 0;
        c->unit++;
    }
}

/* Columns [first, end) of a row of a dense operand. */
static uint32_t *put_part_staged(const struct sp_trace *t, uint32_t *ev, enum sp_event_kind kind,
                                 int64_t base_B, int64_t row, int64_t ld, int64_t first, int64_t end,
                                 size_t size)
{
    const int64_t s = (int64_t)size, from = base_B + row * ld * s;
    return sp_trace_put_bytes(t, ev, kind, from + first * s, from + end * s, size);
}

static uint32_t *put_stage(const struct sp_trace *t, const struct sp_trace_cursor *c, uint32_t *ev,
                           enum sp_event_kind kind, int64_t place, int64_t width)
{
    const struct sp_layout *l = t->layout;
    const int64_t base_B = t->first_line[SP_REGION_STAGE] * t->line_B + c->index * sp_layout_stage_bytes(l);
    return put_part_staged(t, ev, kind, base_B, place, sp_layout_stage_ld(l), 0, width, l->s_x);
}

/* The result's bytes [first_B, end_B). */
static uint32_t *put_result(struct sp_trace *t, struct sp_trace_cursor *c, uint32_t *ev, int64_t first_B,
                            int64_t end_B)
{
    if (!t->store_nt)
        return sp_trace_put_bytes(t, ev, SP_EVENT_WRITE, first_B, end_B, t->layout->s_y);
    for (int64_t line = first_B >> t->line_shift; line <= (end_B - 1) >> t->line_shift; line++) {
        t->nt_lines += line != c->nt_line;
        c->nt_line = line;
    }
    return ev;
}

static uint32_t *put_listed(const struct sp_trace *t, const struct sp_trace_cursor *c, uint32_t *ev)
{
    const struct sp_layout *l = t->layout;
    const int64_t at = l->block[c->unit].list + c->entry;
    int64_t first, end;
    tile_of(l, c, &first, &end);
    ev = sp_trace_read_run(t, ev, SP_REGION_LIST, at, at + 1, sizeof *l->list, t->every);
    ev = put_part_staged(t, ev, SP_EVENT_TOUCH, t->x_base_B, l->list[at], l->ld_x, first, end, l->s_x);
    return put_stage(t, c, ev, SP_EVENT_WRITE, c->entry, sp_layout_stage_ld(l));
}

static uint32_t *put_slot(const struct sp_trace *t, const struct sp_trace_cursor *c, uint32_t *ev)
{
    const struct sp_layout *l = t->layout;
    int64_t first, end;
    tile_of(l, c, &first, &end);
    ev = sp_trace_read_run(t, ev, SP_REGION_VALUES, c->at, c->at + l->C, l->s_a, t->every);
    ev = sp_trace_read_run(t, ev, SP_REGION_INDICES, c->at, c->at + l->C, l->s_i, t->every);
    for (int64_t lane = 0; lane < l->C; lane++)
        ev = put_stage(t, c, ev, SP_EVENT_TOUCH, ((const uint16_t *)l->col)[c->at + lane], end - first);
    return ev;
}

static uint32_t *put_sample(struct sp_trace *t, struct sp_trace_cursor *c, uint32_t *ev)
{
    const struct sp_layout *l = t->layout;
    const int64_t p_B = t->y_base_B + c->at * (int64_t)l->s_y;
    int64_t first, end;
    tile_of(l, c, &first, &end);
    if (c->slot == 0)
        ev = put_part_staged(t, ev, SP_EVENT_TOUCH, t->rows_base_B, c->chunk, l->r, first, end, l->s_x);
    ev = sp_trace_read_run(t, ev, SP_REGION_INDICES, c->at, c->at + 1, l->s_i, t->every);
    ev = put_stage(t, c, ev, SP_EVENT_TOUCH, ((const uint16_t *)l->col)[c->at], end - first);
    ev = put_result(t, c, ev, p_B, p_B + (int64_t)l->s_y);
    if (end < l->r)
        return ev;
    return sp_trace_read_run(t, ev, SP_REGION_VALUES, c->at, c->at + 1, l->s_a, t->every);
}

/* Rows of Y of the chunk. */
static uint32_t *end_chunk(struct sp_trace *t, struct sp_trace_cursor *c, uint32_t *ev)
{
    const struct sp_layout *l = t->layout;
    int64_t first, end;
    tile_of(l, c, &first, &end);
    for (int64_t row = c->chunk * l->C; row < (c->chunk + 1) * l->C && row < l->n_r; row++)
        ev = put_result(t, c, ev, t->y_base_B + (row * l->ld_y + first) * (int64_t)l->s_y,
                        t->y_base_B + (row * l->ld_y + end) * (int64_t)l->s_y);
    return ev;
}

/* A slot, or an empty chunk. */
static uint32_t *do_slot(struct sp_trace *t, struct sp_trace_cursor *c, uint32_t *ev)
{
    const struct sp_layout *l = t->layout;
    const bool sampled = l->op == SP_OP_SDDMM;
    if (c->slot == 0)
        ev = sp_trace_read_run(t, ev, SP_REGION_LEN, c->chunk, c->chunk + 1, sizeof *l->len, t->every);
    if (c->slot < l->len[c->chunk]) {
        ev = sampled ? put_sample(t, c, ev) : put_slot(t, c, ev);
        c->at += l->C;
        c->slot++;
    }
    if (c->slot == l->len[c->chunk]) {
        if (!sampled)
            ev = end_chunk(t, c, ev);
        c->chunk++;
        c->slot = 0;
    }
    return ev;
}

static int64_t fill_turn_staged(struct sp_trace *t, struct sp_trace_cursor *c)
{
    const struct sp_layout *l = t->layout;
    uint32_t *ev = t->event;
    for (int64_t steps = t->turn_steps; steps > 0; steps--) {
        if (!c->inside) {
            if (!enter_tile(l, c))
                break;
            ev = sp_trace_read_run(t, ev, SP_REGION_INDEX_PTR, c->unit, c->unit + 2, (size_t)block_B,
                                   t->every);
            ev = sp_trace_read_run(t, ev, SP_REGION_PTR, c->unit, c->unit + 1, l->s_p, t->every);
        }
        ev = c->entry < listed(l, c->unit) ? put_listed(t, c, ev) : do_slot(t, c, ev);
        if (++c->entry == c->entry_end)
            leave_tile(l, c);
    }
    return ev - t->event;
}

/* References of a block in the tile at hand, `n_steps` of which are listed columns, slots and empty
 * chunks. */
static int64_t references_of(const struct sp_layout *l, const struct sp_trace_cursor *c)
{
    const int64_t n_chunks = l->block[c->unit + 1].chunk - l->block[c->unit].chunk;
    const int64_t stored = sp_layout_ptr(l, c->unit + 1) - sp_layout_ptr(l, c->unit);
    const int64_t row = l->block[c->unit].chunk * l->C, end_row = l->block[c->unit + 1].chunk * l->C;
    int64_t first, end;
    tile_of(l, c, &first, &end);
    const int64_t width = end - first;
    int64_t n = 3 + n_chunks + listed(l, c->unit) * (1 + width + sp_layout_stage_ld(l));
    if (l->op != SP_OP_SDDMM)
        return n + stored * (2 + width) + ((end_row < l->n_r ? end_row : l->n_r) - row) * width;
    for (int64_t k = l->block[c->unit].chunk; k < l->block[c->unit + 1].chunk; k++)
        n += l->len[k] > 0 ? width : 0;
    return n + stored * (2 + width + (end == l->r));
}

static void measure_share_staged(const struct sp_trace *t, struct sp_trace_cursor *c)
{
    const struct sp_layout *l = t->layout;
    sp_cursor_reset(c);
    while (enter_tile(l, c)) {
        int64_t n_empty;
        c->n_steps += steps_of(l, c->unit, &n_empty);
        c->n_empty += n_empty;
        c->n_references += references_of(l, c);
        leave_tile(l, c);
    }
    sp_cursor_reset(c);
}

static int64_t events_bound_staged(const struct sp_trace *t)
{
    const struct sp_layout *l = t->layout;
    const int64_t ld = sp_layout_stage_ld(l);
    const int64_t part = t->every ? ld : ld * (int64_t)l->s_x / t->line_B + 2;
    return t->turn_steps * (8 + l->C * (4 + 3 * part)) + 16;
}

static int64_t steps_in_turn_staged(const struct sp_layout *l, int64_t entries)
{
    return sp_trace_steps_of(l, entries, sp_layout_stage_ld(l), l->C);
}

static void add_regions_staged(const struct sp_layout *l, int n_threads, int64_t bytes[SP_N_REGIONS])
{
    bytes[SP_REGION_INDEX_PTR] = (l->n_blocks + 1) * block_B;
    bytes[SP_REGION_LIST] = l->n_list * (int64_t)sizeof *l->list;
    bytes[SP_REGION_STAGE] = n_threads * sp_layout_stage_bytes(l);
}

static const struct sp_trace_kind staged_kind = {
    .fill_turn = fill_turn_staged,
    .measure_share = measure_share_staged,
    .events_bound = events_bound_staged,
    .steps_in_turn = steps_in_turn_staged,
    .add_regions = add_regions_staged,
};

/* SDDMM in tiles: the stream of references of a thread is, per block and tile of the width,
 * index_ptr of the block and the next one; per column that the block has: column_ptr (of the first
 * one also that before), col, that part of the row of B; per entry row_index, that part of the row
 * of A, from the second tile on P, at the last tile val; P. The pointers of columns are the region
 * LEN.
 *
 * A step is an entry of one tile, or an empty block. */

static int64_t n_slices(const struct sp_layout *l)
{
    return (l->r + l->T_k - 1) / l->T_k;
}

/* The part of row i of an operand that belongs to the cursor's tile. */
static uint32_t *put_part_tiled(const struct sp_trace *t, const struct sp_trace_cursor *c, uint32_t *ev,
                                int64_t base_B, int64_t i)
{
    const struct sp_layout *l = t->layout;
    const int64_t first = c->slice * l->T_k, end = first + l->T_k < l->r ? first + l->T_k : l->r;
    const int64_t row_B = base_B + i * l->r * (int64_t)l->s_x;
    return sp_trace_put_bytes(t, ev, SP_EVENT_TOUCH, row_B + first * (int64_t)l->s_x,
                              row_B + end * (int64_t)l->s_x, l->s_x);
}

/* Begins a walk through the block for one tile. */
static uint32_t *begin_tile(const struct sp_trace *t, struct sp_trace_cursor *c, uint32_t *ev)
{
    const struct sp_layout *l = t->layout;
    c->entry = sp_layout_ptr(l, c->unit);
    c->item = sp_layout_index_ptr(l, c->unit);
    ev = sp_trace_put_item(t, ev, SP_REGION_INDEX_PTR, c->unit, l->s_p);
    ev = sp_trace_put_item(t, ev, SP_REGION_INDEX_PTR, c->unit + 1, l->s_p);
    return c->entry < c->entry_end ? sp_trace_put_item(t, ev, SP_REGION_LEN, c->item, l->s_p) : ev;
}

static uint32_t *put_entry(const struct sp_trace *t, struct sp_trace_cursor *c, uint32_t *ev)
{
    const struct sp_layout *l = t->layout;
    const int64_t j = c->entry;
    const uint32_t p = (uint32_t)((t->y_base_B + j * (int64_t)l->s_y) >> t->line_shift);
    if (j == sp_layout_column_ptr(l, c->item)) {
        ev = sp_trace_put_item(t, ev, SP_REGION_LEN, c->item + 1, l->s_p);
        ev = sp_trace_put_item(t, ev, SP_REGION_INDICES, c->item, l->s_i);
        ev = put_part_tiled(t, c, ev, t->x_base_B, sp_layout_col(l, c->item));
        c->item++;
    }
    ev = sp_trace_put_item(t, ev, SP_REGION_ROW_INDEX, j, sizeof(uint16_t));
    ev = put_part_tiled(t, c, ev, t->rows_base_B, c->unit * l->T_i + sp_layout_row(l, j));
    if (c->slice > 0)
        ev = sp_trace_put(t, ev, SP_EVENT_TOUCH, p);
    if (c->slice + 1 == n_slices(l))
        ev = sp_trace_put_item(t, ev, SP_REGION_VALUES, j, l->s_a);
    return sp_trace_put(t, ev, SP_EVENT_WRITE, p);
}

static int64_t fill_turn_tiled(struct sp_trace *t, struct sp_trace_cursor *c)
{
    const struct sp_layout *l = t->layout;
    uint32_t *ev = t->event;
    for (int64_t steps = t->turn_steps; steps > 0; steps--) {
        if (!c->inside) {
            if (!sp_cursor_enter(l, c))
                break;
            ev = begin_tile(t, c, ev);
        }
        if (c->entry < c->entry_end) {
            ev = put_entry(t, c, ev);
            c->entry++;
        }
        if (c->entry < c->entry_end)
            continue;
        if (++c->slice < n_slices(l)) {
            ev = begin_tile(t, c, ev);
        } else {
            c->slice = 0;
            sp_cursor_leave(c);
        }
    }
    return ev - t->event;
}

static void measure_share_tiled(const struct sp_trace *t, struct sp_trace_cursor *c)
{
    const struct sp_layout *l = t->layout;
    const int64_t slices = n_slices(l);
    sp_cursor_reset(c);
    for (; sp_cursor_enter(l, c); sp_cursor_leave(c)) {
        const int64_t n = c->entry_end - c->entry;
        const int64_t columns = sp_layout_index_ptr(l, c->unit + 1) - sp_layout_index_ptr(l, c->unit);
        c->n_steps += (n > 0 ? n : 1) * slices;
        c->n_empty += (n == 0) * slices;
        c->n_references += slices * (2 + (n > 0) + 2 * columns + 3 * n) + l->r * (columns + n);
    }
    sp_cursor_reset(c);
}

static int64_t events_bound_tiled(const struct sp_trace *t)
{
    return t->turn_steps * (12 + 2 * sp_trace_row_lines(t));
}

static int64_t steps_in_turn_tiled(const struct sp_layout *l, int64_t entries)
{
    return sp_trace_steps_of(l, entries, l->T_k, 1);
}

static void add_regions_tiled(const struct sp_layout *l, int n_threads, int64_t bytes[SP_N_REGIONS])
{
    (void)n_threads;
    bytes[SP_REGION_ROW_INDEX] = l->n_stored * (int64_t)sizeof(uint16_t);
    bytes[SP_REGION_LEN] = (l->n_indices + 1) * (int64_t)l->s_p;
    bytes[SP_REGION_PTR] = 0;
}

static const struct sp_trace_kind tiled_kind = {
    .fill_turn = fill_turn_tiled,
    .measure_share = measure_share_tiled,
    .events_bound = events_bound_tiled,
    .steps_in_turn = steps_in_turn_tiled,
    .add_regions = add_regions_tiled,
};

const struct sp_format_model sp_format_model_staged = {.dense = &staged_kind};
const struct sp_format_model sp_format_model_tiled = {.dense = &tiled_kind};
