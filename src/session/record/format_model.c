#include "session/record/format_model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/cache/alpha.h"
#include "model/roofline.h"
#include "model/volume/volume.h"
#include "session/analyze/pcore.h"
#include "sparse/formats/format.h"
#include "sparse/formats/layout.h"
#include "sparse/product/workload.h"

/* n_nz/(n_r n_c) from which on tiles beat rows on two Zen 4 cores (bench_sampled --threshold). */
static const double TILES_FROM_DENSITY = 0.1;

const char *const *sp_format_choices(enum sp_op op)
{
    static const char *const of_spmv[] = {"crs", "sell:8,1", "sell:8,64", "sell:32,256", "sellu:8,1", NULL};
    static const char *const of_spmmv[] = {"crs", "sell:8,1", "sell:8,64", "sell:32,256", NULL};
    static const char *const of_sddmm[] = {"crs", "coo", NULL};
    static const char *const of_others[] = {"crs", NULL};
    return op == SP_OP_SPMV    ? of_spmv
           : op == SP_OP_SPMMV ? of_spmmv
           : op == SP_OP_SDDMM ? of_sddmm
                               : of_others;
}

/* All arrays of the format at this alpha and w. */
static enum sp_status volume_of(const struct sp_workload *w, double alpha, double w_y, struct sp_volume *v,
                                double *beta, struct sp_error *err)
{
    const struct sp_csr *m = w->matrix;
    *beta = 1;
    if (!sp_format_of(w->format)->by_lengths || w->op != SP_OP_SPMV) {
        struct sp_layout l;
        enum sp_status status = sp_layout_make(w, false, NULL, &l, err);
        if (status != SP_OK)
            return status;
        *v = sp_volume_layout(&l, alpha, w_y);
        *beta = sp_layout_beta(&l);
        sp_layout_free(&l);
        return SP_OK;
    }
    if (w->index == SP_D16) {
        struct sp_offsets offsets;
        enum sp_status status = sp_offsets_count(w, &offsets, err);
        if (status == SP_OK)
            status = sp_offsets_check(w, &offsets, err);
        if (status != SP_OK)
            return status;
        *beta = offsets.n_stored > 0 ? (double)m->n_nz / (double)offsets.n_stored : 1;
    } else if (sp_format_of(w->format)->in_chunks) {
        struct sp_pattern pattern = sp_csr_pattern(m);
        *beta = sp_sell_beta(&pattern, w->C, w->sigma);
    }
    struct sp_sizes sizes =
        sp_sizes_with_pointers(sp_sizes_of(w->precision, w->index, (double)m->n_nz / *beta), w->row_ptr_B);
    *v = sp_format_of(w->format)->plain_rows
             ? sp_volume_spmv_csr(m->n_r, m->n_nz, sizes, alpha, w_y)
             : sp_volume_spmv_sell(m->n_r, m->n_nz, w->C, *beta, sizes, w->sigma > 1, alpha, w_y);
    return SP_OK;
}

enum sp_status sp_format_volume(const struct sp_workload *w, double alpha, double w_y, double *V_B,
                                double *beta, struct sp_error *err)
{
    struct sp_volume v;
    enum sp_status status = volume_of(w, alpha, w_y, &v, beta, err);
    if (status == SP_OK)
        *V_B = v.total_B;
    return status;
}

enum sp_status sp_format_least_volume(const struct sp_workload *w, int64_t n_c_used, struct sp_volume *least,
                                      struct sp_error *err)
{
    const double s_v = (double)sp_precision_size(w->precision) * (double)sp_workload_width(w);
    struct sp_volume v;
    double beta;
    *least = (struct sp_volume){.total_B = 0};
    enum sp_status status = volume_of(w, 0, 1, &v, &beta, err);
    if (status != SP_OK)
        return status;
    /* What else a layout counts of y, windows and buffers may stay in a cache. */
    v.array_B[SP_ARRAY_OTHER] = 0;
    v.array_B[SP_ARRAY_X] = s_v * (double)n_c_used;
    v.array_B[SP_ARRAY_Y] = v.write_B = s_v * (double)w->matrix->n_r;
    v.total_B = sp_volume_matrix_B(&v) + v.array_B[SP_ARRAY_X] + v.array_B[SP_ARRAY_Y];
    v.read_B = v.total_B - v.write_B;
    *least = v;
    return SP_OK;
}

const char *const *sp_format_every(enum sp_op op)
{
    static const char *const of_spmmv[] = {"crs", "sell:8,1", "sell:8,64", "sell:32,256", "bcsr:4x4", NULL};
    static const char *const of_spmm[] = {"crs", "staged:256,64", "bcsr:4x4", NULL};
    static const char *const of_sddmm[] = {"crs", "coo", "tiled:64,32", "staged:256,64", NULL};
    return op == SP_OP_SPMMV   ? of_spmmv
           : op == SP_OP_SPMM  ? of_spmm
           : op == SP_OP_SDDMM ? of_sddmm
                               : sp_format_choices(op);
}

/* Bandwidth of the level where arrays of V_B bytes live; 0: unknown. */
static double bandwidth_for(const struct sp_workload *w, const struct sp_machine *machine, bool warm,
                            double V_B)
{
    struct sp_footprint footprint = {
        .shared_out_B = V_B, .each_B = (double)sp_precision_size(w->precision) * (double)sp_dense_n_x(w)};
    struct sp_residence r = sp_residence_of(machine, footprint, w->n_threads, 1, warm);
    const struct sp_ceiling *roof = sp_roof_of(machine, r.name, w->n_threads, NULL, NULL);
    if (!roof)
        roof = sp_roof_of(machine, "MEM", w->n_threads, NULL, NULL);
    return roof ? roof->value.value : 0;
}

