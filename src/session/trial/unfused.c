#include "session/trial/unfused.h"

#include <string.h>

#include "base/clock.h"
#include "session/analyze/analysis.h"
#include "session/analyze/pcore.h"
#include "sparse/product/workload.h"
#include "sys/machine/pages.h"

/* One of the two operations of the pair. */
struct half {
    struct sp_workload workload;
    struct sp_layout layout;
    const struct sp_kernel *kernel;
    void *state;
};

static enum sp_status run_pair(void *state, int64_t repetitions, struct sp_run_stats *stats,
                               struct sp_error *err)
{
    struct half *half = state;
    enum sp_status status = SP_OK;
    double start = sp_now();
    for (int64_t i = 0; i < repetitions && status == SP_OK; i++)
        for (int k = 0; k < 2 && status == SP_OK; k++)
            status = half[k].kernel->run(half[k].state, 1, NULL, err);
    for (int t = 0; stats && stats->thread_s && t < stats->n_threads; t++)
        stats->thread_s[t] = sp_now() - start;
    return status;
}

static enum sp_status choose(const struct sp_analysis *a, struct half *h, struct sp_error *err)
{
    const struct sp_machine *m = a->options->machine;
    struct sp_value rate;
    struct sp_pcore_options p = sp_pcore_options_for(m, &h->workload, a->options->plan, SP_SPEND_OTHERS);
    return sp_pcore_choose(&h->workload, a->options->isa, &p, &h->kernel, &rate, err);
}

/* Operands and state; `values`: P where it lies, for SpMM. */
static enum sp_status prepare(const struct sp_analysis *a, struct half *h, struct sp_error *err)
{
    const struct sp_allocator *pages = a->options->small_pages ? &sp_allocator_plain : &sp_allocator_huge;
    struct sp_dense_arrays dense;
    enum sp_status status = choose(a, h, err);
    if (status == SP_OK)
        status = sp_dense_make(&h->workload, a->options->seed, &dense, err);
    if (status != SP_OK)
        return status;
    struct sp_operands operands = {
        .x = dense.x, .rows = dense.rows, .store_nt = a->setup.facts.store_nt, .allocator = pages};
    status = h->kernel->prepare(&h->layout, &operands, &h->state, err);
    sp_dense_free(&dense);
    return status;
}

/* SDDMM with a layout of its own, then SpMM on its pattern, with its result as values. */
static enum sp_status make_pair(const struct sp_analysis *a, struct half half[2], struct sp_error *err)
{
    const struct sp_allocator *pages = a->options->small_pages ? &sp_allocator_plain : &sp_allocator_huge;
    struct sp_kernel_facts facts;
    half[0].workload = half[1].workload = a->setup.workload;
    half[0].workload.op = SP_OP_SDDMM;
    half[1].workload.op = SP_OP_SPMM;
    enum sp_status status = sp_layout_make(&half[0].workload, true, pages, &half[0].layout, err);
    if (status == SP_OK)
        status = prepare(a, &half[0], err);
    if (status != SP_OK)
        return status;
    half[0].kernel->facts(half[0].state, &facts);
    half[1].layout = half[0].layout;
    half[1].layout.op = SP_OP_SPMM;
    half[1].layout.n_r_used = half[1].layout.n_r;
    half[1].layout.val = (void *)facts.y;
    return prepare(a, &half[1], err);
}

/* The second layout borrows the arrays of the first. */
static void release(struct half half[2])
{
    for (int k = 1; k >= 0; k--)
        if (half[k].kernel)
            half[k].kernel->release(half[k].state);
    sp_layout_free(&half[0].layout);
}

static enum sp_status time_pair(const struct sp_analysis *a, struct half half[2], struct sp_value *time,
                                struct sp_error *err)
{
    struct sp_analysis with = *a;
    struct sp_pairs pairs = {0};
    with.setup.job = sp_kernel_job(half[1].kernel, half[1].state, &half[1].layout);
    with.setup.job.name = "sddmm, spmm";
    with.setup.job.state = half;
    with.setup.job.run = run_pair;
    enum sp_status status =
        sp_analysis_sample(&with, sp_plan_left_s(a->options->plan, SP_SPEND_PROOFS) / 2, 20, &pairs, err);
    if (status == SP_OK)
        *time = strcmp(pairs.mode, a->observed.pairs.mode) == 0
                    ? pairs.time
                    : sp_value_none("the processors moved between cache domains");
    sp_pairs_free(&pairs);
    return status;
}

/* Bytes through memory of one execution from empty caches. */
static enum sp_status simulate(const struct sp_analysis *a, const struct sp_layout *l, double *bytes_B,
                               struct sp_error *err)
{
    struct sp_sim_options o = sp_analysis_sim_options(a);
    struct sp_traffic traffic[SP_MAX_LEVELS];
    int n_levels;
    o.state = SP_SIM_COLD;
    enum sp_status status = sp_sim_traffic(l, &o, traffic, &n_levels, NULL, err);
    if (status == SP_OK)
        *bytes_B = traffic[n_levels - 1].read_B.value + traffic[n_levels - 1].write_B.value;
    return status;
}

/* V of the pair less V of the fused kernel where the gathers of both cost the same: what THEORY 6 has, and
 * S's values. */
static double predicted_saving(const struct sp_analysis *a, const struct half half[2])
{
    double w = a->setup.facts.store_nt ? 1 : 2, alpha = a->evaluated.alpha_min.alpha;
    double pair_B = sp_volume_layout(&half[0].layout, alpha, w).total_B +
                    sp_volume_layout(&half[1].layout, alpha, w).total_B;
    return pair_B - sp_volume_layout(&a->setup.layout, alpha, w).total_B;
}

enum sp_status sp_unfused_compare(const struct sp_analysis *a, struct sp_unfused *out, struct sp_error *err)
{
    struct half half[2] = {{.kernel = NULL}, {.kernel = NULL}};
    double sampled_B = 0, product_B = 0, fused_B = 0;
    *out = (struct sp_unfused){.time_s = sp_value_none("not run"), .bytes_B = sp_value_none("not simulated")};
    enum sp_status status = make_pair(a, half, err);
    if (status == SP_OK)
        status = time_pair(a, half, &out->time_s, err);
    if (status == SP_OK)
        status = simulate(a, &half[0].layout, &sampled_B, err);
    if (status == SP_OK)
        status = simulate(a, &half[1].layout, &product_B, err);
    if (status == SP_OK)
        status = simulate(a, &a->setup.layout, &fused_B, err);
    if (status == SP_OK) {
        out->bytes_B = sp_value_of(sampled_B + product_B, SP_SIMULATED);
        out->fused_B = sp_value_of(fused_B, SP_SIMULATED);
        out->predicted_B = sp_value_of(predicted_saving(a, half), SP_MODELLED);
    }
    release(half);
    return status;
}

enum sp_status sp_analysis_unfuse(const struct sp_analysis *a, struct sp_unfused *out, struct sp_error *err)
{
    out->time_s = out->bytes_B = sp_value_none("there is no pair to compare with");
    if (a->setup.workload.op != SP_OP_FUSEDMM || a->options->no_hints || !a->evaluated.at_level ||
        a->setup.layout.n_nz == 0 || sp_analysis_is_replayed(a))
        return SP_OK;
    sp_progress_step(a->progress, "running SDDMM and SpMM instead", -1);
    return sp_unfused_compare(a, out, err);
}
