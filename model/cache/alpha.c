#include "model/cache/alpha.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sparse/csr/permute.h"
#include "sparse/formats/format.h"

/* Waking threads costs more than walking fewer entries than this. */
static const int64_t parallel_from = 100000;

/* One byte a granule and domain; threads only ever write 1, so relaxed stores suffice. A granule is
 * a line, or a whole row of the dense operand where rows are whole lines. */
struct touched {
    unsigned char *map; /* [n_granules] of the domain at hand */
    int64_t offset_B;   /* of x[0] from the start of granule 0, guard entries make it large enough */
    int64_t granule_B;
    int shift;     /* granule_B = 2^shift; -1: it is no power of 2 */
    int64_t row_B; /* from one row of the operand to the next; all of it is read */
    bool spans;    /* a row may touch several granules */
};

static inline void mark(const struct touched *t, int64_t granule)
{
    if (!__atomic_load_n(&t->map[granule], __ATOMIC_RELAXED))
        __atomic_store_n(&t->map[granule], 1, __ATOMIC_RELAXED);
}

/* A division for each entry would be most of the work. */
static inline int64_t granule_of(const struct touched *t, int64_t at_B)
{
    return t->shift >= 0 ? at_B >> t->shift : at_B / t->granule_B;
}

static inline void touch(const struct touched *t, int64_t col, int64_t *last)
{
    int64_t at_B = t->offset_B + col * t->row_B, first = granule_of(t, at_B);
    for (int64_t end = t->spans ? granule_of(t, at_B + t->row_B - 1) : first; first < end; first++)
        mark(t, first);
    if (first == *last)
        return;
    *last = first;
    mark(t, first);
}

/* 16-bit offsets of the groups (rows of CRS, slots of SELL) [first, end). */
static void touch_offsets(const struct sp_layout *l, const struct touched *t, int64_t first, int64_t end)
{
    const bool crs = sp_format_of(l->format)->plain_rows;
    int64_t last = -1;
    for (int64_t g = first; g < end; g++) {
        const int64_t to = crs ? sp_layout_ptr(l, g + 1) : (g + 1) * l->C;
        for (int64_t i = crs ? sp_layout_ptr(l, g) : g * l->C; i < to; i++)
            touch(t, sp_layout_col_in(l, i, g), &last);
    }
}

/* Items [first, end) of col. A value may straddle two lines only when x is not aligned to its size,
 * which no kernel does. */
static void touch_indices(const struct sp_layout *l, const struct touched *t, int64_t first, int64_t end)
{
    int64_t last = -1;
    if (l->index == SP_I32) {
        const int32_t *col = l->col;
        for (int64_t i = first; i < end; i++)
            touch(t, col[i], &last);
    } else {
        const int64_t *col = l->col;
        for (int64_t i = first; i < end; i++)
            touch(t, col[i], &last);
    }
}

/* STAGED reads the rows of X that it lists. */
static void touch_list(const struct sp_layout *l, const struct touched *t, int64_t first, int64_t end)
{
    int64_t last = -1;
    for (int64_t i = first; i < end; i++)
        touch(t, l->list[i], &last);
}

static void touch_unit_chunks(const struct sp_layout *l, const struct touched *t, int64_t first, int64_t end)
{
    for (int64_t k = first; k < end; k++) {
        int64_t base = sp_layout_index_ptr(l, k), n_unit = l->n_unit[k];
        int64_t last = -1;
        for (int64_t j = 0; j < n_unit; j++) {
            int64_t b = sp_layout_col(l, base + j);
            for (int32_t lane = 0; lane < l->C; lane++)
                touch(t, b + lane, &last);
        }
        touch_indices(l, t, base + n_unit, base + n_unit + (l->len[k] - n_unit) * l->C);
    }
}