/* SDDMM of a denser matrix whose B is beyond the L2: blocks of rows in tiles. What they gain comes
 * from caches, which neither alpha_min nor P_core sees, so density decides and nothing is measured.
 * False: not such a one. */
static bool takes_tiles(struct sp_workload *w, const struct sp_machine *machine)
{
    const struct sp_csr *m = w->matrix;
    if (w->op != SP_OP_SDDMM || w->precision == SP_F16 || w->precision == SP_BF16 || m->n_nz == 0)
        return false;
    struct sp_sddmm_choice c = sp_sddmm_choose(machine, m->n_r, m->n_c, m->n_nz, sp_workload_width(w),
                                               (double)sp_precision_size(w->precision), TILES_FROM_DENSITY);
    char option[48];
    snprintf(option, sizeof option, "tiled:%d,%d", (int)c.T_i, (int)c.T_k);
    return c.tiled && sp_workload_set_format(w, option, NULL) == SP_OK;
}

enum sp_status sp_format_choose(struct sp_workload *w, const struct sp_machine *machine, bool warm,
                                const char *isa, struct sp_plan *plan, struct sp_error *err)
{
    if (takes_tiles(w, machine))
        return SP_OK;
    double best = INFINITY;
    struct sp_workload chosen = *w;
    enum sp_status status = sp_workload_set_format(&chosen, "crs", err);
    struct sp_pcore_options p = sp_pcore_options_for(machine, w, plan, SP_SPEND_OTHERS);
    const char *const *names = sp_format_choices(w->op);
    for (int i = 0; names[i] && status == SP_OK && w->precision != SP_C128 && w->matrix->n_nz > 0; i++) {
        struct sp_workload other = *w;
        const struct sp_kernel *kernel;
        struct sp_value rate;
        double V_B, beta;
        status = sp_workload_set_format(&other, names[i], err);
        if (status != SP_OK || sp_workload_check(&other, NULL) != SP_OK)
            continue;
        status = sp_format_volume(&other, sp_alpha_min_sizes(w->matrix->n_c, w->matrix->n_nz), 2, &V_B, &beta,
                                  err);
        if (status == SP_USAGE) { /* 16-bit offsets do not reach */
            status = SP_OK;
            continue;
        }
        if (status != SP_OK)
            break;
        status = sp_pcore_choose(&other, isa, &p, &kernel, &rate, err);
        if (status == SP_ABSENT) { /* no kernel for this one; CRS always has one */
            status = SP_OK;
            continue;
        }
        double core = rate.value > 0 ? sp_workload_flops(&other) / (rate.value * w->n_threads) : 0;
        double b_S = bandwidth_for(&other, machine, warm, V_B);
        double time = fmax(core, b_S > 0 ? V_B / b_S : 0);
        if (status == SP_OK && time < best) {
            best = time;
            chosen = other;
        }
    }
    if (status == SP_OK)
        *w = chosen;
    return status;
}

double sp_bandwidth_bound(const struct sp_machine *m, const char *level, int n_threads)
{
    double of_one = 0, most = 0;
    int most_threads = 0;
    for (int i = 0; i < m->n_ceilings; i++) {
        const struct sp_ceiling *c = &m->ceiling[i];
        if (strcmp(c->level, level) != 0 || !sp_value_known(c->value))
            continue;
        most = fmax(most, c->value.hi);
        most_threads = c->n_threads > most_threads ? c->n_threads : most_threads;
        if (c->n_threads == 1)
            of_one = fmax(of_one, c->value.hi);
    }
    if (most_threads < n_threads)
        return n_threads * of_one;
    return of_one > 0 ? fmin(n_threads * of_one, most) : most;
}

/* What the caches inside of the interface can hold together, of all that the threads may be spread
 * over [B]: those in front of memory, or of the level that the arrays live in. */
static double kept_B(const struct sp_machine *m, int level, int n_threads, int n_domains)
{
    double sum_B = 0;
    for (int i = 0; i < level; i++) {
        const struct sp_cache *c = &m->cache[i];
        const int sharing = c->cores_sharing > 1 ? c->cores_sharing : 1;
        const int there = m->n_cores > 0 ? (m->n_cores + sharing - 1) / sharing : n_threads;
        const int used = i == m->n_caches - 1 && sharing > 1 ? n_domains
                         : there < n_threads                 ? there
                                                             : n_threads;
        const double measured_B = sp_value_known(c->effective_B) ? c->effective_B.hi : 0;
        sum_B += used * fmax((double)c->size_B, measured_B);
    }
    return sum_B;
}

double sp_transfer_bound(const struct sp_workload *w, int64_t n_c_used, const struct sp_machine *m, bool warm)
{
    struct sp_volume least;
    if (sp_format_least_volume(w, n_c_used, &least, NULL) != SP_OK)
        return 0;
    const int n_domains = m->n_domains > 1 ? m->n_domains : 1;
    const int n_used = n_domains < w->n_threads ? n_domains : w->n_threads;
    /* Arrays up to twice as large as a cache stay in it in part, and are counted as in it. */
    const struct sp_footprint footprint = {.shared_out_B = least.total_B / 2};
    const struct sp_residence r = sp_residence_of(m, footprint, w->n_threads, n_used, warm);
    const double b_S = sp_bandwidth_bound(m, r.name, w->n_threads);
    const double V_B = sp_volume_floor(&least, warm, kept_B(m, r.level, w->n_threads, n_used));
    return b_S > 0 ? V_B / b_S : 0;
}
