/* What a distributed run is asked for, and what it tells (session/mpi/mpi_run.h). */
#ifndef SP_SESSION_MPI_TYPES_H
#define SP_SESSION_MPI_TYPES_H

#include <stdbool.h>

#include "base/progress.h"
#include "base/status.h"
#include "io/matrix/load_options.h"
#include "kernels/mpi_module.h"
#include "sys/machine/topology.h"

/* Whoever watches that no rank waits for ever. */
struct sp_mpi_watch {
    void (*wait)(void *context, const char *what); /* from here on; NULL: not any more */
    void *context;
};

struct sp_mpi_options {
    const char *matrix;    /* as typed */
    const char *partition; /* rows, nnz, metis, scotch, or a file */
    bool each_reads;       /* every rank reads the matrix; else the first does, and sends */
    struct sp_load_options load;
    int n_threads;   /* of each rank; 0: the cores of the node in equal shares */
    double budget_s; /* of measuring */
    int max_samples;
    uint64_t seed;
    const char *machine; /* that partitions are predicted for; NULL: by the roofs of the job */
    const struct sp_progress *progress;
    struct sp_mpi_watch watch;
};

/* What is timed, each by itself, all ranks at the same time. */
enum sp_mpi_mode {
    SP_MPI_ROOF,     /* the arrays of the local block, loaded and nothing else */
    SP_MPI_LOCAL,    /* y = A x of the local block */
    SP_MPI_REMOTE,   /* y += B halo */
    SP_MPI_EXCHANGE, /* gathering, sending, receiving */
    SP_MPI_APART,    /* the whole product: exchange, then both blocks */
    SP_MPI_OVERLAP,  /* the local block between sending and waiting */
    SP_MPI_N_MODES
};
const char *sp_mpi_mode_name(enum sp_mpi_mode mode); /* "roof", "local" ... */

enum { SP_MPI_SAMPLES = 64, SP_MPI_FEWEST = 5 /* undisturbed, that times hold */ };

/* What a rank tells of itself; sent as it is. */
struct sp_mpi_rank {
    int32_t rank, node_rank, n_node_ranks, n_threads, is_pinned, is_compressed;
    int32_t n_from, n_to;
    int64_t n_r, n_x, local_nz, remote_nz, local_columns, remote_rows, n_received, n_sent;
    int64_t counted_messages, counted_bytes; /* sent in one product; -1: not counted */
    double scanned_B;                        /* that the roof loads */
    double moved_B;                          /* by both blocks and packing, x once (modelled) */
    double worst_error;                      /* over its tolerance, at most 1 */
    double median_s[SP_MPI_N_MODES];         /* of one execution */
    char host[64], kernel[64];
};

/* Of the job: an execution lasts until the last rank is done. Sample k of each mode was taken in
 * the same turn. */
struct sp_mpi_times {
    int n;
    int64_t repetitions;
    double sample_s[SP_MPI_SAMPLES];
};

/* Pair k of ranks, by receiver and sender, as in struct sp_halo. */
struct sp_mpi_pair {
    int32_t from, to;
    int64_t predicted_B;
    int64_t counted_messages, counted_B; /* in one product; -1: not counted */
};

struct sp_mpi_result {
    struct sp_mpi_world world;
    struct sp_load_facts facts; /* of the matrix; on other ranks empty where the first reads */
    int64_t n_r, n_c, n_nz;
    char partition[256];
    struct sp_mpi_rank own;
    struct sp_mpi_times time[SP_MPI_N_MODES];
    int n_clean, n_disturbed;    /* turns of samples: while other work took a processor of a rank */
    struct sp_topology topology; /* of this rank's node, before threads were bound; owned */
    /* On rank 0 alone, else NULL and 0: */
    struct sp_mpi_rank *rank; /* [n_ranks] */
    int64_t n_pairs;          /* of the halo, and pairs that were counted without being predicted */
    struct sp_mpi_pair *pair;
    int64_t n_wrong_pairs; /* counted and not equal to what was predicted; -1: not counted */
};
/* Safe twice and on a zeroed one. */
void sp_mpi_result_free(struct sp_mpi_result *result);

#endif
