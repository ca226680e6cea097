/* The record of libspmodel-pmpi.so (attach/mpi/record.h): who sent how much to whom in a job of
 * MPI, counted in the calls of the program. */
#ifndef SP_IO_MESSAGES_H
#define SP_IO_MESSAGES_H

#include <jansson.h>
#include <stdint.h>

#include "base/status.h"

enum sp_message_kind {
    SP_MESSAGE_PLAIN,
    SP_MESSAGE_PERSISTENT,
    SP_MESSAGE_NEIGHBOUR,
    SP_MESSAGE_ONE_SIDED,
    SP_N_MESSAGE_KINDS
};
/* "message", "persistent", "neighbour", "one-sided" */
const char *sp_message_kind_name(enum sp_message_kind kind);

/* All that one rank sent to another by one kind of calls. */
struct sp_message_pair {
    int32_t from, to;
    enum sp_message_kind kind;
    int64_t messages, bytes;
};

struct sp_message_phase {
    int64_t level;            /* of MPI_Pcontrol; 1 until it is called */
    char inside[64];          /* the function of a library whose product it was: "MatMult"; "": none */
    int64_t collective_calls; /* of other collectives, of the rank that made most */
    int64_t n_pairs;
    struct sp_message_pair *pair; /* [n_pairs] by from, to, kind, each once */
};

/* Zero-initialise; sp_message_counts_free(). */
struct sp_message_counts {
    char program[512], begun[32];
    int n_ranks;
    int n_incomplete; /* ranks that had no room for all of their counts */
    char (*host)[64]; /* [n_ranks] */
    int64_t n_phases;
    struct sp_message_phase *phase; /* by level, then as they were found */
};

/* SP_INPUT: not such a file, or numbers that cannot be. */
enum sp_status sp_message_counts_read(const char *path, struct sp_message_counts *messages,
                                      struct sp_error *err);
/* The same of a document that is there already; `path` for errors. */
enum sp_status sp_message_counts_take(const json_t *root, const char *path,
                                      struct sp_message_counts *messages, struct sp_error *err);
void sp_message_counts_free(struct sp_message_counts *messages);

/* As in the file, with each pair once: a new reference. */
json_t *sp_message_counts_json(const struct sp_message_counts *messages);

#endif
