/* Clusters of rows with similar patterns, for fewer blocks in BCSR [THEORY 7].
 *
 * Greedy: a cluster starts with the first row that is in none, and its pattern is that row's set of block
 * columns (b_w columns each). The row whose set has the least Jaccard distance, 1 - |row n pattern| / |row u
 * pattern|, to the pattern joins while that is at most `threshold`, and the pattern grows by its set, until
 * the cluster has b_h rows. Candidates come from lists of the rows of each block column: of a list the first
 * SP_JACCARD_CANDIDATES rows that are in no cluster are looked at, so that hubs cost no more than other
 * columns. Of equal distances the row that comes first wins. Full clusters come first, each a block row of
 * its own; then the rows of the others, as they were found; then empty rows. It may make more blocks, of
 * banded matrices above all: count before applying (sp_blocks_count()). */
#ifndef SP_SPARSE_REORDER_JACCARD_H
#define SP_SPARSE_REORDER_JACCARD_H

#include "sparse/csr/csr.h"

enum { SP_JACCARD_CANDIDATES = 64 };
/* Rows that share 40 % of their union with the pattern join: two rows of n entries with 0.57 n in common. */
#define SP_JACCARD_THRESHOLD 0.6

/* perm[n_r], new to old. Deterministic. SP_MEMORY. */
enum sp_status sp_jaccard_rows(const struct sp_pattern *pattern, int32_t b_h, int32_t b_w, double threshold,
                               int32_t *perm, struct sp_error *err);
/* perm[n_c]: the same for columns, whose sets are of block rows of b_h rows, into clusters of b_w. */
enum sp_status sp_jaccard_columns(const struct sp_pattern *pattern, int32_t b_h, int32_t b_w,
                                  double threshold, int32_t *perm, struct sp_error *err);

#endif
