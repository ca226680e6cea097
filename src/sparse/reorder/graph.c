#include "sparse/reorder/graph.h"

#include <string.h>

#include "sparse/csr/csr.h"
#include "sparse/csr/sort.h"

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

/* at[n_c + 1] zeroed, col[n_nz]: the pattern of A^T. Threads place entries in any order; the rows
 * come out nearly sorted and are sorted afterwards. */
static void transpose(const struct sp_pattern *a, int64_t *at, int32_t *col, int32_t *scratch)
{
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < a->n_nz; k++)
        __atomic_fetch_add(&at[sp_pattern_col(a, k) + 1], 1, __ATOMIC_RELAXED);
    sp_prefix_sum(at, a->n_c);
#pragma omp parallel for schedule(dynamic, 1024)
    for (int64_t i = 0; i < a->n_r; i++)
        for (int64_t k = a->row_ptr[i]; k < a->row_ptr[i + 1]; k++)
            col[__atomic_fetch_add(&at[sp_pattern_col(a, k)], 1, __ATOMIC_RELAXED)] = (int32_t)i;
    memmove(at + 1, at, (size_t)a->n_c * sizeof *at);
    at[0] = 0;
#pragma omp parallel for schedule(dynamic, 1024)
    for (int64_t j = 0; j < a->n_c; j++)
        sp_sort_i32(col + at[j], at[j + 1] - at[j], scratch + at[j]);
}

static enum sp_status take(int64_t n, int64_t n_nz, struct sp_graph *graph, struct sp_error *err)
{
    void *p;
    graph->pattern.n_r = graph->pattern.n_c = n;
    graph->pattern.n_nz = n_nz;
    enum sp_status status =
        sp_large_alloc(NULL, n + 1, sizeof *graph->own_ptr, "pointers of a graph", &p, err);
    graph->own_ptr = p;
    if (status == SP_OK) {
        status = sp_large_alloc(NULL, n_nz, sizeof *graph->own_col, "the edges of a graph", &p, err);
        graph->own_col = p;
    }
    graph->pattern.row_ptr = graph->own_ptr;
    graph->pattern.col = graph->own_col;
    if (status != SP_OK)
        sp_graph_free(graph);
    return status;
}

enum sp_status sp_graph_transpose(const struct sp_pattern *a, struct sp_graph *graph, struct sp_error *err)
{
    memset(graph, 0, sizeof *graph);
    void *scratch;
    enum sp_status status = sp_large_alloc(NULL, a->n_nz, sizeof(int32_t), "sorting A^T", &scratch, err);
    if (status == SP_OK)
        status = take(a->n_c, a->n_nz, graph, err);
    if (status == SP_OK) {
        graph->pattern.n_c = a->n_r;
        transpose(a, graph->own_ptr, graph->own_col, scratch);
    }
    sp_large_free(NULL, scratch, a->n_nz, sizeof(int32_t));
    return status;
}

static bool same_pattern(const struct sp_pattern *a, const struct sp_pattern *b)
{
    return memcmp(a->row_ptr, b->row_ptr, (size_t)(a->n_r + 1) * sizeof *a->row_ptr) == 0 &&
           memcmp(a->col, b->col, (size_t)a->n_nz * sizeof *a->col) == 0;
}

/* The pattern of a + t, of the same size. */
static enum sp_status add(const struct sp_pattern *a, const struct sp_pattern *t, struct sp_graph *graph,
                          struct sp_error *err)
{
    const int64_t n = a->n_r;
    void *p;
    enum sp_status status =
        sp_large_alloc(NULL, n + 1, sizeof *graph->own_ptr, "pointers of A + A^T", &p, err);
    if (status != SP_OK)
        return status;
    int64_t *sum = graph->own_ptr = p;
#pragma omp parallel for schedule(dynamic, 1024)
    for (int64_t i = 0; i < n; i++)
        sum[i + 1] = merge(a->col + a->row_ptr[i], a->row_ptr[i + 1] - a->row_ptr[i], t->col + t->row_ptr[i],
                           t->row_ptr[i + 1] - t->row_ptr[i], NULL);
    sp_prefix_sum(sum, n);
    graph->pattern = (struct sp_pattern){n, n, sum[n], sum, NULL, NULL};
    status = sp_large_alloc(NULL, sum[n], sizeof *graph->own_col, "the pattern of A + A^T", &p, err);
    graph->pattern.col = graph->own_col = p;
    if (status != SP_OK)
        return status;
#pragma omp parallel for schedule(dynamic, 1024)
    for (int64_t i = 0; i < n; i++)
        merge(a->col + a->row_ptr[i], a->row_ptr[i + 1] - a->row_ptr[i], t->col + t->row_ptr[i],
              t->row_ptr[i + 1] - t->row_ptr[i], graph->own_col + sum[i]);
    return SP_OK;
}

