/* From samples and bytes to shares of the roof, predictions and losses of an analysis on a GPU. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "model/gpu/gpu_time.h"
#include "model/volume/volume.h"
#include "session/gpu/gpu_analysis.h"
#include "sparse/reorder/reorder.h"

bool sp_gpu_is_counted(const struct sp_gpu_analysis *a)
{
    const enum sp_gpu_count read = a->in_L2 ? SP_GPU_L2_READ : SP_GPU_DRAM_READ;
    const enum sp_gpu_count write = a->in_L2 ? SP_GPU_L2_WRITE : SP_GPU_DRAM_WRITE;
    return sp_value_known(a->counts.of[read]) && sp_value_known(a->counts.of[write]);
}

/* Nothing comes from memory by the model of levels; by sizes, where it does not know the kernel:
 * all arrays fit half of the L2, which is what is sure to keep them. */
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

static double matrix_bytes(const struct sp_layout *l)
{
    return sp_volume_on_gpu(l, 0).total_B - sp_layout_array_bytes(l, SP_ARRAY_Y);
}

struct sp_value sp_gpu_x_from_L2(const struct sp_layout *l, const struct sp_gpu_traffic *t)
{
    const double rest_B = matrix_bytes(l);
    const struct sp_value all = t->L2_load_B;
    return sp_value_between(fmax(0, all.value - rest_B), fmax(0, all.lo - rest_B), fmax(0, all.hi - rest_B),
                            all.origin);
}

