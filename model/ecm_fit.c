#include "model/ecm_fit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/ecm.h"

enum { LOAD, LOAD_MIX, COPY, TRIAD, N_STREAMS };
static const struct stream {
    const char *name;
    double loads, in, out; /* lines, of them loads by instructions */
} streams[N_STREAMS] = {{"load", 1, 1, 0}, {"load_mix", 1, 1, 0}, {"copy", 1, 2, 1}, {"triad", 2, 3, 1}};

enum { F_STEPS = 20, W_STEPS = 20, T_STEPS = 60, REFINEMENTS = 40 };
static const double slack_factor = 1.25, slack = 0.002; /* of the residual inside the interval */

/* Seconds of a stream per line that it loads, with data in each level; 0: not measured. */
struct times {
    int n_levels; /* caches and memory */
    double line_B;
    double s[SP_MAX_CACHES + 1][N_STREAMS];
    char level[SP_MAX_CACHES + 1][8];
};

/* What was found for one f. */
struct found {
    double f, residual;
    double t[SP_MAX_CACHES], w[SP_MAX_CACHES];
    int n_points;
};

static void read_level(const struct sp_machine *m, int k, struct times *t)
{
    for (int i = 0; i < N_STREAMS; i++) {
        bool exact = false;
        const struct sp_ceiling *c =
            sp_machine_ceiling(m, streams[i].name, t->level[k], "f64", 1, NULL, &exact);
        if (!c || !exact || !sp_value_known(c->value) || c->value.origin == SP_STATED)
            continue;
        /* In L1 no write-allocate was counted. */
        const double lines = k == 0 ? streams[i].loads + streams[i].out : streams[i].in + streams[i].out;
        t->s[k][i] = lines * t->line_B / c->value.value;
    }
}

/* NULL, or what is missing. */
static const char *read_times(const struct sp_machine *m, struct times *t)
{
    int with_stores = 0;
    memset(t, 0, sizeof *t);
    if (m->kind != SP_CPU || m->n_caches < 1)
        return "no caches of a CPU are described";
    t->n_levels = m->n_caches + 1;
    t->line_B = m->cache[0].line_B;
    for (int k = 0; k < t->n_levels; k++) {
        if (k < m->n_caches)
            snprintf(t->level[k], sizeof t->level[k], "L%d", m->cache[k].level % 10);
        else
            snprintf(t->level[k], sizeof t->level[k], "MEM");
        read_level(m, k, t);
        if (!(t->s[k][LOAD] > 0))
            return "the load bandwidth of one thread was not measured in each level";
        with_stores +=
            k > 0 && ((t->s[k][COPY] > 0 && t->s[0][COPY] > 0) || (t->s[k][TRIAD] > 0 && t->s[0][TRIAD] > 0));
    }
    if (with_stores < 2)
        return "copy and triad of one thread were not measured in two levels beyond L1";
    return NULL;
}

/* Sum of squares of the streams with data in level k, whose interface is the innermost k's last. */
static double squares(const struct times *m, const struct found *r, int k, double t_k, double w_k, int *n)
{
    double sum = 0;
    for (int i = 0; i < N_STREAMS; i++) {
        double part[SP_MAX_CACHES];
        if (!(m->s[k][i] > 0) || !(m->s[0][i] > 0))
            continue;
        for (int j = 0; j < k; j++) {
            const double t = j == k - 1 ? t_k : r->t[j], w = j == k - 1 ? w_k : r->w[j];
            part[j] = t * (streams[i].in + w * streams[i].out);
        }
        const double time = sp_ecm_compose(m->s[0][i], streams[i].loads * m->s[0][LOAD], part, k, r->f);
        const double e = time / m->s[k][i] - 1;
        sum += e * e;
        if (n)
            ++*n;
    }
    return sum;
}