/* The columns of whole blocks, as far as x goes. */
static void touch_blocks(const struct sp_layout *l, const struct touched *t, int64_t first, int64_t end)
{
    for (int64_t b = first; b < end; b++) {
        int64_t from = sp_layout_col(l, b) * l->b_w, to = from + l->b_w < l->n_c ? from + l->b_w : l->n_c;
        int64_t last = -1;
        for (int64_t col = from; col < to; col++)
            touch(t, col, &last);
    }
}

/* The entries [first, end) of the rows [row, stop) in another order. */
static void touch_permuted(const struct sp_layout *l, const struct touched *t,
                           struct sp_permuted_window *window, int64_t row, int64_t stop, int64_t first,
                           int64_t end)
{
    int64_t last = -1;
    for (; row < stop; row = window->end) {
        sp_permuted_window_to(l->permuted, window, row, stop);
        const int64_t origin = sp_layout_ptr(l, row), past = sp_layout_ptr(l, window->end);
        for (int64_t k = origin > first ? origin : first; k < past && k < end; k++)
            touch(t, window->col[k - origin], &last);
    }
}

/* What touch_thread() does of a permuted layout. */
static void touch_thread_permuted(const struct sp_layout *l, const struct touched *t, int thread,
                                  struct sp_permuted_window *window)
{
    const struct sp_partition *p = &l->partition;
    int64_t cursor = 0, first, end;
    if (p->schedule == SP_SCHEDULE_MERGE) {
        end = p->begin[thread + 1] < l->n_r ? p->begin[thread + 1] + 1 : l->n_r;
        touch_permuted(l, t, window, p->begin[thread], end, p->entry_begin[thread],
                       p->entry_begin[thread + 1]);
        return;
    }
    while (sp_partition_next(p, thread, &cursor, &first, &end))
        touch_permuted(l, t, window, first, end, 0, l->n_nz);
}

/* What stands for its mirror image reads x of its rows too. */
static void touch_rows(const struct touched *t, int64_t first, int64_t end)
{
    int64_t last = -1;
    for (int64_t row = first; row < end; row++)
        touch(t, row, &last);
}

static void touch_thread(const struct sp_layout *l, const struct touched *t, int thread)
{
    const struct sp_format_kind *kind = sp_format_of(l->format);
    const struct sp_partition *p = &l->partition;
    int64_t cursor = 0, first, end;
    if (p->schedule == SP_SCHEDULE_MERGE) {
        touch_indices(l, t, p->entry_begin[thread], p->entry_begin[thread + 1]);
        return;
    }
    while (sp_partition_next(p, thread, &cursor, &first, &end)) {
        if (l->base && kind->plain_rows)
            touch_offsets(l, t, first, end);
        else if (l->base)
            touch_offsets(l, t, sp_layout_ptr(l, first) / l->C, sp_layout_ptr(l, end) / l->C);
        else if (kind->unit_slots)
            touch_unit_chunks(l, t, first, end);
        else if (l->block)
            touch_list(l, t, l->block[first].list, l->block[end].list);
        else if (l->column_ptr)
            touch_indices(l, t, sp_layout_index_ptr(l, first), sp_layout_index_ptr(l, end));
        else if (kind->in_blocks)
            touch_blocks(l, t, sp_layout_ptr(l, first), sp_layout_ptr(l, end));
        else
            touch_indices(l, t, sp_layout_ptr(l, first), sp_layout_ptr(l, end));
        if (kind->mirrored)
            touch_rows(t, first, end);
    }
}

static void count_granules(const unsigned char *map, int n_domains, int64_t n_granules, int64_t *all,
                           int64_t *once_out)
{
    int64_t some = 0, once = 0;
#pragma omp parallel for schedule(static) reduction(+ : some, once) if (n_granules > parallel_from)
    for (int64_t i = 0; i < n_granules; i++) {
        int seen = 0;
        for (int d = 0; d < n_domains; d++)
            seen += map[d * n_granules + i];
        some += seen;
        once += seen > 0;
    }
    *all = some;
    *once_out = once;
}

