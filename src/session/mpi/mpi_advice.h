/* Which partition of a job's rows takes the least time, by the model with what this job
 * measured. */
#ifndef SP_SESSION_MPI_ADVICE_H
#define SP_SESSION_MPI_ADVICE_H

#include "io/record/record.h"
#include "model/ranks/network.h"
#include "session/mpi/mpi_types.h"

enum { SP_MPI_PARTITIONS = 8 };

/* What was predicted; of rank 0. */
struct sp_mpi_advice {
    double now_s; /* with the partition of the run */
    int n;        /* other partitions */
    struct sp_mpi_predicted {
        const char *partition; /* of sp_division_table */
        double time_s;
    } other[SP_MPI_PARTITIONS];
    int best;            /* of other[]; -1: none is faster */
    const char *why_not; /* static: nothing was predicted; NULL: it was */
};

/* The exchange between the ranks, measured once in a job. Zeroed before the first use. */
struct sp_mpi_exchange {
    bool is_measured;
    struct sp_network network;
};

/* Measures the exchange between ranks where it is not known yet, reads the matrix on rank 0 once
 * more, and predicts each partition with the roofs that the ranks had. Collective: the same status
 * on all ranks, and `best` of advice. */
enum sp_status sp_mpi_advise(const struct sp_mpi *mpi, const struct sp_mpi_world *world,
                             const struct sp_mpi_options *options, const struct sp_mpi_result *result,
                             struct sp_mpi_exchange *exchange, struct sp_mpi_advice *advice,
                             struct sp_error *err);

/* A hint that was tried: the run with the partition, and the run as it was once more beside it. */
struct sp_mpi_trial {
    struct sp_value gain; /* share of the time saved, measured; SP_NONE: not tried */
    double conditions;    /* time of the second run as it was over that of the first */
};
struct sp_mpi_trial sp_mpi_trial_of(const struct sp_mpi_result *first, const struct sp_mpi_result *with,
                                    const struct sp_mpi_result *again);

/* The record's hints and checks; trial NULL: not tried. */
void sp_mpi_record_advice(const struct sp_mpi_advice *advice, const struct sp_mpi_result *result,
                          const struct sp_mpi_options *options, const struct sp_mpi_trial *trial,
                          struct sp_record *record);

#endif
