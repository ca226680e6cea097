#include "sparse/twin/draw.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sparse/csr/sort.h"

/* TRIES before a draw is given up, LOOK_AHEAD rows or columns that are looked at for one; a kind of row is
 * seldom below one in SELDOM; BANK rows' entries may be owed. */
enum { TRIES = 8, LOOK_AHEAD = 256, SELDOM = 50, BANK = 2 };

static int64_t diagonal_of(const struct sp_twin_draw *w, int64_t i)
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

static bool is_free(const struct sp_twin_draw *w, int64_t i, int64_t j)
{
    return j >= 0 && j < w->n_c && w->taken[j] != i && !(w->square && j == i) && !(w->t->mirrored && j < i);
}

/* Where w->relaxed, a column may have more than was drawn for it: a quarter more where that is the length of
 * a row, half and one where it is not. */
static bool fits(const struct sp_twin_draw *w, int64_t i, int64_t j)
{
    if (!is_free(w, i, j) || w->room[j] > 0)
        return is_free(w, i, j);
    const int64_t drawn = w->stubs[j + 1] - w->stubs[j];
    return w->relaxed && w->room[j] > (w->t->mirrored ? -drawn / 4 : -1 - drawn / 2);
}

static void unlink_line(struct sp_twin_draw *w, int32_t at)
{
    const struct sp_twin_line *l = &w->line[at];
    if (l->row < 0)
        return;
    if (l->before >= 0)
        w->line[l->before].after = l->after;
    else
        w->last[l->row] = l->after;
    if (l->after >= 0)
        w->line[l->after].before = l->before;
}

static void close_line(struct sp_twin_draw *w, int32_t at)
{
    unlink_line(w, at);
    w->line[at].row = SP_TWIN_FULL;
}

static void meet_line(struct sp_twin_draw *w, int64_t i, int32_t j)
{
    const int32_t at = j / SP_TWIN_LINE;
    struct sp_twin_line *l = &w->line[at];
    if (l->row == i)
        return;
    unlink_line(w, at);
    *l = (struct sp_twin_line){(int32_t)i, j, -1, w->last[i]};
    if (l->after >= 0)
        w->line[l->after].before = at;
    w->last[i] = at;
}

static void put(struct sp_twin_draw *w, int64_t i, int64_t j)
{
    w->taken[j] = (int32_t)i;
    w->room[j]--;
    w->col[w->begin[i + 1]++] = (int32_t)j;
    meet_line(w, i, (int32_t)j);
}

/* Rows that copy nothing are drawn where they are common; where streams of copies seldom break, they must
 * not. */
static int64_t draw_shift(struct sp_twin_draw *w, bool as_long)
{
    const int64_t *n = w->t->shift[as_long];
    int64_t all = 0;
    for (int shift = 0; shift < SP_TWIN_SHIFTS; shift++)
        all += n[shift];
    return draw_from(&w->random, n, SP_TWIN_SHIFTS + (n[SP_TWIN_SHIFTS] * SELDOM > all));
}

static int by_chance(const void *a, const void *b)
{
    const struct sp_twin_copy *x = a, *y = b;
    return x->chance != y->chance ? (x->chance < y->chance) - (x->chance > y->chance) : x->col - y->col;
}

/* Columns side by side share their fate. Where too many would be copied, the likeliest are, n_wanted of them,
 * and up to n_most where they are all but sure. */
static void copy_above(struct sp_twin_draw *w, int64_t i, int64_t n_wanted, int64_t n_most)
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
            w->copy[n++] = (struct sp_twin_copy){(int32_t)j, chance};
    }
    if (n > n_wanted)
        sp_sort_by(w->copy, n, sizeof *w->copy, by_chance);
    for (int64_t k = 0; k < n && (k < n_wanted || (k < n_most && w->copy[k].chance > likely)); k++)
        put(w, i, w->copy[k].col);
}

/* Beside some entry of the row, or of the one above where it has none yet; further on where that is taken. */
static int64_t draw_neighbour(struct sp_twin_draw *w, int64_t i)
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
static int64_t draw_in_line(struct sp_twin_draw *w, int64_t i, int32_t line, bool same)
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
static int64_t draw_return(struct sp_twin_draw *w, int64_t i)
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

/* A column of the part [first, end) in proportion to the lengths of columns; -1 where all are empty. */
static int64_t draw_column(struct sp_twin_draw *w, int64_t first, int64_t end)
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

static int64_t draw_first(struct sp_twin_draw *w, int64_t i)
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
        if (w->line[j / SP_TWIN_LINE].row == SP_TWIN_NEVER)
            break;
    }
    return j;
}

static int64_t draw_offset(struct sp_twin_draw *w, int64_t i, bool atom)
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
static int64_t draw_birth(struct sp_twin_draw *w, int64_t i)
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
static int64_t draw_any(struct sp_twin_draw *w, int64_t i, int64_t *n_steps)
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

/* The rest of row i as births. Up to `allowed` may be lacking, which the next rows owe; where more are,
 * anything is taken. */
static void draw_births(struct sp_twin_draw *w, int64_t i, int64_t n_wanted, int64_t allowed)
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

/* What is copied or cannot be born decides how long a row really is; the account of what earlier rows have
 * too many or owe stays within BANK mean rows, and each row settles a quarter of its length of it at most. */
static void draw_row(struct sp_twin_draw *w, int64_t i)
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

void sp_twin_draw_rows(struct sp_twin_draw *w)
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
