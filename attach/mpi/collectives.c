/* Collectives: among the neighbours of a topology messages are counted, of others the calls. */
#include <stdlib.h>

#include "attach/mpi/pmpi.h"

/* Other collectives: their calls alone, since a library chooses who sends what to whom. */

SP_EXPORT int MPI_Barrier(MPI_Comm comm)
{
    sp_pmpi_collective();
    return SP_REAL(Barrier)(comm);
}

SP_EXPORT int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request)
{
    sp_pmpi_collective();
    return SP_REAL(Ibarrier)(comm, request);
}

SP_EXPORT int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    sp_pmpi_collective();
    return SP_REAL(Bcast)(data, count, type, root, comm);
}

SP_EXPORT int MPI_Reduce(const void *data, void *into, int count, MPI_Datatype type, MPI_Op op, int root,
                         MPI_Comm comm)
{
    sp_pmpi_collective();
    return SP_REAL(Reduce)(data, into, count, type, op, root, comm);
}

SP_EXPORT int MPI_Allreduce(const void *data, void *into, int count, MPI_Datatype type, MPI_Op op,
                            MPI_Comm comm)
{
    sp_pmpi_collective();
    return SP_REAL(Allreduce)(data, into, count, type, op, comm);
}

SP_EXPORT int MPI_Iallreduce(const void *data, void *into, int count, MPI_Datatype type, MPI_Op op,
                             MPI_Comm comm, MPI_Request *request)
{
    sp_pmpi_collective();
    return SP_REAL(Iallreduce)(data, into, count, type, op, comm, request);
}

SP_EXPORT int MPI_Gather(const void *data, int count, MPI_Datatype type, void *into, int count_in,
                         MPI_Datatype type_in, int root, MPI_Comm comm)
{
    sp_pmpi_collective();
    return SP_REAL(Gather)(data, count, type, into, count_in, type_in, root, comm);
}

SP_EXPORT int MPI_Gatherv(const void *data, int count, MPI_Datatype type, void *into, const int count_in[],
                          const int at[], MPI_Datatype type_in, int root, MPI_Comm comm)
{
    sp_pmpi_collective();
    return SP_REAL(Gatherv)(data, count, type, into, count_in, at, type_in, root, comm);
}

SP_EXPORT int MPI_Allgather(const void *data, int count, MPI_Datatype type, void *into, int count_in,
                            MPI_Datatype type_in, MPI_Comm comm)
{
    sp_pmpi_collective();
    return SP_REAL(Allgather)(data, count, type, into, count_in, type_in, comm);
}

SP_EXPORT int MPI_Iallgather(const void *data, int count, MPI_Datatype type, void *into, int count_in,
                             MPI_Datatype type_in, MPI_Comm comm, MPI_Request *request)
{
    sp_pmpi_collective();
    return SP_REAL(Iallgather)(data, count, type, into, count_in, type_in, comm, request);
}

SP_EXPORT int MPI_Allgatherv(const void *data, int count, MPI_Datatype type, void *into, const int count_in[],
                             const int at[], MPI_Datatype type_in, MPI_Comm comm)
{
    sp_pmpi_collective();
    return SP_REAL(Allgatherv)(data, count, type, into, count_in, at, type_in, comm);
}

SP_EXPORT int MPI_Alltoall(const void *data, int count, MPI_Datatype type, void *into, int count_in,
                           MPI_Datatype type_in, MPI_Comm comm)
{
    sp_pmpi_collective();
    return SP_REAL(Alltoall)(data, count, type, into, count_in, type_in, comm);
}

SP_EXPORT int MPI_Ialltoall(const void *data, int count, MPI_Datatype type, void *into, int count_in,
                            MPI_Datatype type_in, MPI_Comm comm, MPI_Request *request)
{
    sp_pmpi_collective();
    return SP_REAL(Ialltoall)(data, count, type, into, count_in, type_in, comm, request);
}

SP_EXPORT int MPI_Alltoallv(const void *data, const int count[], const int from[], MPI_Datatype type,
                            void *into, const int count_in[], const int at[], MPI_Datatype type_in,
                            MPI_Comm comm)
{
    sp_pmpi_collective();
    return SP_REAL(Alltoallv)(data, count, from, type, into, count_in, at, type_in, comm);
}

