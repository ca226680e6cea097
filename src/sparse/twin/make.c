/* A twin: entries off the diagonal drawn by chances made of the features, and chances tuned until
 * what is drawn has them. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "sparse/csr/builder.h"
#include "sparse/csr/csr.h"
#include "sparse/csr/sort.h"
#include "sparse/generate/family.h"
#include "sparse/twin/twin.h"

/* SP_TWIN_LINE columns, in the list of the row that had them last. */
struct twin_line {
    int32_t row, col; /* that row, or TWIN_NEVER or TWIN_FULL; one of the columns that it has */
    int32_t before, after;
};
enum { TWIN_NEVER = -1, TWIN_FULL = -2 };

struct twin_copy {
    int32_t col;
    double chance;
};

/* Rows are drawn in order, looking back. The caller has the arrays, fills those marked so. */
struct twin_draw {
    const struct sp_twin *t;
    int64_t scale, n_r, n_c;
    bool square;
    struct sp_random random;
    /* filled */
    int32_t *full;   /* [n_r] entries of the rows, the diagonal included */
    int32_t *length; /* [n_r] the same; mirrored: without the diagonal, less those that earlier rows made */
    int32_t *room;   /* [n_c] entries that columns may still get; mirrored: length */
    int64_t *stubs;  /* [n_c + 1] sums of the columns' lengths, for draws in proportion to them */
    bool *diagonal;  /* [n_r] is there one? Only where the matrix is square */
    /* results: row i has col[begin[i]] .. col[begin[i + 1]], ascending; mirrored: right part */
    int64_t *begin, n_col; /* [n_r + 1]; size of col */
    int32_t *col;
    /* work arrays */
    int32_t *taken;         /* [n_c] last row that has the column, -1 */
    int32_t *last;          /* [n_r] first of the lines that the row had last, -1: none */
    int32_t *scratch;       /* [n_c] */
    struct twin_copy *copy; /* [n_c] */
    struct twin_line *line; /* [n_c / SP_TWIN_LINE + 1] */
    /* where drawing is; zero at first */
    int64_t owed;                     /* entries that earlier rows lack; below 0: have too many */
    int64_t cursor;                   /* where columns with room are looked for */
    bool relaxed;                     /* columns may get more than was drawn for them */
    int64_t birth[SP_TWIN_BIRTHS];    /* sums over all parts */
    int64_t n_lag[SP_TWIN_STEPS + 1]; /* likewise */
};

/* TRIES before a draw is given up, LOOK_AHEAD rows or columns that are looked at for one; a kind of
 * row is seldom below one in SELDOM; BANK rows' entries may be owed. */
enum { TRIES = 8, LOOK_AHEAD = 256, SELDOM = 50, BANK = 2 };

static int64_t diagonal_of(const struct twin_draw *w, int64_t i)
{
    return i * w->n_c / w->n_r;
}

/* Index drawn in proportion to n[0 .. n_items); -1 where all are 0. */
static int64_t draw_from(struct sp_random *random, const int64_t *n, int64_t n_items)
{
    int64_t all = 0, k = 0;
    for (int64_t m = 0; m < n_items; m++)
        all += n[m];
    if (all == 0)
        return -1;
    for (int64_t at = sp_random_below(random, all); at >= n[k]; k++)
        at -= n[k];
    return k;
}

static bool is_free(const struct twin_draw *w, int64_t i, int64_t j)
{
    return j >= 0 && j < w->n_c && w->taken[j] != i && !(w->square && j == i) && !(w->t->mirrored && j < i);
}

/* Where w->relaxed, a column may have more than was drawn for it: a quarter more where that is the
 * length of a row, half and one where it is not. */
static bool fits(const struct twin_draw *w, int64_t i, int64_t j)
{
    if (!is_free(w, i, j) || w->room[j] > 0)
        return is_free(w, i, j);
    const int64_t drawn = w->stubs[j + 1] - w->stubs[j];
    return w->relaxed && w->room[j] > (w->t->mirrored ? -drawn / 4 : -1 - drawn / 2);
}

static void unlink_line(struct twin_draw *w, int32_t at)
{
    const struct twin_line *l = &w->line[at];
    if (l->row < 0)
        return;
    if (l->before >= 0)
        w->line[l->before].after = l->after;
    else
        w->last[l->row] = l->after;
    if (l->after >= 0)
        w->line[l->after].before = l->before;
}

static void close_line(struct twin_draw *w, int32_t at)
{
    unlink_line(w, at);
    w->line[at].row = TWIN_FULL;
}

static void meet_line(struct twin_draw *w, int64_t i, int32_t j)
{
    const int32_t at = j / SP_TWIN_LINE;
    struct twin_line *l = &w->line[at];
    if (l->row == i)
        return;
    unlink_line(w, at);
    *l = (struct twin_line){(int32_t)i, j, -1, w->last[i]};
    if (l->after >= 0)
        w->line[l->after].before = at;
    w->last[i] = at;
}

static void put(struct twin_draw *w, int64_t i, int64_t j)
{
    w->taken[j] = (int32_t)i;
    w->room[j]--;
    w->col[w->begin[i + 1]++] = (int32_t)j;
    meet_line(w, i, (int32_t)j);
}

