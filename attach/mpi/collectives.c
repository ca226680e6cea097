/* Other collectives: their calls alone, since a library chooses who sends what to whom. */
#include "attach/mpi/pmpi.h"

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
