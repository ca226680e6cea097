#include "session/analyze/pcore.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/option/option_words.h"
#include "sparse/formats/bcsr.h"
#include "sparse/formats/format.h"
#include "sparse/product/workload.h"
#include "sys/machine/core_to_core.h"
#include "sys/noise.h"

static int64_t cache_B(const struct sp_machine *m, int k, int64_t otherwise_B)
{
    return m && m->n_caches > k && m->cache[k].size_B > 0 ? m->cache[k].size_B : otherwise_B;
}

struct sp_pcore_options sp_pcore_options_for(const struct sp_machine *m, const struct sp_workload *w,
                                             struct sp_plan *plan, enum sp_spending spent)
{
    enum { FEW = 64, FEWEST = 8 };
    /* Parts that will be asked for: a kernel takes one, of other storage the team takes four
     * more. */
    static const double askers[SP_N_SPENDINGS] = {[SP_SPEND_CHOICE] = 6, [SP_SPEND_OTHERS] = 48};
    static const double most_s = 0.03;
    const int64_t l1_B = cache_B(m, 0, 32 << 10), l2_B = cache_B(m, 1, 512 << 10);
    int64_t row_B = sp_workload_width(w) * (int64_t)sp_precision_size(w->precision);
    int64_t fold = l1_B / 4 / row_B;
    if (fold < FEW)
        fold = l2_B / 4 / row_B < FEW ? l2_B / 4 / row_B : FEW;
    struct sp_pcore_options o = {.n_windows = 4,
                                 .window_B = (double)l2_B / 4,
                                 .fold = fold > FEWEST ? fold : FEWEST,
                                 .core_width = m ? m->measured.core_width : 0,
                                 .budget_s = most_s,
                                 .plan = plan,
                                 .spent = spent};
    if (plan) {
        const double least_s = fmin(0.002, fmax(0.0005, plan->budget_s / 40));
        o.budget_s = fmin(most_s, fmax(least_s, sp_plan_allowance_s(plan, spent) / fmax(1, askers[spent])));
    }
    return o;
}

/* Bytes of a window for each of its entries: the entry, and its share of a row's result and
 * operand. */
static double bytes_per_entry(const struct sp_workload *w)
{
    double s_v = (double)sp_precision_size(w->precision), row_B = s_v * sp_workload_width(w);
    double n_nzr = w->matrix->n_nz > 0 ? (double)w->matrix->n_nz / (double)w->matrix->n_r : 1;
    double per_row = w->op == SP_OP_SPMV ? 0 : w->op == SP_OP_FUSEDMM ? 2 : 1;
    return (double)sp_value_size(w->precision) + (double)sp_index_size(w->index) +
           (w->op == SP_OP_SDDMM ? s_v : 0) + per_row * row_B / fmax(n_nzr, 1);
}

/* A window: rows from the one that holds entry `start`, until `entries` of them or the end. A row
 * longer than the window makes one by itself, to be cut, or with pass_long is passed over while a
 * shorter one follows. */
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

struct times {
    double clean, any; /* best of the samples that nothing disturbed, and of all [s]; INFINITY: none */
};

/* The best of several samples, since anything slower is somebody else's doing; where all were
 * disturbed, some more. One at least, however long a processor was away. */
static enum sp_status time_best(const struct sp_kernel *kernel, void *state, double budget_s,
                                struct times *best, struct sp_error *err)
{
    enum { PATIENCE = 3 };
    enum sp_status status = SP_OK;
    int64_t n = 1;
    const double begun = sp_now();
    double spent = 0;
    *best = (struct times){INFINITY, INFINITY};
    while (status == SP_OK &&
           (spent < budget_s || isinf(best->any) || (isinf(best->clean) && spent < PATIENCE * budget_s))) {
        struct sp_thread_clock before, after;
        sp_thread_clocks(1, &before);
        const double start = sp_now();
        status = kernel->run(state, n, NULL, err);
        const double t = sp_now() - start;
        sp_thread_clocks(1, &after);
        spent = sp_now() - begun;
        if (t < 0.1 * budget_s) {
            n *= 2;
            continue;
        }
        best->any = fmin(best->any, t / (double)n);
        if (!sp_disturbance_between(&before, &after, 1).disturbed)
            best->clean = fmin(best->clean, t / (double)n);
    }
    return status;
}

