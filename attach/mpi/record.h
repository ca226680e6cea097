/* The record of a job: who sent how much to whom, as JSON that io/attach/capture.h reads. */
#ifndef SP_ATTACH_RECORD_H
#define SP_ATTACH_RECORD_H

#include <stdint.h>
#include <time.h>

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

#endif
