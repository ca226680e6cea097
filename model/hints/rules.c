#include "model/hints/rules.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/gpu/gpu_predict.h"
#include "model/roofline.h"
#include "sparse/formats/format.h"

static double value_or(struct sp_value v, double otherwise)
{
    return sp_value_known(v) ? v.value : otherwise;
}

static struct sp_now now_of(const struct sp_hint_inputs *in)
{
    return (struct sp_now){in->time_s, in->V_B, in->roof_Bps, in->core_s, in->linear_s, false, false};
}

double sp_hint_time(const struct sp_hint_inputs *in)
{
    if (sp_value_known(in->time_s))
        return in->time_s.value;
    if (!sp_value_known(in->V_B) || !sp_value_known(in->roof_Bps))
        return 0;
    return fmax(in->V_B.value / in->roof_Bps.value, value_or(in->core_s, 0));
}

double sp_hint_waits(const struct sp_hint_inputs *in)
{
    const struct sp_now now = now_of(in);
    return sp_gain_waits(&now);
}

bool sp_hint_is_waiting(const struct sp_hint_inputs *in)
{
    const struct sp_now now = now_of(in);
    return sp_gain_is_waiting(&now);
}

/* Index of the level whose roof counts: n_caches is memory. */
static int level_of(const struct sp_hint_inputs *in)
{
    for (int i = 0; i < in->machine->n_caches; i++)
        if (in->level[0] == 'L' && atoi(in->level + 1) == in->machine->cache[i].level)
            return i;
    return in->machine->n_caches;
}

/* The level that all of it crosses in each execution: the one that then holds it, or the next one
 * inward. The run itself shows its roof to be no lower than what crosses it now. */
static void find_inner(const struct sp_hint_inputs *in, struct sp_then *then)
{
    if (!in->machine || in->machine->kind == SP_GPU || in->machine->n_caches == 0 || !in->warm ||
        !sp_value_known(then->set_B))
        return;
    const double x_B = fmin(in->x_B, then->set_B.value), now_s = sp_hint_time(in);
    const struct sp_footprint f = {.shared_out_B = then->set_B.value - x_B, .each_B = x_B};
    const struct sp_residence lives = sp_residence_of(in->machine, f, in->n_threads, in->n_domains, true);
    const int now = level_of(in), inner = lives.level < now ? lives.level : now - 1;
    bool exact = false;
    if (inner < 0)
        return;
    snprintf(then->inner, sizeof then->inner, "L%d", in->machine->cache[inner].level % 10);
    const struct sp_ceiling *roof = sp_roof_of(in->machine, then->inner, in->n_threads, NULL, &exact);
    if (!roof || !exact || !sp_value_known(roof->value))
        return;
    const double seen = now_s > 0 ? in->working_set_B / now_s : 0;
    then->inner_Bps = seen > roof->value.value ? sp_value_of(seen, SP_MEASURED) : roof->value;
}

struct sp_gain sp_gain_of(const struct sp_hint_inputs *in, struct sp_then *then)
{
    const struct sp_now now = now_of(in);
    if (!sp_value_known(then->inner_Bps))
        find_inner(in, then);
    if (!sp_value_known(then->time_s) && !sp_hint_in_memory(in))
        then->error = SP_GAIN_ERROR_IN_CACHES;
    return sp_gain_derive(&now, then, NULL);
}

struct sp_then sp_then_bytes(const struct sp_hint_inputs *in, struct sp_value V_B, struct sp_value core_s,
                             double less_B)
{
    struct sp_then then = {.V_B = V_B, .core_s = core_s};
    if (in->working_set_B > 0)
        then.set_B = sp_value_of(fmax(0, in->working_set_B - less_B), SP_MODELLED);
    return then;
}

struct sp_then sp_then_times(double now_s, double then_s)
{
    return (struct sp_then){.time_s = sp_value_of(then_s, SP_MODELLED),
                            .instead_s = sp_value_of(now_s, SP_MODELLED)};
}