/* Rows that copy nothing are drawn where they are common, not where copies seldom break. */
static int64_t draw_shift(struct twin_draw *w, bool as_long)
{
    const int64_t *n = w->t->shift[as_long];
    int64_t all = 0;
    for (int shift = 0; shift < SP_TWIN_SHIFTS; shift++)
        all += n[shift];
    return draw_from(&w->random, n, SP_TWIN_SHIFTS + (n[SP_TWIN_SHIFTS] * SELDOM > all));
}

static int by_chance(const void *a, const void *b)
{
    const struct twin_copy *x = a, *y = b;
    return x->chance != y->chance ? (x->chance < y->chance) - (x->chance > y->chance) : x->col - y->col;
}

/* Columns side by side share their fate. Where too many would be copied, the likeliest are,
 * n_wanted of them, and up to n_most where they are all but sure. */
static void copy_above(struct twin_draw *w, int64_t i, int64_t n_wanted, int64_t n_most)
{
    const double likely = 0.8;
    const struct sp_twin *t = w->t;
    const int64_t first = w->begin[i - 1], end = w->begin[i];
    if (first == end)
        return;
    const int64_t shift = draw_shift(w, w->full[i] == w->full[i - 1]);
    if (shift < 0 || shift == SP_TWIN_SHIFTS)
        return;
    int64_t n = 0, before = -2;
    double fate = 0;
    for (int64_t k = first; k < end; k++) {
        int64_t j = w->col[k] + shift;
        if (j != before + 1)
            fate = sp_random_unit(&w->random);
        before = j;
        w->relaxed = true;
        bool good = fits(w, i, j);
        w->relaxed = false;
        if (!good)
            continue;
        int class = sp_twin_offset_class(t, j - diagonal_of(w, i), w->scale);
        int64_t offered = t->offered[shift][class];
        double chance = offered > 0 ? (double)t->copied[shift][class] / (double)offered : 0;
        if (fate < chance)
            w->copy[n++] = (struct twin_copy){(int32_t)j, chance};
    }
    if (n > n_wanted)
        sp_sort_by(w->copy, n, sizeof *w->copy, by_chance);
    for (int64_t k = 0; k < n && (k < n_wanted || (k < n_most && w->copy[k].chance > likely)); k++)
        put(w, i, w->copy[k].col);
}

/* Beside an entry of the row, or of the one above; further on where that is taken. */
static int64_t draw_neighbour(struct twin_draw *w, int64_t i)
{
    const int64_t row = w->begin[i + 1] > w->begin[i] || i == 0 ? i : i - 1,
                  n = w->begin[row + 1] - w->begin[row];
    if (n == 0)
        return -1;
    int64_t j = w->col[w->begin[row] + sp_random_below(&w->random, n)];
    const int64_t gap = draw_from(&w->random, w->t->gap, 2 * SP_TWIN_GAPS + 1) - SP_TWIN_GAPS;
    for (int k = 0; k < TRIES; k++) {
        j += gap;
        if (j < 0 || j >= w->n_c || w->taken[j] != i)
            break;
    }
    return fits(w, i, j) ? j : -1;
}

/* A column of the line, the one that was met or another; -1: none fits. */
static int64_t draw_in_line(struct twin_draw *w, int64_t i, int32_t line, bool same)
{
    if (same && fits(w, i, w->line[line].col))
        return w->line[line].col;
    const int64_t from = sp_random_below(&w->random, SP_TWIN_LINE);
    for (int64_t k = 0; k < SP_TWIN_LINE; k++) {
        int64_t j = (int64_t)line * SP_TWIN_LINE + (from + k) % SP_TWIN_LINE;
        if (j != w->line[line].col && fits(w, i, j))
            return j;
    }
    return -1;
}

/* A line that was met last as many rows ago as lines were that were met again. */
static int64_t draw_return(struct twin_draw *w, int64_t i)
{
    const struct sp_twin *t = w->t;
    const int64_t *lag = t->lag[i * t->n_parts / w->n_r],
                  step = draw_from(&w->random, lag, SP_TWIN_STEPS + 1);
    int64_t lo, hi;
    if (step <= 0)
        return -1;
    sp_twin_step_range((int)step, &lo, &hi);
    if (lo > SP_TWIN_LOCAL) {
        lo *= w->scale;
        hi = (hi + 1) * w->scale - 1;
    }
    if (lo > i)
        return -1;
    hi = hi < i ? hi : i;
    const bool same = sp_random_below(&w->random, w->n_lag[step]) < t->same_column[step];
    int64_t row = i - lo - sp_random_below(&w->random, hi - lo + 1);
    w->relaxed = true;
    for (int k = 0; k < LOOK_AHEAD; k++) {
        for (int32_t line = w->last[row]; line >= 0; line = w->last[row]) {
            int64_t j = draw_in_line(w, i, line, same);
            if (j >= 0)
                return j;
            close_line(w, line);
        }
        row = row > i - hi ? row - 1 : i - lo;
    }
    return -1;
}

