/* Counterfactuals: what other schedules and formats would move and take, without running them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session/analyze/analysis.h"
#include "session/analyze/pcore.h"
#include "session/record/format_model.h"
#include "sparse/formats/variant.h"

static enum sp_status compare_schedules(const struct sp_analysis *a, struct sp_compared *out,
                                        struct sp_error *err)
{
    static const char *const names[] = {"rows", "nnz", "cyclic:64", "merge"};
    const struct sp_workload *w = &a->setup.workload;
    const struct sp_layout *l = &a->setup.layout;
    if (w->n_threads < 2)
        return SP_OK;
    void *p;
    enum sp_status status = sp_new_array(w->n_threads, sizeof(double), "bytes of threads", &p, err);
    double *bytes = p;
    for (size_t i = 0; i < sizeof names / sizeof *names && status == SP_OK; i++) {
        struct sp_workload other = *w;
        status = sp_workload_set_schedule(&other, names[i], err);
        if (status != SP_OK || (other.schedule == w->schedule && other.block == w->block) ||
            sp_workload_check(&other, NULL) != SP_OK)
            continue;
        struct sp_partition partition;
        status = sp_layout_repartition(l, other.schedule, other.block, w->n_threads, &partition, err);
        if (status != SP_OK)
            break;
        sp_analysis_thread_bytes(a, &a->evaluated, &partition, bytes);
        struct sp_fluid fluid = sp_fluid_model(w->n_threads, bytes, a->setup.n_domains,
                                               a->setup.domain_of_thread, a->evaluated.rates, NULL);
        struct sp_alternative *s = &out->schedule[out->n_schedules++];
        *s = (struct sp_alternative){.fluid_s = sp_value_of(fluid.time_s, SP_MODELLED)};
        snprintf(s->option, sizeof s->option, "%s", names[i]);
        sp_partition_free(&partition);
    }
    free(bytes);
    return status;
}

/* V of a format; at least that with non-temporal stores where y goes to memory, since its kernel may have
 * them and that in use may not. */
static enum sp_status volume_of(const struct sp_analysis *a, const struct sp_workload *other,
                                struct sp_value *V_B, double *beta, struct sp_error *err)
{
    double V, least; /* other formats have no partial results */
    const double w =
        a->setup.layout.format == SP_FORMAT_HALF ? fmin(2, a->evaluated.w.value) : a->evaluated.w.value;
    enum sp_status status = sp_format_volume(other, a->evaluated.alpha.value, w, &V, beta, err);
    least = V;
    if (status == SP_OK && a->evaluated.residence.level >= a->options->machine->n_caches &&
        a->options->store_nt == SP_CHOICE_AUTO && w > 1)
        status = sp_format_volume(other, a->evaluated.alpha.value, 1, &least, beta, err);
    if (status == SP_OK)
        *V_B = sp_value_between(V, least, V, SP_MODELLED);
    return status;
}

/* A format as rules name it: its value, and the options that it needs besides. */
static void name_format(struct sp_alternative *f, const char *format, bool by_nnz, bool plain)
{
    struct sp_change also = {0};
    if (by_nnz)
        sp_change_add(&also, SP_OPTION_SCHEDULE, "nnz");
    if (plain)
        sp_change_add(&also, SP_OPTION_INDEX, "i32");
    if (plain)
        sp_change_add(&also, SP_OPTION_PREFETCH, "0");
    f->change = sp_change_of(SP_OPTION_FORMAT, format);
    sp_change_add_all(&f->change, &also);
    char text[60];
    snprintf(f->option, sizeof f->option, "%s%s%s", format, also.n > 0 ? " " : "",
             sp_change_as_typed(&also, text, sizeof text));
}

