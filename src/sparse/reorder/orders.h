/* Orders of rows or vertices found here: by degree, Gray codes, likeness, breadth. */
#ifndef SP_SPARSE_ORDERS_H
#define SP_SPARSE_ORDERS_H

#include "sparse/csr/csr.h"

/* Patterns made from a matrix's: the graphs that orders are found in, and the transpose. */

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

/* Orders by degree, for graphs in which few vertices have most of the edges: what is used most lies
 * together, so that a line of x in a cache is full of it.
 *
 * degree  all by descending degree, equal ones in their order (hub sorting).
 * hubs    those of more than the mean degree first, hubs and others each in their order, which
 *         keeps the locality that the others had (hub clustering: Balaji and Lucia, When is graph
 *         reordering an optimization?, 2018). */

/* perm[n_r] new to old; `number` is not used. SP_MEMORY. */
enum sp_status sp_degree_order(const struct sp_pattern *a, uint64_t number, int32_t *perm,
                               struct sp_error *err);
enum sp_status sp_hub_order(const struct sp_pattern *a, uint64_t number, int32_t *perm, struct sp_error *err);

/* Rows by which sections of the columns they have entries in, in the order of a Gray code: from one
 * row to the next few sections of x come or go (after Zhao et al., Exploring better speculation and
 * data locality in sparse matrix-vector multiplication on Intel Xeon, 2020, without their split by
 * density). */

enum { SP_GRAY_SECTIONS = 16, SP_GRAY_MOST_SECTIONS = 32 };

/* perm[n_r] new to old. `sections` equal ones, at most SP_GRAY_MOST_SECTIONS; rows of one code keep
 * their order, empty rows come first. SP_MEMORY. */
enum sp_status sp_gray_order(const struct sp_pattern *a, uint64_t sections, int32_t *perm,
                             struct sp_error *err);

/* Clusters of rows with similar patterns, for fewer blocks in BCSR [THEORY 7].
 *
 * Greedy: a cluster starts with the first row that is in none; its pattern is that row's set of
 * block columns (b_w columns each). The row whose set has the least Jaccard distance, 1 - |row n
 * pattern| / |row u pattern|, joins while that is at most `threshold`, and its set joins the
 * pattern, until the cluster has b_h rows. Candidates are the first SP_JACCARD_CANDIDATES rows of
 * each block column that are in no cluster, so that hubs cost no more than other columns. Of equal
 * distances the row that comes first wins. Full clusters come first, each a block row of its own;
 * then the rows of the others, as they were found; then empty rows. It may make more blocks, of
 * banded matrices above all: count before applying (sp_blocks_count()). */

enum { SP_JACCARD_CANDIDATES = 64 };
/* Rows that share 40 % of their union join: two rows of n entries with 0.57 n in common. */
#define SP_JACCARD_THRESHOLD 0.6

/* perm[n_r], new to old. Deterministic. SP_MEMORY. */
enum sp_status sp_jaccard_rows(const struct sp_pattern *pattern, int32_t b_h, int32_t b_w, double threshold,
                               int32_t *perm, struct sp_error *err);
/* perm[n_c]: the same for columns, with sets of block rows of b_h rows, clusters of b_w. */
enum sp_status sp_jaccard_columns(const struct sp_pattern *pattern, int32_t b_h, int32_t b_w,
                                  double threshold, int32_t *perm, struct sp_error *err);

/* Reverse Cuthill-McKee (George and Liu 1981): breadth-first numbering, children by ascending
 * degree, from a pseudo-peripheral vertex of every component, reversed. The search for that vertex
 * is parallel where levels are wide; the numbering is not, so that it is the same for any number of
 * threads. */

/* perm[n_r] new to old; the pattern is symmetric; `number` is not used. SP_MEMORY. */
enum sp_status sp_rcm(const struct sp_pattern *graph, uint64_t number, int32_t *perm, struct sp_error *err);

#endif
