#include "model/trace/trace.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/option/option_words.h"
#include "model/trace/kinds.h"

static const enum sp_array array_of_region[SP_N_REGIONS] = {
    [SP_REGION_VALUES] = SP_ARRAY_VALUES,
    [SP_REGION_INDICES] = SP_ARRAY_INDICES,
    [SP_REGION_BASE] = SP_ARRAY_INDICES,
    [SP_REGION_PTR] = SP_ARRAY_POINTERS,
    [SP_REGION_LEN] = SP_ARRAY_POINTERS,
    [SP_REGION_N_UNIT] = SP_ARRAY_POINTERS,
    [SP_REGION_INDEX_PTR] = SP_ARRAY_POINTERS,
    [SP_REGION_LIST] = SP_ARRAY_INDICES,
    [SP_REGION_ROW_INDEX] = SP_ARRAY_INDICES,
    [SP_REGION_PERM] = SP_ARRAY_PERM,
    [SP_REGION_X] = SP_ARRAY_X,
    [SP_REGION_SECOND] = SP_ARRAY_X,
    [SP_REGION_ROWS] = SP_ARRAY_ROWS,
    [SP_REGION_Y] = SP_ARRAY_Y,
    [SP_REGION_STAGE] = SP_ARRAY_OTHER,
    [SP_REGION_OTHER] = SP_ARRAY_OTHER,
};

/* The kind of a layout; NULL: it has no trace. */
static const struct sp_trace_kind *kind_of(const struct sp_layout *l)
{
    const struct sp_format_model *m = sp_format_models[l->format];
    if (l->permuted || l->op == SP_OP_SPMV || (l->op == SP_OP_SPMMV && l->r == 1 && m->spmv))
        return m->spmv;
    return l->op == SP_OP_FUSEDMM ? m->fused : m->dense;
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
        int64_t n = t->kind->fill_turn(t, c);
        if (n > 0) {
            *piece = (struct sp_trace_piece){index, t->event, n};
            return true;
        }
    }
    return false;
}

bool sp_trace_is_divisible(const struct sp_trace *t)
{
    return t->kind != &sp_trace_walked;
}

int64_t sp_trace_most_events(const struct sp_trace *t)
{
    return t->kind->events_bound(t);
}

enum sp_status sp_trace_share(const struct sp_trace *t, struct sp_trace *share, struct sp_error *err)
{
    void *event;
    enum sp_status status = sp_new_array(sp_trace_most_events(t), sizeof *share->event,
                                         "the events of the simulation", &event, err);
    *share = *t;
    share->event = event;
    return status;
}

void sp_trace_share_free(struct sp_trace *share)
{
    free(share->event);
    memset(share, 0, sizeof *share);
}

int64_t sp_trace_share_fill(struct sp_trace *share, int index, int64_t turn)
{
    struct sp_trace_cursor c = share->cursor[index]; /* cursors of neighbours share lines of the cache */
    if (turn < c.start_turn || c.done)
        return 0;
    const int64_t n = share->kind->fill_turn(share, &c);
    share->cursor[index] = c;
    return n;
}

