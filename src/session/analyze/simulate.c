/* The run in the simulated caches, and what follows from it for each cache domain and in the ECM
 * model. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "session/analyze/analysis.h"
#include "session/measure/conditions.h"

/* The arrays that somebody else's kernel has instead stream by as those of CRS do, in
 * proportion. */
static void take_stored(const struct sp_analysis *a, struct sp_simulated *out)
{
    static const enum sp_array stored[] = {SP_ARRAY_VALUES, SP_ARRAY_INDICES, SP_ARRAY_POINTERS};
    struct sp_layout as_here = a->setup.layout;
    as_here.own_B = NULL;
    for (int k = 0; k < out->n_levels; k++) {
        struct sp_traffic *t = &out->traffic[k];
        double more_B = 0;
        for (size_t i = 0; i < sizeof stored / sizeof *stored; i++) {
            const double here_B = sp_layout_array_bytes(&as_here, stored[i]),
                         factor = here_B > 0 ? a->own.array_B[stored[i]] / here_B : 0;
            more_B += (factor - 1) * t->array_read_B[stored[i]];
            t->array_read_B[stored[i]] *= factor;
        }
        t->read_B = sp_value_of(fmax(0, t->read_B.value + more_B), SP_SIMULATED);
    }
}

enum sp_status sp_analysis_simulate(const struct sp_analysis *a, struct sp_simulated *out,
                                    struct sp_error *err)
{
    struct sp_sim_options o = sp_analysis_sim_options(a);
    struct sp_walk walk;
    double start = sp_now();
    if (a->own.traced) {
        sp_analysis_own_walk(a, &walk);
        o.walk = &walk;
    }
    enum sp_status status =
        sp_sim_traffic(&a->setup.layout, &o, out->traffic, &out->n_levels, &out->sim, err);
    if (status == SP_OK && a->own.n_stores > 0 && !a->own.traced)
        take_stored(a, out);
    out->simulate_s = sp_now() - start;
    return status;
}

bool sp_analysis_is_divisible(const struct sp_analysis *a)
{
    const struct sp_machine *m = sp_analysis_caches(a);
    const struct sp_cache *llc = sp_machine_llc(m);
    return llc && llc->partition.arrays && llc->partition.ways <= 0 && sp_ways_are_simulated(m) &&
           a->options->state == SP_WARM && !a->options->policy && a->simulated.n_levels == m->n_caches &&
           a->evaluated.residence.level == m->n_caches;
}

enum sp_status sp_analysis_divide(const struct sp_analysis *a, struct sp_ways *out, struct sp_error *err)
{
    struct sp_sim_options o = sp_analysis_sim_options(a);
    struct sp_machine divided = *o.machine;
    divided.cache[divided.n_caches - 1].partition.ways = 1;
    o.machine = &divided;
    return sp_sim_ways(&a->setup.layout, &o, out, err);
}

enum sp_status sp_analysis_reuse(const struct sp_analysis *a, struct sp_reuse *out, struct sp_error *err)
{
    if (a->setup.layout.n_nz == 0)
        return SP_OK;
    struct sp_sim_options sim = sp_analysis_sim_options(a);
    struct sp_reuse_options o = {
        .line_B = a->line_B,
        .n_domain = sim.n_domain,
        .domain_of_thread = sim.domain_of_thread,
        .skew = sim.skew,
        .store_nt = sim.store_nt,
        .x_offset_B = sim.x_offset_B,
        .y_offset_B = sim.y_offset_B,
        .between_B = sim.state == SP_SIM_BETWEEN ? sim.between_B : 0,
        .seed = sim.seed,
        .progress = sim.progress,
        .context = sim.context,
    };
    return sp_reuse_curve(&a->setup.layout, &o, out, err);
}

/* What each last-level-cache domain has to do, and with what: several of them load x several times,
 * and the slowest ends the product. */

static void count_threads(const struct sp_analysis *a, struct sp_domain *domain)
{
    const struct sp_layout *l = &a->setup.layout;
    for (int t = 0; t < a->setup.workload.n_threads; t++) {
        struct sp_domain *d = &domain[a->setup.domain_of_thread[t]];
        d->n_threads++;
        d->entries_share += (double)sp_layout_thread_entries(l, t) / (double)l->n_stored;
        d->bytes_B += a->evaluated.thread_B[t];
        if (a->observed.pairs.thread_s &&
            (!sp_value_known(d->busy_s) || a->observed.pairs.thread_s[t] > d->busy_s.value))
            d->busy_s = sp_value_of(a->observed.pairs.thread_s[t], a->observed.pairs.time.origin);
    }
}

