/* What is drawn from the features of a matrix does not quite have them: copies find their columns taken,
 * lines that should return have been met again. So a twin is drawn, measured as the original was, and the
 * chances are corrected by what it lacks, a few times; the chances whose twin came nearest are kept. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sparse/twin/draw.h"

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

/* Factor for the weight of a kind that has `goal` of `all_goal`, and was made `got` times of `all_got`. */
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

/* Weights of n_parts parts: one factor for a kind in all of them, since few of a kind are in one. */
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

/* What a cache misses that keeps lines for so many rows: the visits after more rows, and the first ones. Mean
 * |ln| of the twin's misses over the original's, over all steps where it has some. */
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
