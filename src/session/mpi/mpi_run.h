/* A distributed SpMV, run by all ranks of an MPI job together: each has rows of the matrix as a
 * local and a remote block (sparse/ranks/halo.h), sends what others need of its x, and adds what it
 * receives. Every rank calls these functions with the same options; what fails on one is the error
 * of all. */
#ifndef SP_SESSION_MPI_RUN_H
#define SP_SESSION_MPI_RUN_H

#include "io/record/record.h"
#include "session/mpi/mpi_types.h"

/* Between begin and end of the module. SP_WRONG: a rank's part of y differs from the reference, or
 * what was sent is not what the halo says. On every rank the same status and error. */
enum sp_status sp_mpi_run(const struct sp_mpi *mpi, const struct sp_mpi_world *world,
                          const struct sp_mpi_options *options, struct sp_mpi_result *result,
                          struct sp_error *err);

/* The product whose time is the job's: with or without overlap, whichever took less. */
enum sp_mpi_mode sp_mpi_faster(const struct sp_mpi_result *result);
/* The job's record (docs/records.md), its part `ranks` beside what every record has; of rank 0. */
enum sp_status sp_mpi_record(const struct sp_mpi_result *result, const struct sp_mpi_options *options,
                             const char *command, struct sp_record *record, struct sp_error *err);

#endif
