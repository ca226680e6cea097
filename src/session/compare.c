/* Counterfactuals: what other schedules, formats and orders would move and take, without running them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "session/analysis.h"
#include "session/format_model.h"
#include "session/pcore.h"
#include "sparse/layout_variant.h"
#include "sparse/reorder.h"

/* Reordering is tried when alpha could give at least this share of the traffic back ... */
#define REORDER_WORTH 0.05
/* ... or gathers that hit the innermost cache this share of the time, ... */
#define LATENCY_WORTH 0.15
/* ... and is expected to take no longer than this [s], at about this many seconds an entry. */
#define REORDER_LIMIT_S 60.0
#define REORDER_S_ENTRY 250e-9

static enum sp_status compare_schedules(struct sp_analysis *a, struct sp_error *err)
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
        sp_analysis_thread_bytes(a, &partition, bytes);
        struct sp_fluid fluid = sp_fluid_model(w->n_threads, bytes, a->setup.n_domains,
                                               a->setup.domain_of_thread, a->rates, NULL);
        struct sp_alternative *s = &a->schedule[a->n_schedules++];
        *s = (struct sp_alternative){.fluid_s = sp_value_of(fluid.time_s, SP_MODELLED)};
        snprintf(s->option, sizeof s->option, "%s", names[i]);
        sp_partition_free(&partition);
    }
    free(bytes);
    return status;
}

static void set_core(struct sp_alternative *f, double work, int n_threads, struct sp_value rate)
{
    if (rate.origin != SP_NONE && rate.value > 0)
        f->core_s = sp_value_between(work / (n_threads * rate.value), work / (n_threads * rate.hi),
                                     work / (n_threads * rate.lo), SP_MEASURED);
}

static enum sp_status compare_formats(struct sp_analysis *a, struct sp_error *err)
{
    const char *const *names = sp_format_choices(a->setup.workload.op);
    const struct sp_workload *w = &a->setup.workload;
    const struct sp_machine *m = a->options->machine;
    if (w->precision == SP_C128 || w->matrix->n_nz == 0)
        return SP_OK;
    struct sp_pcore_options p = sp_pcore_options_for(m, w);
    for (int i = 0; names[i]; i++) {
        struct sp_workload other = *w;
        enum sp_status status = sp_workload_set_format(&other, names[i], err);
        if (other.schedule == SP_SCHEDULE_MERGE)
            other.schedule = SP_SCHEDULE_NNZ;
        char in_use[48];
        sp_workload_format_option(w, in_use, sizeof in_use);
        if (status != SP_OK || strcmp(in_use, names[i]) == 0)
            continue;
        struct sp_alternative *f = &a->format[a->n_formats];
        memset(f, 0, sizeof *f);
        const bool plain = sp_workload_check(&other, NULL) != SP_OK; /* no offsets, no prefetch in this one */
        if (plain) {
            other.index = SP_I32;
            other.prefetch = 0;
        }
        snprintf(f->option, sizeof f->option, "%s%s%s", names[i],
                 w->schedule == SP_SCHEDULE_MERGE && other.format != SP_FORMAT_CRS ? " --schedule nnz" : "",
                 plain ? " --index i32 --prefetch 0" : "");
        double V_B = 0, beta = 1;
        status = sp_format_volume(&other, a->alpha.value, a->w.value, &V_B, &beta, err);
        f->V_B = sp_value_of(V_B, SP_MODELLED);
        if (other.format != SP_FORMAT_CRS)
            f->beta = sp_value_of(beta, SP_MODELLED);
        const struct sp_kernel *kernel;
        struct sp_value rate = sp_value_none("the run was recorded elsewhere");
        if (status == SP_OK && !sp_analysis_is_replayed(a))
            status = sp_pcore_choose(&other, a->options->isa, &p, &kernel, &rate, err);
        if (status == SP_ABSENT || status == SP_USAGE) /* no kernel for it here, or offsets do not reach */
            continue;
        if (status != SP_OK)
            return status;
        set_core(f, a->balance_W, w->n_threads, rate);
        a->n_formats++;
        sp_progress_step(a->progress, "comparing formats", (double)(i + 1) / 5);
        if (sp_progress_interrupted(a->progress))
            return sp_fail(err, SP_INTERRUPTED, NULL, "interrupted while comparing formats");
    }
    return SP_OK;
}

