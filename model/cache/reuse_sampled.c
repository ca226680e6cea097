#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/cache/reuse.h"
#include "model/trace/kinds.h"
#include "sparse/csr/csr.h"
#include "sparse/csr/permute.h"
#include "sparse/csr/sort.h"

/* Of each 2^stratum consecutive lines one is followed: where x is read in runs, as in stencils and
 * bands, the sample then holds the same share of every run, which a line by line choice does only
 * on average. */
struct line_sample {
    int stratum; /* 1 ... 31 */
    uint32_t salt;
};

/* Lines are spread by a multiplication modulo 2^32 (Knuth's golden-ratio hashing) after a xor with
 * the seed. */
static uint32_t line_hash(struct line_sample sample, uint32_t line)
{
    uint32_t h = (line ^ sample.salt) * UINT32_C(0x9e3779b1);
    return (h ^ h >> 15) * UINT32_C(0x85ebca6b);
}

/* Lines are counted from the first one of x. */
static bool line_is_followed(struct line_sample sample, uint32_t line)
{
    uint32_t place = line & ((UINT32_C(1) << sample.stratum) - 1);
    return place == line_hash(sample, line >> sample.stratum) >> (32 - sample.stratum);
}

/* What is known of a line of x, so that an entry costs no hash. */
enum { TOUCHED = 1, FOLLOWED = 2 };

struct followed {
    int64_t n_r;
    int64_t *start; /* [n_r + 1] rows in the new order */
    int32_t *line;  /* [start[n_r]] ascending in a row, the line of each entry whose line is followed */
};

/* The lines listed for the entries [first, end) of the row, of which it has `length`: they count as
 * evenly spread over it. */
static void followed_part(const struct followed *list, int64_t row, int64_t length, int64_t first,
                          int64_t end, int64_t *from, int64_t *to)
{
    int64_t n = list->start[row + 1] - list->start[row];
    *from = list->start[row] + (first * n + length - 1) / length;
    *to = list->start[row] + (end * n + length - 1) / length;
}

/* The followed lines of x of each row of a permuted layout are found in one pass over the matrix as
 * it stands: a walk over its rows in the new order would jump through the whole of it, for a few of
 * its entries. */

/* Of each column of the matrix as it stands. */
struct listing {
    const struct sp_permuted *permuted;
    int32_t *line;       /* [n_c] its line in the new order where that is followed, else NOT_FOLLOWED */
    unsigned char *used; /* [n_c] an entry is in it */
    struct followed *list;
};
enum { NOT_FOLLOWED = -1 };

static uint32_t line_of(const struct sp_trace *t, const struct sp_permuted *p, int64_t column)
{
    const int64_t base_B = t->x_base_B - t->first_line[SP_REGION_X] * t->line_B;
    const int64_t place = sp_permuted_column(p, (int32_t)column) * (int64_t)t->layout->s_x;
    return (uint32_t)((base_B + place) >> t->line_shift);
}

static void choose_columns(const struct sp_trace *t, struct line_sample sample, struct listing *l)
{
#pragma omp parallel for schedule(static)
    for (int64_t j = 0; j < l->permuted->pattern.n_c; j++) {
        uint32_t line = line_of(t, l->permuted, j);
        l->line[j] = line_is_followed(sample, line) ? (int32_t)line : NOT_FOLLOWED;
    }
}

static void mark_touched(const struct sp_trace *t, const struct listing *l, uint8_t *seen)
{
    for (int64_t j = 0; j < l->permuted->pattern.n_c; j++)
        if (l->used[j])
            seen[line_of(t, l->permuted, j)] |= TOUCHED;
}

static void count_row(const struct listing *l, int64_t row, int64_t to)
{
    const struct sp_pattern *a = &l->permuted->pattern;
    int64_t n = 0;
    for (int64_t k = a->row_ptr[row]; k < a->row_ptr[row + 1]; k++) {
        int32_t j = sp_pattern_col(a, k);
        n += l->line[j] != NOT_FOLLOWED;
        if (!__atomic_load_n(&l->used[j], __ATOMIC_RELAXED))
            __atomic_store_n(&l->used[j], 1, __ATOMIC_RELAXED);
    }
    l->list->start[to + 1] = n;
}

