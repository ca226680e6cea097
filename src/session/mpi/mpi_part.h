/* One rank's part of a matrix, and whom it exchanges x with. */
#ifndef SP_SESSION_MPI_PART_H
#define SP_SESSION_MPI_PART_H

#include "session/mpi/mpi_types.h"
#include "sparse/ranks/halo.h"

struct sp_mpi_part {
    struct sp_rank_part blocks;
    int64_t first_x;      /* place of its first element of x */
    int32_t n_from, n_to; /* partners */
    int32_t *from, *to;
    int64_t *n_received, *n_sent; /* elements for each */
    int64_t n_out;
    int32_t *out; /* [n_out] places of x that it sends, less first_x, one receiver behind the other */
    int64_t remote_rows, local_columns; /* rows with remote entries; columns of its own with entries */
};
/* Safe twice and on a zeroed one. */
void sp_mpi_part_free(struct sp_mpi_part *part);

/* Reads the matrix and divides it. Rank 0 keeps what it predicts of all pairs in result->pair.
 * Collective: the same status on all ranks. */
enum sp_status sp_mpi_part_get(const struct sp_mpi *mpi, const struct sp_mpi_world *world,
                               const struct sp_mpi_options *options, struct sp_mpi_part *part,
                               struct sp_mpi_result *result, struct sp_error *err);

#endif
