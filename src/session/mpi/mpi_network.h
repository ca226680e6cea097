/* Latency and bandwidth between the ranks of an MPI job, measured as a distributed SpMV uses them:
 * both partners send and receive at the same time, by persistent requests. */
#ifndef SP_SESSION_MPI_NETWORK_H
#define SP_SESSION_MPI_NETWORK_H

#include "kernels/mpi_module.h"
#include "model/ranks/network.h"

enum { SP_NETWORK_SIZES = 20 }; /* of messages: 8 B to 4 MiB */

struct sp_network_points {
    int n;
    double size_B[SP_NETWORK_SIZES], time_s[SP_NETWORK_SIZES]; /* of an exchange, the last pair of ranks */
};

/* Latency, what a rendezvous adds and from which size on, and bandwidth of a rank: the numbers of
 * sp_messages_time() that are nearest to the points, relatively. */
void sp_network_fit(const struct sp_network_points *points, struct sp_network_path *path);

/* Between the first rank and the one half of all further, then by all such pairs at once. The path
 * is `within` where they share a node, else `between`. On rank 0; collective. SP_USAGE: one
 * rank; SP_ABSENT: no bandwidth follows from the times. */
enum sp_status sp_network_measure(const struct sp_mpi *mpi, const struct sp_mpi_world *world,
                                  struct sp_network_points *points, struct sp_network *network,
                                  struct sp_error *err);

#endif
