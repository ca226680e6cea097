#include "sparse/twin/draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sparse/csr/sort.h"

/* TRIES before a draw is given up, LOOK_AHEAD rows or columns that are looked at for one; a kind of
 * row is seldom below one in SELDOM; BANK rows' entries may be owed. */
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

/* Where w->relaxed, a column may have more than was drawn for it: a quarter more where that is the
 * length of a row, half and one where it is not. */
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

/* Rows that copy nothing are drawn where they are common, not where copies seldom break. */
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

/* Columns side by side share their fate. Where too many would be copied, the likeliest are,
 * n_wanted of them, and up to n_most where they are all but sure. */
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

/* Beside an entry of the row, or of the one above; further on where that is taken. */
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

/* A column of the part [first, end) in proportion to the lengths; -1: all are empty. */
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

/* The rest of row i as births. Up to `allowed` may lack, owed by later rows; else anything. */
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

/* Copies, and births that fail, make rows longer or shorter than drawn. What earlier rows have too
 * many or too few is an account within BANK mean rows, of which each row settles at most a quarter
 * of its length. */
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
    enum sp_status status = sp_twin_draw_matrix(chances, 1, seed, n_threads, NULL, &a, err);
    *got = NULL;
    if (status == SP_OK)
        status = sp_twin_measure(&a, got, err);
    sp_csr_free(&a);
    return status;
}

enum sp_status sp_twin_tune(const struct sp_twin *goal, uint64_t seed, int n_threads, struct sp_twin **tuned,
                            struct sp_error *err)
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