/* A column of the part [first, end) in proportion to the lengths; -1: all are empty. */
static int64_t draw_column(struct twin_draw *w, int64_t first, int64_t end)
{
    const int64_t from = w->stubs[first], n = w->stubs[end] - from;
    if (n <= 0)
        return -1;
    const int64_t stub = from + sp_random_below(&w->random, n);
    while (end - first > 1) {
        int64_t middle = first + (end - first) / 2;
        if (w->stubs[middle] <= stub)
            first = middle;
        else
            end = middle;
    }
    return first;
}

static int64_t part_start(int64_t n, int64_t part, int64_t n_parts)
{
    return (n * part + n_parts - 1) / n_parts;
}

static int64_t draw_first(struct twin_draw *w, int64_t i)
{
    const int64_t row_part = i * w->t->n_parts / w->n_r, n_parts = w->t->n_column_parts;
    int64_t j = -1;
    for (int k = 0; k < TRIES; k++) {
        int64_t part = draw_from(&w->random, w->t->grid[row_part], n_parts);
        if (part < 0)
            return -1;
        int64_t drawn =
            draw_column(w, part_start(w->n_c, part, n_parts), part_start(w->n_c, part + 1, n_parts));
        if (!fits(w, i, drawn))
            continue;
        j = drawn;
        if (w->line[j / SP_TWIN_LINE].row == TWIN_NEVER)
            break;
    }
    return j;
}

static int64_t draw_offset(struct twin_draw *w, int64_t i, bool atom)
{
    const struct sp_twin *t = w->t;
    int64_t k = atom ? draw_from(&w->random, t->atom_count, t->n_atoms)
                     : draw_from(&w->random, t->near, 2 * SP_TWIN_LOCAL + 1);
    if (k < 0)
        return -1;
    int64_t j = diagonal_of(w, i) + (atom ? w->scale * t->atom_offset[k] : k - SP_TWIN_LOCAL);
    return fits(w, i, j) ? j : -1;
}

/* Neighbours, the first kind, need somebody. */
static int64_t draw_birth(struct twin_draw *w, int64_t i)
{
    const bool alone = w->begin[i + 1] == w->begin[i > 0 ? i - 1 : 0];
    const int64_t *measured = w->t->birth[i * w->t->n_parts / w->n_r] + alone, *all = w->birth + alone;
    int64_t birth = draw_from(&w->random, measured, SP_TWIN_BIRTHS - alone);
    if (birth < 0)
        birth = draw_from(&w->random, all, SP_TWIN_BIRTHS - alone);
    switch (birth < 0 ? birth : birth + alone) {
    case SP_TWIN_NEIGHBOUR:
        return draw_neighbour(w, i);
    case SP_TWIN_NEAR:
        return draw_offset(w, i, false);
    case SP_TWIN_ATOM:
        return draw_offset(w, i, true);
    case SP_TWIN_RETURN:
        return draw_return(w, i);
    case SP_TWIN_FIRST:
        return draw_first(w, i);
    default:
        return -1;
    }
}

/* Where nothing fits: any column in proportion to its length, else the next that has room. */
static int64_t draw_any(struct twin_draw *w, int64_t i, int64_t *n_steps)
{
    for (int k = 0; k < TRIES; k++) {
        int64_t j = draw_column(w, w->t->mirrored ? i : 0, w->n_c);
        if (fits(w, i, j))
            return j;
    }
    for (; *n_steps > 0; --*n_steps) {
        w->cursor = w->cursor + 1 < w->n_c ? w->cursor + 1 : 0;
        if (w->t->mirrored && w->cursor < i)
            w->cursor = i;
        if (fits(w, i, w->cursor))
            return w->cursor;
    }
    return -1;
}

/* The rest of row i as births. Up to `allowed` may lack, owed by later rows; else anything. */
static void draw_births(struct twin_draw *w, int64_t i, int64_t n_wanted, int64_t allowed)
{
    int64_t n_steps = LOOK_AHEAD + 8 * n_wanted;
    for (int64_t n = w->begin[i + 1] - w->begin[i]; n < n_wanted; n++) {
        int64_t j = -1;
        for (int k = 0; k < 2 * TRIES && j < 0; k++) {
            w->relaxed = k >= TRIES;
            j = draw_birth(w, i);
        }
        if (j < 0 && n_wanted - n <= allowed)
            break;
        if (j < 0)
            j = draw_any(w, i, &n_steps);
        if (j < 0)
            break;
        put(w, i, j);
    }
    w->relaxed = false;
}

/* Copies, and births that fail, make rows longer or shorter than drawn. What earlier rows have too
 * many or too few is an account within BANK mean rows, of which each row settles at most a quarter
 * of its length. */
static void draw_row(struct twin_draw *w, int64_t i)
{
    const int64_t drawn = w->length[i] - (w->t->mirrored ? 0 : w->diagonal[i]), quarter = w->full[i] / 4 + 1;
    const int64_t owed = w->owed > quarter ? quarter : w->owed < -quarter ? -quarter : w->owed;
    const int64_t n_wanted = drawn > 0 ? drawn + owed : 0, bank = BANK * (w->t->n_nz / w->t->n_r + 1);
    w->begin[i + 1] = w->begin[i];
    if (i > 0)
        copy_above(w, i, n_wanted, drawn + w->owed + bank);
    draw_births(w, i, n_wanted, bank - w->owed);
    w->owed += drawn - (w->begin[i + 1] - w->begin[i]);
    sp_sort_i32(w->col + w->begin[i], w->begin[i + 1] - w->begin[i], w->scratch);
    if (w->t->mirrored && i % SP_TWIN_LINE == SP_TWIN_LINE - 1)
        close_line(w, (int32_t)(i / SP_TWIN_LINE));
}

