/* What a distributed SpMV takes: each rank's own work by the roofline of its node, and the exchange
 * of x by the max-rate model (struct sp_network), docs/distributed.md.
 *
 * A rank's rows are stored as two blocks of CRS, as PETSc's MPIAIJ does: the local one, y = A x,
 * and the remote one, y += B halo, of which only rows with entries are stored where these are at
 * most 40 % of all (PETSc's compressed rows). What it sends is gathered into a buffer first. Of a
 * machine whose times of rows were measured (model/unit_costs.h) a block takes at least these, r of
 * them for r vectors, and where it was simulated what its gathers wait for. */
#ifndef SP_MODEL_DISTRIBUTED_H
#define SP_MODEL_DISTRIBUTED_H

#include <math.h>
#include <stdbool.h>

#include "base/reading.h"
#include "base/status.h"
#include "model/formulas/formulas.h"
#include "model/machine.h"
#include "model/roofline.h"
#include "model/volume/volume.h"
#include "sparse/ranks/halo.h"

/* A network by latency and bandwidth: what a message costs between ranks of two nodes and of one.
 *
 * Max-rate model [Gropp, Olson, Samfass, "Modeling MPI communication performance on SMP nodes: Is
 * it time to retire the ping pong test", EuroMPI 2016]: a rank that sends m messages of together s
 * bytes while all ranks of its node send S bytes takes T_messages (model/formulas/ranks.txt),
 *
 *     T = m latency + m_large rendezvous + max(s/b_rank, S/b_node)
 *
 * A rank's own link limits while few ranks send, the node's while many do. */

/* Between two ranks. Numbers are measured or stated; `how` says so of all three. */
struct sp_network_path {
    struct sp_value latency_s; /* of a message without content */
    struct sp_value rank_Bps;  /* one rank, one direction */
    double rendezvous_B;       /* a message of so many bytes or more [B] costs rendezvous_s more; 0: none */
    struct sp_value rendezvous_s; /* SP_NONE where rendezvous_B is 0 */
    struct sp_value node_Bps; /* all ranks of a node together, one direction; SP_NONE: no limit is known */
    char how[256];
};

struct sp_network {
    char name[64]; /* file name without .json */
    char what[128];
    char source[512];
    struct sp_network_path between; /* of ranks of two nodes */
    struct sp_network_path within;  /* of one node; latency_s SP_NONE: not described, as between nodes */
};

/* What one rank exchanges: the larger one of its two directions. */
struct sp_messages {
    double n;         /* messages */
    double n_large;   /* of them those of rendezvous_B and more */
    double bytes;     /* of the rank [B] */
    double of_node_B; /* of all ranks of its node [B], which share the way out */
};

/* Seconds, 0 without messages; the path's latency and rank_Bps are known. */
static inline double sp_messages_time(const struct sp_network_path *path, const struct sp_messages *m)
{
    if (!(m->n > 0))
        return 0;
    return SP_FORMULA(T_messages, .m_n = m->n, .m_large = m->n_large, .m_B = m->bytes,
                      .m_node_B = m->of_node_B, .latency = path->latency_s.value,
                      .rendezvous = path->rendezvous_B > 0 ? path->rendezvous_s.value : 0,
                      .b_rank = path->rank_Bps.value,
                      .b_node = sp_value_known(path->node_Bps) ? path->node_Bps.value : INFINITY);
}

/* The path of messages inside a node. */
static inline const struct sp_network_path *sp_network_within(const struct sp_network *network)
{
    return sp_value_known(network->within.latency_s) ? &network->within : &network->between;
}

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
