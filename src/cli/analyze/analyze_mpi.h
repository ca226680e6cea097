/* spmodel analyze --mpi, as one rank of a job. */
#ifndef SP_CLI_ANALYZE_MPI_H
#define SP_CLI_ANALYZE_MPI_H

#include "cli/analyze/run_options.h"

/* All matrices, by all ranks of the job; the exit code, the same on each. Rank 0 alone prints and
 * writes. */
int sp_analyze_mpi(struct sp_analyze_arguments *arguments, const char *command);

#endif
