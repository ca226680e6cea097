#include "track/judge/levels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "track/judge/shift.h"

enum { MOST_TAIL = 40, MOST_LEVELS = 64, LEAST_TREND = 8, LEAST_RISE = 5, REFIT = 12, NEAR = 6 };

/* What a change that is open has to go below to be none any more. */
#define WITHDRAWN 0.003
/* A better level is the reference of all that follows: it has to be as sure as this share of
 * alpha. */
#define SURE 0.002
/* So is what ends something that is open: it is looked for in every session, for years. */
#define MENDED 0.003
/* ln of how much likelier that has to be, by the sessions alone. */
#define SEEMS_BACK 4.605 /* 100 times */
#define IS_BACK    9.21  /* 10,000 times */
/* alpha is shared among the numbers of sessions that may show a change together: one, two, three
 * ... have shares that add up to 1. Those of the newest source are one test, however many there
 * are: they were measured because of it. */
static double share_of(int m, bool is_newest_source)
{
    if (m > 1 && is_newest_source)
        return 0.35;
    return m == 1 ? 0.92 : m <= 3 ? 0.03 : 0.02 / ((m - 3.0) * (m - 2.0));
}
/* More sessions have to show with the first one what comes by chance in this share of alpha. */
#define CONFIRMED   0.35
#define SHARE_TREND 0.01
#define SHARE_PIN   0.05

struct level {
    int id;
    int before;                /* id of the level that it is held against; -1: none */
    double variance;           /* of a session, as it was known when it began */
    double p;                  /* of a trend: that its slope is there by chance */
    struct sp_level_change is; /* of what got worse */
};

/* What is known of the sessions of an id, so that a long history need not be read again for each
 * session; give_one() forgets it where they change. */
struct tally {
    bool is_counted, is_known; /* n and sum; moments */
    int n;
    double sum;
    struct sp_moments moments;
};

struct work {
    const struct sp_level_series *s;
    const struct sp_level_options *o;
    const double *y; /* [n] */
    int *x;          /* [n] commits */
    int *id;         /* [n] */
    struct tally tally[MOST_LEVELS];
    double slope[MOST_LEVELS]; /* of each id; its values are taken less the slope since `from` */
    int from[MOST_LEVELS];
    double *buffer; /* [n] */
    struct level stack[SP_MOST_OPEN + 1];
    int height, n_ids;
    struct level was[SP_MOST_OPEN + 1]; /* [was_height] the stack before the sessions from `back` on */
    int was_height, back;               /* seemed to have gone back; 0: that is settled */
    int begin;                          /* of the present run of sessions on the top of the stack */
    int t;                              /* the newest session */
    int candidate;                      /* first session of what one session has shown; -1: none */
    bool candidate_is_worse;
    bool is_confirmed;
    int mended;
    int pin, n_pins;
    double early; /* variance of the first sessions, from one to the next; 0: they are behind */
};

static double value(const struct work *w, int i)
{
    const int id = w->id[i];
    return w->y[i] - w->slope[id] * (w->x[i] - w->x[w->from[id]]);
}

static void forget(struct work *w, int id)
{
    w->tally[id] = (struct tally){0};
}

static void give_one(struct work *w, int i, int id)
{
    if (w->id[i] == id)
        return;
    forget(w, w->id[i]);
    forget(w, id);
    w->id[i] = id;
}

static void set_slope(struct work *w, int id, double slope, int from)
{
    w->slope[id] = slope;
    w->from[id] = from;
    forget(w, id);
}

/* The newest session joins the others of an id. */
static void append(struct work *w, int id)
{
    w->id[w->t] = id;
    w->tally[id].n++;
    w->tally[id].sum += value(w, w->t);
    w->tally[id].is_known = false;
}

/* How many sessions an id has, and their sum. */
static const struct tally *count(struct work *w, int id)
{
    struct tally *c = &w->tally[id];
    if (c->is_counted)
        return c;
    *c = (struct tally){.is_counted = true};
    for (int i = 0; i <= w->t; i++)
        if (w->id[i] == id) {
            c->sum += value(w, i);
            c->n++;
        }
    return c;
}

/* Of the sessions [0, end) of one level. */
static struct sp_moments moments_of(struct work *w, int id, int end)
{
    int n = count(w, id)->n, kept = 0;
    if (end > w->t && w->tally[id].is_known)
        return w->tally[id].moments;
    for (int i = w->t; i >= end; i--)
        n -= w->id[i] == id;
    const int known = n < SP_MOMENTS_MOST ? n : SP_MOMENTS_MOST;
    for (int i = (end > w->t ? w->t : end - 1); kept < known; i--)
        if (w->id[i] == id)
            w->buffer[known - ++kept] = value(w, i);
    struct sp_moments m = {0};
    if (n > 0) {
        m = sp_moments_of(w->buffer, known);
        m.n = n;
    }
    if (end > w->t) {
        w->tally[id].is_known = true;
        w->tally[id].moments = m;
    }
    return m;
}

