/* A distributed SpMV, run by all ranks of an MPI job together: each has rows of the matrix as a
 * local and a remote block (sparse/ranks/halo.h), sends what others need of its x, and adds what it
 * receives. Every rank calls these functions with the same options; what fails on one is the error
 * of all. */
#ifndef SP_SESSION_MPI_RUN_H
#define SP_SESSION_MPI_RUN_H

#include <stdbool.h>

#include "base/progress.h"
#include "base/status.h"
#include "io/matrix/load_options.h"
#include "io/record/record.h"
#include "kernels/mpi_module.h"
#include "model/ranks/distributed.h"
#include "sparse/ranks/halo.h"
#include "sys/machine/topology.h"

/* What a distributed run is asked for, and what it tells. */

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
    SP_MPI_CORE,     /* as many entries from inner caches (session/analyze/pcore.h) */
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
    double median_s[SP_MPI_N_MODES];         /* of one execution; SP_MPI_CORE: 0 without local entries */
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

/* One rank's part of a matrix, and whom it exchanges x with. */

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

/* One status for all ranks. */

/* The status of the lowest rank that failed, with its error, on all of them. Also for what is done
 * beside a run. */
enum sp_status sp_mpi_agree(const struct sp_mpi *mpi, const struct sp_mpi_world *world, enum sp_status status,
                            struct sp_error *err);

/* Latency and bandwidth between the ranks of an MPI job, measured as a distributed SpMV uses them:
 * both partners send and receive at the same time, by persistent requests. */

enum { SP_NETWORK_SIZES = 20 }; /* of messages: 8 B to 4 MiB */

struct sp_network_points {
    int n;
    double size_B[SP_NETWORK_SIZES], time_s[SP_NETWORK_SIZES]; /* of an exchange, the last pair of ranks */
};

/* Latency, what a rendezvous adds and from which size on, and bandwidth of a rank: the numbers of
 * sp_messages_time() that are nearest to the points, relatively. */
void sp_network_fit(const struct sp_network_points *points, struct sp_network_path *path);

/* Between the first rank and the one half of all further, then by all such pairs at once. The path
 * is `within` where they share a node, else `between`. On rank 0; collective. SP_USAGE: one
 * rank; SP_ABSENT: no bandwidth follows from the times. */
enum sp_status sp_network_measure(const struct sp_mpi *mpi, const struct sp_mpi_world *world,
                                  struct sp_network_points *points, struct sp_network *network,
                                  struct sp_error *err);

/* Which partition of a job's rows takes the least time, by the model with what this job
 * measured. */

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
