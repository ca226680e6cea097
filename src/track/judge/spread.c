#include "track/judge/spread.h"

#include <math.h>

#include "base/samples.h"

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
