#include "session/pcore.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "sparse/blocks.h"
#include "sparse/dense.h"

enum { MAX_WINDOWS = 16, PASSES = 3 };

static int64_t cache_B(const struct sp_machine *m, int k, int64_t otherwise_B)
{
    return m && m->n_caches > k && m->cache[k].size_B > 0 ? m->cache[k].size_B : otherwise_B;
}

struct sp_pcore_options sp_pcore_options_for(const struct sp_machine *m, const struct sp_workload *w)
{
    enum { FEW = 64, FEWEST = 8 };
    const int64_t l1_B = cache_B(m, 0, 32 << 10), l2_B = cache_B(m, 1, 512 << 10);
    int64_t row_B = sp_workload_width(w) * (int64_t)sp_precision_size(w->precision);
    int64_t fold = l1_B / 4 / row_B;
    if (fold < FEW)
        fold = l2_B / 4 / row_B < FEW ? l2_B / 4 / row_B : FEW;
    return (struct sp_pcore_options){.n_windows = 4,
                                     .window_B = (double)l2_B / 4,
                                     .fold = fold > FEWEST ? fold : FEWEST,
                                     .budget_s = 0.03};
}

/* Bytes of a window for each of its entries: the entry, and its share of a row's result and operand. */
static double bytes_per_entry(const struct sp_workload *w)
{
    double s_v = (double)sp_precision_size(w->precision), row_B = s_v * sp_workload_width(w);
    double n_nzr = w->matrix->n_nz > 0 ? (double)w->matrix->n_nz / (double)w->matrix->n_r : 1;
    double per_row = w->op == SP_OP_SPMV ? 0 : w->op == SP_OP_FUSEDMM ? 2 : 1;
    return (double)sp_value_size(w->precision) + (double)sp_index_size(w->index) +
           (w->op == SP_OP_SDDMM ? s_v : 0) + per_row * row_B / fmax(n_nzr, 1);
}

/* A window: rows from the one that holds entry `start`, until `entries` of them or the end. A row longer than
 * the window makes one by itself, to be cut, or with pass_long is passed over while a shorter one follows. */
static void find_window(const struct sp_csr *a, int64_t start, int64_t entries, bool pass_long,
                        int64_t *first, int64_t *n_rows)
{
    int64_t lo = 0, hi = a->n_r;
    while (lo < hi) {
        int64_t middle = lo + (hi - lo) / 2;
        if (a->row_ptr[middle + 1] <= start)
            lo = middle + 1;
        else
            hi = middle;
    }
    while (pass_long && lo + 1 < a->n_r && a->row_ptr[lo + 1] - a->row_ptr[lo] > entries)
        lo++;
    int64_t end = lo;
    while (end < a->n_r && (end == lo || a->row_ptr[end + 1] - a->row_ptr[lo] <= entries))
        end++;
    *first = lo;
    *n_rows = end - lo;
}

/* flop/s on one window: the best of several samples, since anything slower is somebody else's doing. */
static enum sp_status time_window(const struct sp_workload *w, const struct sp_kernel *kernel,
                                  double budget_s, double *flop_s, int64_t *n_stored, struct sp_error *err)
{
    struct sp_layout layout;
    enum sp_status status = sp_layout_make(w, true, NULL, &layout, err);
    if (status != SP_OK)
        return status;
    *n_stored = layout.n_stored;
    void *state = NULL;
    struct sp_dense_arrays dense;
    status = sp_dense_make(w, 1, &dense, err);
    struct sp_operands operands = {.x = dense.x, .rows = dense.rows, .second = dense.second};
    if (status == SP_OK)
        status = kernel->prepare(&layout, &operands, &state, err);
    double best = INFINITY;
    int64_t n = 1;
    double begun = sp_now();
    while (status == SP_OK && sp_now() - begun < budget_s) {
        double start = sp_now();
        status = kernel->run(state, n, NULL, err);
        double t = sp_now() - start;
        if (t < 0.1 * budget_s)
            n *= 2;
        else
            best = fmin(best, t / (double)n);
    }
    if (status == SP_OK)
        *flop_s = isfinite(best) ? sp_workload_flops(w) / best : 0;
    kernel->release(state);
    sp_dense_free(&dense);
    sp_layout_free(&layout);
    return status;
}

/* The rate of all windows together, each of the same entries; the interval is where it would lie without any
 * one of them. */
