#include "sparse/graph.h"

#include <string.h>

#include "sparse/csr_build.h"
#include "sparse/sort.h"

/* Length of the union of two ascending lists; written to `to` unless it is NULL. */
static int64_t merge(const int32_t *a, int64_t n_a, const int32_t *b, int64_t n_b, int32_t *to)
{
    int64_t i = 0, j = 0, n = 0;
    while (i < n_a || j < n_b) {
        int32_t x = i < n_a ? a[i] : INT32_MAX, y = j < n_b ? b[j] : INT32_MAX;
        if (to)
            to[n] = x < y ? x : y;
        i += x <= y;
        j += y <= x;
        n++;
    }
    return n;
}

/* at[n_r + 1], col[n_nz]: the pattern of A^T, rows ascending. Threads place entries in any order; the rows
 * come out nearly sorted and are sorted afterwards. */
static bool transpose(const struct sp_csr *a, int64_t *at, int32_t *col, int32_t *scratch)
{
    int64_t n = a->n_r;
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < a->n_nz; k++)
        __atomic_fetch_add(&at[a->col[k] + 1], 1, __ATOMIC_RELAXED);
    sp_prefix_sum(at, n);
#pragma omp parallel for schedule(dynamic, 1024)
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = a->row_ptr[i]; k < a->row_ptr[i + 1]; k++)
            col[__atomic_fetch_add(&at[a->col[k]], 1, __ATOMIC_RELAXED)] = (int32_t)i;
    memmove(at + 1, at, (size_t)n * sizeof *at);
    at[0] = 0;
    bool same = true;
#pragma omp parallel for schedule(dynamic, 1024) reduction(&& : same)
    for (int64_t i = 0; i < n; i++) {
        int64_t length = at[i + 1] - at[i];
        sp_sort_i32(col + at[i], length, scratch + at[i]);
        same = same && at[i] == a->row_ptr[i] && at[i + 1] == a->row_ptr[i + 1] &&
               memcmp(col + at[i], a->col + at[i], (size_t)length * sizeof *col) == 0;
    }
    return same;
}

enum sp_status sp_graph_make(const struct sp_csr *a, struct sp_graph *graph, struct sp_error *err)
{
    memset(graph, 0, sizeof *graph);
    graph->pattern = sp_csr_pattern(a);
    if (a->symmetry != SP_GENERAL || a->n_nz == 0)
        return SP_OK;
    int64_t n = a->n_r, *at = NULL, *sum = NULL;
    int32_t *col = NULL, *scratch = NULL, *joined = NULL;
    void *p;
    enum sp_status status = sp_large_alloc(NULL, n + 1, sizeof *at, "pointers of A^T", &p, err);
    at = p;
    if (status == SP_OK) {
        status = sp_large_alloc(NULL, a->n_nz, sizeof *col, "the pattern of A^T", &p, err);
        col = p;
    }
    if (status == SP_OK) {
        status = sp_large_alloc(NULL, a->n_nz, sizeof *scratch, "sorting A^T", &p, err);
        scratch = p;
    }
    if (status != SP_OK || transpose(a, at, col, scratch))
        goto done;

    status = sp_large_alloc(NULL, n + 1, sizeof *sum, "pointers of A + A^T", &p, err);
    sum = p;
    if (status != SP_OK)
        goto done;
#pragma omp parallel for schedule(dynamic, 1024)
    for (int64_t i = 0; i < n; i++)
        sum[i + 1] = merge(a->col + a->row_ptr[i], a->row_ptr[i + 1] - a->row_ptr[i], col + at[i],
                           at[i + 1] - at[i], NULL);
    sp_prefix_sum(sum, n);
    status = sp_large_alloc(NULL, sum[n], sizeof *joined, "the pattern of A + A^T", &p, err);
    joined = p;
    if (status != SP_OK)
        goto done;
#pragma omp parallel for schedule(dynamic, 1024)
    for (int64_t i = 0; i < n; i++)
        merge(a->col + a->row_ptr[i], a->row_ptr[i + 1] - a->row_ptr[i], col + at[i], at[i + 1] - at[i],
              joined + sum[i]);
    graph->own_ptr = sum;
    graph->own_col = joined;
    graph->pattern.n_nz = sum[n];
    graph->pattern.row_ptr = sum;
    graph->pattern.col = joined;
    sum = NULL;
done:
    sp_large_free(NULL, at, n + 1, sizeof *at);
    sp_large_free(NULL, col, a->n_nz, sizeof *col);
    sp_large_free(NULL, scratch, a->n_nz, sizeof *scratch);
    sp_large_free(NULL, sum, n + 1, sizeof *sum);
    if (status != SP_OK)
        memset(graph, 0, sizeof *graph);
    return status;
}

void sp_graph_free(struct sp_graph *graph)
{
    sp_large_free(NULL, graph->own_ptr, graph->pattern.n_r + 1, sizeof *graph->own_ptr);
    sp_large_free(NULL, graph->own_col, graph->pattern.n_nz, sizeof *graph->own_col);
    memset(graph, 0, sizeof *graph);
}
