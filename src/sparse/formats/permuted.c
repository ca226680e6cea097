#include "sparse/formats/permuted.h"

#include <string.h>

#include "sparse/csr/csr.h"
#include "sparse/csr/sort.h"

/* Entries in a window: a part of a private cache. */
enum { WINDOW = 1 << 15 };

enum sp_status sp_permuted_make(const struct sp_pattern *a, const struct sp_permutations *order,
                                struct sp_permuted *p, struct sp_error *err)
{
    *p = (struct sp_permuted){.pattern = *a, .row_perm = order->row_perm};
    void *memory;
    enum sp_status status =
        sp_large_alloc(NULL, a->n_r + 1, sizeof *p->row_ptr, "row pointers of the order", &memory, err);
    p->row_ptr = memory;
    if (status == SP_OK && order->row_perm) {
        status = sp_large_alloc(NULL, a->n_r, sizeof *p->new_row, "an inverse permutation", &memory, err);
        p->new_row = memory;
    }
    if (status == SP_OK && order->col_perm) {
        status = sp_large_alloc(NULL, a->n_c, sizeof *p->new_col, "an inverse permutation", &memory, err);
        p->new_col = memory;
    }
    if (status != SP_OK) {
        sp_permuted_free(p);
        return status;
    }
    if (p->new_row)
        sp_permutation_invert(order->row_perm, a->n_r, p->new_row);
    if (p->new_col)
        sp_permutation_invert(order->col_perm, a->n_c, p->new_col);
    int64_t longest = 0;
#pragma omp parallel for schedule(static) reduction(max : longest)
    for (int64_t row = 0; row < a->n_r; row++) {
        int64_t n = a->row_ptr[row + 1] - a->row_ptr[row];
        p->row_ptr[sp_permuted_place(p, row) + 1] = n;
        longest = n > longest ? n : longest;
    }
    sp_prefix_sum(p->row_ptr, a->n_r);
    p->longest = longest;
    return SP_OK;
}

void sp_permuted_free(struct sp_permuted *p)
{
    sp_large_free(NULL, p->row_ptr, p->pattern.n_r + 1, sizeof *p->row_ptr);
    sp_large_free(NULL, p->new_row, p->pattern.n_r, sizeof *p->new_row);
    sp_large_free(NULL, p->new_col, p->pattern.n_c, sizeof *p->new_col);
    memset(p, 0, sizeof *p);
}

static int64_t room_of(const struct sp_permuted *p)
{
    return p->longest > WINDOW ? p->longest : WINDOW;
}

enum sp_status sp_permuted_windows_make(const struct sp_permuted *p, int n, struct sp_permuted_window *window,
                                        struct sp_error *err)
{
    enum sp_status status = SP_OK;
    memset(window, 0, (size_t)n * sizeof *window);
    for (int i = 0; i < n && status == SP_OK; i++) {
        void *memory;
        status = sp_large_alloc(NULL, 2 * room_of(p), sizeof(int32_t), "rows in a new order", &memory, err);
        window[i].col = memory;
        if (status == SP_OK)
            window[i].scratch = window[i].col + room_of(p);
    }
    if (status != SP_OK)
        sp_permuted_windows_free(p, n, window);
    return status;
}

void sp_permuted_windows_free(const struct sp_permuted *p, int n, struct sp_permuted_window *window)
{
    for (int i = 0; window && i < n; i++) {
        sp_large_free(NULL, window[i].col, 2 * room_of(p), sizeof(int32_t));
        memset(&window[i], 0, sizeof window[i]);
    }
}

static inline void prefetch_columns(const struct sp_pattern *p, int64_t k)
{
    if (p->col)
        __builtin_prefetch(&p->col[k]);
    else
        __builtin_prefetch(&p->col_64[k]);
}

/* Rows that are far from each other in memory: have the next ones ready. */
static inline void prefetch(const struct sp_permuted *p, int64_t i, int64_t end)
{
    enum { FAR = 24, NEAR = 8 };
    if (!p->row_perm)
        return;
    if (i + FAR < end)
        __builtin_prefetch(&p->pattern.row_ptr[p->row_perm[i + FAR]]);
    if (i + NEAR < end)
        prefetch_columns(&p->pattern, p->pattern.row_ptr[p->row_perm[i + NEAR]]);
}

/* Rows [first, end) of the window: first all names, whose reads may overlap, then the order. */
static void fill(const struct sp_permuted *p, struct sp_permuted_window *w, int64_t first, int64_t end)
{
    const int64_t origin = p->row_ptr[w->first];
    for (int64_t i = first; i < end; i++) {
        prefetch(p, i, end);
        const int64_t n = p->row_ptr[i + 1] - p->row_ptr[i];
        const int64_t from = p->pattern.row_ptr[sp_permuted_row(p, i)];
        int32_t *to = w->col + (p->row_ptr[i] - origin);
        for (int64_t k = 0; k < n; k++)
            to[k] = sp_permuted_column(p, sp_pattern_col(&p->pattern, from + k));
    }
    for (int64_t i = first; i < end && p->new_col; i++) {
        int64_t at = p->row_ptr[i] - origin;
        sp_sort_i32(w->col + at, p->row_ptr[i + 1] - p->row_ptr[i], w->scratch + at);
    }
}

void sp_permuted_window_to(const struct sp_permuted *p, struct sp_permuted_window *w, int64_t row,
                           int64_t stop)
{
    enum { BLOCK = 256 };
    if (row >= w->first && row < w->end)
        return;
    const int64_t limit = p->row_ptr[row] + room_of(p);
    int64_t end = row + 1;
    while (end < stop && p->row_ptr[end + 1] <= limit)
        end++;
    w->first = row;
    w->end = end;
#pragma omp parallel for schedule(dynamic, 4) if (end - row > 4 * BLOCK)
    for (int64_t block = row; block < end; block += BLOCK)
        fill(p, w, block, block + BLOCK < end ? block + BLOCK : end);
}