/* The rate of all windows together, each of the same entries; the interval is where it would lie
 * without any one of them. */
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

/* Of the passes of a window, the clean ones where there are some: the best and the slowest time
 * [s]. A thread that shares its core has half of it: what took longer was interrupted. False: none
 * has a time. */
static bool best_pass(const struct sp_pcore_passes *p, int window, double *best, double *slow, bool *clean)
{
    static const double shared = 2;
    *clean = false;
    *best = INFINITY;
    *slow = 0;
    for (int k = 0; k < p->n_passes; k++)
        *clean = *clean || (p->clean[k][window] && isfinite(p->time[k][window]));
    for (int k = 0; k < p->n_passes; k++)
        if (isfinite(p->time[k][window]) && p->time[k][window] > 0 && p->clean[k][window] == *clean) {
            *best = fmin(*best, p->time[k][window]);
            *slow = fmax(*slow, p->time[k][window]);
        }
    *slow = fmin(*slow, shared * *best);
    return isfinite(*best);
}

struct sp_value sp_pcore_pool(const struct sp_pcore_passes *p, bool *is_clean)
{
    double work[SP_PCORE_WINDOWS], best[SP_PCORE_WINDOWS], all_work = 0, all_slow = 0, slow;
    bool clean;
    int n = 0;
    *is_clean = true;
    for (int i = 0; i < p->n_windows; i++) {
        const bool is_timed = best_pass(p, i, &best[n], &slow, &clean);
        *is_clean = *is_clean && clean;
        if (!is_timed)
            continue;
        work[n++] = p->work[i];
        all_work += p->work[i];
        all_slow += slow;
    }
    if (n == 0)
        return sp_value_none("the matrix has no entries");
    struct sp_value rate = pool(work, best, n);
    rate.lo = fmin(rate.lo, all_work / all_slow);
    return rate;
}

/* A chunk of a cut row would hide the fill that the whole one causes. */
static bool passes_long(const struct sp_workload *w)
{
    return sp_format_of(w->format)->in_chunks || sp_format_of(w->format)->mirrored;
}

/* beta of the whole matrix, from its pattern alone; 1 for formats that store entries only. */
static enum sp_status beta_of(const struct sp_workload *w, double *beta, struct sp_error *err)
{
    const struct sp_format_kind *kind = sp_format_of(w->format);
    *beta = 1;
    return w->matrix->n_nz > 0 && kind->beta ? kind->beta(w, beta, err) : SP_OK;
}

/* Columns of a window: whole blocks, so that folding leaves them whole. */
static int64_t fold_of(const struct sp_workload *w, int64_t fold)
{
    const struct sp_format_kind *kind = sp_format_of(w->format);
    const int64_t b_w = kind->fold_multiple ? kind->fold_multiple(w) : 1;
    return (fold + b_w - 1) / b_w * b_w;
}

static enum sp_status fold(const struct sp_workload *w, const struct sp_csr *a, int64_t first, int64_t n_rows,
                           int64_t window, struct sp_csr *folded, struct sp_error *err)
{
    if (sp_format_of(w->format)->mirrored)
        return sp_csr_fold_symmetric(a, first, n_rows, window, folded, err);
    return sp_csr_fold(a, first, n_rows, window, folded, err);
}

/* The same rows for each thread, on the diagonal, so that none updates those of others: conflicts
 * are no part of P_core. Shares of equal entries then end where the copies do. */
static enum sp_status repeat_for(int n_threads, struct sp_csr *a, struct sp_error *err)
{
    enum { MOST_EMPTY = 8 };
    struct sp_csr all;
    const int64_t n = a->n_r, n_nz = a->n_nz;
    if (n > MOST_EMPTY * n_nz || n > INT32_MAX / n_threads)
        return sp_fail(err, SP_ABSENT, NULL, "too many rows, or nearly all are empty");
    const enum sp_status status =
        sp_csr_alloc(n_threads * n, n_threads * n, n_threads * n_nz, a->field, NULL, &all, err);
    if (status != SP_OK)
        return status;
    all.symmetry = a->symmetry;
    for (int t = 0; t < n_threads; t++) {
        for (int64_t i = 0; i < n; i++)
            all.row_ptr[t * n + i + 1] = t * n_nz + a->row_ptr[i + 1];
        for (int64_t k = 0; k < n_nz; k++)
            all.col[t * n_nz + k] = (int32_t)(t * n) + a->col[k];
        memcpy(all.val + t * n_nz, a->val, (size_t)n_nz * sizeof *a->val);
    }
    sp_csr_free(a);
    *a = all;
    return SP_OK;
}