enum sp_status sp_graph_rows(const struct sp_csr *a, struct sp_graph *graph, struct sp_error *err)
{
    *graph = (struct sp_graph){.pattern = sp_csr_pattern(a)};
    if (!a->col_64)
        return SP_OK;
    void *p;
    const enum sp_status status =
        sp_large_alloc(NULL, a->n_nz, sizeof *graph->own_col, "the edges of a graph", &p, err);
    if (status != SP_OK)
        return status;
    graph->pattern.col = graph->own_col = p;
    graph->pattern.col_64 = NULL;
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < a->n_nz; k++)
        graph->own_col[k] = sp_csr_col(a, k);
    return SP_OK;
}

enum sp_status sp_graph_make(const struct sp_csr *a, struct sp_graph *graph, struct sp_error *err)
{
    struct sp_graph rows, transposed;
    memset(graph, 0, sizeof *graph);
    enum sp_status status = sp_graph_rows(a, &rows, err);
    if (status != SP_OK)
        return status;
    if (a->symmetry != SP_GENERAL || a->n_nz == 0) {
        *graph = rows;
        return SP_OK;
    }
    status = sp_graph_transpose(&rows.pattern, &transposed, err);
    const bool same = status == SP_OK && same_pattern(&rows.pattern, &transposed.pattern);
    if (same)
        *graph = rows;
    else if (status == SP_OK)
        status = add(&rows.pattern, &transposed.pattern, graph, err);
    sp_graph_free(&transposed);
    if (!same)
        sp_graph_free(&rows);
    if (status != SP_OK)
        sp_graph_free(graph);
    return status;
}

enum sp_status sp_graph_bipartite(const struct sp_pattern *a, struct sp_graph *graph, struct sp_error *err)
{
    memset(graph, 0, sizeof *graph);
    if (a->n_r + a->n_c > SP_MAX_DIMENSION)
        return sp_fail(err, SP_USAGE, "take a method that orders rows alone, for example gray",
                       "the graph of %lld rows and %lld columns has too many vertices", (long long)a->n_r,
                       (long long)a->n_c);
    struct sp_graph columns;
    enum sp_status status = sp_graph_transpose(a, &columns, err);
    if (status == SP_OK)
        status = take(a->n_r + a->n_c, 2 * a->n_nz, graph, err);
    if (status == SP_OK) {
#pragma omp parallel for schedule(static)
        for (int64_t i = 0; i <= a->n_r; i++)
            graph->own_ptr[i] = a->row_ptr[i];
#pragma omp parallel for schedule(static)
        for (int64_t j = 1; j <= a->n_c; j++)
            graph->own_ptr[a->n_r + j] = a->n_nz + columns.own_ptr[j];
#pragma omp parallel for schedule(static)
        for (int64_t k = 0; k < a->n_nz; k++) {
            graph->own_col[k] = (int32_t)(a->n_r + sp_pattern_col(a, k));
            graph->own_col[a->n_nz + k] = columns.own_col[k];
        }
    }
    sp_graph_free(&columns);
    return status;
}

void sp_graph_free(struct sp_graph *graph)
{
    sp_large_free(NULL, graph->own_ptr, graph->pattern.n_r + 1, sizeof *graph->own_ptr);
    sp_large_free(NULL, graph->own_col, graph->pattern.n_nz, sizeof *graph->own_col);
    memset(graph, 0, sizeof *graph);
}
