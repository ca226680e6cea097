#include "session/mpi/mpi_agree.h"

enum sp_status sp_mpi_agree(const struct sp_mpi *mpi, const struct sp_mpi_world *world, enum sp_status status,
                            struct sp_error *err)
{
    const double first = -mpi->most(status == SP_OK ? -(double)world->n_ranks : -(double)world->rank);
    struct sp_error theirs = {0};
    if (first >= world->n_ranks)
        return SP_OK;
    if (world->rank == (int)first && err)
        theirs = *err;
    theirs.status = status;
    mpi->broadcast(&theirs, sizeof theirs, (int)first);
    if (err)
        *err = theirs;
    return theirs.status;
}