/* What of a level new sessions are held against: the mean of its last `most_before` before `end`.
 * All of them tell of noise. */
static struct sp_moments before_of(struct work *w, int id, int end)
{
    struct sp_moments m = moments_of(w, id, end);
    const int most = w->o->most_before;
    int kept = 0;
    if (most == 0 || m.n <= most)
        return m;
    for (int i = (end > w->t ? w->t : end - 1); i >= 0 && kept < most; i--)
        if (w->id[i] == id)
            w->buffer[most - ++kept] = value(w, i);
    m.mean = sp_moments_of(w->buffer, kept).mean;
    m.n = kept;
    return m;
}

static struct sp_moments tail_of(struct work *w, int first)
{
    int n = 0;
    for (int i = first; i <= w->t; i++)
        w->buffer[n++] = value(w, i);
    return sp_moments_of(w->buffer, n);
}

/* What the levels tell about noise that take no part in a comparison. */
static struct sp_moments rest_of(struct work *w, int id, int other)
{
    struct sp_moments rest = {0};
    for (int k = 0; k < w->n_ids; k++) {
        if (k == id || k == other)
            continue;
        const struct sp_moments one = moments_of(w, k, w->t + 1);
        rest.df += one.df;
        rest.squares += one.squares;
    }
    return rest;
}

/* What a level is held against. */
static struct sp_moments reference_of(struct work *w, const struct level *l)
{
    if (!l->is.of_pin)
        return moments_of(w, l->before, w->t + 1);
    for (int i = 0; i < w->n_pins; i++)
        w->buffer[i] = w->y[w->pin + i];
    return sp_moments_of(w->buffer, w->n_pins);
}

struct test {
    double by, se, p; /* one-sided: that `by` is larger than 0 */
    struct sp_spread spread;
    int k, m;
};

static struct test compare(const struct work *w, struct sp_moments a, struct sp_moments b,
                           struct sp_moments rest)
{
    struct test t = {.by = b.mean - a.mean, .k = a.n, .m = b.n, .p = 1};
    if (a.n < 1 || b.n < 1)
        return t;
    t.spread = sp_spread_moderated(a.squares + b.squares + rest.squares, a.df + b.df + rest.df, w->o->prior);
    t.spread.variance = fmax(t.spread.variance, w->early);
    t.se = sqrt(t.spread.variance * (1.0 / a.n + 1.0 / b.n));
    const double half = 0.5 * sp_student_p(t.by / t.se, t.spread.df);
    t.p = t.by > 0 ? half : 1 - half;
    return t;
}

static struct level *top(struct work *w)
{
    return &w->stack[w->height - 1];
}

static bool is_on_stack(const struct work *w, int id)
{
    for (int i = 0; i < w->height; i++)
        if (w->stack[i].id == id || w->stack[i].before == id)
            return true;
    for (int i = 0; i < w->was_height; i++)
        if (w->was[i].id == id || w->was[i].before == id)
            return true;
    return false;
}

/* The ids behind it move up by one; its sessions, where there are any, go to the one before it. */
static void remove_id(struct work *w, int gone)
{
    memset(w->tally, 0, sizeof w->tally);
    for (int i = 0; i <= w->t; i++)
        w->id[i] -= w->id[i] >= gone && w->id[i] > 0;
    for (int k = gone + 1; k < w->n_ids; k++) {
        w->slope[k - 1] = w->slope[k];
        w->from[k - 1] = w->from[k];
    }
    for (int i = 0; i <= SP_MOST_OPEN; i++) {
        w->stack[i].id -= w->stack[i].id > gone;
        w->stack[i].before -= w->stack[i].before > gone;
        w->was[i].id -= w->was[i].id > gone;
        w->was[i].before -= w->was[i].before > gone;
    }
    w->n_ids--;
}

/* One that is neither open nor held against gives its place: without sessions, as what was
 * withdrawn, else of two that follow each other, which tell of noise alone. */
static void make_room(struct work *w)
{
    int count[MOST_LEVELS] = {0}, pair = -1;
    for (int i = 0; i <= w->t; i++)
        count[w->id[i]]++;
    for (int k = 0; k < w->n_ids; k++) {
        if (is_on_stack(w, k))
            continue;
        if (count[k] == 0) {
            remove_id(w, k);
            return;
        }
        if (pair < 0 && k > 0 && !is_on_stack(w, k - 1))
            pair = k;
    }
    remove_id(w, pair); /* the stack has room for far fewer: there is one */
}