/* Columns in front of x and behind it that bases as low as -C reach. */
static int64_t guard_of(const struct sp_layout *l)
{
    return sp_format_of(l->format)->unit_slots ? l->C : 0;
}

/* Where the rows of the operand lie in granules; the map is the caller's. *weight: lines that a
 * granule stands for, in all the arrays that are gathered from. */
static struct touched granules_of(const struct sp_layout *l, int line_B, size_t x_offset_B, int64_t *weight)
{
    const bool columns = l->order == SP_COLUMN_MAJOR; /* each column alike, on lines of its own */
    const int64_t row_B = (columns ? 1 : l->r) * (int64_t)l->s_x;
    const bool whole = x_offset_B == 0 && row_B % line_B == 0;
    const int64_t granule_B = whole ? row_B : line_B;
    /* Whole granules in front of x. */
    const int64_t guard_B = (guard_of(l) * row_B + granule_B - 1) / granule_B * granule_B;
    *weight = granule_B / line_B * (columns ? l->r : 1) * (l->op == SP_OP_FUSEDMM ? 2 : 1);
    return (struct touched){.offset_B = guard_B + (int64_t)x_offset_B,
                            .granule_B = granule_B,
                            .shift = (granule_B & (granule_B - 1)) == 0 ? __builtin_ctzll((uint64_t)granule_B)
                                                                        : -1,
                            .row_B = row_B,
                            .spans = !whole && row_B > (int64_t)l->s_x};
}

/* What each thread's accesses touch, into the map of its domain: map[n_domains][n]. */
static enum sp_status touch_all(const struct sp_layout *l, int n_domains, const int *domain_of_thread,
                                const struct touched *granules, int64_t n, unsigned char *map,
                                struct sp_error *err)
{
    struct sp_permuted_window *window = NULL;
    (void)n_domains; /* for the assertion alone */
    if (l->permuted) {
        enum sp_status status = sp_new_array(l->partition.n_threads, sizeof *window, "rows in a new order",
                                             (void **)&window, err);
        if (status == SP_OK)
            status = sp_permuted_windows_make(l->permuted, l->partition.n_threads, window, err);
        if (status != SP_OK) {
            free(window);
            return status;
        }
    }
#pragma omp parallel for schedule(dynamic, 1) if (l->n_stored > parallel_from)
    for (int thread = 0; thread < l->partition.n_threads; thread++) {
        int domain = domain_of_thread ? domain_of_thread[thread] : 0;
        assert(domain >= 0 && domain < n_domains);
        struct touched t = *granules;
        t.map = map + domain * n;
        if (window)
            touch_thread_permuted(l, &t, thread, &window[thread]);
        else
            touch_thread(l, &t, thread);
    }
    if (window)
        sp_permuted_windows_free(l->permuted, l->partition.n_threads, window);
    free(window);
    return SP_OK;
}

static void set_alpha(const struct sp_layout *l, int line_B, struct sp_alpha_min *out)
{
    out->alpha = (double)line_B * (double)out->lines / sp_layout_gather_bytes(l);
    out->alpha_once = (double)line_B * (double)out->lines_once / sp_layout_gather_bytes(l);
}

