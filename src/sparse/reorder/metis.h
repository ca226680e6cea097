/* Orders found by METIS 5 (Karypis and Kumar 1998), of the vertices of an undirected graph.
 *
 * Parts: k-way partition, few edges between parts of equally many vertices; part after part, inside
 * a part the order as it was. Fewer than 2 are taken as: as many as give each SP_METIS_PART_B of x,
 * half of an L2 of 1 MiB, and at least 2.
 *
 * Dissection: the two halves of the graph, each ordered likewise, then what separates them.
 *
 * METIS runs on one thread with a seed of its own, so that the result is always the same.
 * metis.c, or metis_absent.c where the build has no METIS. */
#ifndef SP_SPARSE_REORDER_METIS_H
#define SP_SPARSE_REORDER_METIS_H

#include "sparse/csr/csr.h"

enum { SP_METIS_PART_B = 512 << 10 };

/* NULL, or why this build has neither. */
const char *sp_metis_absent(void);

/* Bytes of its integers; 0: this build has none. */
int sp_metis_integer_B(void);

/* METIS complains on standard output, where a result may go, and takes SIGTERM for an error of its
 * own, so that its own errors end as SIGTERM does. Called before and behind all that METIS does, by
 * whoever owns the stream and the signals; NULL (default): nobody is. */
enum sp_metis_moment { SP_METIS_BEGINS, SP_METIS_ENDS, SP_METIS_ENDS_BY_SIGTERM };
extern void (*sp_metis_around)(enum sp_metis_moment moment);

/* perm[n_r] new to old; the pattern is symmetric. `n_parts` is at most the number of vertices;
 * dissection has none. SP_USAGE where METIS's integers are too small for the graph, SP_MEMORY. */
enum sp_status sp_metis_parts(const struct sp_pattern *graph, uint64_t n_parts, int32_t *perm,
                              struct sp_error *err);
enum sp_status sp_metis_dissection(const struct sp_pattern *graph, uint64_t number, int32_t *perm,
                                   struct sp_error *err);

/* part[n_r] in 0 ... n_parts - 1, k-way as above, of vertices of weight weight[v] >= 0 that parts
 * have equally much of. 2 <= n_parts < n_r. */
enum sp_status sp_metis_divide(const struct sp_pattern *graph, const int32_t *weight, int n_parts,
                               int32_t *part, struct sp_error *err);

#endif
