#include <math.h>
#include <string.h>

#include "session/analyze/analysis.h"
#include "session/record/parts.h"

/* beta over C and nested windows sigma [THEORY 2]. */
static void record_beta(struct sp_record *r, const struct sp_csr *m)
{
    static const int32_t chunks[] = {4, 8, 16, 32, 64};
    static const int64_t windows[] = {1, 64, 256, 1024, 4096, 16384};
    struct sp_pattern pattern = sp_csr_pattern(m);
    for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++)
        for (size_t j = 0; j < sizeof windows / sizeof *windows; j++) {
            json_t *point = json_object();
            json_object_set_new(point, "C", json_integer(chunks[i]));
            json_object_set_new(point, "sigma", json_integer(windows[j]));
            json_object_set_new(point, "beta", json_real(sp_sell_beta(&pattern, chunks[i], windows[j])));
            sp_record_append(r, "curves.beta_map", point);
        }
}

static void record_saturation(struct sp_record *r, const struct sp_machine *m)
{
    json_t *points = json_array();
    const char *name = "";
    for (int t = 1; t <= m->n_cores * (m->threads_per_core > 0 ? m->threads_per_core : 1); t++) {
        bool exact;
        const struct sp_ceiling *c = sp_roof_of(m, "MEM", t, NULL, &exact);
        if (!c || !exact)
            continue;
        json_t *point = json_object();
        json_object_set_new(point, "threads", json_integer(t));
        json_object_set_new(point, "value", json_real(c->value.value));
        json_object_set_new(point, "lo", json_real(c->value.lo));
        json_object_set_new(point, "hi", json_real(c->value.hi));
        json_array_append_new(points, point);
        name = c->name;
    }
    if (json_array_size(points) < 2) {
        json_decref(points);
        return;
    }
    json_t *curve = json_object();
    json_object_set_new(curve, "name", json_string(name));
    json_object_set_new(curve, "level", json_string("MEM"));
    json_object_set_new(curve, "unit", json_string("B/s"));
    json_object_set_new(curve, "points", points);
    sp_record_append(r, "curves.saturation", curve);
}

/* alpha over the size of each last-level cache, for the state of the caches that was measured. */
static void record_alpha(struct sp_record *r, const struct sp_analysis *a)
{
    const struct sp_reuse *reuse = &a->reuse;
    if (reuse->n_sizes == 0)
        return;
    bool cold = a->options->state == SP_COLD;
    double most = 0, widest = 0;
    json_t *points = json_array();
    for (int i = 0; i < reuse->n_sizes; i++) {
        const struct sp_reuse_size *s = &reuse->size[i];
        double alpha = cold ? s->alpha_cold : s->alpha_warm;
        double lo = cold ? s->alpha_cold_lo : s->alpha_warm_lo,
               hi = cold ? s->alpha_cold_hi : s->alpha_warm_hi;
        json_t *point = json_object();
        json_object_set_new(point, "capacity_B", json_integer(s->capacity_B));
        json_object_set_new(point, "alpha", json_real(alpha));
        json_object_set_new(point, "lo", json_real(lo));
        json_object_set_new(point, "hi", json_real(hi));
        json_array_append_new(points, point);
        most = fmax(most, alpha);
        widest = fmax(widest, 0.5 * (hi - lo));
    }
    json_t *curve = json_object();
    json_object_set_new(curve, "origin", json_string(sp_origin_name(SP_SIMULATED)));
    json_object_set_new(curve, "state", json_string(cold ? "cold" : "warm"));
    json_object_set_new(curve, "rate", json_real(reuse->rate));
    json_object_set_new(curve, "error", reuse->exact || most <= 0 ? json_real(0) : json_real(widest / most));
    json_object_set_new(curve, "points", points);
    sp_record_set_object(r, "curves.alpha_cache", curve);
}

/* B(r) with every line of the gathered operand loaded once. */
static void record_balance(struct sp_record *r, const struct sp_analysis *a)
{
    json_t *points = json_array(), *curve = json_object();
    for (int i = 0; i < a->compared.n_balances; i++)
        json_array_append_new(points, json_pack("{s:i, s:f}", "r", (int)a->compared.balance[i].r, "balance",
                                                a->compared.balance[i].balance));
    json_object_set_new(curve, "origin", json_string(sp_origin_name(SP_MODELLED)));
    json_object_set_new(curve, "points", points);
    sp_record_set_object(r, "curves.balance", curve);
}

void sp_record_curves(struct sp_record *r, const struct sp_analysis *a)
{
    if (!a->options->no_hints && a->setup.layout.n_nz > 0)
        record_beta(r, a->setup.workload.matrix);
    record_saturation(r, a->options->machine);
    record_alpha(r, a);
    if (a->compared.n_balances > 0)
        record_balance(r, a);
}
