#include <string.h>

#include "base/clock.h"
#include "session/analyze/analysis.h"

static bool on_progress(void *context, double share)
{
    const struct sp_analysis *a = context;
    sp_progress_step(a->progress, "simulating the caches", share);
    return sp_progress_interrupted(a->progress);
}

int64_t sp_between_bytes(const struct sp_analyze_options *o, const struct sp_layout *l)
{
    return o->n_between * l->n_r * l->r * (int64_t)l->s_y;
}

struct sp_sim_options sp_analysis_sim_options(const struct sp_analysis *a)
{
    struct sp_sim_options o = sp_sim_default(a->options->machine);
    o.llc_B = (int64_t)a->options->llc_B;
    o.policy = a->options->policy ? sp_policy_from_name(a->options->policy) : -1;
    o.n_domain = a->setup.n_domains;
    o.domain_of_thread = a->setup.domain_of_thread;
    o.state = a->options->state == SP_COLD      ? SP_SIM_COLD
              : a->options->state == SP_BETWEEN ? SP_SIM_BETWEEN
                                                : SP_SIM_WARM;
    o.between_B = sp_between_bytes(a->options, &a->setup.layout);
    o.skew = a->options->skew;
    o.store_nt = a->setup.facts.store_nt;
    o.x_offset_B = a->setup.facts.x_offset_B;
    o.y_offset_B = a->setup.facts.y_offset_B;
    o.seed = a->options->seed;
    o.progress = on_progress;
    o.context = (void *)a;
    return o;
}

enum sp_status sp_analysis_simulate(const struct sp_analysis *a, struct sp_simulated *out,
                                    struct sp_error *err)
{
    struct sp_sim_options o = sp_analysis_sim_options(a);
    double start = sp_now();
    enum sp_status status =
        sp_sim_traffic(&a->setup.layout, &o, out->traffic, &out->n_levels, &out->sim, err);
    out->simulate_s = sp_now() - start;
    return status;
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