static void twin_draw_rows(struct twin_draw *w)
{
    for (int32_t part = 0; part < w->t->n_parts; part++)
        for (int k = 0; k < SP_TWIN_BIRTHS; k++)
            w->birth[k] += w->t->birth[part][k];
    for (int32_t part = 0; part < w->t->n_parts; part++)
        for (int step = 0; step <= SP_TWIN_STEPS; step++)
            w->n_lag[step] += w->t->lag[part][step];
    memset(w->taken, 0xff, (size_t)w->n_c * sizeof *w->taken);
    memset(w->line, 0xff, (size_t)(w->n_c / SP_TWIN_LINE + 1) * sizeof *w->line);
    memset(w->last, 0xff, (size_t)w->n_r * sizeof *w->last);
    for (int64_t i = 0; i < w->n_r; i++)
        draw_row(w, i);
}

/* Counts are sums over entries or rows, so that no sum of them overflows below this. */
static const int64_t MOST = INT64_C(1) << 40;

static bool are_counts(const int64_t *n, size_t n_items)
{
    for (size_t k = 0; k < n_items; k++)
        if (n[k] < 0 || n[k] > MOST)
            return false;
    return true;
}

/* Every part has as many lengths as rows, and none is longer than `longest`. */
static bool lengths_hold(struct sp_twin_lengths *l, int64_t n, int64_t longest)
{
    int64_t rows_of[SP_TWIN_LENGTHS] = {0};
    l->n = n;
    l->n_parts = sp_twin_length_parts(n);
    if (!are_counts(l->sum, SP_TWIN_LENGTHS) ||
        !are_counts(&l->count[0][0], sizeof l->count / sizeof l->count[0][0]) ||
        !are_counts(&l->next[0][0], sizeof l->next / sizeof l->next[0][0]))
        return false;
    for (int32_t p = 0; p < l->n_parts; p++) {
        int64_t rows = n * p / l->n_parts - n * (p + 1) / l->n_parts;
        for (int class = 0; class < SP_TWIN_LENGTHS; class ++) {
            rows += l->count[p][class];
            rows_of[class] += l->count[p][class];
        }
        if (rows != 0)
            return false;
    }
    for (int class = 0; class < SP_TWIN_LENGTHS; class ++)
        if (l->sum[class] > longest * rows_of[class])
            return false;
    return true;
}

const char *sp_twin_complete(struct sp_twin *t)
{
    if (t->n_r < 0 || t->n_r > SP_MAX_DIMENSION || t->n_c < 0 || t->n_c > SP_MAX_DIMENSION)
        return t->n_r < 0 || t->n_r > SP_MAX_DIMENSION ? "n_r" : "n_c";
    if (t->n_nz < 0 || t->n_nz > MOST)
        return "n_nz";
    if ((t->mirrored && t->n_r != t->n_c) || t->mirrored < (t->symmetry != SP_GENERAL))
        return "mirrored";
    if (t->n_diagonal < 0 || t->n_diagonal > (t->n_r == t->n_c ? t->n_r : 0))
        return "n_diagonal";
    if (t->n_atoms < 0 || t->n_atoms > SP_TWIN_ATOMS || !are_counts(t->atom_count, SP_TWIN_ATOMS))
        return "n_atoms";
    for (int k = 0; k < t->n_atoms; k++)
        if (t->atom_offset[k] < -t->n_c || t->atom_offset[k] > t->n_c)
            return "atom_offset";
    t->n_parts = sp_twin_place_parts(t->n_r);
    t->n_column_parts = sp_twin_place_parts(t->n_c);
    if (!lengths_hold(&t->rows, t->n_r, t->n_c))
        return "row_length";
    int64_t n_nz = 0;
    for (int class = 0; class < SP_TWIN_LENGTHS; class ++)
        n_nz += t->rows.sum[class];
    if (n_nz != t->n_nz)
        return "n_nz";
    if (!t->mirrored && !lengths_hold(&t->columns, t->n_c, t->n_r))
        return "column_length";
    const struct {
        const char *name;
        const int64_t *first;
        size_t size;
    } counts[] = {{"shift", &t->shift[0][0], sizeof t->shift},
                  {"offered", &t->offered[0][0], sizeof t->offered},
                  {"copied", &t->copied[0][0], sizeof t->copied},
                  {"birth", &t->birth[0][0], sizeof t->birth},
                  {"gap", t->gap, sizeof t->gap},
                  {"lag", &t->lag[0][0], sizeof t->lag},
                  {"same_column", t->same_column, sizeof t->same_column},
                  {"grid", &t->grid[0][0], sizeof t->grid},
                  {"near", t->near, sizeof t->near},
                  {"reuse", t->reuse, sizeof t->reuse}};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
        if (!are_counts(counts[k].first, counts[k].size / sizeof(int64_t)))
            return counts[k].name;
    return NULL;
}

