#include "track/judge/change_points.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/samples.h"

enum { DEFAULT_LEAST = 3 };
#define DEFAULT_P 0.05

/* Moves values one by one from the right segment to the left one and keeps the sums of distances
 * within and between them up to date. */
double sp_energy_split(const double *y, int n, int least, double *scratch, int *at)
{
    double *left = scratch,
           *right = scratch + n; /* of value i: distances to those before it, and behind it */
    double within_right = 0, within_left = 0, between = 0, best = -INFINITY;
    *at = -1;
    for (int i = 0; i < n; i++) {
        left[i] = right[i] = 0;
        for (int k = 0; k < i; k++) {
            const double d = fabs(y[i] - y[k]);
            left[i] += d;
            right[k] += d;
        }
    }
    for (int i = 0; i < n; i++)
        within_right += right[i];
    for (int i = 0; i < n; i++) { /* value i goes to the left */
        within_left += left[i];
        within_right -= right[i];
        between += right[i] - left[i];
        const double n_left = i + 1, n_right = n - i - 1;
        if (n_left < least || n_right < least)
            continue;
        const double energy = 2 * between / (n_left * n_right) - 2 * within_left / (n_left * n_left) -
                              2 * within_right / (n_right * n_right);
        const double scaled = n_left * n_right / (n_left + n_right) * energy;
        if (scaled > best) {
            best = scaled;
            *at = i + 1;
        }
    }
    return best;
}

struct search {
    const double *y;
    double *work, *scratch;
    int least, n_permutations;
    double p;
    struct sp_random random;
};

static void shuffle(struct sp_random *random, double *x, int n)
{
    for (int i = n - 1; i > 0; i--) {
        const int k = (int)sp_random_below(random, i + 1);
        const double t = x[i];
        x[i] = x[k];
        x[k] = t;
    }
}

/* Statistics of arrangements that are mirror images differ by rounding alone. */
static bool reaches(double statistic, double found)
{
    return statistic >= found - 1e-9 * fabs(found);
}

/* The share of all arrangements of work[n] that reach what was found [Heap 1963]. */
static double exact_share(struct search *s, int n, double found)
{
    int turn[SP_CHANGE_EXACT_MOST] = {0}, ignored;
    int64_t reached = reaches(sp_energy_split(s->work, n, s->least, s->scratch, &ignored), found), all = 1;
    for (int i = 1; i < n;) {
        if (turn[i] == i) {
            turn[i++] = 0;
            continue;
        }
        const int k = i % 2 ? turn[i] : 0;
        const double t = s->work[k];
        s->work[k] = s->work[i];
        s->work[i] = t;
        reached += reaches(sp_energy_split(s->work, n, s->least, s->scratch, &ignored), found);
        all++;
        turn[i]++;
        i = 1;
    }
    return (double)reached / (double)all;
}

int sp_change_least_values(int least, double p)
{
    const double most = p > 0 ? p : DEFAULT_P;
    int n = 2 * (least > 0 ? least : DEFAULT_LEAST);
    for (;; n++) { /* of all ways to choose half of them, the step itself and its mirror image */
        const int half = n / 2;
        double ways = 1;
        for (int i = 1; i <= half; i++)
            ways = ways * (n - half + i) / i;
        if (2 / ways <= most)
            return n;
    }
}

/* p of the best split of y[first .. end); 1: none. */
static double test_split(struct search *s, int first, int end, int *at)
{
    const int n = end - first;
    const double found = sp_energy_split(s->y + first, n, s->least, s->scratch, at);
    int exceeded = 0;
    if (*at < 0)
        return 1;
    *at += first;
    memcpy(s->work, s->y + first, (size_t)n * sizeof *s->work);
    if (n <= SP_CHANGE_EXACT_MOST)
        return exact_share(s, n, found);
    for (int k = 0; k < s->n_permutations; k++) {
        int ignored;
        shuffle(&s->random, s->work, n);
        exceeded += reaches(sp_energy_split(s->work, n, s->least, s->scratch, &ignored), found);
    }
    return (1.0 + exceeded) / (1.0 + s->n_permutations);
}

static double median_of_exp(const double *y, int first, int end)
{
    return exp(sp_median(y + first, end - first));
}

enum sp_status sp_change_points(const double *x, int n, const struct sp_change_options *o,
                                struct sp_change_point *out, int most, int *n_found, struct sp_error *err)
{
    void *p = NULL;
    *n_found = 0;
    enum sp_status status = sp_new_array(5 * (int64_t)n + 1, sizeof(double), "the series", &p, err);
    if (status != SP_OK || n < 1)
        return free(p), status;
    double *y = p;
    for (int i = 0; i < n; i++)
        y[i] = log(x[i]);
    struct search s = {.y = y,
                       .work = y + n,
                       .scratch = y + 2 * n,
                       .least = o->least_segment > 0 ? o->least_segment : DEFAULT_LEAST,
                       .n_permutations = o->n_permutations > 0 ? o->n_permutations : 199,
                       .p = o->p > 0 ? o->p : DEFAULT_P,
                       .random = {o->seed}};
    /* Segments still to be split, as a stack of their ends: the last one is taken first. */
    int bound[64] = {0, n}, n_bounds = 2;
    while (n_bounds > 1 && *n_found < most) {
        const int first = bound[n_bounds - 2], end = bound[n_bounds - 1];
        int at;
        const double chance = test_split(&s, first, end, &at);
        if (chance > s.p || n_bounds == (int)(sizeof bound / sizeof *bound)) {
            n_bounds--; /* done with this one; the one before it is next */
            continue;
        }
        out[(*n_found)++] = (struct sp_change_point){.at = at, .p = chance};
        bound[n_bounds - 1] = at;
        bound[n_bounds++] = end;
    }
    for (int i = 1; i < *n_found; i++) /* by position */
        for (int k = i; k > 0 && out[k - 1].at > out[k].at; k--) {
            const struct sp_change_point t = out[k];
            out[k] = out[k - 1];
            out[k - 1] = t;
        }
    /* Levels of the segments, joined where the step between them is below the floor. */
    int kept = 0;
    for (int i = 0; i < *n_found; i++) {
        const int first = kept > 0 ? out[kept - 1].at : 0, end = i + 1 < *n_found ? out[i + 1].at : n;
        struct sp_change_point c = out[i];
        c.before = median_of_exp(y, first, c.at);
        c.after = median_of_exp(y, c.at, end);
        if (fabs(log(c.after / c.before)) >= o->floor)
            out[kept++] = c;
    }
    *n_found = kept;
    free(p);
    return SP_OK;
}
