/* This process as a rank of an MPI job. */
#ifndef SP_CLI_MPI_JOB_H
#define SP_CLI_MPI_JOB_H

#include <stdbool.h>

#include "base/status.h"
#include "kernels/mpi_module.h"

struct sp_mpi_job {
    const struct sp_mpi *mpi;
    struct sp_mpi_world world;
};

/* The rank that the launcher gave this process, before MPI begins; 0 where there was none. */
int sp_mpi_job_rank(void);

/* Becomes `mpirun -n N spmodel analyze` with these arguments behind argv[0]; more ranks than cores
 * share them. Returns only where that fails: SP_ABSENT, no mpirun. */
enum sp_status sp_mpi_job_launch(int n_ranks, char **argv, struct sp_error *err);
bool sp_mpi_job_is_launched(void); /* by a launcher: this process is a rank */
int sp_mpi_job_n_launched(void);   /* ranks that it has started; 0: it does not say, or there is none */

/* Before MPI begins nobody knows what other ranks have to say. One after the other, so that one of
 * them speaks and the launcher ends the rest: the first at once. */
void sp_mpi_job_turn(void);

/* Opens MPI, with counts of messages in front where there are any, and begins. From here on a rank
 * that waits for the others longer than that many seconds says so and ends, and the launcher ends
 * the job. SP_ABSENT with the remedy: this build has no MPI, or the launcher is of another one. */
enum sp_status sp_mpi_job_begin(double patience_s, struct sp_mpi_job *job, struct sp_error *err);
/* What is waited for from now on, static; NULL: nothing. */
void sp_mpi_job_wait(void *unused, const char *what);
void sp_mpi_job_end(struct sp_mpi_job *job);

/* Reports an error that all ranks have, once; the exit code. */
int sp_mpi_job_report(const struct sp_error *err);
/* Likewise one that this rank has, and others may, before MPI begins. */
int sp_mpi_job_report_in_turn(const struct sp_error *err);

#endif