static void list_row(const struct listing *l, int64_t row, int64_t to, int32_t *scratch)
{
    const struct sp_pattern *a = &l->permuted->pattern;
    const int64_t at = l->list->start[to], n = l->list->start[to + 1] - at;
    int64_t found = 0;
    for (int64_t k = a->row_ptr[row]; k < a->row_ptr[row + 1] && found < n; k++) {
        int32_t line = l->line[sp_pattern_col(a, k)];
        if (line != NOT_FOLLOWED)
            l->list->line[at + found++] = line;
    }
    sp_sort_i32(l->list->line + at, n, scratch + at);
}

/* Counts, then fills. */
static enum sp_status list_rows(const struct listing *l, struct sp_error *err)
{
    const int64_t n_r = l->permuted->pattern.n_r;
    int64_t *start = l->list->start;
    void *p, *scratch;
#pragma omp parallel for schedule(dynamic, 1024)
    for (int64_t row = 0; row < n_r; row++)
        count_row(l, row, sp_permuted_place(l->permuted, row));
    sp_prefix_sum(start, n_r);
    enum sp_status status = sp_large_alloc(NULL, start[n_r], sizeof(int32_t), "followed lines", &p, err);
    l->list->line = p;
    if (status == SP_OK)
        status = sp_large_alloc(NULL, start[n_r], sizeof(int32_t), "sorting lines", &scratch, err);
    if (status != SP_OK)
        return status;
#pragma omp parallel for schedule(dynamic, 1024)
    for (int64_t row = 0; row < n_r; row++)
        list_row(l, row, sp_permuted_place(l->permuted, row), scratch);
    sp_large_free(NULL, scratch, start[n_r], sizeof(int32_t));
    return SP_OK;
}

static void followed_free(struct followed *list)
{
    if (list->line)
        sp_large_free(NULL, list->line, list->start[list->n_r], sizeof *list->line);
    sp_large_free(NULL, list->start, list->n_r + 1, sizeof *list->start);
    memset(list, 0, sizeof *list);
}

/* seen[lines of x]: gets TOUCHED for every line that an entry is in. SP_MEMORY; zeroed then. */
static enum sp_status followed_list(const struct sp_trace *t, struct line_sample sample, uint8_t *seen,
                                    struct followed *list, struct sp_error *err)
{
    static const char what[] = "followed lines";
    const struct sp_permuted *p = t->layout->permuted;
    const int64_t n_r = p->pattern.n_r, n_c = p->pattern.n_c;
    void *start = NULL, *line = NULL, *used = NULL;
    *list = (struct followed){.n_r = n_r};
    enum sp_status status = sp_large_alloc(NULL, n_r + 1, sizeof(int64_t), what, &start, err);
    list->start = start;
    if (status == SP_OK)
        status = sp_large_alloc(NULL, n_c, sizeof(int32_t), what, &line, err);
    if (status == SP_OK)
        status = sp_large_alloc(NULL, n_c, 1, what, &used, err);
    if (status == SP_OK) {
        struct listing l = {p, line, used, list};
        choose_columns(t, sample, &l);
        status = list_rows(&l, err);
        mark_touched(t, &l, seen);
    }
    sp_large_free(NULL, line, n_c, sizeof(int32_t));
    sp_large_free(NULL, used, n_c, 1);
    if (status != SP_OK)
        followed_free(list);
    return status;
}

/* Stack distances of a sample of lines. Followed are lines of x, and of y where rows are permuted;
 * all other arrays stream by once an execution, so their share of a distance is the number of lines
 * that they moved on in between. */

#define ALWAYS_INLINE inline __attribute__((always_inline))

struct hit {
    uint32_t line;    /* from the first line of x on */
    int64_t streamed; /* lines that had streamed by */
};

struct pass {
    struct sp_trace *trace;
    struct sp_reuse_counts *counts;
    struct sp_stack stack;
    int64_t *streamed_at; /* [stack.n_lines] lines streamed by at the last touch */
    struct hit *order;    /* [n_order] first touches */
    int64_t n_order, room;
    uint8_t *seen; /* [lines of x] of TOUCHED and FOLLOWED */
    struct line_sample sample;
    struct followed listed; /* of a permuted layout */
    bool follow_y;
    double scale;
    int64_t streamed; /* by all threads */
    struct hit *hit;  /* [n_hits] of this turn */
    int64_t n_hits;
};

