#include "track/judge/shift.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/reading.h"

enum { RESAMPLES = 1000, MOST_RUNS = 64 };

/* Of the last MOST_RUNS runs: older ones tell no more about a change. */
static struct sp_group recent(struct sp_group g)
{
    return g.n > MOST_RUNS ? (struct sp_group){MOST_RUNS, g.x + (g.n - MOST_RUNS)} : g;
}

/* The k-th smallest of x[n], which is reordered (Hoare 1961). */
static double select_kth(double *x, int n, int k)
{
    int lo = 0, hi = n - 1;
    while (lo < hi) {
        const double pivot = x[(lo + hi) / 2];
        int i = lo, j = hi;
        while (i <= j) {
            while (i < hi && x[i] < pivot)
                i++;
            while (j > lo && x[j] > pivot)
                j--;
            if (i <= j) {
                const double t = x[i];
                x[i++] = x[j];
                x[j--] = t;
            }
        }
        if (k <= j)
            hi = j;
        else if (k >= i)
            lo = i;
        else
            break;
    }
    return x[k];
}

/* Median of b - a over all pairs, of logarithms. */
static double location_shift(const double *a, int n_a, const double *b, int n_b)
{
    double difference[MOST_RUNS * MOST_RUNS];
    int n = 0;
    difference[0] = 0;
    for (int i = 0; i < n_a; i++)
        for (int k = 0; k < n_b; k++)
            difference[n++] = b[k] - a[i];
    const double upper = select_kth(difference, n, n / 2);
    if (n % 2)
        return upper;
    double lower = difference[0]; /* what is left of the upper one is no larger */
    for (int i = 1; i < n / 2; i++)
        lower = fmax(lower, difference[i]);
    return 0.5 * (lower + upper);
}

static int logarithms(struct sp_group g, double *out)
{
    for (int i = 0; i < g.n; i++)
        out[i] = log(g.x[i]);
    return g.n;
}

double sp_shift_estimate(struct sp_group before, struct sp_group after)
{
    double a[MOST_RUNS], b[MOST_RUNS];
    const int n_a = logarithms(recent(before), a), n_b = logarithms(recent(after), b);
    return expm1(location_shift(a, n_a, b, n_b));
}

static void moments(struct sp_group g, double *mean, double *variance)
{
    double sum = 0, squares = 0;
    for (int i = 0; i < g.n; i++)
        sum += g.x[i];
    *mean = g.n > 0 ? sum / g.n : 0;
    for (int i = 0; i < g.n; i++)
        squares += (g.x[i] - *mean) * (g.x[i] - *mean);
    *variance = g.n > 1 ? squares / (g.n - 1) : 0;
}

/* Regularised incomplete beta function I_x(a, b), by the continued fraction of Abramowitz and
 * Stegun 26.5.8 in Lentz' manner; it converges fast for x < (a + 1)/(a + b + 2), the rest follows
 * from the symmetry. */
static double incomplete_beta(double a, double b, double x)
{
    static const double tiny = 1e-300, enough = 1e-15;
    if (x <= 0)
        return 0;
    if (x >= 1)
        return 1;
    if (x > (a + 1) / (a + b + 2))
        return 1 - incomplete_beta(b, a, 1 - x);
    const double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)) / a;
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double f = d;
    for (int m = 1; m < 500; m++) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        const double term[2] = {even, odd};
        double step = 1;
        for (int k = 0; k < 2; k++) {
            d = 1 + term[k] * d;
            c = 1 + term[k] / c;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            c = fabs(c) < tiny ? tiny : c;
            step = c * d;
            f *= step;
        }
        if (fabs(step - 1) < enough)
            break;
    }
    return front * f;
}

double sp_student_p(double t, double df)
{
    return df > 0 ? incomplete_beta(df / 2, 0.5, df / (df + t * t)) : 1;
}