/* May move the other ids. */
static int new_id(struct work *w)
{
    if (w->n_ids == MOST_LEVELS)
        make_room(w);
    set_slope(w, w->n_ids, 0, 0);
    return w->n_ids++;
}

static void give(struct work *w, int first, int id)
{
    for (int i = first; i <= w->t; i++)
        give_one(w, i, id);
}

static void find_begin(struct work *w)
{
    w->begin = w->t;
    while (w->begin > 0 && w->id[w->begin - 1] == top(w)->id)
        w->begin--;
}

/* --- A step -------------------------------------------------------------------------------- */

struct found {
    int first; /* of the sessions that differ; -1: none */
    double p;  /* over its share of alpha */
    struct test test;
};

/* The most telling of the newest sessions against the others of their level, in one direction. */
static struct found scan(struct work *w, bool worse)
{
    struct found best = {.first = -1, .p = 1};
    const int id = top(w)->id;
    struct sp_moments rest = {.n = -1};
    const double all = count(w, id)->sum;
    const int n = count(w, id)->n;
    double tail = 0;
    for (int m = 1; m <= w->t - w->begin + 1 && m <= MOST_TAIL && m < n; m++) {
        const int first = w->t - m + 1;
        tail += value(w, first);
        /* Most tails differ too little, whatever the noise. */
        const double about = tail / m - (all - tail) / (n - m);
        if (w->o->most_before == 0 && (worse ? about : -about) <= 0.5 * w->o->floor)
            continue;
        if (rest.n < 0)
            rest = rest_of(w, id, id);
        const struct sp_moments a = before_of(w, id, first);
        struct test t = compare(w, a, tail_of(w, first), rest);
        if (!worse) {
            t.by = -t.by;
            t.p = 1 - t.p;
        }
        if (t.by <= w->o->floor || t.by <= 0)
            continue;
        const double p = t.p / share_of(m, w->x[first] == w->x[w->t]);
        if (p < best.p)
            best = (struct found){first, p, t};
    }
    return best;
}

/* Values beyond both levels, as of one bad session, tell nothing of where one of them ends. */
struct between {
    double least, most;
};

static double drawn_in(struct between b, double y)
{
    return fmin(fmax(y, b.least), b.most);
}

/* Where two means fit best to the run that has a change in it; between commits, unless sessions of
 * one commit differ beyond doubt. */
static double cost_of(const struct work *w, int begin, int at, struct between levels, double penalty)
{
    double sum[2] = {0}, squares = 0;
    const int count[2] = {at - begin, w->t - at + 1};
    for (int i = begin; i <= w->t; i++)
        sum[i >= at] += drawn_in(levels, w->y[i]);
    for (int i = begin; i <= w->t; i++) {
        const double d = drawn_in(levels, w->y[i]) - sum[i >= at] / count[i >= at];
        squares += d * d;
    }
    return squares + (w->x[at] == w->x[at - 1] ? penalty : 0);
}

static int best_split(const struct work *w, int begin, int lo, int hi, struct between levels, double variance)
{
    int best = lo;
    double least = INFINITY;
    for (int s = lo; s <= hi; s++) {
        const double c = cost_of(w, begin, s, levels, 9 * variance);
        if (c < least) {
            least = c;
            best = s;
        }
    }
    return best;
}

/* --- A trend ------------------------------------------------------------------------------- */

struct line {
    int kink; /* -1: none */
    double start, slope, se, squares;
    struct sp_spread spread;
};

/* Level up to the kink and a line from there, of the sessions [begin, t]; the kink that fits best,
 * with at least `flat` sessions before it and LEAST_RISE commits behind. */
static struct line fit_line(struct work *w, int begin, int flat, struct sp_moments rest)
{
    struct line best = {.kink = -1, .squares = INFINITY};
    const int n = w->t - begin + 1;
    double sy = 0, syy = 0;
    for (int i = begin; i <= w->t; i++) {
        const double y = w->y[i] - w->y[begin];
        sy += y;
        syy += y * y;
    }
    double n1 = 0, sx = 0, sxx = 0, sy1 = 0, sxy = 0; /* of those from the kink on, x from the first one */
    for (int kink = w->t; kink >= begin + flat; kink--) {
        const double x = w->x[kink] - w->x[begin], y = w->y[kink] - w->y[begin];
        n1++;
        sx += x;
        sxx += x * x;
        sy1 += y;
        sxy += x * y;
        if (w->x[w->t] - w->x[kink] < LEAST_RISE || n1 < LEAST_RISE ||
            (kink > begin && w->x[kink] == w->x[kink - 1]))
            continue;
        /* The line passes the kink's own commit a slope above the level: x' = x - x_kink + 1. */
        const double x0 = x - 1, tx = sx - n1 * x0, txx = sxx - 2 * x0 * sx + n1 * x0 * x0,
                     txy = sxy - x0 * sy1, d = n * txx - tx * tx;
        if (d <= 0)
            continue;
        const double slope = (n * txy - tx * sy) / d, start = (sy - slope * tx) / n;
        const double squares = syy - start * sy - slope * txy;
        if (squares < best.squares && slope > 0)
            best = (struct line){.kink = kink,
                                 .start = w->y[begin] + start,
                                 .slope = slope,
                                 .se = sqrt(n / d),
                                 .squares = squares > 0 ? squares : 0};
    }
    if (best.kink < 0)
        return best;
    best.spread = sp_spread_moderated(best.squares + rest.squares, n - 3.0 + rest.df, w->o->prior);
    best.se *= sqrt(best.spread.variance);
    return best;
}

