/* The counts of libspmodel-pmpi.so (attach/mpi) in this very process. */
#ifndef SP_KERNELS_MPI_COUNTS_H
#define SP_KERNELS_MPI_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

/* Puts it in front of the MPI of a module that is opened later, unless it is preloaded already; it
 * writes no record then. False: it is not there. */
bool sp_mpi_counts_open(void);
bool sp_mpi_counts_are_there(void);
/* What this rank has sent to rank `to` in that phase (struct sp_mpi). */
void sp_mpi_counts_sent(int phase, int to, int64_t *messages, int64_t *bytes);

#endif
