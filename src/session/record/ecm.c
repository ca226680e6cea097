/* The ECM model and the roof of gathers in a record. */
#include "io/machine/model_json.h"
#include "session/analyze/analysis.h"
#include "session/record/parts.h"

#include <stdio.h>

void sp_record_ecm(struct sp_record *r, const struct sp_analysis *a)
{
    const struct sp_ecm_found *e = &a->ecm;
    json_t *o = sp_ecm_json(&e->inputs, &e->times,
                            (struct sp_ecm_words){e->core_from, sp_analysis_caches(a)->ecm.how});
    sp_record_set_object(r, "ecm", o);
    sp_record_set_value(r, "ecm.loads", e->load_B, "B");
}

void sp_record_gathers(struct sp_record *r, const struct sp_analysis *a)
{
    const struct sp_gather_roof *g = &a->gathers;
    if (g->hits.n_levels > 0)
        sp_record_set_object(r, "gathers", sp_gather_json(g));
}

void sp_record_gather_roof(struct sp_record *r, const struct sp_analysis *a)
{
    const struct sp_value ps = a->gathers.roof_ps;
    if (!sp_value_known(ps) || !(a->setup.layout.n_nz > 0))
        return;
    const double n = sp_layout_gather_bytes(&a->setup.layout) / (double)a->setup.layout.s_x,
                 flop = a->evaluated.balance_W / n;
    struct sp_ceiling roof = {.n_threads = a->setup.workload.n_threads,
                              .n_domains = a->setup.n_domains,
                              .value =
                                  sp_value_between(flop * ps.value, flop * ps.lo, flop * ps.hi, SP_MODELLED)};
    snprintf(roof.name, sizeof roof.name, "gather");
    snprintf(roof.level, sizeof roof.level, "core");
    snprintf(roof.precision, sizeof roof.precision, "f64");
    snprintf(roof.how, sizeof roof.how,
             "gathers of x from the levels that the simulation says, each at its own rate");
    sp_record_append(r, "roofs", sp_json_ceiling(&roof, "gathers"));
}

void sp_record_ecm_row(struct sp_record *r, const struct sp_analysis *a)
{
    const struct sp_ecm_found *e = &a->ecm;
    if (!sp_value_known(e->times.time_s))
        return;
    sp_record_append(r, "table",
                     sp_json_table_row("ECM, x as simulated", e->times.time_s,
                                       sp_value_known(e->bytes) ? e->bytes : a->evaluated.seen.volume_B,
                                       a->evaluated.balance_W,
                                       sp_value_none("this row is not compared with the roof"), NULL));
}