/* The best t_k for a weight: a coarse search, then thirds around its best. */
static double best_line(const struct times *m, const struct found *r, int k, double w, double *least)
{
    const double first = log(0.02 * m->s[k][LOAD]), last = log(1.5 * m->s[k][LOAD]),
                 step = (last - first) / T_STEPS;
    double best = first;
    *least = INFINITY;
    for (int i = 0; i <= T_STEPS; i++) {
        const double s = squares(m, r, k, exp(first + step * i), w, NULL);
        if (s < *least) {
            *least = s;
            best = first + step * i;
        }
    }
    double lo = best - step, hi = best + step;
    for (int i = 0; i < REFINEMENTS; i++) {
        const double a = lo + (hi - lo) / 3, b = hi - (hi - lo) / 3;
        if (squares(m, r, k, exp(a), w, NULL) <= squares(m, r, k, exp(b), w, NULL))
            hi = b;
        else
            lo = a;
    }
    const double t = exp((lo + hi) / 2), s = squares(m, r, k, t, w, NULL);
    if (s <= *least) {
        *least = s;
        return t;
    }
    return exp(best);
}

static struct found fit_for(const struct times *m, double f)
{
    struct found r = {.f = f};
    double sum = 0;
    for (int k = 1; k < m->n_levels; k++) {
        double least = INFINITY, t = 0, w = 0;
        for (int i = 0; i <= W_STEPS; i++) {
            double s;
            const double t_i = best_line(m, &r, k, (double)i / W_STEPS, &s);
            if (s < least - 1e-12) {
                least = s;
                t = t_i;
                w = (double)i / W_STEPS;
            }
        }
        r.t[k - 1] = t;
        r.w[k - 1] = w;
        sum += squares(m, &r, k, t, w, &r.n_points);
    }
    r.residual = r.n_points > 0 ? sqrt(sum / r.n_points) : INFINITY;
    return r;
}

struct sp_machine_ecm sp_ecm_fit(const struct sp_machine *machine)
{
    struct sp_machine_ecm e;
    struct times m;
    struct found all[F_STEPS + 1];
    int best = 0;
    memset(&e, 0, sizeof e);
    const char *missing = read_times(machine, &m);
    if (missing) {
        e.overlap = e.error = sp_value_none("the streams it is fitted to are missing");
        snprintf(e.how, sizeof e.how, "%s", missing);
        return e;
    }
    for (int i = 0; i <= F_STEPS; i++) {
        all[i] = fit_for(&m, (double)i / F_STEPS);
        if (all[i].residual < all[best].residual)
            best = i;
    }
    const struct found *r = &all[best];
    int lo = best, hi = best;
    for (int i = 0; i <= F_STEPS; i++)
        if (all[i].residual <= slack_factor * r->residual + slack) {
            lo = i < lo ? i : lo;
            hi = i > hi ? i : hi;
        }
    e.overlap = sp_value_between(r->f, all[lo].f, all[hi].f, SP_MEASURED);
    e.error = sp_value_of(r->residual, SP_MEASURED);
    snprintf(e.how, sizeof e.how,
             "fitted to %d streams of one thread (load, load_mix, copy, triad) in %d levels", r->n_points,
             m.n_levels - 1);
    e.n_interfaces = m.n_levels - 1;
    for (int k = 0; k < e.n_interfaces; k++) {
        const double b = m.line_B / r->t[k], at_lo = m.line_B / all[lo].t[k], at_hi = m.line_B / all[hi].t[k];
        memcpy(e.interface[k].level, m.level[k + 1], sizeof e.interface[k].level);
        e.interface[k].one_Bps = sp_value_between(b, fmin(b, at_hi), fmax(b, at_lo), SP_MEASURED);
        e.interface[k].write_weight = sp_value_of(r->w[k], SP_MEASURED);
    }
    return e;
}

void sp_ecm_refit(struct sp_machine *machine)
{
    if (machine->ecm.overlap.origin == SP_STATED)
        return;
    const struct sp_machine_ecm e = sp_ecm_fit(machine);
    if (sp_value_known(e.overlap) || !sp_value_known(machine->ecm.overlap))
        machine->ecm = e;
}