static int group_of(const struct pass *p, uint32_t line)
{
    return (int)(line_hash(p->sample, line ^ UINT32_C(0x5bd1e995)) >> 28);
}

/* Lines that a thread's streams have come past. */
static ALWAYS_INLINE int64_t streamed_crs(const struct sp_trace *t, int64_t entry, int64_t row)
{
    const struct sp_layout *l = t->layout;
    int64_t y = t->store_nt ? 0 : row * (int64_t)l->s_y;
    int64_t base = l->base ? row * (int64_t)sizeof *l->base : 0;
    return (entry * (int64_t)l->s_a >> t->line_shift) + (entry * (int64_t)l->s_i >> t->line_shift) +
           (row * (int64_t)l->s_p >> t->line_shift) + (base >> t->line_shift) + (y >> t->line_shift);
}

/* The entries up to `stop` of the cursor's row; origin: lines that had streamed by at the start of
 * streams. */
static ALWAYS_INLINE void take_entries(struct pass *p, const struct sp_trace_cursor *c, int64_t stop,
                                       int64_t origin, const enum sp_index index, const int x_shift)
{
    const struct sp_trace *t = p->trace;
    const struct sp_columns columns = sp_cursor_columns(t->layout, c);
    const int64_t base_B = t->x_base_B - t->first_line[SP_REGION_X] * t->line_B;
    uint32_t before = UINT32_MAX;
    for (int64_t k = c->entry; k < stop; k++) {
        const int64_t column = sp_column_at(columns, k, index);
        uint32_t line = (uint32_t)((base_B + column * (INT64_C(1) << x_shift)) >> t->line_shift);
        if (line == before)
            continue;
        before = line;
        const uint8_t seen = p->seen[line];
        p->seen[line] = seen | TOUCHED;
        if (seen & FOLLOWED)
            p->hit[p->n_hits++] = (struct hit){line, origin + streamed_crs(t, k, c->unit)};
    }
}

/* The same where the lines of the row were listed. */
static void take_listed(struct pass *p, const struct sp_trace_cursor *c, int64_t stop, int64_t origin)
{
    if (stop == c->entry)
        return;
    const int64_t first = sp_layout_ptr(p->trace->layout, c->unit);
    const int64_t length = sp_layout_ptr(p->trace->layout, c->unit + 1) - first;
    int64_t from, to;
    followed_part(&p->listed, c->unit, length, c->entry - first, stop - first, &from, &to);
    for (int64_t k = from; k < to; k++)
        if (k == from || p->listed.line[k] != p->listed.line[k - 1])
            p->hit[p->n_hits++] =
                (struct hit){(uint32_t)p->listed.line[k], origin + streamed_crs(p->trace, c->entry, c->unit)};
}

static ALWAYS_INLINE void turn_crs(struct pass *p, struct sp_trace_cursor *c, const enum sp_index index,
                                   const int x_shift)
{
    struct sp_trace *t = p->trace;
    const struct sp_layout *l = t->layout;
    int64_t start = -1, at = 0;
    for (int64_t steps = t->turn_steps; steps > 0;) {
        if (!c->inside) {
            if (!sp_cursor_enter(l, c))
                break;
            if (c->entry == c->entry_end)
                steps--;
            if (c->begins && start >= 0) {
                p->streamed += at - start;
                start = -1;
            }
        }
        if (start < 0)
            start = streamed_crs(t, c->entry, c->unit);
        int64_t stop = c->entry_end - c->entry < steps ? c->entry_end : c->entry + steps;
        if (l->permuted)
            take_listed(p, c, stop, p->streamed - start);
        else
            take_entries(p, c, stop, p->streamed - start, index, x_shift);
        steps -= stop - c->entry;
        c->entry = stop;
        at = streamed_crs(t, stop, c->unit + (stop == c->entry_end));
        if (c->entry < c->entry_end)
            break;
        if (t->store_nt) {
            int64_t line = (t->y_base_B + c->unit * (int64_t)l->s_y) >> t->line_shift;
            t->nt_lines += line != c->nt_line;
            c->nt_line = line;
        }
        sp_cursor_leave(c);
    }
    if (start >= 0)
        p->streamed += at - start;
}

