/* From samples and bytes to shares of the roof, predictions and losses of an analysis on a GPU. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/volume/volume.h"
#include "session/gpu/gpu_analysis.h"

/* Nothing comes from memory by the model of levels; by sizes, where it does not know the kernel: all arrays
 * fit half of the L2, which is what is sure to keep them. */
void sp_gpu_find_level(struct sp_gpu_analysis *a)
{
    const struct sp_layout *l = &a->layout;
    const struct sp_gpu_traffic *t = &a->chosen->prediction.traffic;
    double all_B = 0;
    for (int i = 0; i < SP_N_ARRAYS; i++)
        all_B += sp_layout_array_bytes(l, (enum sp_array)i);
    a->in_L2 = a->options->state == SP_WARM &&
               (a->chosen->predicted ? t->memory_load_B.hi + t->memory_store_B.hi <= 0
                                     : all_B <= 0.5 * (double)a->device.L2_B);
}

/* Bytes by the model of levels, else by formula: x once at least, once for each gather at most. */
static void model_bytes(struct sp_gpu_analysis *a)
{
    const struct sp_layout *l = &a->layout;
    const double gather_B = sp_layout_gather_bytes(l);
    const double matrix_B = sp_volume_layout(l, 0, 1).total_B - sp_layout_array_bytes(l, SP_ARRAY_Y);
    if (a->chosen->predicted) {
        const struct sp_gpu_traffic *t = &a->chosen->prediction.traffic;
        a->read_B = a->in_L2 ? t->L2_load_B : t->memory_load_B;
        a->write_B = a->in_L2 ? t->L2_store_B : t->memory_store_B;
        a->x_B = a->in_L2
                     ? sp_value_between(fmax(0, a->read_B.value - matrix_B), fmax(0, a->read_B.lo - matrix_B),
                                        fmax(0, a->read_B.hi - matrix_B), a->read_B.origin)
                     : t->x_B;
        a->x_once_B = t->x_once_B;
    } else {
        a->x_once_B = fmin(gather_B, (double)l->s_x * (double)l->n_c * (double)l->r);
        a->x_B = sp_value_between(a->x_once_B, a->x_once_B, gather_B, SP_MODELLED);
        a->write_B = sp_value_of(sp_layout_array_bytes(l, SP_ARRAY_Y), SP_MODELLED);
        a->read_B = sp_value_between(matrix_B + a->x_B.value, matrix_B + a->x_B.lo, matrix_B + a->x_B.hi,
                                     SP_MODELLED);
    }
    a->x_modelled_B = a->x_B;
    a->once_B = matrix_B + sp_layout_array_bytes(l, SP_ARRAY_Y) + a->x_once_B;
}

/* Sums that MERGE and SHARE carry are added in the L2: neither a load nor a store of the SMs. */
bool sp_gpu_lacks_updates(const struct sp_gpu_analysis *a)
{
    return a->in_L2 && sp_gpu_is_counted(a) && sp_gpu_carry_threads(&a->layout, &a->chosen->launch) > 0 &&
           !(sp_value_known(a->counts.of[SP_GPU_L2_REDUCTION]) &&
             sp_value_known(a->counts.of[SP_GPU_L2_ATOMIC]));
}

/* Stores, reductions and atomics, as the model has them. */
static struct sp_value written_to_L2(const struct sp_gpu_analysis *a)
{
    static const enum sp_gpu_count updates[] = {SP_GPU_L2_REDUCTION, SP_GPU_L2_ATOMIC};
    struct sp_value all = a->counts.of[SP_GPU_L2_WRITE];
    for (size_t i = 0; i < sizeof updates / sizeof *updates; i++)
        if (sp_value_known(a->counts.of[updates[i]]))
            all = sp_value_sum(all, a->counts.of[updates[i]]);
    return all;
}

/* What was counted at the level that holds the data takes the model's place. */
static void use_counts(struct sp_gpu_analysis *a)
{
    const double rest_B = a->read_B.value - a->x_B.value;
    if (sp_gpu_is_counted(a)) {
        a->read_B = a->counts.of[a->in_L2 ? SP_GPU_L2_READ : SP_GPU_DRAM_READ];
        a->write_B = a->in_L2 ? written_to_L2(a) : a->counts.of[SP_GPU_DRAM_WRITE];
        if (!a->in_L2) /* where sectors of the matrix are asked for again, too */
            a->x_B = sp_value_of(fmax(0, a->read_B.value - rest_B), SP_MEASURED);
    }
    a->V_B = sp_value_between(a->read_B.value + a->write_B.value, a->read_B.lo + a->write_B.lo,
                              a->read_B.hi + a->write_B.hi, a->read_B.origin);
}

static const char over_link[] = "the matrix comes over the host link, which neither roof nor model knows";

/* Sampled beside the kernel, at the level that holds the data. */
static void find_roof(struct sp_gpu_analysis *a)
{
    const struct sp_value k = a->pairs.inverse, V = a->V_B;
    a->roof_Bps = a->pairs.roof;
    a->fraction = a->streamed_B > 0 ? sp_value_none(over_link)
                                    : sp_value_between(k.value * V.value, k.lo * V.lo, k.hi * V.hi, V.origin);
}

