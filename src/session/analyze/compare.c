/* Counterfactuals: what other schedules and formats would move and take, without running them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "model/formats/format.h"
#include "session/analyze/analysis.h"
#include "session/record/format_model.h"
#include "sparse/formats/format.h"
#include "sparse/formats/layout.h"

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

/* From this many entries on a layout is not made for its volume. */
#define MANY_ENTRIES 20000000

/* V of SELLU-8 without sorting, by its share of unit-stride slots, which the structure has sampled.
 * False: the layout must tell. */
static bool estimate_volume(const struct sp_analysis *a, const struct sp_workload *w, double w_y, double *V_B,
                            double *beta)
{
    const struct sp_estimate u = a->subject->structure.unit_share;
    if (!sp_format_of(w->format)->unit_slots || w->C != 8 || w->sigma != 1 || w->index == SP_D16 ||
        !u.known || w->matrix->n_nz < MANY_ENTRIES || w->op != SP_OP_SPMV)
        return false;
    const struct sp_pattern pattern = sp_csr_pattern(w->matrix);
    *beta = sp_sell_beta(&pattern, w->C, w->sigma);
    const struct sp_sizes sizes = sp_sizes_with_pointers(
        sp_sizes_of(w->precision, w->index, (double)w->matrix->n_nz / *beta), w->row_ptr_B);
    *V_B = sp_volume_spmv_sellu(w->matrix->n_r, w->matrix->n_nz, w->C, *beta, u.value, sizes, false,
                                a->evaluated.alpha.value, w_y)
               .total_B;
    return true;
}

/* Bytes that the formula counts and the run's level does not see; *past_B: of these, y that is
 * stored past it. Caches nearer to the core keep the rest. */
static double unseen(const struct sp_analysis *a, double *past_B)
{
    const struct sp_evaluated *e = &a->evaluated;
    const struct sp_layout *l = &a->setup.layout;
    const bool passes = a->setup.facts.store_nt && e->residence.level < a->options->machine->n_caches;
    const double V_B = sp_volume_layout(l, e->alpha.value, fmax(1, e->w.value)).total_B,
                 less_B = sp_value_known(e->V_B) ? V_B - e->V_B.value : 0;
    *past_B = passes ? fmin(less_B, sp_layout_array_bytes(l, SP_ARRAY_Y)) : 0;
    return less_B;
}

/* V of a format, as much below its formula as that of the run; what is larger than the run may find
 * nothing kept. At least that with non-temporal stores where y goes to memory, since its kernel may
 * have them and that in use may not. */
static enum sp_status volume_of(const struct sp_analysis *a, const struct sp_workload *other,
                                struct sp_alternative *out, double *beta, struct sp_error *err)
{
    double V, least, past_B; /* other formats have no partial results */
    const double w =
        sp_format_of(a->setup.layout.format)->mirrored ? fmin(2, a->evaluated.w.value) : a->evaluated.w.value;
    const bool may_nt = a->evaluated.residence.level >= a->options->machine->n_caches &&
                        a->options->store_nt == SP_CHOICE_AUTO && w > 1,
               is_estimated = estimate_volume(a, other, w, &V, beta);
    enum sp_status status =
        is_estimated ? SP_OK : sp_format_volume(other, a->evaluated.alpha.value, w, &V, beta, err);
    least = V;
    if (status == SP_OK && may_nt && !(is_estimated && estimate_volume(a, other, 1, &least, beta)))
        status = sp_format_volume(other, a->evaluated.alpha.value, 1, &least, beta, err);
    if (status != SP_OK)
        return status;
    const double less_B = unseen(a, &past_B), then_B = fmax(0, V - less_B);
    const bool is_larger = then_B > a->evaluated.V_B.value;
    out->formula_B = V;
    out->V_B = sp_value_between(then_B, fmax(0, least - less_B),
                                is_larger ? fmax(then_B, V - past_B) : then_B, SP_MODELLED);
    return SP_OK;
}

/* The run without 16-bit offsets and prefetching, which not every format has. A distance that the
 * program chose itself is chosen anew in another format: only one that was asked for is taken
 * back. */
static void make_plain(const struct sp_analysis *a, struct sp_workload *w, struct sp_change *also)
{
    if (w->index == SP_D16) {
        w->index = SP_I32;
        sp_change_add(also, SP_OPTION_INDEX, "i32");
    }
    w->prefetch = 0;
    if (a->options->prefetch_given && a->options->prefetch > 0)
        sp_change_add(also, SP_OPTION_PREFETCH, "0");
}