static int64_t streamed_sell(const struct sp_trace *t, int64_t chunk, int64_t slot, bool follow_y)
{
    const struct sp_layout *l = t->layout;
    const bool unit = l->n_unit != NULL;
    int64_t entry = sp_layout_ptr(l, chunk), index = unit ? sp_layout_index_ptr(l, chunk) : entry;
    if (slot > 0) {
        int64_t n_unit = unit ? l->n_unit[chunk] : 0;
        index += slot < n_unit ? slot : n_unit + (slot - n_unit) * l->C;
        entry += slot * l->C;
    }
    int64_t head = unit ? 2 * (int64_t)(l->s_p + 4) : (int64_t)l->s_p + 4;
    int64_t lanes = chunk * l->C;
    int64_t n = (entry * (int64_t)l->s_a >> t->line_shift) + (index * (int64_t)l->s_i >> t->line_shift) +
                (chunk * head >> t->line_shift);
    if (l->base)
        n += entry / l->C * (int64_t)sizeof *l->base >> t->line_shift;
    if (l->perm)
        n += lanes * (int64_t)sizeof *l->perm >> t->line_shift;
    if (!follow_y && !t->store_nt)
        n += lanes * (int64_t)l->s_y >> t->line_shift;
    return n;
}

static void slot_sell(struct pass *p, int64_t chunk, int64_t slot, int64_t streamed)
{
    const struct sp_trace *t = p->trace;
    const struct sp_layout *l = t->layout;
    const int64_t base_B = t->x_base_B - t->first_line[SP_REGION_X] * t->line_B;
    const bool unit = l->n_unit != NULL;
    const int64_t n_unit = unit ? l->n_unit[chunk] : 0;
    int64_t index = sp_layout_ptr(l, chunk) + slot * l->C;
    if (unit)
        index = sp_layout_index_ptr(l, chunk) + (slot < n_unit ? slot : n_unit + (slot - n_unit) * l->C);
    uint32_t before = UINT32_MAX;
    for (int64_t lane = 0; lane < l->C; lane++) {
        int64_t column =
            slot < n_unit ? sp_layout_col(l, index) + lane : sp_layout_col_in(l, index + lane, index / l->C);
        uint32_t line = (uint32_t)((base_B + column * (int64_t)l->s_x) >> t->line_shift);
        if (line == before)
            continue;
        before = line;
        p->hit[p->n_hits] = (struct hit){line, streamed};
        p->n_hits += (p->seen[line] & FOLLOWED) != 0;
        p->seen[line] |= TOUCHED;
    }
}

static void rows_sell(struct pass *p, struct sp_trace_cursor *c, int64_t streamed)
{
    struct sp_trace *t = p->trace;
    const struct sp_layout *l = t->layout;
    const int64_t from = t->first_line[SP_REGION_X];
    int64_t first = c->unit * l->C;
    for (int64_t i = first; i < first + l->C; i++) {
        int64_t row = l->perm ? l->perm[i] : i < l->n_r ? i : -1;
        if (row < 0)
            continue;
        int64_t line = (t->y_base_B + row * (int64_t)l->s_y) >> t->line_shift;
        if (t->store_nt) {
            t->nt_lines += line != c->nt_line;
            c->nt_line = line;
        } else if (p->follow_y) {
            p->hit[p->n_hits] = (struct hit){(uint32_t)(line - from), streamed};
            p->n_hits += line_is_followed(p->sample, (uint32_t)(line - from));
        }
    }
}

