#include "model/cache/page_walks.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

enum { PAGE = 4096 };
static const double part = 0.25, /* of what the largest set adds, from which on a set is beyond reach */
    noticeable = 0.15;           /* of a mapped gather's time; less is none */

bool sp_page_costs_of(int n, const double *size, const double *seconds, struct sp_page_costs *c)
{
    if (n < 3)
        return false;
    double mapped = seconds[0], lo = INFINITY, hi = 0, sum = 0;
    for (int i = 1; i < n; i++)
        mapped = fmin(mapped, seconds[i]);
    const double added = fmin(seconds[n - 1], seconds[n - 2]) - mapped;
    c->reach_B = size[n - 1];
    c->walk_s = sp_value_of(0, SP_MEASURED);
    if (added < noticeable * mapped)
        return true;
    int first = n - 1; /* of those beyond reach */
    while (first > 0 && seconds[first - 1] - mapped > part * added)
        first--;
    for (int i = first; i < n; i++) {
        lo = fmin(lo, seconds[i] - mapped);
        hi = fmax(hi, seconds[i] - mapped);
        sum += seconds[i] - mapped;
    }
    c->walk_s = sp_value_between(sum / (n - first), lo, hi, SP_MEASURED);
    c->reach_B = size[0];
    if (first > 0) { /* between the two sizes, where the quarter is reached */
        const double before = seconds[first - 1] - mapped,
                     at = (part * added - before) / (seconds[first] - mapped - before);
        c->reach_B = size[first - 1] * pow(size[first] / size[first - 1], at);
    }
    return true;
}

const struct sp_page_costs *sp_page_costs_for(const struct sp_machine *m, bool huge, int n_threads)
{
    const struct sp_page_costs *best = NULL;
    for (int i = 0; i < m->n_pages; i++) {
        const struct sp_page_costs *c = &m->page[i];
        if (c->huge == huge && (!best || abs(c->n_threads - n_threads) < abs(best->n_threads - n_threads)))
            best = c;
    }
    return best;
}

enum sp_status sp_page_walks(const struct sp_layout *l, const struct sp_page_costs *costs,
                             const struct sp_sim_options *options, double *walks, struct sp_error *err)
{
    *walks = 0;
    if (!(costs->walk_s.hi > 0) || costs->reach_B < 2 * PAGE ||
        sp_layout_array_bytes(l, SP_ARRAY_X) <= costs->reach_B)
        return SP_OK;
    const struct sp_machine tlb = {
        .n_caches = 1,
        .cache[0] = {.level = 1,
                     .size_B = (int64_t)costs->reach_B / PAGE * PAGE,
                     .effective_B = sp_value_none("given"),
                     .line_B = PAGE,
                     .cores_sharing = 1},
    };
    void *own; /* TLBs are a core's own */
    const int n = l->partition.n_threads;
    enum sp_status status = sp_new_array(n, sizeof(int), "threads", &own, err);
    if (status != SP_OK)
        return status;
    for (int t = 0; t < n; t++)
        ((int *)own)[t] = t;
    struct sp_sim_options o = *options;
    o.machine = &tlb;
    o.llc_only = true;
    o.llc_B = 0;
    o.policy = SP_LRU;
    o.n_domain = n;
    o.domain_of_thread = own;
    struct sp_traffic traffic[SP_MAX_LEVELS];
    int n_levels;
    status = sp_sim_traffic(l, &o, traffic, &n_levels, NULL, err);
    if (status == SP_OK)
        *walks = traffic[0].array_read_B[SP_ARRAY_X] / PAGE;
    free(own);
    return status;
}

/* The rate without the walks of the set that it was measured on, at most twice as fast. */
static struct sp_value without_walks(const struct sp_ceiling *c, const struct sp_page_costs *costs,
                                     struct sp_value rate)
{
    const double each_B = c ? c->set_B / c->n_threads : 0;
    if (!c || each_B <= costs->reach_B)
        return rate;
    const double beyond = 1 - costs->reach_B / each_B, walk_s = beyond * costs->walk_s.value / c->n_threads,
                 faster = fmin(1 / (1 - fmin(walk_s * rate.value, 0.5)), 2);
    return sp_value_between(rate.value * faster, rate.lo, rate.hi * faster, SP_MODELLED);
}

void sp_page_walks_add(const struct sp_machine *m, const struct sp_page_costs *costs, double walks,
                       int n_threads, struct sp_gather_roof *roof)
{
    assert(n_threads >= 1 && walks >= 0);
    if (!sp_value_known(roof->time_s) || !(costs->walk_s.hi > 0))
        return;
    struct sp_value rate[SP_MAX_CACHES + 1];
    for (int k = 0; k < roof->hits.n_levels; k++)
        rate[k] = without_walks(sp_gather_ceiling(m, roof->hits.level[k], n_threads), costs, roof->rate[k]);
    const struct sp_gather_roof bare = sp_gather_roof_at(&roof->hits, rate);
    const double each = walks / n_threads;
    roof->walks = walks;
    roof->walks_s = sp_value_between(each * costs->walk_s.value, 0, each * costs->walk_s.hi, SP_MODELLED);
    for (int k = 0; k < roof->hits.n_levels; k++)
        roof->rate[k] = rate[k];
    const double n = bare.roof_ps.value * bare.time_s.value, value = bare.time_s.value + roof->walks_s.value;
    roof->time_s =
        sp_value_between(value, fmin(bare.time_s.lo, value), bare.time_s.hi + roof->walks_s.hi, SP_MODELLED);
    roof->roof_ps = sp_value_between(n / value, n / roof->time_s.hi, n / roof->time_s.lo, SP_MODELLED);
}