SP_EXPORT int MPI_Scatter(const void *data, int count, MPI_Datatype type, void *into, int count_in,
                          MPI_Datatype type_in, int root, MPI_Comm comm)
{
    sp_pmpi_collective();
    return SP_REAL(Scatter)(data, count, type, into, count_in, type_in, root, comm);
}

SP_EXPORT int MPI_Scatterv(const void *data, const int count[], const int from[], MPI_Datatype type,
                           void *into, int count_in, MPI_Datatype type_in, int root, MPI_Comm comm)
{
    sp_pmpi_collective();
    return SP_REAL(Scatterv)(data, count, from, type, into, count_in, type_in, root, comm);
}

SP_EXPORT int MPI_Reduce_scatter(const void *data, void *into, const int count[], MPI_Datatype type,
                                 MPI_Op op, MPI_Comm comm)
{
    sp_pmpi_collective();
    return SP_REAL(Reduce_scatter)(data, into, count, type, op, comm);
}

SP_EXPORT int MPI_Scan(const void *data, void *into, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    sp_pmpi_collective();
    return SP_REAL(Scan)(data, into, count, type, op, comm);
}

/* Collectives among the neighbours of a topology: each call sends a message to each neighbour. */

struct neighbours {
    int n, *rank; /* [n] in the communicator; MPI_PROC_NULL among them */
};

/* On a grid each dimension has two, in the order of the calls' blocks: before and behind. */
static void of_grid(MPI_Comm comm, struct neighbours *out)
{
    int n = 0;
    SP_REAL(Cartdim_get)(comm, &n);
    out->rank = calloc((size_t)n * 2 + 1, sizeof *out->rank);
    for (int i = 0; i < n && out->rank; i++)
        SP_REAL(Cart_shift)(comm, i, 1, &out->rank[2 * i], &out->rank[2 * i + 1]);
    out->n = out->rank ? 2 * n : 0;
}

static void of_graph(MPI_Comm comm, struct neighbours *out)
{
    int own = 0, n = 0;
    SP_REAL(Comm_rank)(comm, &own);
    SP_REAL(Graph_neighbors_count)(comm, own, &n);
    out->rank = calloc((size_t)n + 1, sizeof *out->rank);
    if (out->rank)
        SP_REAL(Graph_neighbors)(comm, own, n, out->rank);
    out->n = out->rank ? n : 0;
}

static void of_distributed_graph(MPI_Comm comm, struct neighbours *out)
{
    int in = 0, n = 0, weighted = 0;
    SP_REAL(Dist_graph_neighbors_count)(comm, &in, &n, &weighted);
    int *place = calloc(4 * ((size_t)in + (size_t)n + 1), sizeof *place);
    out->rank = calloc((size_t)n + 1, sizeof *out->rank);
    if (place && out->rank)
        SP_REAL(Dist_graph_neighbors)(comm, in, place, place + in, n, out->rank, place + 2 * in + n);
    out->n = place && out->rank ? n : 0;
    free(place);
}

static struct neighbours neighbours_of(MPI_Comm comm)
{
    struct neighbours out = {0};
    int kind = MPI_UNDEFINED;
    SP_REAL(Topo_test)(comm, &kind);
    if (kind == MPI_CART)
        of_grid(comm, &out);
    else if (kind == MPI_GRAPH)
        of_graph(comm, &out);
    else if (kind == MPI_DIST_GRAPH)
        of_distributed_graph(comm, &out);
    if (!out.rank)
        sp_pmpi_lost();
    return out;
}

/* Neighbour i gets count[i] elements, or count[0] where `each` is 0, of type[i] or type[0]. */
static void sent(MPI_Comm comm, const int *count, int step, const MPI_Datatype *type, int type_step)
{
    if (!sp_pmpi_is_on())
        return;
    struct neighbours to = neighbours_of(comm);
    for (int i = 0; i < to.n; i++)
        sp_pmpi_sent(SP_PMPI_NEIGHBOUR, sp_pmpi_rank_of(comm, to.rank[i]), 1,
                     sp_pmpi_bytes(count[i * step], type[i * type_step]));
    free(to.rank);
}