/* Time of all resources but the level that holds the data [s], with the name of the slowest. */
static struct sp_value other_terms(const struct sp_gpu_analysis *a, const char **name)
{
    struct sp_value longest = sp_value_none("no other ceiling of the GPU is known");
    *name = NULL;
    for (int i = 0; a->chosen->predicted && i < SP_N_GPU_TERMS; i++) {
        const struct sp_roof_term *t = &a->chosen->prediction.term[i];
        if (i == (a->in_L2 ? SP_GPU_TERM_L2 : SP_GPU_TERM_MEMORY) || !sp_value_known(t->rate) ||
            t->rate.value <= 0)
            continue;
        const struct sp_value time =
            sp_value_between(t->amount.value / t->rate.value, t->amount.lo / t->rate.hi,
                             t->amount.hi / t->rate.lo, SP_MODELLED);
        if (!sp_value_known(longest) || time.value > longest.value) {
            longest = time;
            *name = t->name;
        }
    }
    return longest;
}

static void find_losses(struct sp_gpu_analysis *a, struct sp_value core, const char *other)
{
    const struct sp_layout *l = &a->layout;
    const double fill_B = sp_layout_fill_bytes(l);
    const struct sp_loss_inputs in = {
        .time_s = a->pairs.time,
        .roof_Bps = a->roof_Bps,
        .min_B = a->once_B - fill_B,
        .padding_B = fill_B,
        .x_B = a->x_B,
        .x_once_B = a->x_once_B,
        .imbalance_s = sp_value_none("the GPU deals blocks to SMs that are idle"),
        .core_s = core,
        .linear_s = sp_value_none("no test with all gathers from L1 was made"),
        /* an L1 keeps nothing between kernels */
        .leftover_B = a->options->state == SP_WARM && !a->in_L2 ? 2 * (double)a->device.L2_B : 0,
        .level = a->in_L2 ? "L2" : "MEM"};
    a->losses = sp_losses_of(&in);
    snprintf(a->losses.how[SP_LOSS_IMBALANCE], sizeof a->losses.how[0],
             "the GPU deals blocks to SMs that are idle; what is left of it is part of \"not explained\"");
    if (sp_value_known(core))
        snprintf(a->losses.how[SP_LOSS_IN_CORE], sizeof a->losses.how[0],
                 "modelled: %s takes %.4g ms, %s %.4g ms", other, 1e3 * core.value,
                 a->in_L2 ? "the L2" : "memory", 1e3 * a->V_B.value / a->roof_Bps.value);
}

/* Bytes at the roof, or the longest of the other terms. */
static struct sp_value model_time(struct sp_value B, struct sp_value roof, struct sp_value core)
{
    const bool has_core = sp_value_known(core);
    return sp_value_between(fmax(B.value / roof.value, has_core ? core.value : 0),
                            fmax(B.lo / roof.hi, has_core ? core.lo : 0),
                            fmax(B.hi / roof.lo, has_core ? core.hi : 0), SP_MODELLED);
}

/* What the machine file remembers, where it is of a GPU of this kind. */
static double of_remembered(const struct sp_gpu_analysis *a)
{
    bool exact;
    const struct sp_machine *m = a->options->machine;
    const struct sp_ceiling *c = sp_roof_of(m, a->in_L2 ? "L2" : "MEM", m->n_cores, NULL, &exact);
    return c && m->n_cores == a->device.n_cores && c->value.value > 0 ? a->roof_Bps.value / c->value.value
                                                                      : INFINITY;
}

/* As of an analysis on processors. */
static void find_doubt(struct sp_gpu_analysis *a)
{
    struct sp_shares shares = {.conditions = &a->conditions,
                               .of_roof = a->fraction,
                               .of_model = a->model_fraction,
                               .of_remembered = of_remembered(a),
                               .in_memory = !a->in_L2,
                               .roof = "what a load-only run beside it drew",
                               .fewer_B = sp_gpu_is_counted(a) ? "other traffic was counted, too"
                                                               : "fewer bytes move than are modelled",
                               .fast = "faster than the model: one of its ceilings is too low"};
    a->retake = sp_shares_doubt(&shares, a->doubt, sizeof a->doubt);
    a->fraction = shares.of_roof;
    a->model_fraction = shares.of_model;
}

void sp_gpu_evaluate(struct sp_gpu_analysis *a)
{
    const char *other;
    model_bytes(a);
    use_counts(a);
    find_roof(a);
    const struct sp_value core = other_terms(a, &other);
    const double core_s = sp_value_known(core) ? core.value : 0;
    const double once_s = a->once_B / a->roof_Bps.value;
    a->binding = once_s < core_s ? other : a->in_L2 ? "L2 bandwidth" : "memory bandwidth";
    if (a->streamed_B > 0)
        a->binding = "host link";
    a->t_model = model_time(a->V_B, a->roof_Bps, core);
    a->t_once = model_time(sp_value_of(a->once_B, SP_MODELLED), a->roof_Bps, core);
    a->model_fraction = a->streamed_B > 0 ? sp_value_none(over_link)
                                          : sp_value_between(a->t_once.value / a->pairs.time.value,
                                                             a->t_once.value / a->pairs.time.hi,
                                                             a->t_once.value / a->pairs.time.lo, SP_MODELLED);
    find_doubt(a);
    memset(&a->losses, 0, sizeof a->losses);
    if (a->streamed_B <= 0 && !*a->doubt) /* else it goes to a link that no part of the sum knows */
        find_losses(a, core, other);
}