static double rise_of(const struct work *w, const struct line *l)
{
    return l->slope * (w->x[w->t] - w->x[l->kink] + 1);
}

/* The least that one step leaves of the squares of the run from `begin` on. */
static double squares_of_step(const struct work *w, int begin)
{
    double most = 0, sum = 0, squares = 0, left = 0;
    const int n = w->t - begin + 1;
    for (int i = begin; i <= w->t; i++) {
        const double y = w->y[i] - w->y[begin];
        sum += y;
        squares += y * y;
    }
    for (int s = 1; s < n; s++) {
        left += w->y[begin + s - 1] - w->y[begin];
        most = fmax(most, left * left / s + (sum - left) * (sum - left) / (n - s));
    }
    return squares - most;
}

/* Does the present run rise steadily, and is that a better account of it than one step? */
static bool find_trend(struct work *w, struct line *l)
{
    const struct level *now = top(w);
    if (w->o->no_trends || w->t - w->begin + 1 < LEAST_TREND || now->is.is_trend)
        return false;
    const struct sp_moments rest = rest_of(w, now->id, now->id);
    *l = fit_line(w, w->begin, 2, rest);
    if (l->kink < 0 || rise_of(w, l) <= w->o->floor)
        return false;
    const double p = 0.5 * sp_student_p(l->slope / l->se, l->spread.df);
    return p <= w->o->alpha * SHARE_TREND && l->squares < squares_of_step(w, w->begin);
}

/* Noise that grew since something was opened does not forgive it. */
static double grown(const struct level *l, double variance)
{
    return l->variance > 0 ? fmax(1, sqrt(variance / l->variance)) : 1;
}

static double t_quantile(double p_two_sided, double df);

static void set_trend(struct work *w, const struct line *l, struct level *of)
{
    const double wide = t_quantile(0.05, l->spread.df) * l->se;
    of->is.is_trend = true;
    of->is.at = l->kink;
    of->is.slope = l->slope;
    of->is.lo = l->slope - wide;
    of->is.hi = l->slope + wide;
    of->p = 0.5 * sp_student_p(l->slope / l->se * grown(of, l->spread.variance), l->spread.df);
    set_slope(w, of->id, l->slope, l->kink);
    give(w, l->kink, of->id);
    w->begin = l->kink;
}

static bool push(struct work *w, int first, bool of_pin)
{
    if (w->height > SP_MOST_OPEN)
        return false;
    const int id = new_id(w), before = top(w)->id;
    w->stack[w->height++] = (struct level){.id = id, .before = before, .is = {.at = first, .of_pin = of_pin}};
    give(w, first, id);
    w->begin = first;
    return true;
}

static void open_trend(struct work *w, const struct line *l)
{
    if (!push(w, l->kink, false))
        return;
    set_trend(w, l, top(w));
    w->is_confirmed = true;
    w->candidate = -1;
}

/* The trend's line again, with the newest session. */
static void follow_trend(struct work *w)
{
    struct level *now = top(w);
    if (!now->is.is_trend || w->height < 2)
        return;
    int begin = w->begin;
    while (begin > 0 && w->id[begin - 1] == now->before)
        begin--;
    if (begin == w->begin)
        return;
    const struct sp_moments rest = rest_of(w, now->id, now->before);
    const struct line l = fit_line(w, begin, 2, rest);
    if (l.kink < 0)
        return;
    for (int i = begin; i < l.kink; i++)
        give_one(w, i, now->before);
    set_trend(w, &l, now);
}

/* --- Levels -------------------------------------------------------------------------------- */

/* The tail from `first` on is a level of its own, worse than the present one. */
static void step_up(struct work *w, int first)
{
    push(w, first, false);
}

