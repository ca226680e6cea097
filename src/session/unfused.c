#include "session/unfused.h"

#include <string.h>

#include "base/clock.h"
#include "session/analysis.h"
#include "sparse/dense.h"
#include "sys/pages.h"

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

static enum sp_status prepare(const struct sp_analysis *a, enum sp_op op, struct half *h,
                              struct sp_error *err)
{
    const struct sp_allocator *pages = a->options->small_pages ? &sp_allocator_plain : &sp_allocator_huge;
    struct sp_dense_arrays dense;
    h->workload = a->setup.workload;
    h->workload.op = op;
    enum sp_status status = sp_layout_make(&h->workload, true, pages, &h->layout, err);
    if (status != SP_OK)
        return status;
    if (sp_kernel_candidates(&h->layout, a->options->isa, &h->kernel, 1) == 0)
        return sp_fail(err, SP_ABSENT, "leave --isa out", "no kernel for %s runs here", sp_op_name(op));
    status = sp_dense_make(&h->workload, a->options->seed, &dense, err);
    struct sp_operands operands = {
        .x = dense.x, .rows = dense.rows, .store_nt = a->setup.facts.store_nt, .allocator = pages};
    if (status == SP_OK)
        status = h->kernel->prepare(&h->layout, &operands, &h->state, err);
    sp_dense_free(&dense);
    return status;
}

static void release(struct half *h)
{
    if (h->kernel)
        h->kernel->release(h->state);
    sp_layout_free(&h->layout);
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
    enum sp_status status = sp_analysis_sample(&with, 0.3, 20, &pairs, err);
    if (status == SP_OK)
        *time = strcmp(pairs.mode, a->pairs.mode) == 0
                    ? pairs.time
                    : sp_value_none("the processors moved between cache domains");
    sp_pairs_free(&pairs);
    return status;
}

/* Bytes of the two, each repeated by itself, through the level that counts. */
static enum sp_status simulate_pair(const struct sp_analysis *a, const struct half half[2],
                                    struct sp_value *bytes, struct sp_error *err)
{
    double sum = 0;
    for (int k = 0; k < 2; k++) {
        struct sp_sim_options o = sp_analysis_sim_options(a);
        struct sp_traffic traffic[SP_MAX_LEVELS];
        int n_levels;
        enum sp_status status = sp_sim_traffic(&half[k].layout, &o, traffic, &n_levels, NULL, err);
        if (status != SP_OK)
            return status;
        const struct sp_traffic *here = &traffic[a->at_level - a->traffic];
        sum += here->read_B.value + here->write_B.value;
    }
    *bytes = sp_value_of(sum, SP_SIMULATED);
    return SP_OK;
}

/* V of the pair less V of the fused kernel where the gathers of both cost the same [THEORY 6]. */
static double predicted_saving(const struct sp_analysis *a, const struct half half[2])
{
    double w = a->setup.facts.store_nt ? 1 : 2, alpha = a->alpha_min.alpha;
    double pair_B = sp_volume_layout(&half[0].layout, alpha, w).total_B +
                    sp_volume_layout(&half[1].layout, alpha, w).total_B;
    return pair_B - sp_volume_layout(&a->setup.layout, alpha, w).total_B;
}

enum sp_status sp_unfused_compare(const struct sp_analysis *a, struct sp_unfused *out, struct sp_error *err)
{
    struct half half[2] = {{.kernel = NULL}, {.kernel = NULL}};
    const struct sp_traffic *fused = a->at_level;
    *out = (struct sp_unfused){.time_s = sp_value_none("not run"), .bytes_B = sp_value_none("not simulated")};
    enum sp_status status = prepare(a, SP_OP_SDDMM, &half[0], err);
    if (status == SP_OK)
        status = prepare(a, SP_OP_SPMM, &half[1], err);
    if (status == SP_OK)
        status = time_pair(a, half, &out->time_s, err);
    if (status == SP_OK)
        status = simulate_pair(a, half, &out->bytes_B, err);
    if (status == SP_OK) {
        out->fused_B = sp_value_of(fused->read_B.value + fused->write_B.value, SP_SIMULATED);
        out->predicted_B = sp_value_of(predicted_saving(a, half), SP_MODELLED);
    }
    release(&half[0]);
    release(&half[1]);
    return status;
}

enum sp_status sp_analysis_unfuse(struct sp_analysis *a, struct sp_error *err)
{
    a->unfused.time_s = a->unfused.bytes_B = sp_value_none("there is no pair to compare with");
    if (a->setup.workload.op != SP_OP_FUSEDMM || a->options->no_hints || !a->at_level ||
        a->setup.layout.n_nz == 0 || sp_analysis_is_replayed(a))
        return SP_OK;
    sp_progress_step(a->progress, "running SDDMM and SpMM instead", -1);
    return sp_unfused_compare(a, &a->unfused, err);
}
