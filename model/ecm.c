#include "model/ecm.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/formulas/formulas.h"
#include "model/roofline.h"

static const char unknown_core[] = "the time in the core is not known";
static const char unknown_bandwidth[] = "the machine has no bandwidth of one thread for an interface";
static const char unknown_rule[] = "the machine's overlap rule is not known";

/* bytes/rate with ends; nothing to move takes no time whatever the rate. */
static struct sp_value seconds_of(double value, double lo, double hi, struct sp_value rate, const char *why)
{
    if (hi <= 0)
        return sp_value_of(0, SP_MODELLED);
    if (!sp_value_known(rate))
        return sp_value_none(why);
    assert(rate.lo > 0);
    return sp_value_between(value / rate.value, lo / rate.hi, hi / rate.lo, SP_MODELLED);
}

static struct sp_value weight_of(const struct sp_ecm_transfer *t)
{
    const struct sp_value w =
        sp_value_known(t->write_weight) ? t->write_weight : sp_value_between(1, 0, 1, SP_MODELLED);
    assert(w.lo >= 0 && w.hi <= 1);
    return w;
}

static struct sp_value transfer_s(const struct sp_ecm_transfer *t)
{
    const struct sp_value w = weight_of(t);
    if (!sp_value_known(t->read_B) || !sp_value_known(t->write_B))
        return sp_value_none("the bytes of an interface are not known");
    return seconds_of(t->read_B.value + w.value * t->write_B.value, t->read_B.lo + w.lo * t->write_B.lo,
                      t->read_B.hi + w.hi * t->write_B.hi, t->one_Bps, unknown_bandwidth);
}

static struct sp_value shared_s(const struct sp_ecm_transfer *t)
{
    if (!t->shared)
        return sp_value_none("each core has its own");
    if (!sp_value_known(t->read_B) || !sp_value_known(t->write_B))
        return sp_value_none("the bytes of an interface are not known");
    return seconds_of(t->read_B.value + t->write_B.value, t->read_B.lo + t->write_B.lo,
                      t->read_B.hi + t->write_B.hi, t->all_Bps,
                      "the machine has no bandwidth of all threads for a shared level");
}

/* The two rules on one end of all intervals. */
struct rules {
    double none, all;
};

static struct rules rules_of(double core, double load, const double *transfer, int n)
{
    double sum = load, most = fmax(core, load);
    for (int k = 0; k < n; k++) {
        sum += transfer[k];
        most = fmax(most, transfer[k]);
    }
    return (struct rules){.none = fmax(core, sum), .all = most};
}

static double between(struct rules r, double f)
{
    return SP_FORMULA(T_1, .f = f, .T_full = r.all, .T_none = r.none);
}

double sp_ecm_compose(double core, double load, const double *transfer, int n, double f)
{
    return between(rules_of(core, load, transfer, n), f);
}

/* T_1 for one of the fitted pairs, with the least (end < 0) or the most (end > 0) of all else. */
static double at_pair(const struct sp_ecm_inputs *in, const struct sp_ecm_times *t, int n, double f,
                      double bandwidth(struct sp_value), int end)
{
    double part[SP_MAX_LEVELS];
    for (int k = 0; k < n; k++) {
        const struct sp_ecm_transfer *x = &in->transfer[k];
        const struct sp_value w = weight_of(x);
        const double bytes =
            end < 0 ? x->read_B.lo + w.lo * x->write_B.lo : x->read_B.hi + w.hi * x->write_B.hi;
        part[k] = bytes > 0 ? bytes / bandwidth(x->one_Bps) : 0;
    }
    return end < 0 ? sp_ecm_compose(t->core_s.lo, t->load_s.lo, part, n, f)
                   : sp_ecm_compose(t->core_s.hi, t->load_s.hi, part, n, f);
}

static double least(struct sp_value v)
{
    return v.lo;
}

static double middle(struct sp_value v)
{
    return v.value;
}

static double most(struct sp_value v)
{
    return v.hi;
}

static struct sp_value coupled(const struct sp_ecm_inputs *in, const struct sp_ecm_times *t, int n,
                               double value, double e)
{
    double lo = value, hi = value;
    for (int i = 0; i < 3; i++) {
        const double f = i == 0 ? in->overlap.value : i == 1 ? in->overlap.hi : in->overlap.lo;
        double (*const bandwidth)(struct sp_value) = i == 0 ? middle : i == 1 ? least : most;
        lo = fmin(lo, at_pair(in, t, n, f, bandwidth, -1));
        hi = fmax(hi, at_pair(in, t, n, f, bandwidth, 1));
    }
    return sp_value_between(value, (1 - e) * lo, (1 + e) * hi, SP_MODELLED);
}