/* The tail from `first` on is better: it ends what it is better than. */
static void step_down(struct work *w, int first)
{
    const double mean = tail_of(w, first).mean;
    w->was_height = 0;
    int opened = w->height > 1 ? top(w)->is.at : -1;
    while (w->height > 1) {
        const struct level was = *top(w);
        opened = was.is.at;
        w->height--;
        const struct sp_moments below = moments_of(w, top(w)->id, first);
        const double above = mean - below.mean;
        if (above > w->o->floor) { /* better, but not mended */
            push(w, first, false);
            top(w)->is = was.is;
            top(w)->is.is_trend = false;
            return;
        }
        if (above > -w->o->floor) {
            give(w, first, top(w)->id);
            find_begin(w);
            w->mended = opened;
            return;
        }
    }
    w->mended = opened;
    const int id = new_id(w), before = w->stack[0].id;
    w->stack[0] = (struct level){.id = id, .before = before};
    give(w, first, id);
    w->begin = first;
}

/* The boundary of a young level is looked for again as sessions come. */
static void refit(struct work *w)
{
    struct level *now = top(w);
    const int begin = w->begin;
    if (begin == 0 || w->t - begin + 1 > REFIT || now->is.is_trend || w->id[begin - 1] != now->before ||
        w->candidate >= 0)
        return;
    int from = begin;
    while (from > 0 && w->id[from - 1] == now->before && begin - from < MOST_TAIL)
        from--;
    if (w->n_pins > 0 && from < w->pin + w->n_pins && begin >= w->pin + w->n_pins)
        from = w->pin; /* what was accepted stays on its side */
    int lo = begin - NEAR > from + 1 ? begin - NEAR : from + 1;
    if (w->n_pins > 0 && begin >= w->pin + w->n_pins && lo < w->pin + w->n_pins)
        lo = w->pin + w->n_pins;
    const int hi = begin + NEAR < w->t ? begin + NEAR : w->t;
    if (lo > hi)
        return;
    const struct sp_moments a = moments_of(w, now->before, w->t + 1), b = moments_of(w, now->id, w->t + 1);
    const struct sp_spread s = sp_spread_moderated(a.squares + b.squares, a.df + b.df, w->o->prior);
    const double far = 2.5 * sqrt(s.variance);
    const struct between levels = {fmin(a.mean, b.mean) - far, fmax(a.mean, b.mean) + far};
    const int at = best_split(w, from, lo, hi, levels, s.variance);
    for (int i = lo; i <= w->t; i++)
        give_one(w, i, i < at ? now->before : now->id);
    w->begin = at;
    if (w->height > 1 && now->is.at == begin)
        now->is.at = at;
}

/* Is what is open, or was better, still different from what was before? */
static void withdraw(struct work *w)
{
    struct level *now = top(w);
    if (now->before < 0)
        return;
    const struct sp_moments b = moments_of(w, now->id, w->t + 1), a = reference_of(w, now);
    if (b.n < 1 || a.n < 1)
        return;
    struct test t = compare(w, a, b, rest_of(w, now->id, now->before));
    const bool worse = w->height > 1;
    double by = worse ? t.by : -t.by;
    if (now->is.is_trend)
        by += now->is.slope * (w->x[w->t] - w->x[now->is.at]);
    const double half = 0.5 * sp_student_p(t.by / t.se * grown(now, t.spread.variance), t.spread.df),
                 p = now->is.is_trend ? now->p
                     : by > 0         ? half
                                      : 1 - half;
    if (p <= WITHDRAWN && by > 0.5 * w->o->floor)
        return;
    const int id = now->id, before = now->before;
    for (int i = 0; i <= w->t; i++)
        if (w->id[i] == id)
            give_one(w, i, before);
    if (worse)
        w->height--;
    else
        w->stack[0] = (struct level){.id = before, .before = -1};
    find_begin(w);
}

/* ln of how much likelier m sessions with this mean above the reference are there than at the level
 * that t puts behind it (Wald 1945). */
static double likelier(const struct test *t, double back, int m)
{
    return m * t->by * (0.5 * t->by - back) / t->spread.variance;
}

/* Have the newest sessions gone back to the level before? Where they are a hundred times likelier
 * there, so it seems. */
static void look_back(struct work *w)
{
    const struct level *now = top(w);
    if (w->height < 2 || now->is.is_trend)
        return;
    const struct sp_moments rest = rest_of(w, now->id, now->before), before = reference_of(w, now);
    for (int j = 1; j <= 3 && w->t - j + 1 > w->begin; j++) {
        const int first = w->t - j + 1;
        const struct test t = compare(w, before, moments_of(w, now->id, first), rest);
        const double so = likelier(&t, tail_of(w, first).mean - before.mean, j);
        if (t.k > 0 && so > SEEMS_BACK) {
            memcpy(w->was, w->stack, sizeof w->was);
            const int height = w->height;
            step_down(w, first);
            w->was_height = so > IS_BACK ? 0 : height;
            w->back = first;
            return;
        }
    }
}

/* What seemed mended is so where all sessions since say it ten thousand times, and was none where
 * they are likelier at what was open: a session in a thousand seems to go back by chance. */