/* By the difference of the formulas without the matrix: x as often, y as now. */
static double less_than_now(const struct sp_hint_inputs *in, const struct sp_alternative *a)
{
    if (!sp_value_known(a->V_B) || !sp_value_known(in->alpha) || in->gather_B <= 0)
        return 0;
    const double w = value_or(in->w, in->store_nt ? 1 : 2);
    const double all_B = a->formula_B > 0 ? a->formula_B : a->V_B.hi;
    return in->working_set_B - (all_B - in->alpha.value * in->gather_B - (w - 1) * in->y_B + in->x_B);
}

/* 1 where rows have up to 8 entries, less where they are longer. */
static double shortness(const struct sp_hint_inputs *in)
{
    static const double short_row = 8;
    return in->n_r > 0 ? fmin(1, short_row / fmax((double)in->n_nz / (double)in->n_r, 1)) : 1;
}

/* Rows that follow each other in lanes wait for several gathers at once, where short rows of CRS
 * wait for one row after the other; and they overlap more of what the model leaves. */
static void put_in_lanes(const struct sp_hint_inputs *in, struct sp_then *then)
{
    static const double most = 0.75, overlaps = 0.08;
    then->faster = overlaps;
    then->held = true;
    if (sp_hint_is_waiting(in))
        then->gone = sp_value_between(0, 0, most * shortness(in), SP_MODELLED);
}

bool sp_is_in_lanes(const char *option)
{
    return strstr(option, "sell") != NULL;
}

struct sp_then sp_then_storage(const struct sp_hint_inputs *in, const struct sp_alternative *a)
{
    struct sp_then then = sp_then_bytes(in, a->V_B, a->core_s, less_than_now(in, a));
    if (sp_is_in_lanes(a->option) && sp_format_of(in->format)->plain_rows)
        put_in_lanes(in, &then);
    return then;
}

struct sp_value sp_as_now(void)
{
    return sp_value_none("as now");
}

struct sp_value sp_hint_best_roof(const struct sp_hint_inputs *in)
{
    return sp_value_known(in->roof_best_Bps) && in->roof_best_Bps.value > value_or(in->roof_Bps, 0)
               ? in->roof_best_Bps
               : in->roof_Bps;
}

bool sp_hint_has_volume(const struct sp_hint_inputs *in)
{
    return sp_value_known(in->V_B) && sp_value_known(in->roof_Bps);
}

bool sp_hint_in_memory(const struct sp_hint_inputs *in)
{
    return strcmp(in->level, "MEM") == 0;
}

double sp_hint_stored(const struct sp_hint_inputs *in)
{
    return in->n_stored > 0 ? (double)in->n_stored : (double)in->n_nz / value_or(in->beta, 1);
}

struct sp_value sp_hint_volume_alpha(const struct sp_hint_inputs *in, struct sp_value alpha)
{
    double x_B =
        in->gather_B > 0 ? in->gather_B : (double)sp_precision_size(in->precision) * (double)in->n_nz;
    double others = in->V_B.value - in->alpha.value * x_B;
    return sp_value_between(others + alpha.value * x_B, others + alpha.lo * x_B, others + alpha.hi * x_B,
                            alpha.origin);
}

struct sp_value sp_hint_volume_less(const struct sp_hint_inputs *in, double saved_B)
{
    if (in->working_set_B > in->V_B.value)
        saved_B *= in->V_B.value / in->working_set_B;
    double left = fmax(0, in->V_B.value - saved_B);
    return sp_value_of(left, in->V_B.origin);
}

void sp_hint_take(const struct sp_hint_inputs *in, struct sp_hint *hint, struct sp_then then,
                  enum sp_origin basis, enum sp_confidence confidence)
{
    const struct sp_now now = now_of(in);
    const struct sp_gain gain = sp_gain_of(in, &then);
    const double floor_s = sp_gain_floor(&now, &then);
    hint->then = then;
    hint->gain_lo = gain.lo;
    hint->gain_hi = gain.hi;
    hint->floor_s = floor_s > 0 ? sp_value_of(floor_s, SP_MODELLED) : sp_value_none("no roof is known");
    hint->basis = basis;
    hint->confidence = confidence;
}