static void turn_sell(struct pass *p, struct sp_trace_cursor *c)
{
    struct sp_trace *t = p->trace;
    const struct sp_layout *l = t->layout;
    int64_t start = -1, at = 0;
    for (int64_t slots = t->turn_steps; slots > 0;) {
        if (!c->inside) {
            if (!sp_cursor_enter(l, c))
                break;
            if (c->entry == c->entry_end)
                slots--;
            if (c->begins && start >= 0) {
                p->streamed += at - start;
                start = -1;
            }
        }
        if (start < 0)
            start = streamed_sell(t, c->unit, c->entry, p->follow_y);
        for (; c->entry < c->entry_end && slots > 0; slots--, c->entry++)
            slot_sell(p, c->unit, c->entry,
                      p->streamed - start + streamed_sell(t, c->unit, c->entry, p->follow_y));
        at = streamed_sell(t, c->unit, c->entry, p->follow_y);
        if (c->entry < c->entry_end)
            break;
        at = streamed_sell(t, c->unit + 1, 0, p->follow_y);
        rows_sell(p, c, p->streamed - start + at);
        sp_cursor_leave(c);
    }
    if (start >= 0)
        p->streamed += at - start;
}

static enum sp_status remember_first(struct pass *p, struct hit hit, struct sp_error *err)
{
    if (p->n_order == p->room) {
        int64_t room = 2 * p->room + 4096;
        struct hit *grown = realloc(p->order, (size_t)room * sizeof *grown);
        if (!grown)
            return sp_fail(err, SP_MEMORY, "free memory", "no memory for the order of first touches");
        p->order = grown;
        p->room = room;
    }
    p->order[p->n_order++] = hit;
    return SP_OK;
}

static int64_t distance(const struct pass *p, struct hit hit)
{
    double followed = (double)sp_stack_after(&p->stack, p->stack.place[hit.line]) * p->scale;
    return (int64_t)followed + hit.streamed - p->streamed_at[hit.line];
}

static enum sp_reuse_kind kind_of(const struct pass *p, uint32_t line)
{
    return (int64_t)line < p->trace->first_line[SP_REGION_Y] - p->trace->first_line[SP_REGION_X] ? SP_REUSE_X
                                                                                                 : SP_REUSE_Y;
}

static enum sp_status follow(struct pass *p, struct sp_error *err)
{
    struct sp_stack *s = &p->stack;
    for (int64_t i = 0; i < p->n_hits; i++) {
        struct hit h = p->hit[i];
        enum sp_reuse_kind kind = kind_of(p, h.line);
        if (s->place[h.line] == SP_STACK_NEW) {
            p->counts->first[kind][group_of(p, h.line)]++;
            enum sp_status status = remember_first(p, h, err);
            if (status != SP_OK)
                return status;
        } else {
            p->counts->within[kind][group_of(p, h.line)][sp_stack_bucket(distance(p, h))]++;
            sp_stack_remove(s, s->place[h.line]);
        }
        sp_stack_append(s, h.line);
        p->streamed_at[h.line] = h.streamed;
    }
    return SP_OK;
}

static void follow_next(struct pass *p, int64_t between_lines)
{
    struct sp_stack *s = &p->stack;
    for (int64_t i = 0; i < p->n_order; i++) {
        struct hit h = p->order[i];
        h.streamed += p->streamed; /* in the execution after this one */
        int64_t d = distance(p, h) + between_lines;
        p->counts->across[kind_of(p, h.line)][group_of(p, h.line)][sp_stack_bucket(d)]++;
        sp_stack_remove(s, s->place[h.line]);
        sp_stack_append(s, h.line);
    }
}

static void fill_turn(struct pass *p, struct sp_trace_cursor *c)
{
    const struct sp_layout *l = p->trace->layout;
    int x_shift = __builtin_ctzll(l->s_x);
    p->n_hits = 0;
    if (l->len)
        turn_sell(p, c);
    else if (l->index == SP_I64)
        turn_crs(p, c, SP_I64, x_shift);
    else if (l->index == SP_D16)
        turn_crs(p, c, SP_D16, x_shift);
    else if (x_shift == 3)
        turn_crs(p, c, SP_I32, 3);
    else
        turn_crs(p, c, SP_I32, x_shift);
}

static enum sp_status walk(struct pass *p, struct sp_domains *domains, int domain, struct sp_error *err)
{
    struct sp_trace *t = p->trace;
    sp_trace_rewind(t, 0);
    for (; t->turn < t->n_turns; t->turn++) {
        for (int i = 0; i < t->n_threads; i++) {
            struct sp_trace_cursor *c = &t->cursor[i];
            if (t->turn < c->start_turn || c->done)
                continue;
            fill_turn(p, c);
            enum sp_status status = follow(p, err);
            if (status != SP_OK)
                return status;
        }
        if (t->turn % 1024 == 1023 &&
            sp_domains_interrupted(domains, domain, (double)t->turn / (double)t->n_turns))
            return sp_fail(err, SP_INTERRUPTED, NULL, "the reuse analysis was interrupted");
    }
    return SP_OK;
}

