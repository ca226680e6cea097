#include "model/cache/kept.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const double most = 5; /* capacities: of a longer cycle random replacement keeps less than 1 % */

double sp_kept_by_random(double cycle_B, double capacity_B)
{
    assert(cycle_B >= 0 && capacity_B > 0);
    const double turns = cycle_B / capacity_B;
    double lost = 1; /* Newton's steps come from above, where the function is convex */
    for (int i = 0; i < 60 && turns > 1; i++)
        lost -= (lost - 1 + exp(-turns * lost)) / (1 - turns * exp(-turns * lost));
    return turns > 1 ? fmin(fmax(1 - lost, 0), 1) : 1;
}

/* Capacity with its interval [B]: as streams find it, else what random walks find less what others
 * take. */
static struct sp_value own_capacity(const struct sp_cache *c)
{
    const struct sp_value v = c->effective_B;
    if (sp_value_known(c->cycle_B))
        return c->cycle_B;
    const double all = (double)sp_cache_believed_B(c), own = sp_residence_own_share;
    return sp_value_between(own * all, own * (sp_value_known(v) ? v.lo : all), sp_value_known(v) ? v.hi : all,
                            SP_MODELLED);
}

static double share(double x)
{
    return fmin(fmax(x, 0), 1);
}

static double kept_by(const struct sp_cache *c, double cycle_B, double capacity_B)
{
    const bool in_part = sp_value_known(c->cycle_B) && c->keeping == SP_KEEPS_A_PART;
    return in_part ? share(capacity_B / cycle_B) : sp_kept_by_random(cycle_B, capacity_B);
}

struct sp_kept sp_kept_of(const struct sp_machine *m, struct sp_footprint f, int home, int n_threads,
                          int n_domains, const struct sp_traffic *traffic, int n_levels)
{
    struct sp_kept none = {.cache = -1, .fetched = sp_value_none("no cache keeps a part of the data")};
    if (m->kind != SP_CPU || n_levels < 1 || n_levels != m->n_caches)
        return none;
    for (int k = home < n_levels ? home : home - 1; k >= 0 && k >= home - 1; k--) {
        const struct sp_value own = own_capacity(&m->cache[k]);
        const double instances = sp_instances_of(m, k, n_threads, n_domains),
                     needed_B = f.shared_out_B / instances + f.each_B,
                     fetched_B = traffic[k].read_B.value / instances,
                     cycle_B = needed_B <= own.value ? needed_B : fmax(needed_B, fetched_B);
        const bool as_simulated =
            (sp_value_known(m->cache[k].cycle_B) && m->cache[k].keeping == SP_KEEPS_NOTHING) ||
            m->cache[k].partition.ways > 0; /* the law is one of whole caches */
        if (m->cache[k].policy != SP_LRU || own.value <= 0 || as_simulated)
            continue;
        if (k == home && needed_B > own.lo && needed_B <= own.hi)
            return (struct sp_kept){
                .cache = k, .holds = true, .fetched = sp_value_between(0, 0, 1, SP_MODELLED)};
        if (k == home || cycle_B > most * own.hi || fetched_B <= 0 ||
            (needed_B < own.value && !sp_value_known(m->cache[k].cycle_B)))
            continue;
        const double value = share((1 - kept_by(&m->cache[k], cycle_B, own.value)) * cycle_B / fetched_B),
                     lo = needed_B <= own.hi ? 0 : share((1 - share(own.hi / cycle_B)) * cycle_B / fetched_B);
        return (struct sp_kept){.cache = k,
                                .fetched = sp_value_between(value, fmin(lo, value), 1, SP_MODELLED)};
    }
    return none;
}

void sp_kept_traffic(const struct sp_kept *kept, double fetched, struct sp_traffic *traffic)
{
    const int k = kept->cache;
    if (k < 0 || (kept->holds && k == 0))
        return;
    struct sp_traffic *t = &traffic[k];
    const struct sp_traffic *all = kept->holds ? &traffic[k - 1] : t;
    const double as_now = kept->holds ? 1 - fetched : 0;
    double read = as_now * t->read_B.value + fetched * all->read_B.value,
           write = as_now * t->write_B.value + fetched * all->write_B.value;
    for (int a = 0; a < SP_N_ARRAYS; a++) {
        t->array_read_B[a] = as_now * t->array_read_B[a] + fetched * all->array_read_B[a];
        t->array_write_B[a] = as_now * t->array_write_B[a] + fetched * all->array_write_B[a];
    }
    t->read_B = sp_value_of(read, SP_MODELLED);
    t->write_B = sp_value_of(write, SP_MODELLED);
}

void sp_kept_share_out(const struct sp_kept *kept, struct sp_traffic *traffic)
{
    const int k = kept->cache;
    struct sp_traffic lo[SP_MAX_LEVELS], hi[SP_MAX_LEVELS];
    if (k < 0)
        return;
    memcpy(lo, traffic, (size_t)(k + 1) * sizeof *lo);
    memcpy(hi, traffic, (size_t)(k + 1) * sizeof *hi);
    sp_kept_traffic(kept, kept->fetched.lo, lo);
    sp_kept_traffic(kept, kept->fetched.hi, hi);
    sp_kept_traffic(kept, kept->fetched.value, traffic);
    struct sp_traffic *t = &traffic[k];
    t->read_B = sp_value_between(t->read_B.value, fmin(lo[k].read_B.value, t->read_B.value),
                                 fmax(hi[k].read_B.value, t->read_B.value), SP_MODELLED);
    t->write_B = sp_value_between(t->write_B.value, fmin(lo[k].write_B.value, t->write_B.value),
                                  fmax(hi[k].write_B.value, t->write_B.value), SP_MODELLED);
}

struct sp_value sp_kept_transfers_s(const struct sp_kept *kept, struct sp_value V,
                                    const struct sp_value rate[2])
{
    const struct sp_value f = kept->fetched, inner = rate[0], outer = rate[1];
    assert(kept->cache >= 0);
    if (!sp_value_known(inner) || !sp_value_known(outer))
        return !sp_value_known(inner) ? inner : outer;
    const double value = V.value * (f.value / outer.value + (1 - f.value) / inner.value),
                 lo = V.lo * fmax(f.lo / outer.hi, 1 / inner.hi),
                 hi = V.hi * (f.hi / outer.lo + (1 - f.hi) / inner.lo);
    return sp_value_between(value, fmin(lo, value), fmax(hi, value), SP_MODELLED);
}