static void settle_back(struct work *w)
{
    if (w->was_height == 0)
        return;
    const struct level *open = &w->was[w->was_height - 1];
    const struct sp_moments before = reference_of(w, open);
    const struct test t =
        compare(w, before, moments_of(w, open->id, w->back), rest_of(w, open->id, open->before));
    const double so = likelier(&t, tail_of(w, w->back).mean - before.mean, w->t - w->back + 1);
    if (t.k > 0 && t.m > 0 && so <= 0) {
        memcpy(w->stack, w->was, sizeof w->stack);
        w->height = w->was_height;
        give(w, w->back, top(w)->id);
        find_begin(w);
        w->candidate = -1;
        w->is_confirmed = true;
    }
    if (t.k == 0 || t.m == 0 || so <= 0 || so > IS_BACK)
        w->was_height = 0;
}

/* Sessions since against those that were accepted: steps that pass one by one. */
static void hold_against_pin(struct work *w)
{
    static const int tails[] = {3, 10};
    const int behind = w->pin + w->n_pins;
    if (w->n_pins == 0 || w->height > 1)
        return;
    const struct level like = {.is = {.of_pin = true}};
    const struct sp_moments pin = reference_of(w, &like), rest = rest_of(w, top(w)->id, top(w)->id);
    for (int i = 0; i < 2; i++) {
        const int first = w->t - tails[i] + 1;
        if (first < behind || first < w->begin)
            continue;
        const struct test t = compare(w, pin, tail_of(w, first), rest);
        if (t.by > w->o->floor && t.p <= w->o->alpha * SHARE_PIN) {
            push(w, first, true);
            w->is_confirmed = true;
            return;
        }
    }
}

/* What one session has shown before: do the sessions since show it together? */
static bool settle_candidate(struct work *w)
{
    const int first = w->candidate, id = top(w)->id;
    const bool worse = w->candidate_is_worse;
    w->candidate = -1;
    if (first < w->begin)
        return false;
    struct test t = compare(w, before_of(w, id, first), tail_of(w, first), rest_of(w, id, id));
    const double by = worse ? t.by : -t.by, p = worse ? t.p : 1 - t.p;
    if (by <= w->o->floor || p > w->o->alpha * CONFIRMED)
        return false;
    if (!worse && p > w->o->alpha * (w->height == 1 ? SURE : MENDED)) {
        w->candidate = first; /* better, but not yet to be relied on */
        return true;
    }
    w->is_confirmed = true;
    if (worse)
        step_up(w, first);
    else
        step_down(w, first);
    return true;
}

static void look_for_steps(struct work *w)
{
    if (w->candidate >= 0 && settle_candidate(w))
        return;
    const struct found up = scan(w, true), down = scan(w, false);
    const bool worse = up.p <= down.p;
    const struct found *f = worse ? &up : &down;
    if (f->first < 0 || f->p > w->o->alpha)
        return;
    const int m = w->t - f->first + 1;
    const bool sure = f->test.p <= w->o->alpha * SURE;
    if (!worse && (sure || (m > 1 && w->height > 1 && f->test.p <= w->o->alpha * MENDED)))
        step_down(w, f->first);
    else if (worse && m > 1) {
        step_up(w, f->first);
        w->is_confirmed = true;
    } else {
        w->candidate = f->first;
        w->candidate_is_worse = worse;
    }
}

static void note_variance(struct work *w)
{
    struct level *now = top(w);
    if (now->variance > 0 || now->before < 0)
        return;
    const struct sp_moments a = moments_of(w, now->before, w->t + 1), b = moments_of(w, now->id, w->t + 1);
    now->variance = compare(w, a, b, rest_of(w, now->before, now->id)).spread.variance;
}

/* Steps and trends are two accounts of the same sessions; the cheaper one holds (Schwarz 1978: a
 * number that was fitted costs ln n). */
static void account(struct work *w)
{
    const int steps = w->height - 1;
    if (steps < 1 || w->o->no_trends || w->n_ids == MOST_LEVELS || w->candidate >= 0)
        return;
    for (int i = 1; i < w->height; i++)
        if (w->stack[i].is.is_trend || w->stack[i].is.of_pin)
            return;
    int begin = w->stack[1].is.at;
    while (begin > 0 && w->id[begin - 1] == w->stack[0].id)
        begin--;
    const int n = w->t - begin + 1;
    for (int i = w->stack[1].is.at; i <= w->t; i++) /* nothing was better in between */
        if (w->id[i] < w->stack[1].id)
            return;
    if (n < LEAST_TREND)
        return;
    const struct sp_moments none = {0};
    const struct line l = fit_line(w, begin, 2, none);
    if (l.kink < 0 || rise_of(w, &l) <= w->o->floor)
        return;
    double squares = 0;
    for (int i = 0; i < w->height; i++) {
        double sum = 0, all = 0;
        int count = 0;
        for (int k = begin; k <= w->t; k++)
            if (w->id[k] == w->stack[i].id) {
                sum += w->y[k];
                count++;
            }
        for (int k = begin; k <= w->t; k++)
            if (w->id[k] == w->stack[i].id)
                all += (w->y[k] - sum / count) * (w->y[k] - sum / count);
        squares += all;
    }
    if (n * log(l.squares + 1e-12) + 3 * log(n) >= n * log(squares + 1e-12) + (2 * steps + 1) * log(n))
        return;
    give(w, begin, w->stack[0].id);
    w->height = 1;
    w->begin = begin;
    open_trend(w, &l);
}