enum { BLOCK = 4096 };

/* Lengths of rows and columns, less the diagonal, and the sums of the latter. */
static void draw_targets(struct twin_draw *w, uint64_t seed)
{
    const struct sp_twin *t = w->t;
    sp_twin_draw_lengths(&t->rows, w->scale, sp_random_at(seed, 1), w->length);
    memcpy(w->full, w->length, (size_t)w->n_r * sizeof *w->full);
    if (!t->mirrored)
        sp_twin_draw_lengths(&t->columns, w->scale, sp_random_at(seed, 2), w->room);
    for (int64_t j = 0; j < w->n_c; j++)
        w->stubs[j + 1] = w->room[j];
    sp_prefix_sum(w->stubs, w->n_c);
    struct sp_random random = {sp_random_at(seed, 3)};
    for (int64_t i = 0; w->square && i < w->n_r; i++) {
        w->diagonal[i] = w->length[i] > 0 && sp_random_below(&random, t->n_r) < t->n_diagonal;
        w->room[i] -= w->diagonal[i];
    }
}

struct entries {
    int64_t n;
    int32_t row[BLOCK], col[BLOCK];
    double val[2 * BLOCK];
};

static void value_of(const struct sp_twin *t, uint64_t seed, int32_t i, int32_t j, double *value)
{
    const double v = fabs(sp_generator_value(seed, i, j));
    value[0] = t->field == SP_FIELD_PATTERN ? 1 : t->field == SP_FIELD_INTEGER ? 1 + floor(8.99 * v) : v;
    if (t->field == SP_FIELD_COMPLEX)
        value[1] = i == j && t->symmetry == SP_HERMITIAN ? 0 : fabs(sp_generator_value(~seed, i, j));
}

/* Gives all entries of the rows [first, end) to the builder, for either pass. */
static bool hand_over(const struct twin_draw *w, uint64_t seed, int thread, int64_t first, int64_t end,
                      bool place, struct entries *e, struct sp_csr_builder *b)
{
    const int parts = w->t->field == SP_FIELD_COMPLEX ? 2 : 1;
    bool good = true;
    e->n = 0;
    for (int64_t i = first; i < end; i++)
        for (int64_t k = w->begin[i] - w->diagonal[i]; k < w->begin[i + 1]; k++) {
            /* the lower triangle is what files hold, where skew-symmetric values are positive */
            int32_t j = k < w->begin[i] ? (int32_t)i : w->col[k], row = (int32_t)i;
            e->row[e->n] = w->t->mirrored ? j : row;
            e->col[e->n] = w->t->mirrored ? row : j;
            if (place)
                value_of(w->t, seed, e->row[e->n], e->col[e->n], e->val + parts * e->n);
            if (++e->n < BLOCK)
                continue;
            if (place)
                good &= sp_csr_builder_place(b, thread, e->n, e->row, e->col, e->val);
            else
                sp_csr_builder_count(b, thread, e->n, e->row, e->col);
            e->n = 0;
        }
    if (place)
        good &= sp_csr_builder_place(b, thread, e->n, e->row, e->col, e->val);
    else
        sp_csr_builder_count(b, thread, e->n, e->row, e->col);
    return good;
}

static enum sp_status build(const struct twin_draw *w, uint64_t seed, int n_threads,
                            const struct sp_allocator *allocator, struct sp_csr *a, struct sp_error *err)
{
    const struct sp_twin *t = w->t;
    const enum sp_symmetry symmetry = !t->mirrored                ? SP_GENERAL
                                      : t->symmetry == SP_GENERAL ? SP_SYMMETRIC
                                                                  : t->symmetry;
    struct sp_csr_builder b;
    struct entries *entries;
    enum sp_status status =
        sp_new_array(n_threads, sizeof *entries, "entries on their way", (void **)&entries, err);
    if (status != SP_OK)
        return status;
    status = sp_csr_builder_open(&b, w->n_r, w->n_c, t->field, symmetry, n_threads, allocator, err);
    for (int place = 0; place < 2 && status == SP_OK; place++) {
        bool good = true;
#pragma omp parallel for num_threads(n_threads) schedule(static) reduction(&& : good)
        for (int thread = 0; thread < n_threads; thread++)
            good = hand_over(w, seed, thread, w->n_r * thread / n_threads, w->n_r * (thread + 1) / n_threads,
                             place, &entries[thread], &b);
        if (!good)
            status = sp_fail(err, SP_BUG, NULL, "the entries of a twin changed on the way");
        else if (!place)
            status = sp_csr_builder_seal(&b, err);
        else
            status = sp_csr_builder_finish(&b, a, err);
    }
    sp_csr_builder_free(&b);
    free(entries);
    if (status == SP_OK && t->symmetry == SP_GENERAL)
        a->symmetry = SP_GENERAL;
    return status;
}