/* Bytes by the model of levels, else by formula: x once at least, once for each gather at most. */
static void model_bytes(struct sp_gpu_analysis *a)
{
    const struct sp_layout *l = &a->layout;
    const double gather_B = sp_layout_gather_bytes(l);
    const double matrix_B = matrix_bytes(l);
    if (a->chosen->predicted) {
        const struct sp_gpu_traffic *t = &a->chosen->prediction.traffic;
        a->read_B = a->in_L2 ? t->L2_load_B : t->memory_load_B;
        a->write_B = a->in_L2 ? t->L2_store_B : t->memory_store_B;
        a->x_B = a->in_L2 ? sp_gpu_x_from_L2(l, t) : t->x_B;
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

struct sp_value sp_gpu_counted_x(struct sp_value counted_B, struct sp_value read_B, struct sp_value x_B,
                                 double x_once_B)
{
    const double C = counted_B.value, least_B = read_B.lo - x_B.lo, all_B = fmax(least_B, read_B.hi - x_B.hi);
    const double lo = fmax(0, C - all_B), hi = fmax(lo, fmin(C - least_B, fmax(x_once_B, x_B.hi)));
    const double alike = all_B + x_once_B > 0 ? C * x_once_B / (all_B + x_once_B) : 0;
    return sp_value_between(fmin(hi, fmax(lo, alike)), lo, hi, counted_B.origin);
}

/* What was counted at the level that holds the data takes the model's place. */
static void use_counts(struct sp_gpu_analysis *a)
{
    if (sp_gpu_is_counted(a)) {
        const struct sp_value modelled_B = a->read_B;
        a->read_B = a->counts.of[a->in_L2 ? SP_GPU_L2_READ : SP_GPU_DRAM_READ];
        a->write_B = a->in_L2 ? written_to_L2(a) : a->counts.of[SP_GPU_DRAM_WRITE];
        if (!a->in_L2) /* in the L2 sectors of the matrix are asked for again, too */
            a->x_B = sp_gpu_counted_x(a->read_B, modelled_B, a->x_B, a->x_once_B);
    }
    a->V_B = sp_value_between(a->read_B.value + a->write_B.value, a->read_B.lo + a->write_B.lo,
                              a->read_B.hi + a->write_B.hi, a->read_B.origin);
}

const char sp_gpu_no_entries[] = "the matrix has no entries";
static const char over_link[] = "the matrix comes over the host link, which neither roof nor model knows";

/* Sampled beside the kernel, at the level that holds the data. */
static void find_roof(struct sp_gpu_analysis *a)
{
    const struct sp_value k = a->pairs.inverse, V = a->V_B;
    a->roof_Bps = a->pairs.roof;
    a->fraction = a->streamed_B > 0 ? sp_value_none(over_link)
                                    : sp_value_between(k.value * V.value, k.lo * V.lo, k.hi * V.hi, V.origin);
}

static enum sp_gpu_term level_of(const struct sp_gpu_analysis *a)
{
    return a->in_L2 ? SP_GPU_TERM_L2 : SP_GPU_TERM_MEMORY;
}

/* All predictions of an analysis take the roof beside its samples, so that hints and bounds are of
 * one time. */
static void take_roof(const struct sp_gpu_analysis *a, struct sp_gpu_prediction *p)
{
    if (sp_value_known(a->roof_Bps))
        sp_gpu_take_roof(p, level_of(a), a->roof_Bps);
}

/* The model's time with so many bytes of the level that holds the data, and what binds it; where
 * the model does not know the kernel, of that level alone. */
static struct sp_value time_with(const struct sp_gpu_analysis *a, struct sp_value B, const char **binding)
{
    const struct sp_value roof = a->roof_Bps;
    *binding = a->in_L2 ? "L2 bandwidth" : "memory bandwidth";
    if (!a->chosen->predicted)
        return sp_value_between(B.value / roof.value, B.lo / roof.hi, B.hi / roof.lo, SP_MODELLED);
    const struct sp_roofline r = sp_gpu_time_with(&a->chosen->prediction, level_of(a), B);
    if (r.binding >= 0)
        *binding = a->chosen->prediction.term[r.binding].name;
    return r.time_s;
}

/* What goes on beside the level that holds the data: the slowest of it [s], with its name, and what
 * nothing hides, from launch to last wave. SP_NONE: no ceiling is known. */
static struct sp_value beside(const struct sp_gpu_analysis *a, const char **name, struct sp_value *ends_s)
{
    struct sp_value longest = sp_value_none("no other ceiling of the GPU is known");
    *ends_s = longest;
    *name = NULL;
    for (int i = 0; a->chosen->predicted && i < SP_N_GPU_TERMS; i++) {
        const struct sp_roof_term *t = &a->chosen->prediction.term[i];
        const struct sp_value time = sp_gpu_term_time(t);
        if (i == (int)level_of(a) || !sp_value_known(time))
            continue;
        if (i >= SP_GPU_TERM_LAUNCH) {
            *ends_s = sp_value_known(*ends_s) ? sp_value_sum(*ends_s, time) : time;
        } else if (!sp_value_known(longest) || time.value > longest.value) {
            longest = time;
            *name = t->name;
        }
    }
    return longest;
}

static void find_losses(struct sp_gpu_analysis *a)
{
    const struct sp_layout *l = &a->layout;
    const double fill_B = sp_layout_fill_bytes(l), part = a->roof_part;
    const struct sp_value roof = a->roof_Bps;
    struct sp_value ends_s, core_s = beside(a, &a->beside, &ends_s);
    char takes[32], moves[32], ends[32];
    if (sp_value_known(ends_s) && !sp_value_known(core_s))
        core_s = sp_value_of(0, SP_MODELLED);
    const struct sp_loss_inputs in = {
        .time_s = a->pairs.time,
        .roof_Bps = sp_value_between(part * roof.value, part * roof.lo, part * roof.hi, roof.origin),
        .min_B = a->once_B - fill_B,
        .padding_B = fill_B,
        .x_B = a->x_B,
        .x_once_B = a->x_once_B,
        .imbalance_s = sp_value_none("the GPU deals blocks to SMs that are idle"),
        .core_s = core_s,
        .team_s = ends_s,
        .linear_s = sp_value_none("not tested on GPUs"),
        /* an L1 keeps nothing between kernels */
        .leftover_B = a->options->state == SP_WARM && !a->in_L2 ? 2 * (double)a->device.L2_B : 0,
        .level = a->in_L2 ? "L2" : "MEM"};
    a->losses = sp_losses_of(&in);
    snprintf(a->losses.how[SP_LOSS_IMBALANCE], sizeof a->losses.how[0],
             "the GPU deals blocks to SMs that are idle; what is left of it is part of \"not explained\"");
    if (a->in_L2)
        a->losses.extra_x_domains = sp_value_none("what each L1 has to load is not told apart");
    if (!sp_value_known(core_s))
        return;
    char *how = a->losses.how[SP_LOSS_IN_CORE];
    int n = snprintf(how, sizeof a->losses.how[0], "modelled:");
    if (a->beside)
        n += snprintf(how + n, sizeof a->losses.how[0] - (size_t)n, " %s takes %s, %s %s%s", a->beside,
                      sp_text_seconds(takes, sizeof takes, core_s.value), a->in_L2 ? "the L2" : "memory",
                      sp_text_seconds(moves, sizeof moves, a->V_B.value / in.roof_Bps.value),
                      sp_value_known(ends_s) ? ";" : "");
    if (sp_value_known(ends_s))
        snprintf(how + n, sizeof a->losses.how[0] - (size_t)n, " start and last wave add %s",
                 sp_text_seconds(ends, sizeof ends, ends_s.value));
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
                               .roof = a->options->gpu_recorded ? "the machine's load-only bandwidth"
                                                                : "what a load-only run beside it drew",
                               .fewer_B = sp_gpu_is_counted(a) ? "other traffic was counted, too"
                                                               : "fewer bytes move than are modelled",
                               .fast = "faster than the model: one of its ceilings is too low"};
    a->retake = sp_shares_doubt(&shares, a->doubt, sizeof a->doubt);
    a->fraction = shares.of_roof;
    a->model_fraction = shares.of_model;
}

void sp_gpu_evaluate(struct sp_gpu_analysis *a)
{
    const char *as_loaded;
    memset(&a->losses, 0, sizeof a->losses);
    model_bytes(a);
    use_counts(a);
    if (a->layout.n_nz == 0) { /* nothing to multiply, so there is no roof and nothing to share */
        a->roof_Bps = a->t_model = a->t_once = a->fraction = a->model_fraction =
            sp_value_none(sp_gpu_no_entries);
        return;
    }
    find_roof(a);
    for (int i = 0; i < a->n_ways; i++)
        if (a->way[i].predicted)
            take_roof(a, &a->way[i].prediction);
    a->roof_part = a->chosen->predicted && a->roof_Bps.value > 0
                       ? a->chosen->prediction.term[level_of(a)].rate.value / a->roof_Bps.value
                       : 1;
    a->t_model = time_with(a, a->V_B, &as_loaded);
    a->t_once = time_with(a, sp_value_of(a->once_B, SP_MODELLED), &a->binding);
    if (a->streamed_B > 0)
        a->binding = "host link";
    a->model_fraction = a->streamed_B > 0 ? sp_value_none(over_link)
                                          : sp_value_between(a->t_once.value / a->pairs.time.value,
                                                             a->t_once.value / a->pairs.time.hi,
                                                             a->t_once.value / a->pairs.time.lo, SP_MODELLED);
    find_doubt(a);
    if (a->streamed_B <= 0 && !*a->doubt) /* else it goes to a link that no part of the sum knows */
        find_losses(a);
}

/* What hints for GPUs compare the run with, and what they are told of it. */

/* Of a streamed matrix the link decides, of which nothing is known. */
static bool may_hint(const struct sp_gpu_analysis *a)
{
    return !a->options->no_hints && a->chosen->predicted && a->streamed_B <= 0;
}

/* Gathers move this many times the bytes of x at least before another order is tried. */
static const double WORTH_REORDERING = 1.5;

static bool may_gain_by_order(const struct sp_gpu_analysis *a)
{
    const struct sp_gpu_traffic *t = &a->chosen->prediction.traffic;
    const double matrix_B = sp_layout_matrix_bytes(&a->layout);
    return a->options->op == SP_OP_SPMV && a->layout.n_r == a->layout.n_c && a->layout.n_nz > 0 &&
           strcmp(a->subject->reorder, "none") == 0 &&
           (t->x_B.value > WORTH_REORDERING * t->x_once_B ||
            t->L2_load_B.value - matrix_B > WORTH_REORDERING * t->x_once_B);
}

/* What the model says of the chosen kernel after RCM. */
static enum sp_status try_order(struct sp_gpu_analysis *a, struct sp_error *err)
{
    struct sp_csr ordered;
    struct sp_layout l;
    struct sp_gpu_launch launch;
    struct sp_workload w = a->workload;
    if (!may_gain_by_order(a))
        return SP_OK;
    const double start = sp_now();
    if (sp_reorder("rcm", &a->subject->matrix, NULL, NULL, &ordered, NULL) != SP_OK)
        return SP_OK; /* what was measured is worth more than this hint, which keeps silent */
    a->reorder_s = sp_value_of(sp_now() - start, SP_MEASURED);
    w.matrix = &ordered;
    enum sp_status status = sp_layout_make(&w, false, NULL, &l, err);
    if (status == SP_OK) {
        status = sp_gpu_launch_make(&l, a->chosen->launch.map, 0, &launch, err);
        if (status == SP_OK)
            status = sp_gpu_predict(&l, &launch, a->options->machine, a->work, a->options->state == SP_WARM,
                                    a->progress, &a->reordered, err);
        a->has_reordered = status == SP_OK;
        if (a->has_reordered)
            take_roof(a, &a->reordered);
        sp_layout_free(&l);
    }
    sp_csr_free(&ordered);
    return status;
}

/* The stored blocks alone take longer to come from memory than the kernel in use takes: known
 * before the model has looked at a request. What the L2 may keep from one execution to the next
 * need not come. */
static bool is_hopeless(const struct sp_gpu_analysis *a, const struct sp_layout *l)
{
    const struct sp_gpu_prediction *now = &a->chosen->prediction;
    const double stored_B = sp_layout_matrix_bytes(l);
    const bool comes = a->options->state != SP_WARM || stored_B > (double)now->traffic.L2_hi_B;
    return comes && now->memory_roof && sp_value_known(now->memory_roof->value) &&
           sp_value_known(now->roofline.time_s) &&
           stored_B > now->memory_roof->value.value * now->roofline.time_s.value;
}

/* SpMM on matrix units in blocks of a format and a precision, into *way, if it takes less time than
 * what is there; a format or precision that does not fit is passed over. */
static enum sp_status try_blocks(struct sp_gpu_analysis *a, const char *format, enum sp_precision precision,
                                 struct sp_gpu_way *way, struct sp_error *err)
{
    struct sp_workload w = a->workload;
    struct sp_layout l;
    struct sp_gpu_way one = {.precision = precision};
    w.precision = precision;
    snprintf(one.option, sizeof one.option, "%s", format);
    if (sp_workload_set_format(&w, format, NULL) != SP_OK || sp_workload_check(&w, NULL) != SP_OK)
        return SP_OK;
    enum sp_status status = sp_layout_make(&w, false, NULL, &l, err);
    if (status != SP_OK)
        return status;
    one.n_stored = l.n_stored;
    one.n_indices = l.n_indices;
    if (!is_hopeless(a, &l) && sp_kernel_candidates(&l, "cuda-mma", &one.kernel, 1) == 1 &&
        sp_gpu_launch_make(&l, SP_GPU_MMA, 0, &one.launch, NULL) == SP_OK) {
        status = sp_gpu_predict(&l, &one.launch, a->options->machine, a->work, a->options->state == SP_WARM,
                                a->progress, &one.prediction, err);
        one.predicted = status == SP_OK;
        if (one.predicted)
            take_roof(a, &one.prediction);
    }
    sp_layout_free(&l);
    const struct sp_value time = one.prediction.roofline.time_s;
    if (one.predicted && sp_value_known(time) &&
        (!way->predicted || time.value < way->prediction.roofline.time_s.value))
        *way = one;
    return status;
}

/* Tall blocks, which fill best, and those that gather least. */
static enum sp_status try_shapes(struct sp_gpu_analysis *a, enum sp_precision precision,
                                 struct sp_gpu_way *way, struct sp_error *err)
{
    static const char *const shapes[] = {"bcsr:8x1", "bcsr:16x8"};
    enum sp_status status = SP_OK;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes && status == SP_OK; i++)
        status = try_blocks(a, shapes[i], precision, way, err);
    return status;
}

