#include "model/cache/capacity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/samples.h"

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

void sp_capacity_pool(struct sp_cache *c, int64_t inner_B)
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
    sp_capacity_pool(c, inner_B);
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
    sp_capacity_pool(c, inner_B);
}
