#include "model/cache/capacity.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/reading.h"

static const double BEYOND =
    0.1; /* quantile of the values that the interval begins at, and ends as far before 1 */

static double within(double x, double least, double most)
{
    return fmin(fmax(x, least), most);
}

bool sp_capacity_limit(struct sp_cache *c, int64_t inner_B)
{
    const double most = (double)c->size_B, least = fmin((double)inner_B, most);
    struct sp_value *v = &c->effective_B;
    if (!sp_value_known(*v) || most <= 0 || (v->lo >= least && v->hi <= most))
        return false;
    *v = sp_value_between(within(v->value, least, most), within(v->lo, least, most),
                          within(v->hi, least, most), v->origin);
    return true;
}

/* effective_B from the measurements: their median, and from the smaller of the median of their
 * lower ends and the 10 % quantile of their values to the same at the other end, so that neither
 * one outlier nor one wide interval decides; within the limits below. Without a list what stands
 * there is cut to them. */
static void capacity_pool(struct sp_cache *c, int64_t inner_B)
{
    struct sp_value v = c->effective_B;
    if (c->n_draws > 0) {
        double value[SP_MAX_DRAWS], lo[SP_MAX_DRAWS], hi[SP_MAX_DRAWS];
        const int n = c->n_draws;
        for (int i = 0; i < n; i++) {
            value[i] = c->draw[i].value;
            lo[i] = c->draw[i].lo;
            hi[i] = c->draw[i].hi;
        }
        v.origin = SP_MEASURED;
        v.value = sp_median(value, n);
        v.lo = fmin(sp_median(lo, n), sp_quantile(value, n, BEYOND));
        v.hi = fmax(sp_median(hi, n), sp_quantile(value, n, 1 - BEYOND));
    }
    c->effective_B = v;
    sp_capacity_limit(c, inner_B);
}

static void insert(struct sp_cache *c, double value, double lo, double hi, const char *when)
{
    int at = c->n_draws;
    for (int i = 0; i < c->n_draws; i++)
        if (strcmp(c->draw[i].when, when) == 0 && fabs(c->draw[i].value - value) <= 1e-6 * value)
            return;
    while (at > 0 && strcmp(c->draw[at - 1].when, when) > 0)
        at--;
    if (c->n_draws == SP_MAX_DRAWS) {
        if (at == 0)
            return;
        memmove(&c->draw[0], &c->draw[1], (size_t)--at * sizeof *c->draw);
    } else {
        memmove(&c->draw[at + 1], &c->draw[at], (size_t)(c->n_draws++ - at) * sizeof *c->draw);
    }
    c->draw[at] = (struct sp_capacity_draw){.value = value, .lo = lo, .hi = hi};
    snprintf(c->draw[at].when, sizeof c->draw[at].when, "%.20s", when);
}

/* What was measured before there were lists, nobody knows when. */
static void insert_single(struct sp_cache *c, const struct sp_cache *from)
{
    const struct sp_value v = from->effective_B;
    if (from->n_draws == 0 && v.origin == SP_MEASURED)
        insert(c, v.value, v.lo, v.hi, "");
}

void sp_capacity_add(struct sp_cache *c, struct sp_value v, const char *when, int64_t inner_B)
{
    insert_single(c, c);
    if (sp_value_known(v))
        insert(c, v.value, v.lo, v.hi, when);
    capacity_pool(c, inner_B);
}

void sp_capacity_merge(struct sp_machine *to, const struct sp_machine *from)
{
    if (to->n_caches == 0 || to->n_caches != from->n_caches)
        return;
    struct sp_cache *c = &to->cache[to->n_caches - 1];
    const struct sp_cache *other = &from->cache[from->n_caches - 1];
    const int64_t inner_B = to->n_caches > 1 ? to->cache[to->n_caches - 2].size_B : 0;
    if (c->level != other->level || c->size_B != other->size_B)
        return;
    const struct sp_value was = c->cycle_B, is = other->cycle_B;
    if (sp_value_known(was) && sp_value_known(is) && c->keeping == other->keeping)
        c->cycle_B = sp_value_between(fmax(was.value, is.value), fmin(was.lo, is.lo), fmax(was.hi, is.hi),
                                      SP_MEASURED);
    else if (sp_value_known(is)) {
        c->cycle_B = is;
        c->keeping = other->keeping;
    }
    insert_single(c, c);
    insert_single(c, other);
    for (int i = 0; i < other->n_draws; i++)
        insert(c, other->draw[i].value, other->draw[i].lo, other->draw[i].hi, other->draw[i].when);
    capacity_pool(c, inner_B);
}

enum { OTHERS = 2 };         /* ways that others may take */
static const double far = 2; /* times the room: nothing stays */

double sp_sets_lost(double share, int ways)
{
    const double mean = ways * share;
    if (ways < 1 || !(mean > 0))
        return 0;
    double below = 0; /* P(n < ways) */
    for (int n = 0; n < ways; n++)
        below += exp(n * log(mean) - mean - lgamma(n + 1.0));
    return below < 1 ? 1 - below : 0;
}

/* Of a divided cache: is the array on the side of the matrix, whichever side the division names? */
static bool is_beside_matrix(const struct sp_cache *c, enum sp_array array)
{
    return (c->partition.arrays >> array & 1) == (c->partition.arrays >> SP_ARRAY_VALUES & 1);
}

static int ways_of_matrix(const struct sp_cache *c)
{
    const bool is_named = c->partition.arrays >> SP_ARRAY_VALUES & 1;
    return is_named ? c->partition.ways : c->ways - c->partition.ways;
}

/* Of the arrays that lose lines. */
static int ways_of(const struct sp_cache *c)
{
    return c->partition.ways > 0 ? c->ways - ways_of_matrix(c) : c->ways;
}

bool sp_overflow_is_of(const struct sp_cache *c)
{
    return c->policy == SP_LRU && ways_of(c) > OTHERS && !c->partition.stacks && sp_value_known(c->cycle_B) &&
           c->keeping == SP_KEEPS_NOTHING;
}

double sp_overflow_room_B(const struct sp_cache *c)
{
    return (double)sp_cache_believed_B(c) * ways_of(c) / c->ways;
}

bool sp_overflow_is_in(const struct sp_cache *c, enum sp_array array)
{
    return c->partition.ways <= 0 || !is_beside_matrix(c, array);
}

struct sp_overflow sp_overflow_of(const struct sp_cache *c, double share)
{
    const int ways = ways_of(c);
    const double lost = sp_sets_lost(share, ways);
    if (share >= far)
        return (struct sp_overflow){0, 0, 0};
    if (share > 1)
        return (struct sp_overflow){lost, 1, 1 - lost};
    return (struct sp_overflow){lost, sp_sets_lost(share * ways / (ways - OTHERS), ways - OTHERS), 0};
}

double sp_overflow_twice(const struct sp_cache *c, enum sp_array array)
{
    const double ways = ways_of_matrix(c);
    return c->partition.ways > 0 && is_beside_matrix(c, array) ? 0.25 / (ways * ways) : 0;
}

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