/* In this precision; then fp16, in the better shape where there is one. */
static enum sp_status try_units(struct sp_gpu_analysis *a, struct sp_error *err)
{
    const enum sp_precision precision = a->workload.precision;
    const struct sp_machine *m = a->options->machine;
    if (a->options->op != SP_OP_SPMM || a->chosen->launch.map == SP_GPU_MMA ||
        !sp_gpu_unit_peak(m, precision))
        return SP_OK;
    struct sp_gpu_way *now = &a->units[0];
    enum sp_status status = try_shapes(a, precision, now, err);
    a->n_units = now->predicted;
    if (status != SP_OK || (precision != SP_F64 && precision != SP_F32) || !sp_gpu_unit_peak(m, SP_F16))
        return status;
    struct sp_gpu_way *half = &a->units[a->n_units];
    status =
        now->predicted ? try_blocks(a, now->option, SP_F16, half, err) : try_shapes(a, SP_F16, half, err);
    a->n_units += half->predicted;
    return status;
}

/* A look that fails leaves its hint silent: what was measured is worth more. */
enum sp_status sp_gpu_try_others(struct sp_gpu_analysis *a, struct sp_error *err)
{
    struct sp_error reason;
    a->reorder_s = sp_value_none("no reordering was tried");
    if (!may_hint(a))
        return SP_OK;
    enum sp_status status = try_order(a, &reason);
    if (status != SP_INTERRUPTED)
        status = try_units(a, &reason);
    if (status != SP_INTERRUPTED)
        return SP_OK;
    if (err)
        *err = reason;
    return status;
}

