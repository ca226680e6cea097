/* The undirected graph of a square matrix: the pattern of A + A^T. */
#ifndef SP_SPARSE_GRAPH_H
#define SP_SPARSE_GRAPH_H

#include "sparse/csr.h"

struct sp_graph {
    struct sp_pattern pattern; /* rows ascending; the diagonal is kept where A has it */
    int64_t *own_ptr;          /* [n_r + 1] NULL where the pattern is A's own, borrowed */
    int32_t *own_col;          /* [n_nz] */
};

/* `a` is square and outlives the graph. A matrix marked symmetric, skew-symmetric or hermitian is believed.
 */
enum sp_status sp_graph_make(const struct sp_csr *a, struct sp_graph *graph, struct sp_error *err);
void sp_graph_free(struct sp_graph *graph);

#endif