/* Rows of the matrix with their columns folded, ready for kernels. */
struct window {
    struct sp_csr folded;
    struct sp_workload workload;
    struct sp_layout layout;
    struct sp_dense_arrays dense;
};

struct windows {
    int n;
    struct window one[SP_PCORE_WINDOWS];
    double beta; /* of their layouts */
};

static void free_windows(struct windows *ws)
{
    for (int i = 0; i < ws->n; i++) {
        sp_dense_free(&ws->one[i].dense);
        sp_layout_free(&ws->one[i].layout);
        sp_csr_free(&ws->one[i].folded);
    }
    ws->n = 0;
}

/* Rows as a small matrix whose columns fit the inner caches, ready for kernels of so many
 * threads. */
static enum sp_status fold_rows(const struct sp_workload *workload, const struct sp_pcore_options *o,
                                const struct sp_csr *rows, int64_t first, int64_t n_rows, int n_threads,
                                struct window *window, struct sp_error *err)
{
    const int64_t columns = fold_of(workload, o->fold);
    memset(window, 0, sizeof *window);
    enum sp_status status = fold(workload, rows, first, n_rows, columns, &window->folded, err);
    if (status == SP_OK && n_threads > 1 && sp_format_of(workload->format)->mirrored)
        status = repeat_for(n_threads, &window->folded, err);
    struct sp_workload *w = &window->workload;
    *w = *workload;
    w->matrix = &window->folded;
    w->n_threads = n_threads;
    if (sp_format_of(w->format)->for_columns)
        sp_format_of(w->format)->for_columns(w, workload->matrix->n_c, columns);
    if (n_threads == 1 || w->schedule != SP_SCHEDULE_MERGE) /* whose kernels take no other */
        w->schedule = SP_SCHEDULE_NNZ;
    if (status == SP_OK && window->folded.n_nz > 0)
        status = sp_layout_make(w, true, NULL, &window->layout, err);
    if (status == SP_OK && window->folded.n_nz > 0)
        status = sp_dense_make(w, 1, &window->dense, err);
    return status;
}

static enum sp_status make_window(const struct sp_workload *workload, const struct sp_pcore_options *o,
                                  int64_t entries, int64_t start, struct window *window, struct sp_error *err)
{
    const struct sp_csr *a = workload->matrix;
    int64_t first, n_rows;
    find_window(a, start, entries, passes_long(workload), &first, &n_rows);
    /* A long row is cut to the window's length. */
    int64_t cut[2] = {a->row_ptr[first], a->row_ptr[first + n_rows]};
    if (n_rows != 1 || cut[1] - cut[0] <= entries || sp_format_of(workload->format)->mirrored)
        return fold_rows(workload, o, a, first, n_rows, 1, window, err);
    struct sp_csr one_row = *a;
    cut[1] = cut[0] + entries;
    one_row.row_ptr = cut;
    one_row.n_r = 1;
    return fold_rows(workload, o, &one_row, 0, 1, 1, window, err);
}

/* Those that have entries; none where the matrix has none. */
static enum sp_status make_windows(const struct sp_workload *workload, const struct sp_pcore_options *o,
                                   struct windows *ws, struct sp_error *err)
{
    const int64_t n_nz = workload->matrix->n_nz;
    const int n = n_nz > 0 ? (o->n_windows < SP_PCORE_WINDOWS ? o->n_windows : SP_PCORE_WINDOWS) : 0;
    int64_t entries = (int64_t)(o->window_B / bytes_per_entry(workload));
    double kept = 0, stored = 0;
    entries = entries > 64 ? entries : 64;
    enum sp_status status = SP_OK;
    ws->n = 0;
    for (int i = 0; i < n && status == SP_OK; i++) {
        struct window *window = &ws->one[ws->n++];
        status = make_window(workload, o, entries, n_nz / n * i, window, err);
        kept += (double)window->folded.n_nz;
        stored += (double)window->layout.n_stored;
        if (status == SP_OK && window->folded.n_nz == 0) {
            sp_csr_free(&window->folded);
            ws->n--;
        }
    }
    ws->beta = stored > 0 ? kept / stored : 1;
    return status;
}

