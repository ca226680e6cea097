/* One status for all ranks. */
#ifndef SP_SESSION_MPI_AGREE_H
#define SP_SESSION_MPI_AGREE_H

#include "kernels/mpi_module.h"

/* The status of the lowest rank that failed, with its error, on all of them. Also for what is done
 * beside a run. */
enum sp_status sp_mpi_agree(const struct sp_mpi *mpi, const struct sp_mpi_world *world, enum sp_status status,
                            struct sp_error *err);

#endif
