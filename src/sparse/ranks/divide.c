#include "sparse/ranks/divide.h"

#include "base/memory.h"
#include "sparse/reorder/graph.h"

typedef enum sp_status divider(const struct sp_pattern *graph, const int32_t *weight, int n_parts,
                               int32_t *part, struct sp_error *err);

static int32_t weight_of(int64_t n_entries)
{
    return n_entries < 1 ? 1 : n_entries > INT32_MAX ? INT32_MAX : (int32_t)n_entries;
}

static enum sp_status divide(divider *by, const struct sp_csr *a, int n_ranks, int32_t *part,
                             struct sp_error *err)
{
    const struct sp_pattern pattern = sp_csr_pattern(a);
    const bool square = a->n_r == a->n_c;
    const int64_t n = a->n_r + (square ? 0 : a->n_c);
    struct sp_graph graph = {0};
    void *weight = NULL;
    if (n_ranks == 1 || n_ranks >= n || a->n_nz == 0) { /* nothing to find */
        for (int64_t v = 0; v < n; v++)
            part[v] = (int32_t)(v % n_ranks);
        return SP_OK;
    }
    enum sp_status status =
        square ? sp_graph_make(a, &graph, err) : sp_graph_bipartite(&pattern, &graph, err);
    if (status == SP_OK)
        status = sp_large_alloc(NULL, n, sizeof(int32_t), "weights of rows", &weight, err);
    for (int64_t v = 0; status == SP_OK && v < n; v++)
        ((int32_t *)weight)[v] = v < a->n_r ? weight_of(a->row_ptr[v + 1] - a->row_ptr[v]) : 1;
    if (status == SP_OK)
        status = by(&graph.pattern, weight, n_ranks, part, err);
    sp_large_free(NULL, weight, n, sizeof(int32_t));
    sp_graph_free(&graph);
    return status;
}

enum sp_status sp_divide_by_metis(const struct sp_csr *a, int n_ranks, int32_t *part, struct sp_error *err)
{
    return divide(sp_metis_divide, a, n_ranks, part, err);
}

enum sp_status sp_divide_by_scotch(const struct sp_csr *a, int n_ranks, int32_t *part, struct sp_error *err)
{
    return divide(sp_scotch_divide, a, n_ranks, part, err);
}