enum sp_status sp_twin_estimate(const struct sp_twin *t, int64_t scale, int n_threads, int64_t *n_r,
                                int64_t *n_c, int64_t *n_nz, double *bytes, struct sp_error *err)
{
    *n_r = *n_c = *n_nz = 0;
    *bytes = 0;
    const int64_t most = t->n_r > t->n_c ? t->n_r : t->n_c;
    if (scale < 1 || scale > SP_MAX_DIMENSION || most * scale > SP_MAX_DIMENSION)
        return sp_fail(err, SP_USAGE, "take a scale from 1 on that leaves the matrix below 2147483648 rows",
                       "a twin of %lld x %lld cannot be scaled by %lld", (long long)t->n_r, (long long)t->n_c,
                       (long long)scale);
    *n_r = t->n_r * scale;
    *n_c = t->n_c * scale;
    *n_nz = t->n_nz * scale;
    *bytes = sp_csr_bytes(*n_r, *n_nz, t->field) + sp_csr_builder_bytes(*n_r, n_threads) +
             4.0 * (double)*n_nz + 13.0 * (double)*n_r + 16.5 * (double)*n_c;
    return SP_OK;
}

static enum sp_status take(struct twin_draw *w, struct sp_error *err)
{
    static const char what[] = "a twin";
    enum sp_status status = sp_new_array(w->n_r, sizeof *w->length, what, (void **)&w->length, err);
    w->room = w->length;
    if (status == SP_OK && !w->t->mirrored)
        status = sp_new_array(w->n_c, sizeof *w->room, what, (void **)&w->room, err);
    if (status == SP_OK)
        status = sp_new_array(w->n_c + 1, sizeof *w->stubs, what, (void **)&w->stubs, err);
    if (status == SP_OK)
        status = sp_new_array(w->n_r, sizeof *w->diagonal, what, (void **)&w->diagonal, err);
    if (status == SP_OK)
        status = sp_new_array(w->n_r + 1, sizeof *w->begin, what, (void **)&w->begin, err);
    if (status == SP_OK)
        status = sp_new_array(w->n_c, sizeof *w->taken, what, (void **)&w->taken, err);
    if (status == SP_OK)
        status = sp_new_array(w->n_c / SP_TWIN_LINE + 1, sizeof *w->line, what, (void **)&w->line, err);
    if (status == SP_OK)
        status = sp_new_array(w->n_r, sizeof *w->last, what, (void **)&w->last, err);
    if (status == SP_OK)
        status = sp_new_array(w->n_r, sizeof *w->full, what, (void **)&w->full, err);
    if (status == SP_OK)
        status = sp_new_array(w->n_c, sizeof *w->copy, what, (void **)&w->copy, err);
    if (status == SP_OK)
        status = sp_new_array(w->n_c, sizeof *w->scratch, what, (void **)&w->scratch, err);
    return status;
}

static void release(struct twin_draw *w)
{
    if (w->room != w->length)
        free(w->room);
    free(w->length);
    free(w->stubs);
    free(w->diagonal);
    free(w->begin);
    free(w->taken);
    free(w->line);
    free(w->last);
    free(w->full);
    free(w->copy);
    free(w->scratch);
    sp_large_free(NULL, w->col, w->n_col, sizeof *w->col);
}

/* sp_twin_make() with the chances as they are. */
static enum sp_status twin_draw_matrix(const struct sp_twin *t, int64_t scale, uint64_t seed, int n_threads,
                                       const struct sp_allocator *allocator, struct sp_csr *a,
                                       struct sp_error *err)
{
    struct twin_draw w = {
        .t = t, .scale = scale, .square = t->n_r == t->n_c, .random = {sp_random_at(seed, 0)}};
    int64_t n_nz, n_most = 0;
    double bytes;
    memset(a, 0, sizeof *a);
    enum sp_status status = sp_twin_estimate(t, scale, n_threads, &w.n_r, &w.n_c, &n_nz, &bytes, err);
    if (status == SP_OK)
        status = take(&w, err);
    if (status == SP_OK) {
        draw_targets(&w, seed);
        for (int64_t i = 0; i < w.n_r; i++)
            n_most += w.length[i] > 0 ? w.length[i] : 0;
        w.n_col = n_most + n_most / 4 + 2 * w.n_r + 8 * w.n_c;
        void *p;
        status = sp_large_alloc(NULL, w.n_col, sizeof *w.col, "a twin", &p, err);
        w.col = p;
    }
    if (status == SP_OK) {
        twin_draw_rows(&w);
        status = build(&w, sp_random_at(seed, 4), n_threads, allocator, a, err);
    }
    release(&w);
    return status;
}

/* What is drawn from the features of a matrix does not quite have them: copies find their columns
 * taken, lines that should return have been met again. So a twin is drawn, measured as the original
 * was, and the chances are corrected by what it lacks, a few times; the chances whose twin came
 * nearest are kept. */

/* [entries] larger originals are drawn once: what is seldom there hardly disturbs the rest. */
static const int64_t MOST_ENTRIES = INT64_C(2000000);
enum { ROUNDS = 5, FINE = 1 << 12 };
/* Weights stay below, so that no sum of a table overflows. */
#define MOST_WEIGHT 0x1p44

struct tuning {
    const struct sp_twin *goal;
    struct sp_twin *now;       /* the chances that are tried */
    const struct sp_twin *got; /* what they made */
};

static double clamped(double x, double lo, double hi)
{
    return fmin(fmax(x, lo), hi);
}

