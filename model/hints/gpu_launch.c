#include <math.h>
#include <stdio.h>

#include "model/gpu/gpu_predict.h"
#include "model/hints/rules.h"
#include "model/hints/support.h"

/* The slowest resource but the launches [s]. */
static double others_s(const struct sp_gpu_prediction *p)
{
    double longest = 0;
    for (int i = 0; i < SP_N_GPU_TERMS; i++)
        if (i != SP_GPU_TERM_LAUNCH && sp_value_known(p->term[i].rate) && p->term[i].rate.value > 0)
            longest = fmax(longest, p->term[i].amount.value / p->term[i].rate.value);
    return longest;
}

static enum sp_verdict judge(const struct sp_hint_inputs *in, struct sp_hint *hint,
                             struct sp_checked *checked)
{
    const struct sp_gpu_prediction *p = in->gpu ? in->gpu->now : NULL;
    if (!p || !sp_value_known(p->term[SP_GPU_TERM_LAUNCH].rate))
        return SP_SILENT;
    const double launch_s = p->term[SP_GPU_TERM_LAUNCH].amount.value / p->term[SP_GPU_TERM_LAUNCH].rate.value;
    const double work_s = others_s(p);
    struct sp_then then = sp_then_times(fmax(launch_s, work_s), work_s);
    const struct sp_gain gain = sp_gain_of(in, &then);
    if (!sp_gain_is_worth(in, gain))
        return sp_clear(checked, "%.2g us a launch, %.3g us of work", 1e6 * launch_s, 1e6 * work_s);
    sp_hint_take(in, hint, then, SP_MODELLED, SP_MEDIUM);
    snprintf(hint->evidence, sizeof hint->evidence,
             "Starting the kernel takes %.2g us (measured or stated for this GPU), its work %.2g us "
             "(modelled): the GPU waits for launches.",
             1e6 * launch_s, 1e6 * work_s);
    hint->in_words =
        "in your program: record the solver's kernels as a CUDA graph, or multiply several vectors at a time "
        "(" SP_O_OP " spmmv)";
    snprintf(hint->expect, sizeof hint->expect, "time towards the work's; refuted if it stays");
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_gpu_launch = {
    .id = "J02",
    .title = "launch overhead",
    .version = 2,
    .spmv_only = true,
    .condition =
        "on a GPU whose launch overhead is known, launches take longer than the slowest of memory, L2, "
        "arithmetic and latency",
    .remedy = "CUDA graphs, fewer and larger kernels, several vectors at a time",
    .check = "launch overhead",
    .gain = "the launch overhead against the slowest of memory, L2, arithmetic and latency",
    .judge = judge,
};
