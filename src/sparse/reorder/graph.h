/* Patterns made from a matrix's: the graphs that orders are found in, and the transpose. */
#ifndef SP_SPARSE_GRAPH_H
#define SP_SPARSE_GRAPH_H

#include "sparse/csr/csr.h"

struct sp_graph {
    struct sp_pattern pattern; /* rows ascending; the diagonal is kept where A has it */
    int64_t *own_ptr;          /* [n_r + 1] NULL where the pattern's is A's own, borrowed */
    int32_t *own_col;          /* [n_nz] the same */
};

/* The rows of `a` as they are: its own arrays, but a copy of columns of 8 bytes. */
enum sp_status sp_graph_rows(const struct sp_csr *a, struct sp_graph *graph, struct sp_error *err);

/* The undirected graph of a square matrix: the pattern of A + A^T. `a` is square and outlives the
 * graph. A matrix marked symmetric, skew-symmetric or hermitian is believed. */
enum sp_status sp_graph_make(const struct sp_csr *a, struct sp_graph *graph, struct sp_error *err);

/* The graph of rows and columns: vertex i < n_r is row i, vertex n_r + j is column j, and each
 * entry joins its row to its column. SP_USAGE where rows and columns together exceed
 * SP_MAX_DIMENSION. */
enum sp_status sp_graph_bipartite(const struct sp_pattern *a, struct sp_graph *graph, struct sp_error *err);

/* The pattern of A^T, as a graph of its own. */
enum sp_status sp_graph_transpose(const struct sp_pattern *a, struct sp_graph *graph, struct sp_error *err);

void sp_graph_free(struct sp_graph *graph);

#endif