/* T_1 with the innermost n transfers; SP_NONE with the reason. *none_s and *all_s may be NULL. */
static struct sp_value one_thread(const struct sp_ecm_inputs *in, const struct sp_ecm_times *t, int n,
                                  struct sp_value *none_s, struct sp_value *all_s)
{
    double value[SP_MAX_LEVELS], lo[SP_MAX_LEVELS], hi[SP_MAX_LEVELS];
    bool moves = false;
    if (!sp_value_known(t->core_s))
        return sp_value_none(unknown_core);
    if (!sp_value_known(t->load_s))
        return sp_value_none(t->load_s.why ? t->load_s.why : "the time of loads from L1 is not known");
    for (int k = 0; k < n; k++) {
        if (!sp_value_known(t->transfer_s[k]))
            return sp_value_none(t->transfer_s[k].why);
        value[k] = t->transfer_s[k].value, lo[k] = t->transfer_s[k].lo, hi[k] = t->transfer_s[k].hi;
        moves = moves || hi[k] > 0;
    }
    const struct rules v = rules_of(t->core_s.value, t->load_s.value, value, n),
                       l = rules_of(t->core_s.lo, t->load_s.lo, lo, n),
                       h = rules_of(t->core_s.hi, t->load_s.hi, hi, n);
    if (none_s)
        *none_s = sp_value_between(v.none, l.none, h.none, SP_MODELLED);
    if (all_s)
        *all_s = sp_value_between(v.all, l.all, h.all, SP_MODELLED);
    if (!moves)
        return sp_value_between(v.none, l.none, h.none, SP_MODELLED);
    if (!sp_value_known(in->overlap))
        return sp_value_none(unknown_rule);
    assert(in->overlap.lo >= 0 && in->overlap.hi <= 1);
    const double e = sp_value_known(in->error) ? fmin(in->error.value, 1) : 0;
    if (in->coupled)
        return coupled(in, t, n, between(v, in->overlap.value), e);
    return sp_value_between(between(v, in->overlap.value), (1 - e) * between(l, in->overlap.hi),
                            (1 + e) * between(h, in->overlap.lo), SP_MODELLED);
}

static void slower(struct sp_value *time, struct sp_value other)
{
    time->value = fmax(time->value, other.value);
    time->lo = fmax(time->lo, other.lo);
    time->hi = fmax(time->hi, other.hi);
}

static void share_out(const struct sp_ecm_inputs *in, struct sp_ecm_times *t)
{
    const double n = in->n_threads;
    t->bound = -1;
    t->time_s = t->one_s;
    if (!sp_value_known(t->one_s))
        return;
    t->time_s = sp_value_between(t->one_s.value / n, t->one_s.lo / n, t->one_s.hi / n, SP_MODELLED);
    if (fmax(t->core_s.value, t->load_s.value) >= t->one_s.value * (1 - 1e-12))
        t->bound = -2;
    /* One thread draws what one_Bps says, which is measured with it alone. */
    for (int k = 0; in->n_threads > 1 && k < in->n_transfers; k++) {
        if (!in->transfer[k].shared)
            continue;
        if (!sp_value_known(t->shared_s[k])) {
            t->time_s = sp_value_none(t->shared_s[k].why);
            return;
        }
        if (t->shared_s[k].value > t->time_s.value)
            t->bound = k;
        slower(&t->time_s, t->shared_s[k]);
    }
}

static struct sp_value saturating(const struct sp_ecm_times *t, int n)
{
    if (n == 0 || !sp_value_known(t->one_s))
        return sp_value_none("the time of one thread is not known");
    const struct sp_value mem = t->shared_s[n - 1];
    if (!sp_value_known(mem))
        return mem;
    if (mem.value <= 0)
        return sp_value_none("nothing comes from memory");
    /* A hair less, so that rounding does not add a core. */
    const double hair = 1e-9, value = ceil(t->one_s.value / mem.value - hair),
                 lo = ceil(t->one_s.lo / mem.hi - hair),
                 hi = mem.lo > 0 ? ceil(t->one_s.hi / mem.lo - hair) : value;
    return sp_value_between(fmax(value, 1), fmax(lo, 1), fmax(hi, 1), SP_MODELLED);
}