/* The options of this run that hints repeat; of a format the change itself speaks. */
static struct sp_change other_options(const struct sp_gpu_analysis *a)
{
    const struct sp_analyze_options *o = a->options;
    const struct sp_workload *w = &a->workload;
    struct sp_change c = sp_change_of(SP_OPTION_DEVICE, sp_gpu_interfaces[o->gpu_api].device);
    sp_change_add(&c, SP_OPTION_FORMAT, a->chosen->option);
    if (w->precision != SP_F64)
        sp_change_add(&c, SP_OPTION_PRECISION, sp_precision_name(w->precision));
    if (w->index == SP_I64)
        sp_change_add(&c, SP_OPTION_INDEX, sp_index_name(w->index));
    if (o->state == SP_COLD)
        sp_change_add(&c, SP_OPTION_COLD, "");
    if (strcmp(a->subject->reorder, "none") != 0)
        sp_change_add(&c, SP_OPTION_REORDER, a->subject->reorder);
    if (o->machine_name)
        sp_change_add(&c, SP_OPTION_MACHINE, o->machine_name);
    sp_change_add_operation(&c, w);
    return c;
}

static struct sp_gpu_hint_way hint_way(const struct sp_gpu_analysis *a, const struct sp_gpu_way *w)
{
    struct sp_gpu_hint_way one = {.kernel = strrchr(w->kernel->name, '/') + 1,
                                  .same_format = strcmp(w->option, a->chosen->option) == 0,
                                  .precision = w->precision,
                                  .time_s = w->prediction.roofline.time_s,
                                  .active = w->predicted ? w->prediction.traffic.active : NAN,
                                  .n_stored = w->n_stored,
                                  .n_indices = w->n_indices,
                                  .T_i = w->T_i,
                                  .T_k = w->T_k};
    memcpy(one.option, w->option, sizeof one.option);
    return one;
}

