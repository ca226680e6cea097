#include <stdio.h>

#include "base/text.h"
#include "model/gpu/gpu_predict.h"
#include "model/hints/rules.h"
#include "model/hints/support.h"

/* What the units' arithmetic does to results, in 120 characters. */
static const char *accuracy_of(enum sp_precision units, enum sp_precision run)
{
    if (units != run)
        return "fp16 has 11 significant bits, inputs and results are rounded to it (inf above 65504), sums "
               "are fp32";
    if (units == SP_F32)
        return "fp32 as three products of tf32: errors near 2^-22 of a product instead of 2^-24";
    return units == SP_F64 ? "products and sums are fp64, as now"
                           : "products are exact and sums fp32, as now";
}

static struct sp_then then_of(const struct sp_hint_inputs *in, const struct sp_gpu_hint_way *w)
{
    const double now_s = sp_gpu_hint_time(in);
    return sp_then_times(now_s, sp_value_known(w->time_s) ? w->time_s.value : now_s);
}

static struct sp_gain gain_of(const struct sp_hint_inputs *in, const struct sp_gpu_hint_way *w)
{
    struct sp_then then = then_of(in, w);
    return sp_gain_of(in, &then);
}

/* The first one that is worth it: another precision only where the run's is not; else the first one. */
static const struct sp_gpu_hint_way *first_worth(const struct sp_hint_inputs *in)
{
    for (int i = 0; i < in->gpu->n_units; i++)
        if (sp_gain_is_worth(in, gain_of(in, &in->gpu->units[i])))
            return &in->gpu->units[i];
    return &in->gpu->units[0];
}

static enum sp_verdict judge(const struct sp_hint_inputs *in, struct sp_hint *hint,
                             struct sp_checked *checked)
{
    const double now_s = sp_gpu_hint_time(in);
    char now_text[32], then_text[32];
    if (in->op != SP_OP_SPMM || now_s <= 0 || in->gpu->n_units == 0)
        return SP_SILENT;
    const struct sp_gpu_hint_way *units = first_worth(in);
    const struct sp_gain gain = gain_of(in, units);
    const double fill = 1 - (double)in->n_nz / (double)units->n_stored;
    const char *name = sp_precision_name(units->precision);
    sp_text_seconds(now_text, sizeof now_text, now_s);
    sp_text_seconds(then_text, sizeof then_text, units->time_s.value);
    if (!sp_gain_is_worth(in, gain))
        return sp_clear(checked, "%s in %s: %lld blocks, %.0f %% fill; %s modelled, %s now", units->option,
                        name, (long long)units->n_indices, 100 * fill, then_text, now_text);
    const bool as_now = units->precision == in->precision;
    sp_hint_take(in, hint, then_of(in, units), SP_MODELLED, as_now ? SP_MEDIUM : SP_LOW);
    snprintf(hint->evidence, sizeof hint->evidence,
             "%lld blocks of %s hold the matrix with %.0f %% fill. On matrix units in %s the model expects "
             "%s instead of %s, which are bound by %s. Accuracy: %s.",
             (long long)units->n_indices, units->option, 100 * fill, name, then_text, now_text,
             in->gpu->now->binding, accuracy_of(units->precision, in->precision));
    hint->change = sp_change_of(SP_OPTION_FORMAT, units->option);
    if (!as_now)
        sp_change_add(&hint->change, SP_OPTION_PRECISION, name);
    snprintf(hint->expect, sizeof hint->expect,
             "time towards the model's; refuted if it stays: peaks of matrix units are nominal");
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_gpu_units = {
    .id = "J06",
    .title = "matrix units",
    .version = 2,
    .condition = "SpMM on a GPU whose peak of matrix units is known: blocks with their fill take less "
                 "modelled time on them than the kernel in use, in its precision or else in fp16",
    .remedy =
        "BCSR with b_h a multiple of 8; an order that fills blocks; fp16 only where its 11 bits suffice",
    .check = "matrix units",
    .gain =
        "the modelled times of both kernels: their difference, or their ratio where little is unexplained",
    .judge = judge,
};