static int64_t sum_of(const int64_t *n, int64_t n_items, int64_t stride)
{
    int64_t sum = 0;
    for (int64_t k = 0; k < n_items; k++)
        sum += n[k * stride];
    return sum;
}

/* Share of `part` in `all`, away from 0 and 1 by half an item. */
static double share(int64_t part, int64_t all)
{
    return ((double)part + 0.5) / ((double)all + 1);
}

static double log_odds(double p)
{
    return log(p / (1 - p));
}

/* A chance corrected by how far what it made is from the goal. */
static double corrected_chance(double now, double goal, double got)
{
    const double x = log_odds(clamped(now, 1e-6, 1 - 1e-6)) + log_odds(goal) - log_odds(got);
    return 1 / (1 + exp(-clamped(x, -14, 14)));
}

/* Factor for the weight of a kind with `goal` of `all_goal` that got `got` of `all_got`. */
static double factor_of(int64_t goal, int64_t all_goal, int64_t got, int64_t all_got)
{
    return clamped(share(goal, all_goal) / share(got, all_got), 0.25, 4);
}

static int64_t weighed(int64_t n, double factor)
{
    return llround(fmin((double)n * factor, MOST_WEIGHT));
}

/* Weights, each by its own factor. */
static void correct_weights(int64_t *now, const int64_t *goal, const int64_t *got, int64_t n_items)
{
    const int64_t all_goal = sum_of(goal, n_items, 1), all_got = sum_of(got, n_items, 1);
    for (int64_t k = 0; k < n_items; k++)
        now[k] = weighed(now[k], factor_of(goal[k], all_goal, got[k], all_got));
}

/* Weights of n_parts parts: one factor for a kind in all, since few are in one. */
static void correct_parts(int64_t *now, const int64_t *goal, const int64_t *got, int32_t n_parts, int n_kinds)
{
    const int64_t all_goal = sum_of(goal, (int64_t)n_parts * n_kinds, 1),
                  all_got = sum_of(got, (int64_t)n_parts * n_kinds, 1);
    for (int k = 0; k < n_kinds; k++) {
        const double factor = factor_of(sum_of(goal + k, n_parts, n_kinds), all_goal,
                                        sum_of(got + k, n_parts, n_kinds), all_got);
        for (int32_t part = 0; part < n_parts; part++)
            now[(int64_t)part * n_kinds + k] = weighed(now[(int64_t)part * n_kinds + k], factor);
    }
}

static void correct_copies(struct tuning *u)
{
    for (int shift = 0; shift < SP_TWIN_SHIFTS; shift++)
        for (int class = 0; class < SP_TWIN_OFFSETS; class ++) {
            const int64_t offered = u->goal->offered[shift][class];
            if (offered == 0 || u->got->offered[shift][class] == 0)
                continue;
            const double goal = share(u->goal->copied[shift][class], offered),
                         got = share(u->got->copied[shift][class], u->got->offered[shift][class]),
                         now = (double)u->now->copied[shift][class] / (double)u->now->offered[shift][class];
            u->now->copied[shift][class] =
                llround(corrected_chance(now, goal, got) * (double)u->now->offered[shift][class]);
        }
    for (int as_long = 0; as_long < 2; as_long++)
        correct_weights(u->now->shift[as_long], u->goal->shift[as_long], u->got->shift[as_long],
                        SP_TWIN_SHIFTS + 1);
}

static void correct_returns(struct tuning *u)
{
    double same[SP_TWIN_STEPS + 1];
    const int n = SP_TWIN_STEPS + 1;
    for (int step = 0; step < n; step++) {
        const int64_t goal = sum_of(&u->goal->lag[0][step], u->goal->n_parts, n),
                      got = sum_of(&u->got->lag[0][step], u->goal->n_parts, n),
                      now = sum_of(&u->now->lag[0][step], u->goal->n_parts, n);
        same[step] = now > 0 ? (double)u->now->same_column[step] / (double)now : 0;
        if (got > 0 && goal > 0)
            same[step] = corrected_chance(same[step], share(u->goal->same_column[step], goal),
                                          share(u->got->same_column[step], got));
    }
    correct_parts(&u->now->lag[0][0], &u->goal->lag[0][0], &u->got->lag[0][0], u->goal->n_parts, n);
    for (int step = 0; step < n; step++)
        u->now->same_column[step] =
            llround(same[step] * (double)sum_of(&u->now->lag[0][step], u->goal->n_parts, n));
}

static void correct(struct tuning *u)
{
    correct_copies(u);
    correct_parts(&u->now->birth[0][0], &u->goal->birth[0][0], &u->got->birth[0][0], u->goal->n_parts,
                  SP_TWIN_BIRTHS);
    correct_returns(u);
    correct_weights(u->now->gap, u->goal->gap, u->got->gap, 2 * SP_TWIN_GAPS + 1);
    correct_weights(u->now->near, u->goal->near, u->got->near, 2 * SP_TWIN_LOCAL + 1);
}

