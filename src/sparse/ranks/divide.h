/* Graph partitioners that divide rows over ranks. */
#ifndef SP_SPARSE_DIVIDE_H
#define SP_SPARSE_DIVIDE_H

#include "sparse/csr/csr.h"
#include "sparse/reorder/metis.h"

/* NULL, or why this build has no Scotch. scotch.c, or scotch_absent.c. */
const char *sp_scotch_absent(void);

/* part[graph->n_r] in 0 ... n_parts - 1 of the vertices of an undirected graph without loops, whose
 * weight is weight[v] >= 0: parts of about equal weight with few edges between them. One thread,
 * always the same result. SP_USAGE where Scotch's integers are too small, SP_MEMORY. */
enum sp_status sp_scotch_divide(const struct sp_pattern *graph, const int32_t *weight, int n_parts,
                                int32_t *part, struct sp_error *err);

/* For sp_division_table. Weights are the entries of rows. */
enum sp_status sp_divide_by_metis(const struct sp_csr *a, int n_ranks, int32_t *part, struct sp_error *err);
enum sp_status sp_divide_by_scotch(const struct sp_csr *a, int n_ranks, int32_t *part, struct sp_error *err);

#endif