const struct sp_alternative *sp_best_format(const struct sp_hint_inputs *in, const char *prefix,
                                            bool without_core, struct sp_gain *gain)
{
    const struct sp_alternative *best = NULL;
    *gain = (struct sp_gain){0, 0};
    for (int i = 0; i < in->n_formats; i++) {
        const struct sp_alternative *a = &in->formats[i];
        if (strncmp(a->option, prefix, strlen(prefix)) != 0 ||
            !sp_value_known(without_core ? a->V_B : a->core_s))
            continue;
        struct sp_then then = sp_then_storage(in, a);
        const struct sp_gain g = sp_gain_of(in, &then);
        if (!best || g.lo + g.hi > gain->lo + gain->hi) {
            best = a;
            *gain = g;
        }
    }
    return best;
}

const struct sp_gpu_hint_way *sp_best_gpu_format(const struct sp_gpu_hint_inputs *gpu)
{
    const struct sp_gpu_hint_way *best = NULL;
    for (int i = 0; i < gpu->n_ways; i++) {
        const struct sp_gpu_hint_way *w = &gpu->way[i];
        if (!w->same_format && sp_value_known(w->time_s) && (!best || w->time_s.value < best->time_s.value))
            best = w;
    }
    return best;
}

double sp_gpu_hint_time(const struct sp_hint_inputs *in)
{
    const struct sp_gpu_prediction *now = in->gpu ? in->gpu->now : NULL;
    if (!now || !sp_value_known(now->roofline.time_s))
        return 0;
    const double now_s = now->roofline.time_s.value;
    const bool has_launch = sp_value_known(now->term[SP_GPU_TERM_LAUNCH].rate);
    return has_launch || now_s >= SP_SHORT_LAUNCH_S ? now_s : 0;
}

bool sp_gain_is_worth(const struct sp_hint_inputs *in, struct sp_gain gain)
{
    return (gain.lo + gain.hi) / 2 >= in->threshold;
}

void sp_hint_cost(const struct sp_hint_inputs *in, struct sp_hint *hint, struct sp_value cost_s)
{
    double saved = sp_hint_time(in) * (hint->gain_lo + hint->gain_hi) / 2;
    if (sp_value_known(cost_s) && saved > 0)
        snprintf(hint->cost, sizeof hint->cost, "pays after %.0f %s", fmax(1, ceil(cost_s.value / saved)),
                 in->op == SP_OP_SPMV ? "SpMVs" : "executions");
}

void sp_hint_add(struct sp_hint *hint, const char *format, ...)
{
    const size_t used = strlen(hint->evidence);
    va_list args;
    va_start(args, format);
    vsnprintf(hint->evidence + used, sizeof hint->evidence - used, format, args);
    va_end(args);
}

void sp_hint_add_execution(const struct sp_hint_inputs *in, struct sp_hint *hint)
{
    char now[32], then[32];
    if (sp_value_known(hint->then.core_s) && sp_value_known(in->core_s) &&
        hint->then.core_s.value < 0.95 * in->core_s.value)
        sp_hint_add(hint, " Execution from L1 falls from %s to %s (measured).",
                    sp_text_seconds(now, sizeof now, in->core_s.value),
                    sp_text_seconds(then, sizeof then, hint->then.core_s.value));
}

void sp_hint_add_storage(const struct sp_hint_inputs *in, struct sp_hint *hint, const char *option)
{
    char now[32], then[32];
    if (sp_value_known(hint->then.gone) && sp_is_in_lanes(option))
        sp_hint_add(
            hint,
            " Gathers wait: with all of them from L1 it takes %s instead of %s (measured). Rows have %.1f "
            "entries; %s computes several rows side by side, so more gathers are in flight.",
            sp_text_seconds(then, sizeof then, in->linear_s.value),
            sp_text_seconds(now, sizeof now, in->time_s.value),
            (double)in->n_nz / (double)(in->n_r > 0 ? in->n_r : 1), option);
    else
        sp_hint_add_execution(in, hint);
}

enum sp_verdict sp_clear(struct sp_checked *checked, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(checked->figure, sizeof checked->figure, format, args);
    va_end(args);
    return SP_CLEAR;
}
