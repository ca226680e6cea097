/* What a distributed SpMV takes: each rank's own work by the roofline of its node, and the exchange
 * of x by the max-rate model (model/ranks/network.h), docs/distributed.md.
 *
 * A rank's rows are stored as two blocks of CRS, as PETSc's MPIAIJ does: the local one, y = A x,
 * and the remote one, y += B halo, of which only rows with entries are stored where these are at
 * most 40 % of all (PETSc's compressed rows). What it sends is gathered into a buffer first. Of a
 * machine whose times of rows were measured (model/unit_costs.h) a block takes at least these, r of
 * them for r vectors, and where it was simulated what its gathers wait for. */
#ifndef SP_MODEL_DISTRIBUTED_H
#define SP_MODEL_DISTRIBUTED_H

#include <stdbool.h>

#include "base/reading.h"
#include "base/status.h"
#include "model/machine.h"
#include "model/ranks/network.h"
#include "model/roofline.h"
#include "model/volume/volume.h"
#include "sparse/ranks/halo.h"

struct sp_distribution {
    struct sp_sizes sizes;
    double w;                         /* bytes moved per byte stored of y */
    int r;                            /* vectors at once, >= 1 */
    int per_node;                     /* ranks of a node, >= 1; rank p is on node p / per_node */
    int n_threads;                    /* of a rank, >= 1 */
    bool warm;                        /* repeated executions: a rank's part may live in caches */
    const struct sp_machine *machine; /* of a node; NULL: no times */
    const struct sp_network *network; /* NULL: no times of the exchange */
    /* [n ranks] x that the two blocks load, over each needed element once; NULL: 1 */
    const double *local_loads, *remote_loads;
    /* [n ranks] of the two blocks in the core, waiting for gathers included [s]; NULL: rows as long
     * as their mean, by the machine's times of rows */
    const double *local_core_s, *remote_core_s;
};

/* One rank; bytes of r vectors. */
struct sp_rank_cost {
    double local_B, remote_B; /* moved by the two blocks */
    double pack_B;            /* moved when what it sends is gathered */
    double recv_B, sent_B;    /* messages */
    double between_B;         /* of the larger direction off its node: bytes and messages */
    double between_n, within_B, within_n;
    double between_large, within_large; /* of the messages those that take a rendezvous */
    double own_s, remote_s;             /* both blocks; the remote one of it */
    double pack_s, exchange_s;
    double time_s, overlapped_s; /* the exchange first, or while the local block is multiplied */
};

/* All ranks. Times are SP_NONE without a machine or network. */
struct sp_distributed {
    int n_ranks, n_nodes, per_node, n_threads;
    struct sp_rank_cost *rank; /* [n_ranks] owned */
    double halo_B, between_B;  /* all messages; of them off the node */
    int64_t n_messages, n_between;
    double most_recv_B, most_sent_B;
    int most_neighbours;                 /* messages that a rank receives or sends, the larger one */
    double rows_imbalance, nz_imbalance; /* most over mean of ranks */
    double moved_B;                      /* by all ranks, own work and packing */
    struct sp_value own_s, mean_own_s;   /* most and mean of ranks: both blocks [s] */
    struct sp_value exchange_s;          /* most: packing and messages [s] */
    struct sp_value time_s, overlapped_s;
    int slowest;                /* the rank that takes time_s */
    int n_simulated;            /* ranks whose loads of x were simulated, for whoever made them */
    const char *level;          /* where the slowest rank's part lives: "L3", "MEM"; NULL: not known */
    struct sp_value efficiency; /* mean own time over time_s, 0 ... 1 */
    struct sp_value roof_Bps;   /* of a rank of a full node, from memory */
};

/* Least of what a rank moves, of its rows alone [B]: local and remote block at these loads of x. */
struct sp_block_bytes {
    double local_B, remote_B, pack_B;
};
struct sp_block_bytes sp_block_bytes_of(const struct sp_halo_rank *rank, const struct sp_distribution *d,
                                        double local_loads, double remote_loads);
/* Does PETSc store the rows of the remote block that have entries alone? */
bool sp_remote_is_compressed(const struct sp_halo_rank *rank);

/* Where a rank's `bytes` live while n_ranks of its node have as many each; with a machine. */
struct sp_residence sp_rank_residence(const struct sp_distribution *d, int n_ranks, double bytes);
/* Ranks that share a last-level domain then, at least 1. */
int sp_ranks_of_domain(const struct sp_distribution *d, int n_ranks);

/* Ranks that one node of the machine has cores for. */
int sp_ranks_of_node(const struct sp_machine *machine, int n_threads);

/* SP_USAGE where a node has fewer cores than its ranks have threads; SP_MEMORY. */
enum sp_status sp_distributed_make(const struct sp_halo *halo, const struct sp_distribution *d,
                                   struct sp_distributed *out, struct sp_error *err);
/* Safe twice and on a zeroed one. */
void sp_distributed_free(struct sp_distributed *out);

#endif
