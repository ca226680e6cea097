/* What hints for GPUs compare the run with, and what they are told of it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "model/gpu_units.h"
#include "session/gpu_analysis.h"
#include "sparse/reorder.h"

/* Gathers move this many times the bytes of x at least before another order is tried. */
static const double WORTH_REORDERING = 1.5;

static bool may_gain_by_order(const struct sp_gpu_analysis *a)
{
    const struct sp_gpu_traffic *t = &a->chosen->prediction.traffic;
    const double matrix_B = sp_layout_matrix_bytes(&a->layout);
    return a->options->op == SP_OP_SPMV && !a->options->no_hints && a->chosen->predicted &&
           a->layout.n_r == a->layout.n_c && a->layout.n_nz > 0 && strcmp(a->subject->reorder, "none") == 0 &&
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
        sp_layout_free(&l);
    }
    sp_csr_free(&ordered);
    return status;
}

/* SpMM on matrix units in blocks of a format and a precision, into *way, if it takes less time than what is
 * there; a format or precision that does not fit is passed over. */
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
    if (sp_kernel_candidates(&l, "cuda-mma", &one.kernel, 1) == 1 &&
        sp_gpu_launch_make(&l, SP_GPU_MMA, 0, &one.launch, NULL) == SP_OK) {
        status = sp_gpu_predict(&l, &one.launch, a->options->machine, a->work, a->options->state == SP_WARM,
                                a->progress, &one.prediction, err);
        one.predicted = status == SP_OK;
    }
    sp_layout_free(&l);
    const struct sp_value time = one.prediction.roofline.time_s;
    if (one.predicted && sp_value_known(time) &&
        (!way->predicted || time.value < way->prediction.roofline.time_s.value))
        *way = one;
    return status;
}

/* Tall blocks, which fill best, and those that gather least, in this precision; fp16 in the better shape. */
static enum sp_status try_units(struct sp_gpu_analysis *a, struct sp_error *err)
{
    static const char *const shapes[] = {"bcsr:8x1", "bcsr:16x8"};
    const enum sp_precision precision = a->workload.precision;
    const struct sp_machine *m = a->options->machine;
    struct sp_gpu_way *now = &a->units[0], *half = &a->units[1];
    enum sp_status status = SP_OK;
    if (a->options->op != SP_OP_SPMM || a->options->no_hints || !a->chosen->predicted ||
        a->chosen->launch.map == SP_GPU_MMA || !sp_gpu_unit_peak(m, precision))
        return SP_OK;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes && status == SP_OK; i++)
        status = try_blocks(a, shapes[i], precision, now, err);
    a->n_units = now->predicted;
    if (status == SP_OK && now->predicted && (precision == SP_F64 || precision == SP_F32) &&
        sp_gpu_unit_peak(m, SP_F16)) {
        status = try_blocks(a, now->option, SP_F16, half, err);
        a->n_units += half->predicted;
    }
    return status;
}

enum sp_status sp_gpu_try_others(struct sp_gpu_analysis *a, struct sp_error *err)
{
    a->reorder_s = sp_value_none("no reordering was tried");
    enum sp_status status = try_order(a, err);
    return status == SP_OK ? try_units(a, err) : status;
}

/* The options of this run that hints repeat; of a format the change itself speaks. */
static void other_options(const struct sp_gpu_analysis *a, char *text, size_t size)
{
    const struct sp_analyze_options *o = a->options;
    const struct sp_workload *w = &a->workload;
    const bool is_double = w->precision == SP_F64;
    snprintf(text, size, "--device gpu --format %s%s%s%s%s%s%s%s%s", a->chosen->option,
             is_double ? "" : " --precision ", is_double ? "" : sp_precision_name(w->precision),
             w->index == SP_I64 ? " --index i64" : "", o->state == SP_COLD ? " --cold" : "",
             strcmp(a->subject->reorder, "none") != 0 ? " --reorder " : "",
             strcmp(a->subject->reorder, "none") != 0 ? a->subject->reorder : "",
             o->machine_name ? " --machine " : "", o->machine_name ? o->machine_name : "");
    const size_t used = strlen(text);
    if (w->op != SP_OP_SPMV && used < size)
        snprintf(text + used, size - used, " --op %s %s %d", sp_op_name(w->op),
                 w->op == SP_OP_SPMMV ? "--rhs" : "--inner", (int)sp_workload_width(w));
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

void sp_gpu_find_hints(struct sp_gpu_analysis *a)
{
    char options[400];
    struct sp_gpu_hint_inputs gpu = {.now = a->chosen->predicted ? &a->chosen->prediction : NULL,
                                     .reordered = a->has_reordered ? &a->reordered : NULL};
    struct sp_gpu_hint_way other[SP_MAX_WAYS], units[SP_MAX_UNITS];
    struct sp_hint_inputs in;
    if (a->options->no_hints || !gpu.now ||
        a->streamed_B > 0) /* the link decides, of which nothing is known */
        return;
    gpu.run = hint_way(a, a->chosen);
    for (int i = 0; i < a->n_ways; i++)
        if (&a->way[i] != a->chosen && a->way[i].predicted)
            other[gpu.n_ways++] = hint_way(a, &a->way[i]);
    for (; gpu.n_units < a->n_units; gpu.n_units++)
        units[gpu.n_units] = hint_way(a, &a->units[gpu.n_units]);
    gpu.way = other;
    gpu.units = units;
    sp_hint_inputs_init(&in);
    in.matrix = a->subject->argument;
    other_options(a, options, sizeof options);
    in.options = options;
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
    in.store_nt = true; /* an L2 of sectors reads nothing before it is written whole */
    in.level = a->in_L2 ? "L2" : "MEM";
    in.reorder_s = a->reorder_s;
    in.gpu = &gpu;
    sp_hints_find(&in, &a->hints);
}
