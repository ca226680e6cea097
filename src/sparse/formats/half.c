#include <omp.h>
#include <stdlib.h>

#include "base/option/option_words.h"
#include "sparse/csr/csr.h"
#include "sparse/formats/half.h"
#include "sparse/formats/layout_build.h"

/* ---- symmetry ---- */

/* Two NaNs are alike. */
static bool alike(double x, double y)
{
    return x == y || (x != x && y != y);
}

/* Row i against its mirror image. Columns have to ascend, so that no entry is the image of two. */
static bool is_mirrored(const struct sp_csr *a, int64_t i, int sign)
{
    int64_t last = -1;
    for (int64_t k = a->row_ptr[i]; k < a->row_ptr[i + 1]; k++) {
        int64_t j = sp_csr_col(a, k), image = j == i ? k : sp_csr_find(a, j, i);
        if (j <= last || image < 0 || !alike(sp_csr_number(a, k), sign * sp_csr_number(a, image)))
            return false;
        last = j;
    }
    return true;
}

/* Of row i, entries above the diagonal less those below; *alike: its columns ascend, and what is on
 * or above the diagonal is mirrored. */
static int64_t above_less_below(const struct sp_csr *a, int64_t i, int sign, bool *is_alike)
{
    int64_t last = -1, n = 0;
    *is_alike = true;
    for (int64_t k = a->row_ptr[i]; k < a->row_ptr[i + 1]; k++) {
        const int64_t j = sp_csr_col(a, k);
        *is_alike = *is_alike && j > last;
        last = j;
        n += (j > i) - (j < i);
        if (j < i)
            continue;
        const int64_t image = j == i ? k : sp_csr_find(a, j, i);
        *is_alike = *is_alike && image >= 0 && alike(sp_csr_number(a, k), sign * sp_csr_number(a, image));
    }
    return n;
}

/* Where columns ascend, no entry below the diagonal is the image of two; so if those above have one
 * each, and there are as many below, then all have. */
static bool is_whole_mirrored(const struct sp_csr *a, int sign)
{
    int64_t n = 0;
    bool whole = true;
#pragma omp parallel for schedule(dynamic, 1024) reduction(+ : n) reduction(&& : whole)
    for (int64_t i = 0; i < a->n_r; i++)
        if (whole) {
            bool is_alike;
            n += above_less_below(a, i, sign, &is_alike);
            whole = is_alike;
        }
    return whole && n == 0;
}

/* The first row that is not what `sign` says of the columns; n_r: none. */
static int64_t first_unlike(const struct sp_csr *a, int sign)
{
    int64_t first = a->n_r;
    if (is_whole_mirrored(a, sign))
        return first;
#pragma omp parallel for schedule(dynamic, 1024) reduction(min : first)
    for (int64_t i = 0; i < a->n_r; i++)
        if (i < first && !is_mirrored(a, i, sign))
            first = i;
    return first;
}

static enum sp_status find_mirror(const struct sp_csr *a, int *mirror, struct sp_error *err)
{
    static const char remedy[] = "use " SP_O_FORMAT " crs";
    *mirror = 1;
    if (a->n_r != a->n_c)
        return sp_fail(err, SP_USAGE, remedy, "half stores square matrices, this one is %lld x %lld",
                       (long long)a->n_r, (long long)a->n_c);
    int64_t row = first_unlike(a, 1);
    if (row == a->n_r)
        return SP_OK;
    *mirror = -1;
    if (first_unlike(a, -1) == a->n_r)
        return SP_OK;
    return sp_fail(err, SP_USAGE, remedy,
                   "half stores one triangle of a symmetric matrix, but row %lld of this one differs from "
                   "column %lld",
                   (long long)row + 1, (long long)row + 1);
}

/* ---- conflicts ---- */

/* Fills in what the thread's rows tell; returns the end of those that update others' rows. */
static int64_t find_reach(struct sp_layout *l, int t)
{
    const struct sp_partition *p = &l->partition;
    int64_t begin = p->begin[t], lowest = begin, crossing_end = begin;
    for (int64_t i = begin; i < p->begin[t + 1]; i++) {
        int64_t first = sp_layout_ptr(l, i);
        if (first == sp_layout_ptr(l, i + 1) || sp_layout_col(l, first) >= begin)
            continue;
        crossing_end = i + 1;
        if (sp_layout_col(l, first) < lowest)
            lowest = sp_layout_col(l, first);
    }
    sp_half_of(l)->share[t].lowest = lowest;
    return crossing_end;
}