/* What was accepted is where the series begins anew. */
static void begin_anew(struct work *w)
{
    const int id = new_id(w);
    w->stack[0] = (struct level){.id = id, .before = -1};
    w->height = 1;
    w->was_height = 0;
    give(w, w->pin, id);
    w->begin = w->pin;
    w->candidate = -1;
    w->is_confirmed = false;
    w->mended = -1;
}

/* The first dozen sessions are judged with what the dozen tells about noise, all together: levels
 * that two or three of them seem to make are no longer found once more are there. */
static void find_early(struct work *w, int n)
{
    enum { DOZEN = 12 };
    const int known = n - 1 < DOZEN ? n - 1 : DOZEN;
    double step[DOZEN];
    w->early = 0;
    if (w->t >= known || known < 4)
        return;
    for (int i = 1; i < known; i++)
        step[i - 1] = w->y[i] - w->y[i - 1];
    w->early = sp_spread_of_steps(step, known - 1).variance;
}

static void advance(struct work *w, int n)
{
    struct line l;
    find_early(w, n);
    w->mended = -1;
    append(w, top(w)->id);
    if (w->n_pins > 0 && w->t == w->pin + w->n_pins - 1) {
        begin_anew(w);
        return;
    }
    if (w->n_pins > 0 && w->t >= w->pin && w->t < w->pin + w->n_pins)
        return;
    settle_back(w);
    const int height = w->height;
    if (find_trend(w, &l))
        open_trend(w, &l);
    else
        look_for_steps(w);
    if (w->height == height)
        follow_trend(w);
    refit(w);
    account(w);
    note_variance(w);
    look_back(w);
    withdraw(w);
    if (w->candidate < 0)
        hold_against_pin(w);
    if (w->height == 1)
        w->is_confirmed = false;
}

/* --- What it comes to ---------------------------------------------------------------------- */

static double t_quantile(double p, double df)
{
    double lo = 0, hi = 1e4;
    for (int i = 0; i < 60; i++) {
        const double middle = 0.5 * (lo + hi);
        if (sp_student_p(middle, df) > p)
            lo = middle;
        else
            hi = middle;
    }
    return 0.5 * (lo + hi);
}

static void report(const struct work *w, const struct test *t, double shift, struct sp_level_state *out)
{
    const double wide = t_quantile(0.05, t->spread.df) * t->se;
    out->k = t->k;
    out->m = t->m;
    out->change = t->by + shift;
    out->lo = out->change - wide;
    out->hi = out->change + wide;
    out->needed = fmax(w->o->floor, t_quantile(2 * w->o->alpha, t->spread.df) * t->se);
    out->sigma = sqrt(t->spread.variance);
    out->df = t->spread.df;
}

/* The newest sessions of one source, which are judged together. */
static int first_of_newest(const struct work *w)
{
    int first = w->t;
    while (first > w->begin && w->x[first - 1] == w->x[w->t])
        first--;
    return first;
}

static void conclude(struct work *w, struct sp_level_state *out)
{
    const int id = top(w)->id;
    memset(out, 0, sizeof *out);
    out->p = 1;
    out->p_at = -1;
    out->mended = w->mended;
    for (int i = 1; i < w->height; i++) {
        out->open[out->n_open] = w->stack[i].is;
        const struct sp_moments a = reference_of(w, &w->stack[i]),
                                b = moments_of(w, w->stack[i].id, w->t + 1);
        struct sp_level_change *c = &out->open[out->n_open++];
        c->by = b.mean - a.mean;
        if (c->is_trend)
            c->by += c->slope * (w->x[w->t] - w->x[c->at]);
    }
    out->is_confirmed = w->is_confirmed;
    const struct found up = scan(w, true);
    out->p = up.p;
    out->p_at = up.first;
    out->p_by = up.test.by;
    if (w->height > 1) {
        const struct level *first = &w->stack[1];
        const struct sp_moments a = reference_of(w, first), b = moments_of(w, id, w->t + 1);
        const double shift = top(w)->is.is_trend ? top(w)->is.slope * (w->x[w->t] - w->x[top(w)->is.at]) : 0;
        const struct test t = compare(w, a, b, rest_of(w, first->before, id));
        report(w, &t, shift, out);
        out->base = a.mean;
        out->p = t.p;
        out->p_at = -1;
        out->seen = 0;
        for (int i = out->open[0].at; i <= w->t; i++)
            out->seen++;
        return;
    }
    int newest = first_of_newest(w);
    if (w->candidate >= 0)
        newest = w->candidate;
    else if (newest == w->begin && w->t > newest && moments_of(w, id, newest).n < 1)
        newest = w->t;
    struct sp_moments a = before_of(w, id, newest), b = tail_of(w, newest);
    if (a.n < 1 && top(w)->before >= 0) { /* a better level that has just begun */
        a = moments_of(w, top(w)->before, w->t + 1);
        out->is_better = true;
    }
    if (a.n >= 1) {
        const struct test t = compare(w, a, b, rest_of(w, id, id));
        report(w, &t, 0, out);
        out->base = a.mean;
    } else {
        out->m = b.n;
    }
    if (w->candidate >= 0 && !w->candidate_is_worse)
        out->is_better = true;
}