struct sp_ecm_times sp_ecm_of(const struct sp_ecm_inputs *in)
{
    assert(in->n_threads >= 1 && in->n_transfers >= 0 && in->n_transfers <= SP_MAX_LEVELS);
    struct sp_ecm_times t = {.core_s = in->core_s, .load_s = in->load_s};
    t.none_s = t.all_s = sp_value_none("a part is not known");
    for (int k = 0; k < SP_MAX_LEVELS; k++) {
        const bool is_there = k < in->n_transfers;
        t.transfer_s[k] = is_there ? transfer_s(&in->transfer[k]) : sp_value_none("no such level");
        t.shared_s[k] = is_there ? shared_s(&in->transfer[k]) : sp_value_none("no such level");
    }
    for (int k = 0; k <= SP_MAX_LEVELS; k++)
        t.residence_s[k] =
            k <= in->n_transfers ? one_thread(in, &t, k, NULL, NULL) : sp_value_none("no such level");
    t.one_s = one_thread(in, &t, in->n_transfers, &t.none_s, &t.all_s);
    share_out(in, &t);
    t.n_sat = saturating(&t, in->n_transfers);
    return t;
}

/* Name of the interface between two levels, the outer one n_caches: memory: "L1L2", "L3Mem". */
static void ecm_interface_name(const struct sp_machine *m, int inner, char name[12])
{
    assert(inner >= 0 && inner < m->n_caches);
    if (inner + 1 < m->n_caches)
        snprintf(name, 12, "L%dL%d", m->cache[inner].level % 10, m->cache[inner + 1].level % 10);
    else
        snprintf(name, 12, "L%dMem", m->cache[inner].level % 10);
}

static void describe(const struct sp_machine *m, int k, int n_threads, int n_domains, const char *mode,
                     struct sp_ecm_transfer *t)
{
    char level[8] = "MEM";
    const struct sp_ceiling *from;
    if (k + 1 < m->n_caches)
        snprintf(level, sizeof level, "L%d", m->cache[k + 1].level % 10);
    ecm_interface_name(m, k, t->name);
    t->one_Bps = t->write_weight = sp_value_none(unknown_bandwidth);
    for (int i = 0; i < m->ecm.n_interfaces; i++)
        if (strcmp(m->ecm.interface[i].level, level) == 0) {
            t->one_Bps = m->ecm.interface[i].one_Bps;
            t->write_weight = m->ecm.interface[i].write_weight;
        }
    t->shared = k + 1 == m->n_caches || m->cache[k + 1].cores_sharing > 1;
    t->all_Bps = t->shared ? sp_roof_for(m, level, n_threads, n_domains, mode, &from)
                           : sp_value_none("each core has its own");
}

struct sp_ecm_inputs sp_ecm_inputs_of(const struct sp_machine *machine, const struct sp_traffic *traffic,
                                      int n_levels, struct sp_value core_s, struct sp_value load_s,
                                      int n_threads, int n_domains, const char *mode)
{
    assert(n_levels == machine->n_caches);
    struct sp_ecm_inputs in = {.core_s = core_s,
                               .load_s = load_s,
                               .n_transfers = n_levels,
                               .overlap = machine->ecm.overlap,
                               .coupled = machine->ecm.overlap.origin == SP_MEASURED,
                               .error = machine->ecm.error,
                               .n_threads = n_threads};
    for (int k = 0; k < n_levels; k++) {
        in.transfer[k].read_B = traffic[k].read_B;
        in.transfer[k].write_B = traffic[k].write_B;
        describe(machine, k, n_threads, n_domains, mode, &in.transfer[k]);
    }
    return in;
}

/* amount by the ceiling's rate of one thread; of a ceiling of more threads its part. */
static struct sp_value by_one(const struct sp_ceiling *c, double amount)
{
    const double n = c->n_threads;
    return sp_value_between(amount * n / c->value.value, amount * n / c->value.hi, amount * n / c->value.lo,
                            SP_MODELLED);
}

struct sp_value sp_ecm_load_s(const struct sp_machine *machine, double load_B)
{
    const struct sp_ceiling *c = sp_machine_ceiling(machine, "load", "L1", "f64", 1, NULL, NULL);
    if (!c || !sp_value_known(c->value))
        return sp_value_none("the machine has no load bandwidth of L1");
    return by_one(c, load_B);
}

struct sp_value sp_ecm_peak_s(const struct sp_machine *machine, double work, bool f32)
{
    static const char *const names[] = {"simd", "fma", "scalar"};
    for (int i = 0; i < 3; i++) {
        const struct sp_ceiling *c =
            sp_machine_ceiling(machine, names[i], "core", f32 ? "f32" : "f64", 1, NULL, NULL);
        if (c && sp_value_known(c->value))
            return by_one(c, work);
    }
    return sp_value_none("the machine has no arithmetic peak");
}

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
