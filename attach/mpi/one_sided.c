/* One-sided: what is put or accumulated goes from here to there, what is got the other way. */
#include "attach/mpi/pmpi.h"

static void put(int count, MPI_Datatype type, int to, MPI_Win window)
{
    if (to >= 0 && sp_pmpi_is_on())
        sp_pmpi_sent(SP_PMPI_ONE_SIDED, sp_pmpi_rank_at(window, to), 1, sp_pmpi_bytes(count, type));
}

static void got(int count, MPI_Datatype type, int from, MPI_Win window)
{
    if (from >= 0 && sp_pmpi_is_on())
        sp_pmpi_fetched(sp_pmpi_rank_at(window, from), sp_pmpi_bytes(count, type));
}

SP_EXPORT int MPI_Put(const void *data, int count, MPI_Datatype type, int to, MPI_Aint at, int count_there,
                      MPI_Datatype type_there, MPI_Win window)
{
    put(count, type, to, window);
    return SP_REAL(Put)(data, count, type, to, at, count_there, type_there, window);
}

SP_EXPORT int MPI_Rput(const void *data, int count, MPI_Datatype type, int to, MPI_Aint at, int count_there,
                       MPI_Datatype type_there, MPI_Win window, MPI_Request *request)
{
    put(count, type, to, window);
    return SP_REAL(Rput)(data, count, type, to, at, count_there, type_there, window, request);
}

SP_EXPORT int MPI_Get(void *into, int count, MPI_Datatype type, int from, MPI_Aint at, int count_there,
                      MPI_Datatype type_there, MPI_Win window)
{
    got(count, type, from, window);
    return SP_REAL(Get)(into, count, type, from, at, count_there, type_there, window);
}

SP_EXPORT int MPI_Rget(void *into, int count, MPI_Datatype type, int from, MPI_Aint at, int count_there,
                       MPI_Datatype type_there, MPI_Win window, MPI_Request *request)
{
    got(count, type, from, window);
    return SP_REAL(Rget)(into, count, type, from, at, count_there, type_there, window, request);
}

SP_EXPORT int MPI_Accumulate(const void *data, int count, MPI_Datatype type, int to, MPI_Aint at,
                             int count_there, MPI_Datatype type_there, MPI_Op op, MPI_Win window)
{
    put(count, type, to, window);
    return SP_REAL(Accumulate)(data, count, type, to, at, count_there, type_there, op, window);
}

SP_EXPORT int MPI_Raccumulate(const void *data, int count, MPI_Datatype type, int to, MPI_Aint at,
                              int count_there, MPI_Datatype type_there, MPI_Op op, MPI_Win window,
                              MPI_Request *request)
{
    put(count, type, to, window);
    return SP_REAL(Raccumulate)(data, count, type, to, at, count_there, type_there, op, window, request);
}

SP_EXPORT int MPI_Get_accumulate(const void *data, int count, MPI_Datatype type, void *into, int count_in,
                                 MPI_Datatype type_in, int with, MPI_Aint at, int count_there,
                                 MPI_Datatype type_there, MPI_Op op, MPI_Win window)
{
    if (count > 0) /* MPI_NO_OP sends nothing */
        put(count, type, with, window);
    got(count_in, type_in, with, window);
    return SP_REAL(Get_accumulate)(data, count, type, into, count_in, type_in, with, at, count_there,
                                   type_there, op, window);
}

SP_EXPORT int MPI_Rget_accumulate(const void *data, int count, MPI_Datatype type, void *into, int count_in,
                                  MPI_Datatype type_in, int with, MPI_Aint at, int count_there,
                                  MPI_Datatype type_there, MPI_Op op, MPI_Win window, MPI_Request *request)
{
    if (count > 0)
        put(count, type, with, window);
    got(count_in, type_in, with, window);
    return SP_REAL(Rget_accumulate)(data, count, type, into, count_in, type_in, with, at, count_there,
                                    type_there, op, window, request);
}

SP_EXPORT int MPI_Fetch_and_op(const void *data, void *into, MPI_Datatype type, int with, MPI_Aint at,
                               MPI_Op op, MPI_Win window)
{
    put(1, type, with, window);
    got(1, type, with, window);
    return SP_REAL(Fetch_and_op)(data, into, type, with, at, op, window);
}

SP_EXPORT int MPI_Compare_and_swap(const void *data, const void *compare, void *into, MPI_Datatype type,
                                   int with, MPI_Aint at, MPI_Win window)
{
    put(2, type, with, window); /* the new value and the one to compare with */
    got(1, type, with, window);
    return SP_REAL(Compare_and_swap)(data, compare, into, type, with, at, window);
}