/* A domain's own ceiling where the machine has one for its number of threads; else its part of the
 * roof. */
static struct sp_value own_roof(const struct sp_analysis *a, int n_threads)
{
    bool exact;
    const struct sp_ceiling *c =
        sp_roof_of(a->options->machine, a->evaluated.residence.name, n_threads, NULL, &exact);
    if (c && exact && c->n_domains == 1)
        return c->value;
    return sp_value_of(a->evaluated.roof_Bps.value * n_threads / a->setup.workload.n_threads, SP_MODELLED);
}

enum sp_status sp_analysis_domains(const struct sp_analysis *a, struct sp_domain **out, struct sp_error *err)
{
    int n = a->setup.n_domains;
    void *domains, *lines = NULL;
    if (n < 2 || a->setup.layout.n_nz == 0 || !a->evaluated.thread_B)
        return SP_OK;
    enum sp_status status = sp_new_array(n, sizeof **out, "cache domains", &domains, err);
    if (status == SP_OK)
        status = sp_new_array(n, sizeof(int64_t), "lines of x", &lines, err);
    if (status != SP_OK)
        return status;
    struct sp_domain *domain = *out = domains;
    struct sp_alpha_min least;
    status = sp_alpha_min_layout(&a->setup.layout, n, a->setup.domain_of_thread, a->line_B,
                                 a->setup.facts.x_offset_B, lines, &least, err);
    for (int d = 0; d < n; d++) {
        domain[d].busy_s = sp_value_none("threads were not timed");
        domain[d].x_once_B = (double)((int64_t *)lines)[d] * a->line_B;
    }
    count_threads(a, domain);
    for (int d = 0; d < n; d++) {
        domain[d].roof_Bps = own_roof(a, domain[d].n_threads);
        struct sp_domain *own = &domain[d];
        double again = least.lines > 0 ? 1 - (double)least.lines_once / (double)least.lines : 0;
        own->x_again_s = own->roof_Bps.value > 0 ? again * own->x_once_B / own->roof_Bps.value : 0;
        own->waits_s =
            sp_value_known(own->busy_s)
                ? sp_value_of(fmax(0, a->observed.pairs.time.value - own->busy_s.value), own->busy_s.origin)
                : own->busy_s;
        domain[d].local_share =
            sp_analysis_is_replayed(a)
                ? sp_value_none("the run was recorded elsewhere")
                : sp_placement_domain_share(&a->setup.layout, &a->setup.binding, a->options->topology,
                                            a->setup.domain_of_thread, d);
    }
    free(lines);
    return status;
}

/* The ECM model of the run and the roof of its gathers: no part of them is measured for it. */

/* All work by one thread of the team, at the rate that it has beside the others: n W/P_core. A
 * thread alone may be faster, by clock or by a core that it shares with none, but n threads at that
 * rate would take less than the P_core that was measured of them. */
static struct sp_value core_s(const struct sp_analysis *a, const char **from)
{
    const struct sp_value p = a->evaluated.p_core;
    const double work = a->setup.workload.n_threads * a->evaluated.balance_W;
    *from = sp_value_known(a->proved.core_s)   ? "all gathers from L1 (test), times its threads"
            : a->setup.workload.n_threads == 1 ? "P_core"
            : sp_value_known(a->core.flop_s)   ? "P_core of the team, times its threads"
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

enum sp_status sp_analysis_gathers(const struct sp_analysis *a, struct sp_gather_roof *out,
                                   struct sp_error *err)
{
    const struct sp_layout *l = &a->setup.layout;
    const struct sp_sim_options o = sp_analysis_sim_options(a);
    double ahead = 0;
    enum sp_status status = SP_OK;
    if (l->op == SP_OP_SPMV && a->own.n_stores == 0 && !a->own.traced)
        status = sp_gather_ahead(l, &o, &ahead, err);
    if (status == SP_USAGE || status == SP_ABSENT) /* no such trace: nothing is fetched ahead */
        status = SP_OK;
    *out = sp_gather_roof_of_layout(sp_analysis_caches(a), l, a->simulated.traffic, a->simulated.n_levels,
                                    ahead, a->setup.workload.n_threads);
    return status;
}