double sp_welch(struct sp_group before, struct sp_group after, double *t, double *df)
{
    double mean_a, mean_b, var_a, var_b;
    moments(before, &mean_a, &var_a);
    moments(after, &mean_b, &var_b);
    if (t)
        *t = 0;
    if (df)
        *df = 0;
    if (before.n < 2 || after.n < 2)
        return 1;
    const double a = var_a / before.n, b = var_b / after.n;
    if (a + b <= 0)
        return mean_a == mean_b ? 1 : 0;
    const double statistic = (mean_b - mean_a) / sqrt(a + b);
    const double freedom = (a + b) * (a + b) / (a * a / (before.n - 1) + b * b / (after.n - 1));
    if (t)
        *t = statistic;
    if (df)
        *df = freedom;
    return sp_student_p(statistic, freedom);
}

double sp_noise_within(const struct sp_group *group, int n_groups)
{
    double squares = 0;
    int freedom = 0;
    for (int i = 0; i < n_groups; i++) {
        double x[MOST_RUNS], mean, variance;
        const struct sp_group g = recent(group[i]);
        if (g.n < 2)
            continue;
        moments((struct sp_group){logarithms(g, x), x}, &mean, &variance);
        squares += variance * (g.n - 1);
        freedom += g.n - 1;
    }
    return freedom > 0 ? sqrt(squares / freedom) : 0;
}

/* out[i]: the x[n] that place[i] in [0, 1) points at. */
static void resample(const double *place, const double *x, int n, double *out)
{
    for (int i = 0; i < n; i++)
        out[i] = x[(int)(place[i] * n)];
}

/* Percentile interval over resampled runs. Each draw of places is taken twice, with the two groups
 * exchanged: of few runs the shifts are far apart, and the interval of a against b would not be
 * that of b against a turned around. Few runs resampled are narrower than they should be by
 * sqrt((n - 1)/n) each, so the distances from the estimate are widened by that. */
static void bootstrap(const double *a, int n_a, const double *b, int n_b, double estimate, double confidence,
                      uint64_t seed, double *lo, double *hi)
{
    double shift[RESAMPLES], place[2][MOST_RUNS], x[MOST_RUNS], y[MOST_RUNS];
    struct sp_random random = {seed};
    const int most = n_a > n_b ? n_a : n_b;
    for (int i = 0; i < RESAMPLES; i++) {
        const int turned = i % 2;
        for (int k = 0; k < 2 * most && !turned; k++)
            place[k / most][k % most] = sp_random_unit(&random);
        resample(place[turned], a, n_a, x);
        resample(place[!turned], b, n_b, y);
        shift[i] = location_shift(x, n_a, y, n_b);
    }
    const double least = n_a < n_b ? n_a : n_b, widen = sqrt(least / (least - 1));
    *lo = estimate + widen * (sp_quantile(shift, RESAMPLES, (1 - confidence) / 2) - estimate);
    *hi = estimate + widen * (sp_quantile(shift, RESAMPLES, (1 + confidence) / 2) - estimate);
}

/* Runs a side until the interval of a shift is no wider than the floor on each side. */
static int runs_needed(double noise, double floor)
{
    const double z = 1.96; /* of 95 % */
    const double n = 2 * (z * noise / floor) * (z * noise / floor);
    return n < 1000 ? (int)ceil(n) : 1000;
}