void sp_trace_rewind(struct sp_trace *t, int64_t turn)
{
    for (int i = 0; i < t->n_threads; i++) {
        struct sp_trace_cursor *c = &t->cursor[i];
        sp_cursor_reset(c);
        if (turn > c->start_turn && t->kind->skip)
            t->kind->skip(t->layout, c, (turn - c->start_turn) * t->turn_steps);
    }
    if (t->kind->rewind)
        t->kind->rewind(t);
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
    return left > 0 ? (double)left * t->kind->values_in_step_B(l) : 0;
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
    if (!t->kind->skip || !tail_suffices(t, 0, private_B, shared_B))
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

/* Bytes between the first and the last element of a dense operand of n rows, those included. */
static int64_t dense_B(const struct sp_layout *l, int64_t n, int64_t ld, size_t size)
{
    return (l->order == SP_COLUMN_MAJOR ? ld * l->r : n * ld) * (int64_t)size;
}

static void place_regions(struct sp_trace *t, const struct sp_trace_options *o)
{
    const struct sp_layout *l = t->layout;
    const int64_t guard = l->n_unit ? l->C : 0;
    const int64_t x_B = dense_B(l, l->n_c + 2 * guard, l->ld_x, l->s_x);
    const bool fused = l->op == SP_OP_FUSEDMM, sampled = l->op == SP_OP_SDDMM;
    int64_t bytes[SP_N_REGIONS] = {
        [SP_REGION_VALUES] = fused ? 0 : l->n_stored * (int64_t)l->s_a,
        [SP_REGION_INDICES] = l->n_indices * (int64_t)l->s_i,
        [SP_REGION_BASE] = l->n_bases * (int64_t)sizeof *l->base,
        [SP_REGION_PTR] = l->n_ptr * (int64_t)l->s_p,
        [SP_REGION_LEN] = l->len ? l->n_chunks * (int64_t)sizeof *l->len : 0,
        [SP_REGION_N_UNIT] = l->n_unit ? l->n_chunks * (int64_t)sizeof *l->n_unit : 0,
        [SP_REGION_INDEX_PTR] = l->index_ptr ? (l->n_chunks + 1) * (int64_t)l->s_p : 0,
        [SP_REGION_PERM] = l->perm ? l->n_chunks * l->C * (int64_t)sizeof *l->perm : 0,
        [SP_REGION_X] = x_B + (int64_t)o->x_offset_B + t->line_B,
        [SP_REGION_SECOND] = fused ? x_B : 0,
        [SP_REGION_ROWS] = fused || sampled ? l->n_r * l->r * (int64_t)l->s_x : 0,
        [SP_REGION_Y] = (sampled ? l->n_nz * (int64_t)l->s_y : dense_B(l, l->n_r, l->ld_y, l->s_y)) +
                        (int64_t)o->y_offset_B,
        [SP_REGION_OTHER] = o->between_B,
    };
    if (t->kind->add_regions)
        t->kind->add_regions(l, t->n_threads, bytes);
    if (t->kind->own_regions)
        t->kind->own_regions(o, t->line_B, bytes);
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
    t->second_base_B = t->first_line[SP_REGION_SECOND] * t->line_B;
    t->rows_base_B = t->first_line[SP_REGION_ROWS] * t->line_B;
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

static enum sp_status take_windows(struct sp_trace *t, struct sp_error *err)
{
    void *window;
    enum sp_status status =
        sp_new_array(t->n_threads, sizeof *t->window, "the rows in a new order", &window, err);
    if (status != SP_OK)
        return status;
    t->window = window;
    return sp_permuted_windows_make(t->layout->permuted, t->n_threads, t->window, err);
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
    t->kind = o->walk ? &sp_trace_walked : kind_of(layout);
    if (!t->kind)
        return sp_fail(err, SP_ABSENT, "take " SP_O_FORMAT " crs", "%s in format %s cannot be simulated",
                       sp_op_name(layout->op), sp_format_name(layout->format));
    t->line_B = line_B;
    t->line_shift = __builtin_ctz((unsigned)line_B);
    t->store_nt = o->store_nt;
    t->every = o->every;
    t->n_threads = o->n_threads ? o->n_threads : layout->partition.n_threads;
    t->turn_steps = o->turn_steps ? o->turn_steps : t->n_threads > 1 ? 64 : 1024;
    if (t->kind->steps_in_turn)
        t->turn_steps = t->kind->steps_in_turn(layout, t->turn_steps);
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
        status = sp_new_array(t->kind->events_bound(t), sizeof *t->event, "the events of the simulation",
                              (void **)&t->event, err);
    if (status == SP_OK && layout->permuted)
        status = take_windows(t, err);
    if (status != SP_OK) {
        sp_trace_close(t);
        return status;
    }
    for (int r = 0; r < SP_N_REGIONS; r++) {
        int64_t first = t->first_line[r], end = r + 1 < SP_N_REGIONS ? t->first_line[r + 1] : t->n_lines;
        memset(t->array_of_group + first / SP_LINES_PER_GROUP, array_of_region[r],
               (size_t)((end - first) / SP_LINES_PER_GROUP));
    }
    for (int i = 0; i < t->n_threads; i++) {
        t->cursor[i].index = i;
        t->cursor[i].thread = o->thread ? o->thread[i] : i;
        t->cursor[i].window = t->window ? &t->window[i] : NULL;
    }
    status = t->kind->begin ? t->kind->begin(t, o, err) : SP_OK;
    if (status != SP_OK) {
        sp_trace_close(t);
        return status;
    }
    static const int64_t parallel_from = 1000000;
#pragma omp parallel for schedule(dynamic, 1) if (layout->n_stored > parallel_from)
    for (int i = 0; i < t->n_threads; i++)
        t->kind->measure_share(t, &t->cursor[i]);
    int64_t start = 0;
    for (int i = 0; i < t->n_threads; i++) {
        struct sp_trace_cursor *c = &t->cursor[i];
        t->n_references += c->n_references;
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
    if (t->window)
        sp_permuted_windows_free(t->layout->permuted, t->n_threads, t->window);
    if (t->kind && t->kind->end)
        t->kind->end(t);
    free(t->window);
    free(t->array_of_group);
    free(t->cursor);
    free(t->event);
    memset(t, 0, sizeof *t);
}