static struct sp_value pool(const double *work, const double *time, int n)
{
    double all_work = 0, all_time = 0;
    for (int i = 0; i < n; i++) {
        all_work += work[i];
        all_time += time[i];
    }
    double rate = all_work / all_time, lo = rate, hi = rate;
    for (int i = 0; i < n && n > 1; i++) {
        double without = (all_work - work[i]) / (all_time - time[i]);
        lo = fmin(lo, without);
        hi = fmax(hi, without);
    }
    return sp_value_between(rate, lo, hi, SP_MEASURED);
}

static bool sells(const struct sp_workload *w)
{
    return w->format == SP_FORMAT_SELL || w->format == SP_FORMAT_SELLU;
}

/* beta of the whole matrix, from its pattern alone; 1 for formats that store entries only. */
static enum sp_status beta_of(const struct sp_workload *w, double *beta, struct sp_error *err)
{
    struct sp_pattern pattern = sp_csr_pattern(w->matrix);
    *beta = 1;
    if (w->matrix->n_nz == 0)
        return SP_OK;
    if (sells(w))
        *beta = sp_sell_beta(&pattern, w->C, w->sigma);
    if (w->format != SP_FORMAT_BCSR)
        return SP_OK;
    struct sp_blocks blocks;
    enum sp_status status = sp_blocks_count(&pattern, w->b_h, w->b_w, NULL, &blocks, err);
    *beta = blocks.fill;
    return status;
}

/* Columns of a window: whole blocks, so that folding leaves them whole. */
static int64_t fold_of(const struct sp_workload *w, int64_t fold)
{
    int64_t b_w = w->format == SP_FORMAT_BCSR ? w->b_w : 1;
    return (fold + b_w - 1) / b_w * b_w;
}

/* Columns of a stripe where all columns are folded into so many. */
static int32_t striped_fold(const struct sp_workload *w, int64_t columns)
{
    const double share = (double)columns / (double)(w->matrix->n_c > 0 ? w->matrix->n_c : 1);
    const int32_t W = (int32_t)((double)w->W * (share < 1 ? share : 1));
    return W > SP_MIN_STRIPE ? W : SP_MIN_STRIPE;
}

static enum sp_status fold(const struct sp_workload *w, const struct sp_csr *a, int64_t first, int64_t n_rows,
                           int64_t window, struct sp_csr *folded, struct sp_error *err)
{
    if (w->format == SP_FORMAT_HALF)
        return sp_csr_fold_symmetric(a, first, n_rows, window, folded, err);
    return sp_csr_fold(a, first, n_rows, window, folded, err);
}

/* Useful flop/s of all windows together, and beta of their layouts. SP_NONE where the matrix has no entries.
 */
static enum sp_status measure(const struct sp_workload *workload, const struct sp_kernel *kernel,
                              const struct sp_pcore_options *o, struct sp_value *flop_s, double *beta,
                              struct sp_error *err)
{
    const struct sp_csr *a = workload->matrix;
    int64_t entries = (int64_t)(o->window_B / bytes_per_entry(workload));
    entries = entries > 64 ? entries : 64;
    *flop_s = sp_value_none("the matrix has no entries");
    double work[MAX_WINDOWS], time[MAX_WINDOWS], n_nz = 0, n_stored = 0;
    /* A chunk of a cut row would hide the fill that the whole one causes. */
    bool pass_long = sells(workload) || workload->format == SP_FORMAT_HALF;
    int n = a->n_nz > 0 ? (o->n_windows < MAX_WINDOWS ? o->n_windows : MAX_WINDOWS) : 0, n_timed = 0;
    for (int i = 0; i < n; i++) {
        int64_t first, n_rows;
        find_window(a, a->n_nz / n * i, entries, pass_long, &first, &n_rows);
        /* A long row is cut to the window's length. */
        int64_t cut[2] = {a->row_ptr[first], a->row_ptr[first + n_rows]};
        struct sp_csr one_row = *a;
        bool is_cut = n_rows == 1 && cut[1] - cut[0] > entries && workload->format != SP_FORMAT_HALF;
        if (is_cut) {
            cut[1] = cut[0] + entries;
            one_row.row_ptr = cut;
            one_row.n_r = 1;
        }
        struct sp_csr folded;
        int64_t columns = fold_of(workload, o->fold);
        enum sp_status status = is_cut ? fold(workload, &one_row, 0, 1, columns, &folded, err)
                                       : fold(workload, a, first, n_rows, columns, &folded, err);
        if (status != SP_OK)
            return status;
        struct sp_workload one = *workload;
        one.matrix = &folded;
        one.n_threads = 1;
        if (one.format == SP_FORMAT_STRIPED) /* as many stripes as the columns have */
            one.W = striped_fold(workload, columns);
        one.schedule = SP_SCHEDULE_NNZ;
        double rate = 0;
        int64_t stored = 0;
        if (folded.n_nz > 0)
            status = time_window(&one, kernel, o->budget_s / n, &rate, &stored, err);
        double flops = sp_workload_flops(&one), entries_here = (double)folded.n_nz;
        sp_csr_free(&folded);
        if (status != SP_OK)
            return status;
        if (rate <= 0)
            continue;
        n_nz += entries_here;
        n_stored += (double)stored;
        work[n_timed] = flops;
        time[n_timed++] = flops / rate;
    }
    *beta = n_stored > 0 ? n_nz / n_stored : 1;
    if (n_timed > 0)
        *flop_s = pool(work, time, n_timed);
    return SP_OK;
}