void sp_levels_open(struct sp_level_state *s)
{
    /* The interval is that of the sessions that show it. */
    if (s->p_at < 0 || s->n_open >= SP_MOST_OPEN)
        return;
    s->open[s->n_open++] = (struct sp_level_change){.at = s->p_at, .by = s->p_by};
    s->is_confirmed = false;
    s->seen = s->seen > 0 ? s->seen : 1;
}

static void work_free(struct work *w)
{
    if (w) {
        free(w->x);
        free(w->id);
        free(w->buffer);
    }
    free(w);
}

/* Follows all sessions; *out: work_free(). */
static enum sp_status follow(const struct sp_level_series *s, const struct sp_level_options *o,
                             struct work **out, struct sp_error *err)
{
    struct work *w = calloc(1, sizeof *w);
    const size_t n = (size_t)s->n;
    *out = w;
    if (w) {
        w->x = calloc(n, sizeof *w->x);
        w->id = calloc(n, sizeof *w->id);
        w->buffer = malloc(n * sizeof *w->buffer);
    }
    if (!w || !w->x || !w->id || !w->buffer) {
        work_free(w);
        *out = NULL;
        return sp_fail(err, SP_MEMORY, NULL, "no memory for the levels of %d sessions", s->n);
    }
    w->s = s;
    w->o = o;
    w->y = s->y;
    for (int i = 0; i < s->n; i++)
        w->x[i] = s->commit ? s->commit[i] : i;
    w->pin = s->first_accepted;
    w->n_pins = s->n_accepted;
    w->stack[0] = (struct level){.id = new_id(w), .before = -1};
    w->height = 1;
    w->candidate = w->mended = -1;
    for (w->t = 0; w->t < s->n; w->t++)
        advance(w, s->n);
    w->t = s->n - 1;
    return SP_OK;
}

enum sp_status sp_levels_follow(const struct sp_level_series *s, const struct sp_level_options *o,
                                struct sp_level_state *out, struct sp_error *err)
{
    struct work *w;
    memset(out, 0, sizeof *out);
    const enum sp_status status = follow(s, o, &w, err);
    if (status != SP_OK)
        return status;
    conclude(w, out);
    work_free(w);
    return SP_OK;
}

enum sp_status sp_levels_locate(const struct sp_level_series *s, const struct sp_level_options *o,
                                struct sp_level_change *out, int most, int *n_found, struct sp_error *err)
{
    struct work *w;
    *n_found = 0;
    const enum sp_status status = follow(s, o, &w, err);
    const int n = s->n;
    if (status != SP_OK)
        return status;
    for (int i = 1; i < n && *n_found < most; i++) {
        if (w->id[i] == w->id[i - 1])
            continue;
        int end = i;
        while (end < n && w->id[end] == w->id[i])
            end++;
        struct sp_level_change *c = &out[*n_found];
        const int id = w->id[i], before = w->id[i - 1];
        *c = (struct sp_level_change){.at = i};
        const double was =
            moments_of(w, before, n).mean + w->slope[before] * (w->x[i - 1] - w->x[w->from[before]]);
        c->is_trend = w->slope[id] != 0;
        c->slope = w->slope[id];
        c->by = moments_of(w, id, n).mean + w->slope[id] * (w->x[end - 1] - w->x[w->from[id]]) - was;
        if (fabs(c->by) <= 0.5 * o->floor)
            continue;
        ++*n_found;
        for (int k = 1; k < w->height; k++)
            if (w->stack[k].id == id) {
                c->lo = w->stack[k].is.lo;
                c->hi = w->stack[k].is.hi;
            }
    }
    work_free(w);
    return SP_OK;
}