struct sp_shift sp_shift_of(struct sp_group before, struct sp_group after, const struct sp_shift_options *o)
{
    const double confidence = o->confidence > 0 ? o->confidence : 0.95;
    struct sp_shift s = {
        .move = SP_MOVE_UNDECIDED, .p = 1, .floor = o->floor > 0 ? o->floor : SP_SHIFT_FLOOR};
    double a[MOST_RUNS], b[MOST_RUNS];
    const int n_a = logarithms(recent(before), a), n_b = logarithms(recent(after), b);
    const struct sp_group groups[] = {before, after};
    s.noise = o->noise > 0 ? o->noise : sp_noise_within(groups, 2);
    const int least = n_a < n_b ? n_a : n_b;
    if (least < SP_SHIFT_LEAST_RUNS) {
        s.change = least > 0 ? sp_shift_estimate(before, after) : NAN;
        s.lo = -1;
        s.hi = INFINITY;
        s.n_more = SP_SHIFT_LEAST_RUNS - least;
        return s;
    }
    const double ln_twice = 2 * log1p(s.floor);
    /* A shift of two standard errors comes by chance too often to be called one. */
    s.floor = fmax(s.floor, 2 * s.noise * sqrt(1.0 / n_a + 1.0 / n_b));
    const double shift = location_shift(a, n_a, b, n_b), ln_floor = log1p(s.floor);
    double lo, hi;
    bootstrap(a, n_a, b, n_b, shift, confidence, o->seed, &lo, &hi);
    s.change = expm1(shift);
    s.lo = expm1(lo);
    s.hi = expm1(hi);
    s.p = sp_welch((struct sp_group){n_a, a}, (struct sp_group){n_b, b}, NULL, NULL);
    const bool is_sure = s.p < 1 - confidence; /* of few runs the interval alone is too narrow */
    if (is_sure && shift > ln_floor && lo > 0)
        s.move = SP_MOVE_UP;
    else if (is_sure && shift < -ln_floor && hi < 0)
        s.move = SP_MOVE_DOWN;
    else if (hi < ln_twice && lo > -ln_twice)
        s.move = SP_MOVE_NONE;
    if (s.move == SP_MOVE_UNDECIDED) {
        const int needed = runs_needed(s.noise, ln_twice / 2);
        s.n_more = needed > least ? needed - least : 1;
    }
    return s;
}

struct ranked {
    double p;
    int at;
};

static int by_p(const void *x, const void *y)
{
    const struct ranked *a = x, *b = y;
    return (a->p > b->p) - (a->p < b->p);
}

int sp_discoveries(const double *p, int n, double q, unsigned char *rejected)
{
    struct ranked *order = malloc((size_t)(n > 0 ? n : 1) * sizeof *order);
    int n_rejected = 0;
    if (n > 0)
        memset(rejected, 0, (size_t)n);
    if (!order)
        return 0; /* nothing is called a discovery */
    for (int i = 0; i < n; i++)
        order[i] = (struct ranked){p[i], i};
    sp_sort_by(order, n, sizeof *order, by_p);
    for (int i = 0; i < n; i++)
        if (order[i].p <= q * (i + 1) / n)
            n_rejected = i + 1;
    for (int i = 0; i < n_rejected; i++)
        rejected[order[i].at] = 1;
    free(order);
    return n_rejected;
}

enum { MOST = SP_MOMENTS_MOST, LEAST_ROBUST = 5 };

/* How far from the middle values may be before they are drawn in: off[n] are |deviations|. Where
 * most of them are 0, as of values in few digits, their mean tells. */
static double farthest(const double *off, int n)
{
    static const double far = 2.5, of_mean = 0.5 * 1.2533; /* half the standard deviation */
    double mean = 0;
    for (int i = 0; i < n; i++)
        mean += off[i] / n;
    /* Of few values the median of |deviations| is too small by about 1 + 1/n. */
    const double scale = 1.4826 * sp_median(off, n) * (1 + 1.0 / n);
    return n < LEAST_ROBUST ? INFINITY : far * (scale > 0 ? scale : of_mean * mean);
}

struct sp_moments sp_moments_of(const double *y, int n)
{
    double off[MOST];
    struct sp_moments m = {.n = n};
    const int known = n < MOST ? n : MOST;
    const double *x = y + (n - known);
    const double middle = sp_median(x, known);
    for (int i = 0; i < known; i++)
        off[i] = fabs(x[i] - middle);
    const double most = farthest(off, known);
    for (int i = 0; i < known; i++)
        m.mean += middle + fmax(-most, fmin(most, x[i] - middle));
    m.mean /= known;
    for (int i = 0; i < known; i++) {
        const double d = middle + fmax(-most, fmin(most, x[i] - middle)) - m.mean;
        m.squares += d * d;
    }
    /* What is drawn in of normal values takes some of their variance, and of what it is known
     * with. */
    m.df = known - 1;
    if (known >= LEAST_ROBUST) {
        m.df *= 0.88;
        m.squares *= 0.88 * 1.025 * (1 + 0.58 / known);
    }
    return m;
}