/* Do rows decide by their lengths alone? Else the columns, too, say what a kernel computes. */
static bool takes_lengths(const struct sp_workload *w)
{
    return sp_format_of(w->format)->by_lengths && w->index != SP_D16;
}

/* Steps of a tenth, and of a twentieth of the value above 2. */
static int64_t step_of(double x)
{
    return (int64_t)(x < 2 ? 10 * x : 20 + 20 * log(x / 2));
}

/* Shares of the rows whose columns are those of the row before, or these moved on by one: kernels
 * compute such rows together. */
static void shares_alike(const struct sp_csr *m, double *same, double *moved)
{
    int64_t n_same = 0, n_moved = 0;
    for (int64_t i = 1; i < m->n_r; i++) {
        const int64_t n = m->row_ptr[i + 1] - m->row_ptr[i];
        const int32_t *col = m->col + m->row_ptr[i], *before = m->col + m->row_ptr[i - 1];
        if (n == 0 || n != m->row_ptr[i] - m->row_ptr[i - 1] || col[0] - before[0] < 0 ||
            col[0] - before[0] > 1)
            continue;
        int64_t k = 1;
        while (k < n && col[k] - before[k] == col[0] - before[0])
            k++;
        n_same += k == n && col[0] == before[0];
        n_moved += k == n && col[0] != before[0];
    }
    *same = (double)n_same / (double)m->n_r;
    *moved = (double)n_moved / (double)m->n_r;
}

/* What P_core depends on beside the kernel: the workload, and of each window's rows the mean
 * length, how the lengths scatter, how they change from one row to the next, which branches are
 * predicted from, and how many have the columns of the row before. */
static uint64_t class_of_rows(const struct sp_workload *w, const struct windows *ws)
{
    char option[48];
    int64_t key[8 + 5 * SP_PCORE_WINDOWS] = {w->op,    w->r,        w->order,         w->precision,
                                             w->index, w->prefetch, takes_lengths(w), ws->n};
    int n = 8;
    sp_workload_format_option(w, option, sizeof option);
    uint64_t hash = sp_hash64(option, strlen(option), 0);
    for (int i = 0; i < ws->n; i++) {
        const struct sp_csr *m = &ws->one[i].folded;
        if (!takes_lengths(w)) {
            hash = sp_hash64(m->row_ptr, (size_t)(m->n_r + 1) * sizeof *m->row_ptr, hash);
            hash = sp_hash64(m->col, (size_t)m->n_nz * sizeof *m->col, hash);
            continue;
        }
        const double mean = (double)m->n_nz / (double)m->n_r;
        double squares = 0, changes = 0, same, moved;
        shares_alike(m, &same, &moved);
        for (int64_t k = 0; k < m->n_r; k++) {
            const double length = (double)(m->row_ptr[k + 1] - m->row_ptr[k]);
            squares += (length - mean) * (length - mean);
            changes += k > 0 ? fabs(length - (double)(m->row_ptr[k] - m->row_ptr[k - 1])) : 0;
        }
        key[n++] = step_of(mean);
        key[n++] = step_of(sqrt(squares / (double)m->n_r) / mean);
        key[n++] = step_of(changes / (double)m->n_r / mean);
        key[n++] = step_of(same);
        key[n++] = step_of(moved);
    }
    return sp_hash64(key, sizeof key, hash);
}

/* One kernel, ready on every window. */
struct candidate {
    const struct sp_kernel *kernel;
    void *state[SP_PCORE_WINDOWS];
    struct sp_value known; /* remembered by the plan */
    struct sp_pcore_passes passes;
    struct sp_value flop_s; /* useful, of all windows together; SP_NONE: the matrix has no entries */
};

static void release(struct candidate *c, const struct windows *ws)
{
    for (int i = 0; i < ws->n; i++)
        c->kernel->release(c->state[i]);
}

