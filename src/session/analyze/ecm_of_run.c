/* The ECM model of the run and the roof of its gathers: no part of them is measured for it. */
#include <math.h>
#include <string.h>

#include "session/analyze/analysis.h"

/* All work by one thread of the team, at the rate that it has beside the others: n W/P_core. A thread alone
 * may be faster, by clock or by a core that it shares with none, but n threads at that rate would take less
 * than the P_core that was measured of them. */
static struct sp_value core_s(const struct sp_analysis *a, const char **from)
{
    const struct sp_value p = a->evaluated.p_core;
    const double work = a->setup.workload.n_threads * a->evaluated.balance_W;
    *from = a->setup.workload.n_threads == 1 ? "P_core"
            : sp_value_known(a->core.flop_s) ? "P_core of the team, times its threads"
                                             : "P_core of one thread";
    if (!sp_value_known(p) || p.lo <= 0) {
        *from = "nothing: P_core is not known";
        return sp_value_none(p.why ? p.why : "P_core is not known");
    }
    return sp_value_between(work / p.value, work / p.hi, work / p.lo, SP_MODELLED);
}

/* P_core was measured with all these loads in it, so that they took no longer. */
static struct sp_value within(struct sp_value load, struct sp_value core)
{
    if (!sp_value_known(load) || !sp_value_known(core))
        return load;
    return sp_value_between(fmin(load.value, core.value), fmin(load.lo, core.lo), fmin(load.hi, core.hi),
                            SP_MODELLED);
}

/* The simulated bytes of each interface, or why they are not known. */
static void take_traffic(const struct sp_analysis *a, struct sp_traffic traffic[SP_MAX_LEVELS])
{
    const int n = sp_analysis_caches(a)->n_caches;
    const bool whole = a->simulated.n_levels == n;
    memset(traffic, 0, SP_MAX_LEVELS * sizeof *traffic);
    for (int k = 0; k < n; k++) {
        const struct sp_value none = sp_value_none("not all of the machine's caches were simulated");
        traffic[k].read_B = whole ? a->simulated.traffic[k].read_B : none;
        traffic[k].write_B = whole ? a->simulated.traffic[k].write_B : none;
    }
}

/* Unknown times say what is missing here rather than that something is. */
static void give_reasons(struct sp_ecm_found *out)
{
    struct sp_ecm_times *t = &out->times;
    struct sp_value part = !sp_value_known(t->core_s) ? t->core_s : t->load_s;
    for (int k = 0; k < out->inputs.n_transfers && sp_value_known(part); k++)
        part = out->inputs.transfer[k].read_B;
    if (!sp_value_known(part))
        t->one_s = t->time_s = t->none_s = t->all_s = part;
}

void sp_analysis_ecm(const struct sp_analysis *a, struct sp_ecm_found *out)
{
    const struct sp_layout *l = &a->setup.layout;
    const struct sp_machine *m = sp_analysis_caches(a);
    const char *mode = a->observed.pairs.mode;
    struct sp_traffic traffic[SP_MAX_LEVELS];
    const bool in_level = a->evaluated.at_level != NULL;
    memset(out, 0, sizeof *out);
    const struct sp_value core = core_s(a, &out->core_from);
    out->load_B = sp_value_of(sp_layout_matrix_bytes(l) + sp_layout_gather_bytes(l), SP_MODELLED);
    out->bytes = in_level
                     ? sp_value_of(a->evaluated.at_level->read_B.value + a->evaluated.at_level->write_B.value,
                                   SP_SIMULATED)
                     : sp_value_none("no traffic is simulated inside the innermost cache");
    take_traffic(a, traffic);
    out->inputs =
        sp_ecm_inputs_of(m, traffic, m->n_caches, core, within(sp_ecm_load_s(m, out->load_B.value), core),
                         a->setup.workload.n_threads, a->setup.n_domains,
                         !*mode || strcmp(mode, "unknown") == 0 ? NULL : mode);
    out->times = sp_ecm_of(&out->inputs);
    give_reasons(out);
}

void sp_analysis_gathers(const struct sp_analysis *a, struct sp_gather_roof *out)
{
    *out = sp_gather_roof_of_layout(sp_analysis_caches(a), &a->setup.layout, a->simulated.traffic,
                                    a->simulated.n_levels, a->setup.workload.n_threads);
}
