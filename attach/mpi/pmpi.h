/* Inside libspmodel-pmpi.so, which stands in front of an MPI library: a wrapper of each call that
 * sends counts messages and bytes by partner and phase, and passes the call on. At MPI_Finalize
 * rank 0 writes one record for the job (io/attach/capture.h reads it). Nothing here prints, ends
 * the program, or fails for it: what cannot be counted is passed on.
 *
 * The library is not linked with MPI: it asks for the functions of the one that the program has, so
 * that it may be preloaded into programs without MPI, too. */
#ifndef SP_ATTACH_PMPI_H
#define SP_ATTACH_PMPI_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* The record of a job: who sent how much to whom, as JSON that io/attach/capture.h reads. */

/* Kinds of calls that send, and what else a row may tell of. */
enum sp_pmpi_kind {
    SP_PMPI_MESSAGE,
    SP_PMPI_PERSISTENT,
    SP_PMPI_NEIGHBOUR,
    SP_PMPI_ONE_SIDED,
    SP_PMPI_N_KINDS,
    SP_PMPI_COLLECTIVE = SP_PMPI_N_KINDS, /* calls of a rank; no bytes */
    SP_PMPI_LOST                          /* a rank had no room for all of its counts */
};

enum { SP_PMPI_HOST_B = 64 };

struct sp_pmpi_row {
    int64_t level, inside; /* of MPI_Pcontrol; row of the library's product around it, 0: none */
    int64_t kind, from, to, messages, bytes;
};

struct sp_pmpi_job {
    int n_ranks;
    time_t begun_at;
    char (*host)[SP_PMPI_HOST_B]; /* [n_ranks] */
    struct sp_pmpi_row *row;
    int64_t n_rows;
    const char *(*inside_name)(int row); /* NULL where inside is 0 */
};

/* Variables of the environment: the file of the record, and the folder of `spmodel attach`. */
#define SP_PMPI_FILE_VARIABLE "SPMODEL_MESSAGES"

/* Into that file; in the folder as PID.spmsg; else spmodel-messages.PID.json here. Appears complete
 * or not at all. */
void sp_pmpi_record_write(const struct sp_pmpi_job *job);

#define SP_EXPORT __attribute__((visibility("default")))

/* MPI's functions that are called here, PMPI_NAME each. */
enum sp_pmpi_call {
#define CALL(NAME) SP_PMPI_##NAME,
#include "attach/mpi/calls.inc"
#undef CALL
    SP_PMPI_N_CALLS
};

/* Its address; a program that calls MPI has it. */
void *sp_pmpi_function(enum sp_pmpi_call call);
#define SP_REAL(NAME) ((__typeof__(&MPI_##NAME))sp_pmpi_function(SP_PMPI_##NAME))

/* Is anybody counting: between MPI_Init and MPI_Finalize, and not switched off by
 * MPI_Pcontrol(0)? */
bool sp_pmpi_is_on(void);

/* `messages` of `bytes` altogether from this process to a rank of MPI_COMM_WORLD; of a rank that is
 * not in it (MPI_UNDEFINED, a negative one): nothing. sp_pmpi_fetched: from there to here
 * (MPI_Get). */
void sp_pmpi_sent(enum sp_pmpi_kind kind, int to, int64_t messages, int64_t bytes);
void sp_pmpi_fetched(int from, int64_t bytes);
/* A call of another collective operation: who sends what to whom in it is the library's choice. */
void sp_pmpi_collective(void);

/* Something could not be counted for want of memory: the record says so. */
void sp_pmpi_lost(void);

/* Bytes of `count` elements. */
int64_t sp_pmpi_bytes(int64_t count, MPI_Datatype type);
/* The rank in MPI_COMM_WORLD of a rank of the communicator (of an intercommunicator: of the other
 * group) or of the window; MPI_UNDEFINED: it has none. */
int sp_pmpi_rank_of(MPI_Comm comm, int rank);
int sp_pmpi_rank_at(MPI_Win window, int rank);

/* The life of the counts. */
void sp_pmpi_begin(void);
void sp_pmpi_end(void);
void sp_pmpi_phase(int level);

#endif