/* The rows that take a layout of this kind, asked with the layout of a few rows. */
static enum sp_status find_candidates(const struct sp_workload *workload, const char *isa,
                                      const struct sp_kernel **rows, int most, int *n, struct sp_error *err)
{
    struct sp_csr few;
    struct sp_layout layout;
    int64_t n_rows = workload->matrix->n_r < 8 ? workload->matrix->n_r : 8;
    enum sp_status status = fold(workload, workload->matrix, 0, n_rows, 64, &few, err);
    if (status != SP_OK)
        return status;
    struct sp_workload small = *workload;
    small.matrix = &few;
    status = sp_layout_make(&small, true, NULL, &layout, err);
    if (status == SP_OK)
        *n = sp_kernel_candidates(&layout, isa, rows, most);
    sp_layout_free(&layout);
    sp_csr_free(&few);
    return status;
}

/* Sorted in, so that equal rates keep the order of the kernel table. */
static void insert(struct sp_pcore_ranking *r, const struct sp_kernel *kernel, struct sp_value flop_s)
{
    int at = r->n++;
    for (; at > 0 && r->flop_s[at - 1].value < flop_s.value; at--) {
        r->kernel[at] = r->kernel[at - 1];
        r->flop_s[at] = r->flop_s[at - 1];
    }
    r->kernel[at] = kernel;
    r->flop_s[at] = flop_s;
}

enum sp_status sp_pcore_rank(const struct sp_workload *workload, const char *isa,
                             const struct sp_pcore_options *o, struct sp_pcore_ranking *ranking,
                             struct sp_error *err)
{
    const struct sp_kernel *rows[SP_MAX_RANKED];
    int n = 0;
    ranking->n = 0;
    double beta;
    enum sp_status status = find_candidates(workload, isa, rows, SP_MAX_RANKED, &n, err);
    if (status == SP_OK)
        status = beta_of(workload, &beta, err);
    n = n < SP_MAX_RANKED ? n : SP_MAX_RANKED;
    struct sp_value best[SP_MAX_RANKED];
    for (int i = 0; i < SP_MAX_RANKED; i++)
        best[i] = sp_value_none("not timed yet");
    struct sp_pcore_options part = *o;
    part.budget_s = o->budget_s / PASSES;
    /* In passes, for whatever disturbs one of them passes; the highest rate counts. */
    for (int k = 0; k < n * PASSES && status == SP_OK; k++) {
        const int i = k % n;
        struct sp_value rate;
        double beta_here = 1;
        status = measure(workload, rows[i], &part, &rate, &beta_here, err);
        if (beta < 1 && sp_value_known(rate))
            rate = sp_value_between(rate.value * beta / beta_here, rate.lo * beta / beta_here,
                                    rate.hi * beta / beta_here, SP_MEASURED);
        if (!sp_value_known(best[i]) || rate.value > best[i].value)
            best[i] = rate;
    }
    for (int i = 0; i < n && status == SP_OK; i++)
        insert(ranking, rows[i], best[i]);
    if (status == SP_OK && ranking->n == 0)
        status = sp_fail(err, SP_ABSENT,
                         isa ? "leave --isa out to let the program choose" : "choose another format",
                         "no kernel for %s %s in %s runs here%s%s", sp_op_name(workload->op),
                         sp_format_name(workload->format), sp_precision_name(workload->precision),
                         isa ? " with instruction set " : "", isa ? isa : "");
    return status;
}

enum sp_status sp_pcore_choose(const struct sp_workload *workload, const char *isa,
                               const struct sp_pcore_options *o, const struct sp_kernel **kernel,
                               struct sp_value *flop_s, struct sp_error *err)
{
    struct sp_pcore_ranking ranking;
    *kernel = NULL;
    *flop_s = sp_value_none("no kernel was measured");
    enum sp_status status = sp_pcore_rank(workload, isa, o, &ranking, err);
    if (status == SP_OK) {
        *kernel = ranking.kernel[0];
        *flop_s = ranking.flop_s[0];
    }
    return status;
}