static enum sp_status compare_formats(const struct sp_analysis *a, struct sp_compared *out,
                                      struct sp_error *err)
{
    const char *const *names = sp_format_choices(a->setup.workload.op);
    const struct sp_workload *w = &a->setup.workload;
    /* Out of stripes x is loaded more often, and y once: alpha and w of this run tell nothing of that. */
    if (w->precision == SP_C128 || w->matrix->n_nz == 0 || w->format == SP_FORMAT_STRIPED)
        return SP_OK;
    for (int i = 0; names[i]; i++) {
        struct sp_workload other = *w;
        enum sp_status status = sp_workload_set_format(&other, names[i], err);
        if (other.schedule == SP_SCHEDULE_MERGE)
            other.schedule = SP_SCHEDULE_NNZ;
        char in_use[48];
        sp_workload_format_option(w, in_use, sizeof in_use);
        if (status != SP_OK || strcmp(in_use, names[i]) == 0)
            continue;
        struct sp_alternative *f = &out->format[out->n_formats];
        memset(f, 0, sizeof *f);
        const bool plain = sp_workload_check(&other, NULL) != SP_OK; /* no offsets, no prefetch in this one */
        if (plain) {
            other.index = SP_I32;
            other.prefetch = 0;
        }
        name_format(f, names[i], w->schedule == SP_SCHEDULE_MERGE && other.format != SP_FORMAT_CRS, plain);
        double beta = 1;
        status = volume_of(a, &other, &f->V_B, &beta, err);
        if (other.format != SP_FORMAT_CRS)
            f->beta = sp_value_of(beta, SP_MODELLED);
        if (status == SP_OK)
            status = sp_analysis_core_of(a, &other, a->evaluated.balance_W, &f->core_s, err);
        if (status == SP_ABSENT || status == SP_USAGE) /* no kernel for it here, or offsets do not reach */
            continue;
        if (status != SP_OK)
            return status;
        out->n_formats++;
        sp_progress_step(a->progress, "comparing formats", (double)(i + 1) / 5);
        if (sp_progress_interrupted(a->progress))
            return sp_fail(err, SP_INTERRUPTED, NULL, "interrupted while comparing formats");
    }
    return SP_OK;
}

/* What narrower storage would move and take. SP_USAGE, SP_ABSENT: it cannot be, or no kernel runs here. */
static enum sp_status compare_storage(const struct sp_analysis *a, const struct sp_workload *other,
                                      const struct sp_change *change, struct sp_alternative *out,
                                      struct sp_error *err)
{
    struct sp_value V_B, core_s;
    double beta;
    enum sp_status status = sp_workload_check(other, err);
    if (status == SP_OK)
        status = volume_of(a, other, &V_B, &beta, err);
    if (status == SP_OK)
        status = sp_analysis_core_of(a, other, a->evaluated.balance_W, &core_s, err);
    if (status != SP_OK)
        return status;
    *out = (struct sp_alternative){.V_B = V_B, .core_s = core_s, .change = *change};
    sp_change_as_typed(change, out->option, sizeof out->option);
    return SP_OK;
}

/* The run's workload with 16-bit offsets, or with values in fp32. */
static struct sp_workload narrower(const struct sp_workload *w, bool offsets)
{
    struct sp_workload other = *w;
    if (offsets) {
        other.index = SP_D16;
        other.prefetch = 0;
    } else {
        other.precision = SP_MIXED;
    }
    return other;
}

/* In the format in use, else in `elsewhere`, with that format's option in front. */
static enum sp_status compare_narrower(const struct sp_analysis *a, bool offsets, const char *elsewhere,
                                       struct sp_alternative *out, bool *has, struct sp_error *err)
{
    struct sp_workload other = narrower(&a->setup.workload, offsets);
    const struct sp_change change =
        offsets ? sp_change_of(SP_OPTION_INDEX, "d16") : sp_change_of(SP_OPTION_PRECISION, "mixed");
    enum sp_status status = compare_storage(a, &other, &change, out, err);
    if (status == SP_USAGE || status == SP_ABSENT) {
        struct sp_change moved = sp_change_of(SP_OPTION_FORMAT, elsewhere);
        sp_change_add_all(&moved, &change);
        status = sp_workload_set_format(&other, elsewhere, err);
        if (status == SP_OK)
            status = compare_storage(a, &other, &moved, out, err);
    }
    *has = status == SP_OK;
    return status == SP_USAGE || status == SP_ABSENT ? SP_OK : status;
}

static enum sp_status compare_storages(const struct sp_analysis *a, struct sp_compared *out,
                                       struct sp_error *err)
{
    const struct sp_workload *w = &a->setup.workload;
    enum sp_status status = SP_OK;
    if (w->op != SP_OP_SPMV || w->precision == SP_C128 || w->matrix->n_nz == 0)
        return SP_OK;
    if (w->index != SP_D16)
        status = compare_narrower(a, true, "sell:32,256", &out->offsets, &out->has_offsets, err);
    if (status == SP_OK && w->precision == SP_F64 && a->subject->structure.n_inexact_f32 == 0)
        status = compare_narrower(a, false, "crs", &out->mixed, &out->has_mixed, err);
    return status;
}