/* 16-bit offsets in the format in use, else in SELL where they reach. */
static enum sp_status compare_offsets(struct sp_analysis *a, struct sp_error *err)
{
    const struct sp_workload *w = &a->setup.workload;
    if (w->op != SP_OP_SPMV || w->index == SP_D16 || w->precision == SP_C128 || w->matrix->n_nz == 0)
        return SP_OK;
    struct sp_pcore_options p = sp_pcore_options_for(a->options->machine, w);
    for (int elsewhere = 0; elsewhere < 2 && !a->has_offsets; elsewhere++) {
        struct sp_workload other = *w;
        double V_B, beta;
        other.index = SP_D16;
        other.prefetch = 0;
        if (elsewhere && sp_workload_set_format(&other, "sell:32,256", err) != SP_OK)
            return err->status;
        if (sp_workload_check(&other, NULL) != SP_OK)
            continue;
        enum sp_status status = sp_format_volume(&other, a->alpha.value, a->w.value, &V_B, &beta, err);
        const struct sp_kernel *kernel;
        struct sp_value rate = sp_value_none("the run was recorded elsewhere");
        if (status == SP_OK && !sp_analysis_is_replayed(a))
            status = sp_pcore_choose(&other, a->options->isa, &p, &kernel, &rate, err);
        if (status == SP_USAGE || status == SP_ABSENT) /* they do not reach, or no kernel runs here */
            continue;
        if (status != SP_OK)
            return status;
        a->offsets = (struct sp_alternative){.V_B = sp_value_of(V_B, SP_MODELLED)};
        snprintf(a->offsets.option, sizeof a->offsets.option, "%s--index d16",
                 elsewhere ? "--format sell:32,256 " : "");
        set_core(&a->offsets, a->balance_W, w->n_threads, rate);
        a->has_offsets = true;
    }
    return SP_OK;
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
    sp_analysis_loading_domains(a, &n_domains, &domains, p);
    status = sp_alpha_min_layout(&view, n_domains, domains, a->line_B, a->setup.facts.x_offset_B, NULL,
                                 &least, err);
    free(p);
    if (status != SP_OK)
        return status;
    *V_B = sp_volume_layout(&view, loads * least.alpha, fmax(1, a->w.value)).total_B;
    *least_B = sp_volume_layout(&view, least.alpha, fmax(1, a->w.value)).total_B;
    return SP_OK;
}

/* P_core of SpMMV with another number of vectors. */
static enum sp_status add_width(struct sp_analysis *a, const struct sp_workload *other, double V_B,
                                struct sp_error *err)
{
    const struct sp_machine *m = a->options->machine;
    struct sp_alternative *f = &a->width[a->n_widths];
    memset(f, 0, sizeof *f);
    snprintf(f->option, sizeof f->option, "%d", (int)other->r);
    f->V_B = sp_value_of(V_B, SP_MODELLED);
    const struct sp_kernel *kernel;
    struct sp_value rate = sp_value_none("the run was recorded elsewhere");
    struct sp_pcore_options p = sp_pcore_options_for(m, other);
    enum sp_status status = SP_OK;
    if (!sp_analysis_is_replayed(a))
        status = sp_pcore_choose(other, a->options->isa, &p, &kernel, &rate, err);
    if (status == SP_OK) {
        set_core(f, sp_workload_flops(other), other->n_threads, rate);
        a->n_widths++;
    }
    return status;
}

/* B(r) of this kernel's operation, of SpMV as SpMMV; for SpMMV other numbers of vectors with x loaded as many
 * times as now. */
static enum sp_status compare_widths(struct sp_analysis *a, struct sp_error *err)
{
    const struct sp_workload *w = &a->setup.workload;
    bool few = w->op == SP_OP_SPMV || w->op == SP_OP_SPMMV;
    double loads = a->alpha_min.alpha > 0 ? a->alpha.value / a->alpha_min.alpha : 1;
    int32_t most = few ? 32 : 512;
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
        if (status == SP_OK && a->n_balances < SP_MAX_BALANCES)
            a->balance[a->n_balances++] = (struct sp_balance_point){r, least_B / sp_workload_flops(&other)};
        if (status == SP_OK && !a->options->no_hints && w->op == SP_OP_SPMMV && r != w->r &&
            a->n_widths < SP_MAX_ALTERNATIVES)
            status = add_width(a, &other, V_B, err);
    }
    return status;
}

static struct sp_value alpha_at(const struct sp_layout *l, const struct sp_traffic *t)
{
    return sp_value_of(t->array_read_B[SP_ARRAY_X] / sp_layout_gather_bytes(l), SP_SIMULATED);
}

