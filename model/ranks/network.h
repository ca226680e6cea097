/* A network by latency and bandwidth: what a message costs between ranks of two nodes and of one.
 *
 * Max-rate model [Gropp, Olson, Samfass, "Modeling MPI communication performance on SMP nodes: Is
 * it time to retire the ping pong test", EuroMPI 2016]: a rank that sends m messages of together s
 * bytes while all ranks of its node send S bytes takes T_messages (model/formulas/ranks.txt),
 *
 *     T = m latency + m_large rendezvous + max(s/b_rank, S/b_node)
 *
 * A rank's own link limits while few ranks send, the node's while many do. */
#ifndef SP_MODEL_NETWORK_H
#define SP_MODEL_NETWORK_H

#include <math.h>

#include "base/reading.h"
#include "model/formulas/formulas.h"

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

#endif