enum sp_status sp_alpha_min_layout(const struct sp_layout *l, int n_domains, const int *domain_of_thread,
                                   int line_B, size_t x_offset_B, int64_t *lines_of, struct sp_alpha_min *out,
                                   struct sp_error *err)
{
    assert(n_domains >= 1 && line_B >= 1 && x_offset_B < (size_t)line_B);
    memset(out, 0, sizeof *out);
    for (int d = 0; lines_of && d < n_domains; d++)
        lines_of[d] = 0;
    if (l->n_nz == 0)
        return SP_OK;
    int64_t weight;
    const struct touched t = granules_of(l, line_B, x_offset_B, &weight);
    const int64_t n_granules = (t.offset_B + (l->n_c + guard_of(l)) * t.row_B) / t.granule_B + 1;
    void *memory;
    enum sp_status status = sp_new_array(n_domains * n_granules, 1, "lines of x", &memory, err);
    if (status != SP_OK)
        return status;
    unsigned char *map = memory;
    status = touch_all(l, n_domains, domain_of_thread, &t, n_granules, map, err);
    if (status != SP_OK) {
        free(map);
        return status;
    }
    int64_t all, once;
    count_granules(map, n_domains, n_granules, &all, &once);
    out->lines = all * weight;
    out->lines_once = once * weight;
    for (int d = 0; lines_of && d < n_domains; d++)
        for (int64_t i = 0; i < n_granules; i++)
            lines_of[d] += map[d * n_granules + i] * weight;
    free(map);
    set_alpha(l, line_B, out);
    return SP_OK;
}

/* ---- of several widths ---- */

enum sp_status sp_touched_columns_make(const struct sp_layout *l, int n_domains, const int *domain_of_thread,
                                       struct sp_touched_columns *out, struct sp_error *err)
{
    void *memory;
    *out = (struct sp_touched_columns){.n_domains = n_domains, .guard = guard_of(l)};
    out->n = l->n_c + 2 * out->guard;
    enum sp_status status = sp_new_array(n_domains * out->n, 1, "columns of x", &memory, err);
    if (status != SP_OK)
        return status;
    out->map = memory;
    const struct touched one = {.offset_B = out->guard, .granule_B = 1, .row_B = 1};
    status = touch_all(l, n_domains, domain_of_thread, &one, out->n, out->map, err);
    if (status != SP_OK)
        sp_touched_columns_free(out);
    return status;
}

void sp_touched_columns_free(struct sp_touched_columns *c)
{
    free(c->map);
    memset(c, 0, sizeof *c);
}

/* Granules of a range of columns, which ascend: how many there are, the first and the last one; -1:
 * none. */
struct stretch {
    int64_t n, first, last;
};

static inline void add_granules(struct stretch *s, int64_t first, int64_t last)
{
    s->n += last - (first > s->last ? first : s->last + 1) + 1;
    s->first = s->first < 0 ? first : s->first;
    s->last = last;
}

/* Both stretches, the later one behind the earlier, with a granule that they share counted once. */
static struct stretch join(struct stretch a, struct stretch b)
{
    if (a.last < 0 || b.last < 0)
        return a.last < 0 ? b : a;
    return (struct stretch){a.n + b.n - (a.last == b.first), a.first, b.last};
}

/* The columns [first, end), all of them touched, lie one behind the other. */
static void add_columns(struct stretch *s, const struct sp_touched_columns *c, const struct touched *t,
                        int64_t first, int64_t end)
{
    const int64_t from_B = t->offset_B + (first - c->guard) * t->row_B,
                  last_B = t->offset_B + (end - 1 - c->guard) * t->row_B;
    add_granules(s, granule_of(t, from_B), granule_of(t, t->spans ? last_B + t->row_B - 1 : last_B));
}

/* Of map[n], which says of the columns from `begin` on whether they are touched. */
static void walk_map(const unsigned char *map, int64_t n, int64_t begin, const struct sp_touched_columns *c,
                     const struct touched *t, struct stretch *s)
{
    for (int64_t i = 0; i < n; i++) {
        if (!map[i])
            continue;
        const unsigned char *gap = memchr(map + i, 0, (size_t)(n - i));
        const int64_t end = gap ? gap - map : n;
        add_columns(s, c, t, begin + i, begin + end);
        i = end;
    }
}