/* Stored entries of the rows [first, end). */
static int64_t entries(const struct sp_layout *l, int64_t first, int64_t end)
{
    return sp_layout_ptr(l, end) - sp_layout_ptr(l, first);
}

/* Second phases as long as the longest one must be, so that threads wait for each other as little
 * as they can: the first row in [least, most] from which on no more than `target` entries
 * follow. */
static int64_t split_of(const struct sp_layout *l, int64_t least, int64_t most, int64_t end, int64_t target)
{
    while (least < most) {
        int64_t middle = least + (most - least) / 2;
        if (entries(l, middle, end) > target)
            least = middle + 1;
        else
            most = middle;
    }
    return least;
}

/* What the threads do to rows of others, and whether two phases keep them apart. Those cost less
 * than windows wherever they are possible: the rows are written once more, nothing else is. */
static void plan(struct sp_layout *l, int64_t *crossing_end)
{
    struct sp_half *h = l->own;
    const struct sp_partition *p = &l->partition;
    const int n = p->n_threads;
#pragma omp parallel for schedule(static, 1) num_threads(n)
    for (int t = 0; t < n; t++)
        crossing_end[t] = find_reach(l, t);
    h->share[n].lowest = h->share[n].split = l->n_r;
    h->phased = true;
    int64_t longest = 0;
    for (int t = 0; t < n; t++) {
        h->phased = h->phased && crossing_end[t] <= h->share[t + 1].lowest;
        int64_t after = h->phased ? entries(l, h->share[t + 1].lowest, p->begin[t + 1]) : 0;
        longest = after > longest ? after : longest;
    }
    for (int t = 0; t < n; t++) {
        h->share[t].split = crossing_end[t];
        if (h->phased)
            h->share[t].split =
                split_of(l, crossing_end[t], h->share[t + 1].lowest, p->begin[t + 1], longest);
    }
}

int64_t sp_half_window(const struct sp_layout *l, int t)
{
    return l->partition.begin[t] - sp_half_of(l)->share[t].lowest;
}

int64_t sp_half_windows(const struct sp_layout *l)
{
    int64_t rows = 0;
    for (int t = 0; t < l->partition.n_threads; t++)
        rows += sp_half_window(l, t);
    return rows;
}

/* ---- arrays ---- */

/* running[i + 1]: entries of row i up to its diagonal, then the sum over all rows before. */
static void count_lower(const struct sp_csr *a, int64_t *running)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < a->n_r; i++) {
        int64_t k = a->row_ptr[i];
        while (k < a->row_ptr[i + 1] && sp_csr_col(a, k) <= i)
            k++;
        running[i + 1] = k - a->row_ptr[i];
    }
    sp_prefix_sum(running, a->n_r);
}

static void fill_rows(struct sp_layout *l, const struct sp_csr *a, const int64_t *running, int64_t first,
                      int64_t end)
{
    for (int64_t i = first; i < end; i++) {
        sp_layout_set_ptr(l->ptr, l->s_p, i, running[i]);
        int64_t from = a->row_ptr[i] - running[i];
        for (int64_t k = running[i]; k < running[i + 1]; k++) {
            sp_layout_set_col(l, k, sp_csr_col(a, from + k));
            if (l->val)
                sp_layout_set_val(l, k, a, from + k);
        }
    }
}

static enum sp_status build(const struct sp_workload *w, bool with_values, struct sp_layout *l,
                            int64_t *running, int64_t *crossing_end, struct sp_error *err)
{
    const struct sp_csr *a = w->matrix;
    struct sp_half *h = l->own;
    count_lower(a, running);
    l->n_stored = l->n_indices = running[a->n_r];
    l->s_p = sp_layout_pointer_size(w, l->n_stored);
    l->n_ptr = a->n_r + 1;
    enum sp_status status =
        sp_partition_make(w->schedule, w->block, w->n_threads, a->n_r, running, &l->partition, err);
    if (status == SP_OK)
        status = sp_layout_alloc(l, l->n_ptr, l->s_p, "row pointers", &l->ptr, err);
    if (status == SP_OK)
        status = sp_layout_alloc_entries(l, with_values, err);
    if (status == SP_OK)
        status =
            sp_new_array(w->n_threads + 1, sizeof *h->share, "what threads share", (void **)&h->share, err);
    if (status != SP_OK)
        return status;
    const struct sp_partition *p = &l->partition;
#pragma omp parallel num_threads(p->n_threads)
    for (int t = omp_get_thread_num(); t < p->n_threads; t += omp_get_num_threads())
        fill_rows(l, a, running, p->begin[t], p->begin[t + 1]);
    sp_layout_set_ptr(l->ptr, l->s_p, a->n_r, l->n_stored);
    plan(l, crossing_end);
    return SP_OK;
}