static enum sp_status prepare(struct candidate *c, const struct windows *ws, struct sp_error *err)
{
    enum sp_status status = SP_OK;
    for (int i = 0; i < ws->n && status == SP_OK; i++) {
        const struct sp_dense_arrays *d = &ws->one[i].dense;
        const struct sp_operands operands = {.x = d->x, .rows = d->rows, .second = d->second};
        status = c->kernel->prepare(&ws->one[i].layout, &operands, &c->state[i], err);
    }
    return status;
}

/* One more pass. */
static enum sp_status measure(struct candidate *c, const struct windows *ws, double budget_s, bool alone,
                              struct sp_error *err)
{
    struct sp_pcore_passes *p = &c->passes;
    const int k = p->n_passes++;
    p->n_windows = ws->n;
    for (int i = 0; i < ws->n; i++) {
        struct times best;
        const enum sp_status status = time_best(c->kernel, c->state[i], budget_s / ws->n, &best, err);
        if (status != SP_OK)
            return status;
        p->work[i] = sp_workload_flops(&ws->one[i].workload);
        p->time[k][i] = isfinite(best.clean) ? best.clean : best.any;
        p->clean[k][i] = alone && isfinite(best.clean);
    }
    return SP_OK;
}

/* The rows that take a layout of this kind, asked with the layout of a few entries: to a whole row
 * others would be padded, however long it is. */