/* Time that the run with linearised indices saves [s]; 0 where there was none. */
static double waiting_s(const struct sp_analysis *a)
{
    return sp_value_known(a->linear_s) ? fmax(0, a->pairs.time.value - a->linear_s.value) : 0;
}

/* The simulated interface whose traffic of x tells what gathers wait for: one inward of the level that
 * counts; -1 where they do not wait, or no such level is simulated. */
static int inner_level(const struct sp_analysis *a)
{
    bool memory = a->residence.level >= a->options->machine->n_caches;
    int k = memory ? a->n_levels - 1 : a->residence.level - 1;
    return waiting_s(a) > LATENCY_WORTH * a->pairs.time.value ? k - 1 : -1;
}

static enum sp_status simulate_reordered(struct sp_analysis *a, const struct sp_csr *ordered,
                                         struct sp_error *err)
{
    struct sp_workload w = a->setup.workload;
    w.matrix = ordered;
    struct sp_layout l;
    enum sp_status status = sp_layout_make(&w, false, NULL, &l, err);
    if (status != SP_OK)
        return status;
    struct sp_sim_options o = sp_analysis_sim_options(a);
    struct sp_traffic traffic[SP_MAX_LEVELS];
    int n_levels;
    bool memory = a->residence.level >= a->options->machine->n_caches;
    int inner = inner_level(a);
    o.llc_only = memory && inner < 0; /* inner levels do not matter then, and it is many times faster */
    status = sp_sim_traffic(&l, &o, traffic, &n_levels, NULL, err);
    int k = memory ? n_levels - 1 : a->residence.level - 1;
    if (status == SP_OK) {
        a->alpha_reordered = alpha_at(&l, &traffic[k]);
        /* What was measured beyond the simulation is not known to go away with the order. */
        double beyond = sp_analysis_is_counted(a) ? fmax(0, a->alpha.value - a->alpha_simulated.value) : 0;
        a->alpha_reordered.value += beyond;
        a->alpha_reordered.hi += beyond;
    }
    if (status == SP_OK && inner >= 0) {
        a->alpha_inner = alpha_at(&l, &a->traffic[inner]);
        a->alpha_inner_reordered = alpha_at(&l, &traffic[inner]);
    }
    sp_layout_free(&l);
    return status;
}

enum sp_status sp_analysis_compare_orders(struct sp_analysis *a, struct sp_error *err)
{
    const struct sp_csr *m = a->setup.workload.matrix;
    enum sp_format format = a->setup.workload.format;
    /* An order changes what these store, not only alpha. */
    if (format == SP_FORMAT_BCSR || format == SP_FORMAT_STAGED || format == SP_FORMAT_TILED)
        return SP_OK;
    double excess_B = (a->alpha.value - a->alpha_min.alpha_once) * sp_layout_gather_bytes(&a->setup.layout);
    double expected_s = (double)m->n_nz * REORDER_S_ENTRY + a->simulate_s;
    double copy_B = sp_csr_bytes(m->n_r, m->n_nz, m->field) * 2;
    if (a->options->no_hints || m->n_nz == 0 || !a->at_level || m->n_r != m->n_c ||
        strcmp(a->subject->reorder, "none") != 0 ||
        (excess_B < REORDER_WORTH * a->V_B.value && inner_level(a) < 0))
        return SP_OK;
    if (expected_s > REORDER_LIMIT_S || (a->options->memory_B > 0 && copy_B > a->options->memory_B))
        return SP_OK; /* alpha_reordered stays unknown, and the hint says so */
    sp_progress_step(a->progress, "trying RCM", -1);
    double start = sp_now();
    struct sp_csr ordered;
    enum sp_status status = sp_reorder("rcm", m, NULL, NULL, &ordered, err);
    if (status != SP_OK)
        return status;
    a->reorder_s = sp_value_of(sp_now() - start, SP_MEASURED);
    status = simulate_reordered(a, &ordered, err);
    sp_csr_free(&ordered);
    return status;
}

enum sp_status sp_analysis_compare(struct sp_analysis *a, struct sp_error *err)
{
    a->alpha_reordered = a->reorder_s = sp_value_none("no reordering was tried");
    a->alpha_inner = a->alpha_inner_reordered = a->reorder_s;
    if (a->setup.layout.n_nz == 0)
        return SP_OK;
    enum sp_status status = compare_widths(a, err);
    if (a->options->no_hints || status != SP_OK)
        return status;
    status = compare_schedules(a, err);
    if (status == SP_OK)
        status = compare_formats(a, err);
    return status == SP_OK ? compare_offsets(a, err) : status;
}