/* A format as rules name it: its value, and the options that it needs besides. */
static void name_format(struct sp_alternative *f, const char *format, const struct sp_change *also)
{
    f->change = sp_change_of(SP_OPTION_FORMAT, format);
    sp_change_add_all(&f->change, also);
    char text[60];
    snprintf(f->option, sizeof f->option, "%s%s%s", format, also->n > 0 ? " " : "",
             sp_change_as_typed(also, text, sizeof text));
}

static enum sp_status compare_formats(const struct sp_analysis *a, struct sp_compared *out,
                                      struct sp_error *err)
{
    const char *const *names = sp_format_choices(a->setup.workload.op);
    const struct sp_workload *w = &a->setup.workload;
    if (w->precision == SP_C128 || w->matrix->n_nz == 0 || sp_format_of(w->format)->own_alpha)
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
        struct sp_change also = {0};
        if (w->schedule == SP_SCHEDULE_MERGE && !sp_format_of(other.format)->plain_rows)
            sp_change_add(&also, SP_OPTION_SCHEDULE, "nnz");
        if (sp_workload_check(&other, NULL) != SP_OK)
            make_plain(a, &other, &also);
        name_format(f, names[i], &also);
        double beta = 1;
        status = volume_of(a, &other, f, &beta, err);
        if (!sp_format_of(other.format)->plain_rows)
            f->beta = sp_value_of(beta, SP_MODELLED);
        if (status == SP_OK)
            status = sp_analysis_core_of(a, &other, NULL, a->evaluated.balance_W, &f->core_s, err);
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

/* What narrower storage would move and take. SP_USAGE, SP_ABSENT: it cannot be, or no kernel runs
 * here. */
static enum sp_status compare_storage(const struct sp_analysis *a, const struct sp_workload *other,
                                      const struct sp_change *change, struct sp_alternative *out,
                                      struct sp_error *err)
{
    struct sp_alternative it = {.change = *change};
    double beta;
    enum sp_status status = sp_workload_check(other, err);
    if (status == SP_OK)
        status = volume_of(a, other, &it, &beta, err);
    if (status == SP_OK)
        status = sp_analysis_core_of(a, other, NULL, a->evaluated.balance_W, &it.core_s, err);
    if (status != SP_OK)
        return status;
    sp_change_as_typed(change, it.option, sizeof it.option);
    *out = it;
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
    if (status == SP_OK && w->precision == SP_F64 && a->subject->structure.n_inexact_f32 == 0 &&
        !a->subject->no_values)
        status = compare_narrower(a, false, "crs", &out->mixed, &out->has_mixed, err);
    return status;
}

/* P_core of BCSR, where its blocks are at least half full. */
static enum sp_status compare_blocks(const struct sp_analysis *a, struct sp_compared *out,
                                     struct sp_error *err)
{
    static const double least = 0.5;
    struct sp_workload other = a->setup.workload;
    const struct sp_block_fill *b = sp_subject_blocks(a->subject);
    char format[32];
    if (other.op != SP_OP_SPMV || other.precision == SP_C128 || !sp_format_of(other.format)->plain_rows ||
        !b || (double)other.matrix->n_nz < least * b->n_e.value * b->b_h * b->b_w)
        return SP_OK;
    snprintf(format, sizeof format, "bcsr:%dx%d", b->b_h, b->b_w);
    if (other.schedule == SP_SCHEDULE_MERGE)
        other.schedule = SP_SCHEDULE_NNZ;
    other.index = SP_I32;
    other.prefetch = 0;
    enum sp_status status = sp_workload_set_format(&other, format, err);
    if (status == SP_OK)
        status = sp_workload_check(&other, err);
    if (status == SP_OK)
        status = sp_analysis_core_of(a, &other, NULL, a->evaluated.balance_W, &out->blocks_core_s, err);
    return status == SP_USAGE || status == SP_ABSENT ? SP_OK : status;
}

/* Bytes of one execution with another width, the gathered operands loaded `loads` times; *least_B:
 * once. */
static enum sp_status volume_of_width(const struct sp_analysis *a, const struct sp_touched_columns *touched,
                                      const struct sp_workload *w, double loads, double *V_B, double *least_B,
                                      struct sp_error *err)
{
    struct sp_layout view = a->setup.layout;
    struct sp_alpha_min least;
    view.op = w->op;
    view.r = w->r;
    if (view.order == SP_ROW_MAJOR)
        view.ld_x = view.ld_y = w->r;
    enum sp_status status =
        sp_alpha_min_touched(touched, &view, a->line_B, a->setup.facts.x_offset_B, &least, err);
    if (status != SP_OK)
        return status;
    *V_B = sp_volume_layout(&view, loads * least.alpha, fmax(1, a->evaluated.w.value)).total_B;
    *least_B = sp_volume_layout(&view, least.alpha, fmax(1, a->evaluated.w.value)).total_B;
    return SP_OK;
}

/* The columns of x that each cache which loads them touches. */
static enum sp_status find_touched(const struct sp_analysis *a, struct sp_touched_columns *touched,
                                   struct sp_error *err)
{
    void *p;
    int n_domains;
    const int *domains;
    enum sp_status status = sp_new_array(a->setup.workload.n_threads, sizeof(int), "cache domains", &p, err);
    if (status != SP_OK)
        return status;
    sp_analysis_loading_domains(a, &a->evaluated, &n_domains, &domains, p);
    status = sp_touched_columns_make(&a->setup.layout, n_domains, domains, touched, err);
    free(p);
    return status;
}

/* P_core of SpMMV with another number of vectors. */
static enum sp_status add_width(const struct sp_analysis *a, struct sp_compared *out,
                                const struct sp_workload *other, double V_B, struct sp_error *err)
{
    struct sp_alternative *f = &out->width[out->n_widths];
    memset(f, 0, sizeof *f);
    snprintf(f->option, sizeof f->option, "%d", (int)other->r);
    f->V_B = sp_value_of(V_B, SP_MODELLED);
    const enum sp_status status =
        sp_analysis_core_of(a, other, NULL, sp_workload_flops(other), &f->core_s, err);
    out->n_widths += status == SP_OK;
    return status;
}

/* No hint follows from what is compared. */
static bool is_silent(const struct sp_analysis *a)
{
    return a->options->no_hints || *a->evaluated.doubt;
}

/* B(r) of this kernel's operation, of SpMV as SpMMV; for SpMMV other numbers of vectors with x
 * loaded as many times as now. */
static enum sp_status compare_widths(const struct sp_analysis *a, struct sp_compared *out,
                                     struct sp_error *err)
{
    const struct sp_workload *w = &a->setup.workload;
    bool few = w->op == SP_OP_SPMV || w->op == SP_OP_SPMMV;
    double loads =
        a->evaluated.alpha_min.alpha > 0 ? a->evaluated.alpha.value / a->evaluated.alpha_min.alpha : 1;
    const bool single = sp_format_of(w->format)->updates_y; /* no SpMMV */
    int32_t most = single ? 1 : few ? 32 : 512;
    while (most < sp_workload_width(w))
        most *= 2;
    struct sp_touched_columns touched;
    enum sp_status status = find_touched(a, &touched, err);
    if (status != SP_OK)
        return status;
    for (int32_t r = few ? 1 : 8; r <= most && w->precision != SP_C128 && status == SP_OK; r *= 2) {
        struct sp_workload other = *w;
        double V_B, least_B;
        other.r = r;
        if (w->op == SP_OP_SPMV)
            other.op = SP_OP_SPMMV;
        status = volume_of_width(a, &touched, &other, loads, &V_B, &least_B, err);
        if (status == SP_OK && out->n_balances < SP_MAX_BALANCES)
            out->balance[out->n_balances++] =
                (struct sp_balance_point){r, least_B / sp_workload_flops(&other)};
        if (status == SP_OK && !is_silent(a) && w->op == SP_OP_SPMMV && r != w->r &&
            out->n_widths < SP_MAX_ALTERNATIVES)
            status = add_width(a, out, &other, V_B, err);
    }
    sp_touched_columns_free(&touched);
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
    if (status == SP_OK)
        status = compare_blocks(a, out, err);
    return status == SP_OK ? compare_storages(a, out, err) : status;
}

/* ---- storage that changes what is moved of x and y, too ---- */

/* W/P_core of another storage; SP_NONE where no kernel runs here. */
static struct sp_value core_of(const struct sp_analysis *a, const struct sp_workload *other)
{
    struct sp_value core_s;
    return sp_analysis_core_of(a, other, NULL, a->evaluated.balance_W, &core_s, NULL) == SP_OK
               ? core_s
               : sp_value_none("P_core was not measured");
}

/* The simulation of another storage is expected to take no longer than this [s]. */
#define STORAGE_LIMIT_S 1.5

/* Bytes at the level where the data of a layout would live, which may be further in than those of
 * the run; SP_NONE: in the innermost cache, or the simulation failed. Of memory the last level
 * alone is simulated. */
static struct sp_value simulated_at_home(const struct sp_analysis *a, const struct sp_layout *l)
{
    const struct sp_machine *m = sp_analysis_caches(a);
    const struct sp_residence home =
        sp_residence_of(m, sp_footprint_of_layout(l), a->setup.workload.n_threads, a->setup.n_domains,
                        a->options->state == SP_WARM);
    struct sp_sim_options o = sp_analysis_sim_options(a);
    struct sp_traffic traffic[SP_MAX_LEVELS];
    int n_levels = 0, k = -1;
    o.store_nt = false; /* y is updated */
    o.llc_only = home.level >= m->n_caches;
    if (home.level > 0 && sp_sim_traffic(l, &o, traffic, &n_levels, NULL, NULL) == SP_OK)
        k = o.llc_only ? n_levels - 1 : home.level - 1;
    if (k >= 0 && o.llc_only && sp_traffic_is_idle(l, &traffic[k])) {
        o.llc_only = false;
        k = sp_sim_traffic(l, &o, traffic, &n_levels, NULL, NULL) == SP_OK ? n_levels - 1 : -1;
    }
    while (k >= 0 && sp_traffic_is_idle(l, &traffic[k]))
        k--;
    return k < 0 ? sp_value_none("it would stay in the innermost cache, or cannot be simulated")
                 : sp_value_of(traffic[k].read_B.value + traffic[k].write_B.value, SP_SIMULATED);
}

/* V of another storage; what was measured beyond the simulation of the present layout is not known
 * to go away. SP_NONE: it takes too long, or in the innermost cache. */
static struct sp_value simulated(const struct sp_analysis *a, const struct sp_layout *other)
{
    if (a->simulated.simulate_s > STORAGE_LIMIT_S)
        return sp_value_none("not simulated");
    const struct sp_value V = simulated_at_home(a, other);
    const double beyond = sp_analysis_is_counted(a)
                              ? fmax(0, a->evaluated.alpha.value - a->evaluated.alpha_simulated.value) *
                                    sp_layout_gather_bytes(other)
                              : 0;
    return sp_value_known(V) ? sp_value_of(V.value + beyond, SP_SIMULATED) : V;
}

/* The workload in the format that is proposed, and the change to it, which may cost offsets and
 * prefetching. False: it is not taken, or too large. */
static bool take_storage(const struct sp_analysis *a, const char *option, struct sp_workload *other,
                         struct sp_change *change)
{
    const struct sp_workload *w = &a->setup.workload;
    *change = sp_change_of(SP_OPTION_FORMAT, option);
    if (w->schedule != SP_SCHEDULE_NNZ)
        sp_change_add(change, SP_OPTION_SCHEDULE, "nnz");
    if (sp_workload_set_format(other, option, NULL) != SP_OK ||
        sp_workload_set_schedule(other, "nnz", NULL) != SP_OK)
        return false;
    if (sp_workload_check(other, NULL) != SP_OK)
        make_plain(a, other, change);
    return sp_workload_check(other, NULL) == SP_OK &&
           (a->options->memory_B <= 0 || sp_layout_bytes_bound(other, false) <= a->options->memory_B);
}

/* What a format would move and compute, where it proposes itself and its layout takes the
 * matrix. */
static void look_at(const struct sp_analysis *a, const struct sp_storage_case *now,
                    const struct sp_format_model *model, struct sp_storage *out)
{
    struct sp_workload other = a->setup.workload;
    struct sp_layout layout;
    struct sp_change change;
    char option[32];
    if (!model->propose || !model->propose(now, option, sizeof option))
        return;
    const double start = sp_now();
    if (!take_storage(a, option, &other, &change) ||
        sp_layout_make(&other, false, NULL, &layout, NULL) != SP_OK)
        return;
    out->change = change;
    out->build_s = sp_value_of(sp_now() - start, SP_MEASURED);
    const struct sp_volume_bounds bounds = model->bounds(now, &layout);
    out->V_B = sp_volume_between(&layout, &bounds);
    if (model->simulated && out->V_B.lo < now->V_B) {
        const struct sp_value V_B = simulated(a, &layout);
        out->V_B = sp_value_known(V_B) ? V_B : out->V_B;
    }
    sp_layout_free(&layout);
    out->core_s = core_of(a, &other);
}

void sp_analysis_look_at_storage(const struct sp_analysis *a, struct sp_hint_inputs *in)
{
    if (a->setup.workload.op != SP_OP_SPMV || !sp_value_known(a->evaluated.alpha))
        return;
    const int n_domains = a->setup.n_domains;
    const struct sp_storage_case now = {
        .layout = &a->setup.layout,
        .alpha = a->evaluated.alpha.value,
        .alpha_min = a->evaluated.alpha_min.alpha,
        .V_B = a->evaluated.V_B.value,
        .cache_B = sp_llc_capacity_B(sp_analysis_caches(a), n_domains) / n_domains,
        .n_domains = n_domains,
        .in_memory = a->evaluated.residence.level >= a->options->machine->n_caches,
        .symmetric = in->symmetric,
    };
    for (int i = 0; i < sp_n_formats; i++)
        if ((int)a->setup.workload.format != i)
            look_at(a, &now, sp_format_models[i], &in->storage[i]);
}