/* Small counts would not let chances move by less than one of them. */
static void refine(struct sp_twin *t)
{
    for (int shift = 0; shift < SP_TWIN_SHIFTS; shift++)
        for (int class = 0; class < SP_TWIN_OFFSETS; class ++) {
            t->offered[shift][class] = weighed(t->offered[shift][class], FINE);
            t->copied[shift][class] = weighed(t->copied[shift][class], FINE);
        }
    int64_t *const weights[] = {&t->shift[0][0], &t->birth[0][0], t->gap,
                                &t->lag[0][0],   t->same_column,  t->near};
    const size_t size[] = {sizeof t->shift, sizeof t->birth,       sizeof t->gap,
                           sizeof t->lag,   sizeof t->same_column, sizeof t->near};
    for (size_t k = 0; k < sizeof size / sizeof *size; k++)
        for (size_t m = 0; m < size[k] / sizeof(int64_t); m++)
            weights[k][m] = weighed(weights[k][m], FINE);
}

static double difference(const int64_t *goal, const int64_t *got, int32_t n_parts, int n_kinds)
{
    double sum = 0;
    for (int k = 0; k < n_kinds; k++)
        sum += fabs((double)(sum_of(goal + k, n_parts, n_kinds) - sum_of(got + k, n_parts, n_kinds)));
    return sum;
}

/* Entries that would have to be of another kind, as a share. */
static double distance_of_kinds(const struct sp_twin *goal, const struct sp_twin *got)
{
    return (difference(&goal->birth[0][0], &got->birth[0][0], goal->n_parts, SP_TWIN_BIRTHS) +
            difference(&goal->lag[0][0], &got->lag[0][0], goal->n_parts, SP_TWIN_STEPS + 1) +
            difference(&goal->copied[0][0], &got->copied[0][0], SP_TWIN_SHIFTS, SP_TWIN_OFFSETS)) /
           (double)goal->n_nz;
}

/* What a cache misses that keeps lines for so many rows: the visits after more rows, and the first
 * ones. Mean |ln| of the twin's misses over the original's, over all steps where it has some. */
static double distance_of_misses(const struct sp_twin *goal, const struct sp_twin *got)
{
    static const double some = 0.002; /* of the visits */
    const int64_t all = sum_of(goal->reuse, SP_TWIN_STEPS + 2, 1);
    int64_t wanted = 0, made = 0;
    double sum = 0;
    int n = 0;
    for (int step = SP_TWIN_STEPS + 1; step > 0; step--) {
        wanted += goal->reuse[step];
        made += got->reuse[step];
        if (goal->reuse[step] == 0 || (double)wanted < some * (double)all)
            continue;
        sum += fabs(log(((double)made + 0.5) / ((double)wanted + 0.5)));
        n++;
    }
    return n > 0 ? sum / n : 0;
}

static double distance(const struct sp_twin *goal, const struct sp_twin *got)
{
    const bool has_reuse = sum_of(goal->reuse, SP_TWIN_STEPS + 2, 1) > 0;
    return has_reuse ? distance_of_misses(goal, got) : distance_of_kinds(goal, got);
}

static enum sp_status measure_drawn(const struct sp_twin *chances, uint64_t seed, int n_threads,
                                    struct sp_twin **got, struct sp_error *err)
{
    struct sp_csr a;
    enum sp_status status = twin_draw_matrix(chances, 1, seed, n_threads, NULL, &a, err);
    *got = NULL;
    if (status == SP_OK)
        status = sp_twin_measure(&a, got, err);
    sp_csr_free(&a);
    return status;
}

/* The chances whose twin of scale 1 and this seed, measured as the original was, is nearest to
 * `goal`; they are weights, no counts any more. *tuned is released with free(). SP_MEMORY. */
static enum sp_status twin_tune(const struct sp_twin *goal, uint64_t seed, int n_threads,
                                struct sp_twin **tuned, struct sp_error *err)
{
    struct sp_twin *now = malloc(sizeof *now), *best = malloc(sizeof *best);
    double least = INFINITY;
    enum sp_status status = now && best ? SP_OK : sp_fail(err, SP_MEMORY, NULL, "no memory for a twin");
    if (status == SP_OK) {
        *now = *goal;
        refine(now);
        *best = *now;
    }
    for (int round = 0; status == SP_OK && round < ROUNDS && goal->n_nz <= MOST_ENTRIES && least > 0;
         round++) {
        struct sp_twin *got;
        status = measure_drawn(now, seed, n_threads, &got, err);
        if (status != SP_OK)
            break;
        const double d = distance(goal, got);
        if (d < least) {
            least = d;
            *best = *now;
        }
        correct(&(struct tuning){goal, now, got});
        free(got);
    }
    free(now);
    if (status != SP_OK) {
        free(best);
        best = NULL;
    }
    *tuned = best;
    return status;
}

enum sp_status sp_twin_make(const struct sp_twin *t, int64_t scale, uint64_t seed, int n_threads,
                            const struct sp_allocator *allocator, struct sp_csr *a, struct sp_error *err)
{
    struct sp_twin *tuned;
    memset(a, 0, sizeof *a);
    enum sp_status status = twin_tune(t, seed, n_threads, &tuned, err);
    if (status == SP_OK)
        status = twin_draw_matrix(tuned, scale, seed, n_threads, allocator, a, err);
    free(tuned);
    return status;
}