SP_EXPORT int MPI_Neighbor_allgather(const void *data, int count, MPI_Datatype type, void *into, int count_in,
                                     MPI_Datatype type_in, MPI_Comm comm)
{
    sent(comm, &count, 0, &type, 0);
    return SP_REAL(Neighbor_allgather)(data, count, type, into, count_in, type_in, comm);
}

SP_EXPORT int MPI_Ineighbor_allgather(const void *data, int count, MPI_Datatype type, void *into,
                                      int count_in, MPI_Datatype type_in, MPI_Comm comm, MPI_Request *request)
{
    sent(comm, &count, 0, &type, 0);
    return SP_REAL(Ineighbor_allgather)(data, count, type, into, count_in, type_in, comm, request);
}

SP_EXPORT int MPI_Neighbor_allgatherv(const void *data, int count, MPI_Datatype type, void *into,
                                      const int count_in[], const int at[], MPI_Datatype type_in,
                                      MPI_Comm comm)
{
    sent(comm, &count, 0, &type, 0);
    return SP_REAL(Neighbor_allgatherv)(data, count, type, into, count_in, at, type_in, comm);
}

SP_EXPORT int MPI_Ineighbor_allgatherv(const void *data, int count, MPI_Datatype type, void *into,
                                       const int count_in[], const int at[], MPI_Datatype type_in,
                                       MPI_Comm comm, MPI_Request *request)
{
    sent(comm, &count, 0, &type, 0);
    return SP_REAL(Ineighbor_allgatherv)(data, count, type, into, count_in, at, type_in, comm, request);
}

SP_EXPORT int MPI_Neighbor_alltoall(const void *data, int count, MPI_Datatype type, void *into, int count_in,
                                    MPI_Datatype type_in, MPI_Comm comm)
{
    sent(comm, &count, 0, &type, 0);
    return SP_REAL(Neighbor_alltoall)(data, count, type, into, count_in, type_in, comm);
}

SP_EXPORT int MPI_Ineighbor_alltoall(const void *data, int count, MPI_Datatype type, void *into, int count_in,
                                     MPI_Datatype type_in, MPI_Comm comm, MPI_Request *request)
{
    sent(comm, &count, 0, &type, 0);
    return SP_REAL(Ineighbor_alltoall)(data, count, type, into, count_in, type_in, comm, request);
}

SP_EXPORT int MPI_Neighbor_alltoallv(const void *data, const int count[], const int from[], MPI_Datatype type,
                                     void *into, const int count_in[], const int at[], MPI_Datatype type_in,
                                     MPI_Comm comm)
{
    sent(comm, count, 1, &type, 0);
    return SP_REAL(Neighbor_alltoallv)(data, count, from, type, into, count_in, at, type_in, comm);
}

SP_EXPORT int MPI_Ineighbor_alltoallv(const void *data, const int count[], const int from[],
                                      MPI_Datatype type, void *into, const int count_in[], const int at[],
                                      MPI_Datatype type_in, MPI_Comm comm, MPI_Request *request)
{
    sent(comm, count, 1, &type, 0);
    return SP_REAL(Ineighbor_alltoallv)(data, count, from, type, into, count_in, at, type_in, comm, request);
}

SP_EXPORT int MPI_Neighbor_alltoallw(const void *data, const int count[], const MPI_Aint from[],
                                     const MPI_Datatype type[], void *into, const int count_in[],
                                     const MPI_Aint at[], const MPI_Datatype type_in[], MPI_Comm comm)
{
    sent(comm, count, 1, type, 1);
    return SP_REAL(Neighbor_alltoallw)(data, count, from, type, into, count_in, at, type_in, comm);
}

SP_EXPORT int MPI_Ineighbor_alltoallw(const void *data, const int count[], const MPI_Aint from[],
                                      const MPI_Datatype type[], void *into, const int count_in[],
                                      const MPI_Aint at[], const MPI_Datatype type_in[], MPI_Comm comm,
                                      MPI_Request *request)
{
    sent(comm, count, 1, type, 1);
    return SP_REAL(Ineighbor_alltoallw)(data, count, from, type, into, count_in, at, type_in, comm, request);
}