struct sp_spread sp_spread_of_steps(const double *step, int n)
{
    double off[MOST], squares = 0;
    const int known = n < MOST ? n : MOST;
    for (int i = 0; i < known; i++)
        off[i] = fabs(step[n - known + i]);
    if (known < 3)
        return (struct sp_spread){0};
    const double most = farthest(off, known);
    for (int i = 0; i < known; i++)
        squares += fmin(off[i], most) * fmin(off[i], most);
    /* Steps share a session with their neighbours: n of them know as much as 2/3 n values. */
    return (struct sp_spread){0.5 * 1.025 * squares / known, 0.88 * 2 / 3 * known};
}

/* The median of many has pi/(2 n), of one and two, whose mean it is, 1/n; in between these
 * expressions, which are exact at 1 and 2, are within 3 % of the integral over the order statistics
 * (0.449 of three values, 0.298 of four). */
double sp_variance_of_median(int n)
{
    return 0.5 * M_PI / (n + (n % 2 ? 0.5 * M_PI - 1 : M_PI - 2));
}

double sp_spread_of_runs(const double *deviation, int n)
{
    return n > 0 ? 1.4826 * sp_median(deviation, n) : 0;
}

struct sp_spread sp_spread_usual(double noise_of_runs, int runs)
{
    static const double session = 0.014, worth = 14;
    return (struct sp_spread){session * session +
                                  noise_of_runs * noise_of_runs * sp_variance_of_median(runs > 0 ? runs : 1),
                              worth};
}

/* psi(x) and psi'(x), by the recurrence up to 6 and the asymptotic series from there. */
static double digamma(double x)
{
    double sum = 0;
    while (x < 6) {
        sum -= 1 / x;
        x += 1;
    }
    const double r = 1 / (x * x);
    return sum + log(x) - 0.5 / x - r * (1.0 / 12 - r * (1.0 / 120 - r / 252));
}

static double trigamma(double x)
{
    double sum = 0;
    while (x < 6) {
        sum += 1 / (x * x);
        x += 1;
    }
    const double r = 1 / (x * x);
    return sum + 1 / x + 0.5 * r + r / x * (1.0 / 6 - r * (1.0 / 30 - r / 42));
}

/* x with trigamma(x) = y, which falls from infinity to 0: bisection of ln x. */
static double inverse_trigamma(double y)
{
    double lo = -7, hi = 12;
    for (int i = 0; i < 60; i++) {
        const double middle = 0.5 * (lo + hi);
        if (trigamma(exp(middle)) > y)
            lo = middle;
        else
            hi = middle;
    }
    return exp(0.5 * (lo + hi));
}

struct sp_spread sp_spread_of_machine(const struct sp_spread *series, int n, struct sp_spread usual)
{
    static const double least = 1e-8; /* a spread of 0.01 %: no machine is as steady */
    double e[MOST], mean = 0, above = 0, sampled = 0, df = 0;
    int known = 0;
    for (int i = 0; i < n && known < MOST; i++) {
        const double d = series[i].df;
        if (d < 1.5)
            continue;
        e[known] = log(fmax(series[i].variance, least)) - digamma(d / 2) + log(d / 2);
        sampled += trigamma(d / 2);
        mean += e[known++];
        df += d;
    }
    if (known < 3)
        return usual;
    mean /= known;
    for (int i = 0; i < known; i++)
        above += (e[i] - mean) * (e[i] - mean);
    const double differ = above / (known - 1) - sampled / known;
    const double alike = differ > 0 ? 2 * inverse_trigamma(differ) : INFINITY;
    struct sp_spread s = {.df = fmin(alike, df)};
    s.variance = exp(mean + (isinf(alike) ? 0 : digamma(alike / 2) - log(alike / 2)));
    return s;
}

struct sp_spread sp_spread_moderated(double squares, double nu, struct sp_spread prior)
{
    const double ratio = nu > 0 && squares > 0 ? prior.variance / (squares / nu) : 1;
    const double worth = prior.df * fmin(1, pow(ratio, 6));
    return (struct sp_spread){(worth * prior.variance + squares) / (worth + nu), worth + nu};
}