static enum sp_status build_all(const struct sp_workload *w, bool with_values, struct sp_layout *l,
                                struct sp_error *err)
{
    void *running = NULL, *crossing_end = NULL;
    enum sp_status status = sp_new_array(1, sizeof(struct sp_half), "half storage", &l->own, err);
    if (status == SP_OK)
        status = find_mirror(w->matrix, &((struct sp_half *)l->own)->mirror, err);
    if (status == SP_OK)
        status = sp_new_array(l->n_r + 1, sizeof(int64_t), "running entries", &running, err);
    if (status == SP_OK)
        status = sp_new_array(w->n_threads, sizeof(int64_t), "the reach of threads", &crossing_end, err);
    if (status == SP_OK)
        status = build(w, with_values, l, running, crossing_end, err);
    free(running);
    free(crossing_end);
    return status;
}

static void free_share(struct sp_layout *l)
{
    if (l->own)
        free(sp_half_of(l)->share);
    free(l->own);
}

/* ---- the row of the table ---- */

/* At most, with a full diagonal; running entries while building, and what threads share. */
static double bytes_bound(const struct sp_workload *w, bool with_values)
{
    const double s_a = with_values ? (double)sp_value_size(w->precision) : 0.0;
    const double n_r = (double)w->matrix->n_r, n_nz = (double)w->matrix->n_nz;
    return (s_a + (double)sp_index_size(w->index)) * (n_nz + n_r) / 2 + 2 * sizeof(int64_t) * (n_r + 1) +
           2.0 * sizeof(int64_t) * (w->n_threads + 1.0);
}

/* Windows. */
static double other_B(const struct sp_layout *l)
{
    return sp_half_of(l)->phased ? 0.0 : (double)sp_half_windows(l) * (double)l->s_y;
}

/* An entry stays in its triangle and in the rows that its thread may update. */
static void fold(struct sp_layout *l, int64_t window)
{
#pragma omp parallel for schedule(static) num_threads(l->partition.n_threads)
    for (int64_t i = 0; i < l->n_r; i++)
        for (int64_t k = sp_layout_ptr(l, i); k < sp_layout_ptr(l, i + 1); k++) {
            int64_t distance = i - sp_layout_col(l, k);
            if (distance > 0)
                sp_layout_set_col(l, k, i - 1 - (distance - 1) % window);
        }
}

static void each_entry(const struct sp_layout *l, sp_entry_visitor *visit, void *to)
{
    for (int64_t i = 0; i < l->n_r; i++)
        for (int64_t k = sp_layout_ptr(l, i); k < sp_layout_ptr(l, i + 1); k++) {
            int64_t j = sp_layout_col(l, k);
            visit(to, i, j, k, 1);
            if (j != i)
                visit(to, j, i, k, sp_half_of(l)->mirror);
        }
}

static void facts(const struct sp_layout *l, struct sp_layout_fact fact[SP_LAYOUT_FACTS])
{
    fact[0] = (struct sp_layout_fact){"window_rows", sp_half_windows(l), false};
    fact[1] = (struct sp_layout_fact){"phased", sp_half_of(l)->phased, true};
}

static bool is_swept(const struct sp_csr *matrix, bool symmetric)
{
    (void)matrix;
    return symmetric;
}

const struct sp_format_kind sp_format_half = {
    .name = "half",
    .title = "HALF",
    .form = "half",
    .ops = 1u << SP_OP_SPMV,
    .build = build_all,
    .free = free_share,
    .bytes_bound = bytes_bound,
    .other_B = other_B,
    .each_entry = each_entry,
    .fold = fold,
    .facts = facts,
    .is_swept = is_swept,
    .mirrored = true,
    .updates_y = true,
    .order_bound = true,
    .nnz_only = "half plans conflicts between threads for equal nonzeros per thread only",
};