/* Bytes of one execution with another width, the gathered operands loaded `loads` times; *least_B: once. */
static enum sp_status volume_of_width(const struct sp_analysis *a, struct sp_workload *w, double loads,
                                      double *V_B, double *least_B, struct sp_error *err)
{
    struct sp_layout view = a->setup.layout;
    struct sp_alpha_min least;
    view.op = w->op;
    view.r = w->r;
    if (view.order == SP_ROW_MAJOR)
        view.ld_x = view.ld_y = w->r;
    void *p;
    enum sp_status status = sp_new_array(w->n_threads, sizeof(int), "cache domains", &p, err);
    if (status != SP_OK)
        return status;
    int n_domains;
    const int *domains;
    sp_analysis_loading_domains(a, &a->evaluated, &n_domains, &domains, p);
    status = sp_alpha_min_layout(&view, n_domains, domains, a->line_B, a->setup.facts.x_offset_B, NULL,
                                 &least, err);
    free(p);
    if (status != SP_OK)
        return status;
    *V_B = sp_volume_layout(&view, loads * least.alpha, fmax(1, a->evaluated.w.value)).total_B;
    *least_B = sp_volume_layout(&view, least.alpha, fmax(1, a->evaluated.w.value)).total_B;
    return SP_OK;
}

/* P_core of SpMMV with another number of vectors. */
static enum sp_status add_width(const struct sp_analysis *a, struct sp_compared *out,
                                const struct sp_workload *other, double V_B, struct sp_error *err)
{
    struct sp_alternative *f = &out->width[out->n_widths];
    memset(f, 0, sizeof *f);
    snprintf(f->option, sizeof f->option, "%d", (int)other->r);
    f->V_B = sp_value_of(V_B, SP_MODELLED);
    const enum sp_status status = sp_analysis_core_of(a, other, sp_workload_flops(other), &f->core_s, err);
    out->n_widths += status == SP_OK;
    return status;
}

/* No hint follows from what is compared. */
static bool is_silent(const struct sp_analysis *a)
{
    return a->options->no_hints || *a->evaluated.doubt;
}

/* B(r) of this kernel's operation, of SpMV as SpMMV; for SpMMV other numbers of vectors with x loaded as many
 * times as now. */
static enum sp_status compare_widths(const struct sp_analysis *a, struct sp_compared *out,
                                     struct sp_error *err)
{
    const struct sp_workload *w = &a->setup.workload;
    bool few = w->op == SP_OP_SPMV || w->op == SP_OP_SPMMV;
    double loads =
        a->evaluated.alpha_min.alpha > 0 ? a->evaluated.alpha.value / a->evaluated.alpha_min.alpha : 1;
    const bool single = w->format == SP_FORMAT_HALF || w->format == SP_FORMAT_STRIPED; /* no SpMMV */
    int32_t most = single ? 1 : few ? 32 : 512;
    while (most < sp_workload_width(w))
        most *= 2;
    enum sp_status status = SP_OK;
    for (int32_t r = few ? 1 : 8; r <= most && w->precision != SP_C128 && status == SP_OK; r *= 2) {
        struct sp_workload other = *w;
        double V_B, least_B;
        other.r = r;
        if (w->op == SP_OP_SPMV)
            other.op = SP_OP_SPMMV;
        status = volume_of_width(a, &other, loads, &V_B, &least_B, err);
        if (status == SP_OK && out->n_balances < SP_MAX_BALANCES)
            out->balance[out->n_balances++] =
                (struct sp_balance_point){r, least_B / sp_workload_flops(&other)};
        if (status == SP_OK && !is_silent(a) && w->op == SP_OP_SPMMV && r != w->r &&
            out->n_widths < SP_MAX_ALTERNATIVES)
            status = add_width(a, out, &other, V_B, err);
    }
    return status;
}

enum sp_status sp_analysis_compare(const struct sp_analysis *a, struct sp_compared *out, struct sp_error *err)
{
    if (a->setup.layout.n_nz == 0)
        return SP_OK;
    enum sp_status status = compare_widths(a, out, err);
    if (is_silent(a) || status != SP_OK)
        return status;
    status = compare_schedules(a, out, err);
    if (status == SP_OK)
        status = compare_formats(a, out, err);
    return status == SP_OK ? compare_storages(a, out, err) : status;
}