/* Those of the columns [begin, end) of each domain, out[n_domains], and of all of them. */
static void walk_columns(const struct sp_touched_columns *c, const struct touched *t, int64_t begin,
                         int64_t end, struct stretch *out, struct stretch *once)
{
    enum { BLOCK = 4096 };
    unsigned char any[BLOCK];
    for (int64_t at = begin; at < end; at += BLOCK) {
        const int64_t n = end - at < BLOCK ? end - at : BLOCK;
        memset(any, 0, sizeof any);
        for (int d = 0; d < c->n_domains; d++) {
            const unsigned char *map = c->map + d * c->n + at;
            walk_map(map, n, at, c, t, &out[d]);
            for (int64_t i = 0; i < n; i++)
                any[i] |= map[i];
        }
        walk_map(any, n, at, c, t, once);
    }
}

enum sp_status sp_alpha_min_touched(const struct sp_touched_columns *c, const struct sp_layout *l, int line_B,
                                    size_t x_offset_B, struct sp_alpha_min *out, struct sp_error *err)
{
    enum { PARTS = 16 };
    const int n_each = c->n_domains + 1; /* the last one: of all domains */
    void *memory;
    int64_t weight;
    memset(out, 0, sizeof *out);
    if (l->n_nz == 0)
        return SP_OK;
    const struct touched t = granules_of(l, line_B, x_offset_B, &weight);
    enum sp_status status =
        sp_new_array((int64_t)PARTS * n_each, sizeof(struct stretch), "stretches of x", &memory, err);
    if (status != SP_OK)
        return status;
    struct stretch *part = memory;
    for (int i = 0; i < PARTS * n_each; i++)
        part[i] = (struct stretch){0, -1, -1};
#pragma omp parallel for schedule(dynamic, 1) if (c->n > parallel_from)
    for (int k = 0; k < PARTS; k++)
        walk_columns(c, &t, c->n * k / PARTS, c->n * (k + 1) / PARTS, part + k * n_each,
                     part + k * n_each + c->n_domains);
    for (int d = 0; d < n_each; d++) {
        struct stretch whole = part[d];
        for (int k = 1; k < PARTS; k++)
            whole = join(whole, part[k * n_each + d]);
        *(d < c->n_domains ? &out->lines : &out->lines_once) += whole.n * weight;
    }
    free(part);
    set_alpha(l, line_B, out);
    return SP_OK;
}

double sp_alpha_min_sizes(int64_t n_c, int64_t n_nz)
{
    assert(n_c >= 0 && n_nz >= 0);
    return n_nz ? (double)n_c / (double)n_nz : 0;
}

double sp_alpha_max(int64_t r, double s_x, double line_B)
{
    assert(r >= 1 && s_x > 0 && line_B > 0);
    double row_B = (double)r * s_x;
    return line_B * ceil(row_B / line_B) / row_B;
}

struct sp_alpha_reading sp_alpha_from_bytes(const struct sp_alpha_source *s)
{
    assert(s->x_B > 0 && s->w.lo <= s->w.value && s->w.value <= s->w.hi && s->w.lo >= 1);
    struct sp_alpha_reading r = {.alpha = sp_value_none("bytes are not known")};
    bool reads = sp_value_known(s->read_B);
    struct sp_value V = reads ? s->read_B : s->total_B;
    if (!sp_value_known(V))
        return r;
    double less = reads ? 1 : 0; /* of w: what is written does not show in V_read */
    double zero = s->matrix_B + (s->w.value - less) * s->y_B;
    double zero_lo = s->matrix_B + (s->w.lo - less) * s->y_B;
    double zero_hi = s->matrix_B + (s->w.hi - less) * s->y_B;
    r.zero_B = zero;
    r.seen_B = V.value;
    if (V.value < zero) {
        r.alpha = sp_value_none("undefined: fewer bytes than V(alpha = 0), part of the data stayed in cache");
        return r;
    }
    r.alpha = sp_value_between((V.value - zero) / s->x_B, fmax(0, (V.lo - zero_hi) / s->x_B),
                               fmax(0, (V.hi - zero_lo) / s->x_B), V.origin);
    return r;
}