static enum sp_status find_candidates(const struct sp_workload *workload, const char *isa,
                                      const struct sp_kernel **rows, int most, int *n, struct sp_error *err)
{
    enum { ROWS = 8, ENTRIES = 64 };
    struct sp_csr head = *workload->matrix, few;
    struct sp_layout layout;
    int64_t row_ptr[ROWS + 1];
    const int64_t n_rows = head.n_r < ROWS ? head.n_r : ROWS;
    for (int64_t i = 0; i <= n_rows; i++)
        row_ptr[i] = head.row_ptr[i] < ENTRIES ? head.row_ptr[i] : ENTRIES;
    head.row_ptr = row_ptr;
    enum sp_status status = fold(workload, &head, 0, n_rows, 64, &few, err);
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

/* False: other work shares the thread's core, and has done so as long as one waits for that. */
static bool await_core(const struct sp_pcore_options *o)
{
    static const double patience_s = 0.005;
    double *left_s = o->plan ? &o->plan->waiting.cores_s : NULL;
    const double start = sp_now();
    const bool alone = sp_core_await(1, o->core_width, left_s ? fmin(patience_s, *left_s) : patience_s);
    if (left_s && !alone)
        *left_s = fmax(0, *left_s - (sp_now() - start));
    return alone;
}

/* In passes, for whatever disturbs one of them passes. */
static enum sp_status measure_all(struct candidate *c, int n, const struct windows *ws,
                                  const struct sp_pcore_options *o, struct sp_error *err)
{
    enum sp_status status = SP_OK;
    for (int k = 0; k < n * SP_PCORE_PASSES && status == SP_OK; k++) {
        struct candidate *one = &c[k % n];
        if (sp_value_known(one->known))
            continue;
        if (k < n)
            status = prepare(one, ws, err);
        const bool alone = await_core(o);
        if (status == SP_OK)
            status = measure(one, ws, o->budget_s / SP_PCORE_PASSES, alone, err);
    }
    for (int i = 0; i < n; i++)
        release(&c[i], ws);
    return status;
}

/* Rates of all candidates, remembered or measured. */
static enum sp_status rate_all(const struct sp_workload *workload, const struct sp_pcore_options *o,
                               struct candidate *c, int n, double *beta, struct sp_error *err)
{
    struct windows ws = {0};
    const double start = sp_now();
    enum sp_status status = make_windows(workload, o, &ws, err);
    const uint64_t rows = status == SP_OK ? class_of_rows(workload, &ws) : 0;
    for (int i = 0; i < n && o->plan && status == SP_OK; i++) {
        const struct sp_value *known = sp_plan_rate(o->plan, c[i].kernel, rows);
        c[i].known = known ? *known : c[i].known;
    }
    if (status == SP_OK)
        status = measure_all(c, n, &ws, o, err);
    for (int i = 0; i < n && status == SP_OK; i++) {
        bool is_clean;
        c[i].flop_s = sp_value_known(c[i].known) ? c[i].known : sp_pcore_pool(&c[i].passes, &is_clean);
        if (o->plan && !sp_value_known(c[i].known) && is_clean && sp_value_known(c[i].flop_s))
            sp_plan_remember(o->plan, c[i].kernel, rows, c[i].flop_s);
    }
    *beta = ws.beta;
    free_windows(&ws);
    if (o->plan)
        o->plan->spent_s[o->spent] += sp_now() - start;
    return status;
}

/* The windows' fill is not that of the whole matrix. */
static struct sp_value of_whole(struct sp_value rate, double beta, double beta_here)
{
    const double factor = beta < 1 ? beta / beta_here : 1;
    return sp_value_known(rate)
               ? sp_value_between(rate.value * factor, rate.lo * factor, rate.hi * factor, SP_MEASURED)
               : rate;
}

enum sp_status sp_fail_no_kernel(const struct sp_workload *w, const char *isa, struct sp_error *err)
{
    const bool ahead = w->prefetch > 0;
    char why[80] = "";
    if (ahead)
        snprintf(why, sizeof why, "%s x prefetched %d entries ahead", isa ? " and" : " with",
                 (int)w->prefetch);
    return sp_fail(err, SP_ABSENT,
                   isa && ahead ? "leave " SP_O_ISA " or " SP_O_PREFETCH " out"
                   : isa        ? "leave " SP_O_ISA " out to let the program choose"
                   : ahead      ? "leave " SP_O_PREFETCH " out"
                                : "choose another " SP_O_FORMAT,
                   "no kernel for %s %s in %s runs here%s%s%s", sp_op_name(w->op), sp_format_name(w->format),
                   sp_precision_name(w->precision), isa ? " with instruction set " : "", isa ? isa : "", why);
}

enum sp_status sp_pcore_rank(const struct sp_workload *workload, const char *isa,
                             const struct sp_pcore_options *o, struct sp_pcore_ranking *ranking,
                             struct sp_error *err)
{
    const struct sp_kernel *rows[SP_MAX_RANKED];
    struct candidate c[SP_MAX_RANKED];
    int n = 0;
    ranking->n = 0;
    double beta = 1, beta_here = 1;
    enum sp_status status = find_candidates(workload, isa, rows, SP_MAX_RANKED, &n, err);
    if (status == SP_OK)
        status = beta_of(workload, &beta, err);
    n = n < SP_MAX_RANKED ? n : SP_MAX_RANKED;
    for (int i = 0; i < n; i++)
        c[i] = (struct candidate){.kernel = rows[i], .known = sp_value_none("not measured yet")};
    if (status == SP_OK && n > 0)
        status = rate_all(workload, o, c, n, &beta_here, err);
    for (int i = 0; i < n && status == SP_OK; i++)
        insert(ranking, c[i].kernel, of_whole(c[i].flop_s, beta, beta_here));
    if (status == SP_OK && ranking->n == 0)
        status = sp_fail_no_kernel(workload, isa, err);
    return status;
}

enum sp_status sp_pcore_of(const struct sp_workload *workload, const struct sp_kernel *kernel,
                           const struct sp_pcore_options *o, struct sp_value *flop_s, struct sp_error *err)
{
    struct candidate c = {.kernel = kernel, .known = sp_value_none("not measured yet")};
    double beta = 1, beta_here = 1;
    *flop_s = sp_value_none("no kernel was measured");
    enum sp_status status = beta_of(workload, &beta, err);
    if (status == SP_OK)
        status = rate_all(workload, o, &c, 1, &beta_here, err);
    if (status != SP_OK)
        return status;
    *flop_s = of_whole(c.flop_s, beta, beta_here);
    return SP_OK;
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

/* ---- the whole team ---- */

/* Copies the rows of n windows, each cut at `entries`, one after the other into out->row_ptr, col
 * and val; without those arrays they are only counted: out->n_r, out->n_nz. */
static void copy_windows(const struct sp_workload *w, int n, int64_t entries, struct sp_csr *out)
{
    const struct sp_csr *a = w->matrix;
    const int64_t per_entry = sp_csr_is_complex(a) ? 2 : 1;
    out->n_r = out->n_nz = 0;
    for (int i = 0; i < n; i++) {
        int64_t first, n_rows;
        find_window(a, a->n_nz / n * i, entries, passes_long(w), &first, &n_rows);
        for (int64_t row = first; row < first + n_rows; row++) {
            int64_t length = a->row_ptr[row + 1] - a->row_ptr[row];
            length = length < entries ? length : entries;
            if (out->row_ptr) {
                sp_csr_copy_columns(a, a->row_ptr[row], length, out->col + out->n_nz);
                sp_csr_copy_numbers(a, per_entry * a->row_ptr[row], per_entry * length,
                                    out->val + per_entry * out->n_nz);
                for (int64_t k = 0; k < length && sp_format_of(w->format)->mirrored; k++)
                    out->col[out->n_nz + k] -= (int32_t)(row - out->n_r); /* as far from the diagonal */
                out->row_ptr[out->n_r + 1] = out->n_nz + length;
            }
            out->n_r++;
            out->n_nz += length;
        }
    }
}

/* Rows from all over the matrix that so many entries hold; *rows borrows the matrix where all of
 * them fit. */
static enum sp_status pick_rows(const struct sp_workload *w, int n_windows, int64_t entries,
                                struct sp_csr *picked, const struct sp_csr **rows, struct sp_error *err)
{
    *rows = w->matrix;
    memset(picked, 0, sizeof *picked);
    if (w->matrix->n_nz <= n_windows * entries)
        return SP_OK;
    struct sp_csr count = {0};
    copy_windows(w, n_windows, entries, &count);
    const enum sp_status status =
        sp_csr_alloc(count.n_r, w->matrix->n_c, count.n_nz, w->matrix->field, NULL, picked, err);
    if (status == SP_OK)
        copy_windows(w, n_windows, entries, picked);
    *rows = picked;
    return status;
}

struct sp_pcore_team {
    struct window window;
    const struct sp_kernel *kernel;
    void *state;
};

enum sp_status sp_pcore_team_make(const struct sp_workload *workload, const struct sp_kernel *kernel,
                                  const struct sp_pcore_options *o, struct sp_pcore_team **out,
                                  struct sp_job *job, double *work, struct sp_error *err)
{
    enum { SHARE = 2 }; /* of the window of one thread alone, four of which would just fill the L2 */
    struct sp_csr picked;
    const struct sp_csr *rows;
    void *p;
    double beta = 1;
    *out = NULL;
    enum sp_status status = sp_new_array(1, sizeof **out, "the team's rows", &p, err);
    if (status != SP_OK)
        return status;
    struct sp_pcore_team *t = *out = p;
    const int n =
        sp_format_of(workload->format)->mirrored ? o->n_windows : workload->n_threads * o->n_windows;
    const int64_t entries = (int64_t)(o->window_B * SHARE / o->n_windows / bytes_per_entry(workload));
    status = pick_rows(workload, n, entries > 64 ? entries : 64, &picked, &rows, err);
    if (status == SP_OK)
        status = fold_rows(workload, o, rows, 0, rows->n_r, workload->n_threads, &t->window, err);
    sp_csr_free(&picked);
    if (status == SP_OK && t->window.folded.n_nz == 0)
        status = sp_fail(err, SP_ABSENT, NULL, "the rows have no entries");
    if (status == SP_OK)
        status = beta_of(workload, &beta, err);
    const struct sp_dense_arrays *d = &t->window.dense;
    const struct sp_operands operands = {.x = d->x, .rows = d->rows, .second = d->second, .own = o->own};
    t->kernel = kernel;
    if (status == SP_OK)
        status = kernel->prepare(&t->window.layout, &operands, &t->state, err);
    if (status == SP_OK) {
        const double beta_here = (double)t->window.folded.n_nz / (double)t->window.layout.n_stored;
        *job = sp_kernel_job(kernel, t->state, &t->window.layout);
        *work = sp_workload_flops(&t->window.workload) * (beta < 1 ? beta / beta_here : 1);
    }
    return status;
}

void sp_pcore_team_free(struct sp_pcore_team *t)
{
    if (!t)
        return;
    if (t->state)
        t->kernel->release(t->state);
    sp_dense_free(&t->window.dense);
    sp_layout_free(&t->window.layout);
    sp_csr_free(&t->window.folded);
    free(t);
}