static bool has_equal_rows(const struct sp_csr *a)
{
    for (int64_t i = 1; i < a->n_r; i++)
        if (a->row_ptr[i + 1] - a->row_ptr[i] != a->row_ptr[1] - a->row_ptr[0])
            return false;
    return true;
}

/* NULL: none takes this layout, or it is in use. */
static const char *kernel_with_window(const struct sp_gpu_analysis *a)
{
    for (int i = 0; sp_kernel_table[i]; i++) {
        const struct sp_kernel *row = sp_kernel_table[i];
        if (row->x_in_window && row != a->chosen->kernel && row->api == a->options->gpu_api &&
            sp_kernel_is_for(row, &a->layout) && row->accepts(&a->layout, NULL) == SP_OK)
            return strrchr(row->name, '/') + 1;
    }
    return NULL;
}

void sp_gpu_find_hints(struct sp_gpu_analysis *a)
{
    struct sp_gpu_hint_inputs gpu = {.now = &a->chosen->prediction,
                                     .possible_by = a->binding,
                                     .x_B = a->in_L2 || !sp_gpu_is_counted(a) ? sp_value_none("not counted")
                                                                              : a->x_B,
                                     .reordered = a->has_reordered ? &a->reordered : NULL};
    struct sp_gpu_hint_way other[SP_MAX_WAYS], units[SP_MAX_UNITS];
    struct sp_hint_inputs in;
    if (!may_hint(a))
        return;
    gpu.equal_rows = has_equal_rows(&a->subject->matrix);
    gpu.run = hint_way(a, a->chosen);
    gpu.window = kernel_with_window(a);
    for (int i = 0; i < a->n_ways; i++)
        if (&a->way[i] != a->chosen && a->way[i].predicted)
            other[gpu.n_ways++] = hint_way(a, &a->way[i]);
    for (; gpu.n_units < a->n_units; gpu.n_units++)
        units[gpu.n_units] = hint_way(a, &a->units[gpu.n_units]);
    gpu.way = other;
    gpu.units = units;
    sp_hint_inputs_init(&in);
    in.matrix = a->subject->argument;
    in.options = other_options(a);
    in.op = a->workload.op;
    in.r = a->layout.r;
    in.n_r = a->layout.n_r;
    in.n_c = a->layout.n_c;
    in.n_nz = a->layout.n_nz;
    in.format = a->workload.format;
    in.C = a->workload.C;
    in.sigma = a->workload.sigma;
    in.precision = a->workload.precision;
    in.index = a->workload.index;
    in.warm = a->options->state == SP_WARM;
    in.time_s = a->pairs.time;
    in.roof_Bps = a->roof_Bps;
    in.V_B = a->V_B;
    in.w = sp_value_of(1, SP_MODELLED);
    in.level = a->in_L2 ? "L2" : "MEM";
    in.reorder_s = a->reorder_s;
    in.gpu = &gpu;
    sp_hints_find(&in, &a->hints);
}