static void finish(struct pass *p)
{
    struct sp_trace *t = p->trace;
    struct sp_reuse_counts *n = p->counts;
    int64_t n_x = t->first_line[SP_REGION_Y] - t->first_line[SP_REGION_X], followed_y = 0;
    for (int64_t i = 0; i < n_x; i++)
        n->n_x_lines += p->seen[i] & TOUCHED;
    for (int g = 0; g < SP_REUSE_GROUPS; g++) {
        n->n_followed += n->first[SP_REUSE_X][g];
        followed_y += n->first[SP_REUSE_Y][g];
    }
    n->n_groups = SP_REUSE_GROUPS;
    /* The number of lines is known: what the sample stands for is corrected to it. */
    n->weight = n->n_followed ? (double)n->n_x_lines / (double)n->n_followed : 1;
    n->stream_lines = p->streamed;
    for (int i = 0; i < t->n_threads && !p->follow_y && !t->store_nt; i++) {
        int64_t cursor = 0, first, end, rows = 0, of_unit = t->layout->len ? t->layout->C : 1;
        while (sp_partition_next(&t->layout->partition, t->cursor[i].thread, &cursor, &first, &end))
            rows += (end - first) * of_unit;
        n->stream_y_lines += rows * (int64_t)t->layout->s_y >> t->line_shift;
    }
    n->nt_lines = t->nt_lines;
    n->footprint = n->stream_lines + n->n_x_lines + (int64_t)((double)followed_y * n->weight);
    n->n_references = t->n_references;
}

enum sp_status sp_reuse_count_sampled(struct sp_trace *t, const struct sp_reuse_options *o, double rate,
                                      struct sp_domains *domains, int domain, struct sp_reuse_counts *counts,
                                      struct sp_error *err)
{
    static const char what[] = "the sampled reuse distances";
    const struct sp_layout *l = t->layout;
    struct pass p = {.trace = t, .counts = counts, .sample.stratum = 1};
    while (p.sample.stratum < 31 && ldexp(1, -p.sample.stratum) > rate)
        p.sample.stratum++;
    p.scale = ldexp(1, p.sample.stratum);
    p.sample.salt = (uint32_t)(o->seed * UINT64_C(0x9e3779b97f4a7c15) >> 32);
    p.follow_y = l->perm && !t->store_nt;
    int64_t n_x = t->first_line[SP_REGION_Y] - t->first_line[SP_REGION_X];
    int64_t n_lines = t->first_line[SP_REGION_OTHER] - t->first_line[SP_REGION_X];
    int64_t per_turn = !l->len ? t->turn_steps : 2 * t->turn_steps * (int64_t)l->C;
    enum sp_status status = sp_stack_make(n_lines, &p.stack, err);
    if (status == SP_OK)
        status = sp_new_array(n_lines, sizeof *p.streamed_at, what, (void **)&p.streamed_at, err);
    if (status == SP_OK)
        status = sp_new_array(n_x, 1, what, (void **)&p.seen, err);
    if (status == SP_OK)
        status = sp_new_array(per_turn + 2 * (int64_t)(l->C > 0 ? l->C : 1) + 2, sizeof *p.hit, what,
                              (void **)&p.hit, err);
    for (int64_t line = 0; status == SP_OK && line < n_x; line++)
        p.seen[line] = line_is_followed(p.sample, (uint32_t)line) ? FOLLOWED : 0;
    if (status == SP_OK && l->permuted)
        status = followed_list(t, p.sample, p.seen, &p.listed, err);
    if (status == SP_OK)
        status = walk(&p, domains, domain, err);
    if (status == SP_OK) {
        follow_next(&p, o->between_B / t->line_B);
        finish(&p);
    }
    followed_free(&p.listed);
    sp_stack_free(&p.stack);
    free(p.streamed_at);
    free(p.seen);
    free(p.order);
    free(p.hit);
    return status;
}
