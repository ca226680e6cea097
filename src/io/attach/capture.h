/* What libspmodel-attach.so has written of a program (base/attach_log.h), put together: the
 * products of each process, of all its threads, with the matrices that they were made with. */
#ifndef SP_IO_CAPTURE_H
#define SP_IO_CAPTURE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/attach_log.h"
#include "base/status.h"

struct sp_captured_process {
    int64_t pid, parent;
    char host[64], program[512];
    int64_t begun_at_ns; /* since 1970 */
    double wall_s;       /* from its beginning to its end, or to its last product where it did not end well */
    bool ended;          /* it left in order; else it was killed, or became another program */
    int n_cpus;          /* that it could run on; 0: unknown */
    int64_t n_lost;      /* products that found no room */
    char lost[128];      /* why, or why matrices are not known */
    char idle[128];      /* libraries that made no product: "hypre, MKL" */
    char second[128];    /* those of which a second copy was not counted */
};

struct sp_captured_matrix {
    int process;
    int64_t n_r, n_c, n_nz, n_c_own;
    enum sp_attach_type type;
    int row_ptr_B, col_B, base;
    char library[16], kind[40];
    char file[40]; /* of its pattern, in the folder; "": there is none */
    char why[80];  /* why not */
};

struct sp_captured_product {
    int process, matrix;
    char symbol[64];
    enum sp_attach_op op;
    int64_t width;
    uint32_t bits;
    int n_threads; /* of the library in each call */
    int n_callers; /* threads of the process that called it */
    int64_t count; /* calls, all of them */
    int64_t n_timed;
    double total_s, min_s, max_s; /* of the timed ones; 0 where there are none */
    double first_s;               /* of the earliest caller's first */
    int64_t n_samples;
    double *time_s; /* [n_samples] ascending */
};

/* Zero-initialise; sp_capture_free(). */
struct sp_capture {
    char folder[1024];
    int64_t n_processes, n_matrices, n_products; /* products: those that take most of the time first */
    struct sp_captured_process *process;
    struct sp_captured_matrix *matrix;
    struct sp_captured_product *product;
    int64_t n_damaged; /* logs that could not be read */
    char damage[256];  /* what was wrong with the first of them */
};

/* All logs of the folder. SP_INPUT where there is no such folder, or none of its logs can be read;
 * SP_ABSENT where it has no log at all: no process loaded the library. */
enum sp_status sp_capture_read(const char *folder, struct sp_capture *capture, struct sp_error *err);
void sp_capture_free(struct sp_capture *capture);

/* Adds one log: bytes[n] of the file `path`. SP_INPUT with what is wrong, nothing added. */
enum sp_status sp_capture_add(const char *path, const char *bytes, int64_t n, struct sp_capture *capture,
                              struct sp_error *err);

/* Of the timed calls [s]; 0: none. q from 0 to 1. */
double sp_captured_quantile(const struct sp_captured_product *product, double q);
/* Of all calls: those that were not timed took what the others took on average. */
double sp_captured_total_s(const struct sp_captured_product *product);

/* "y = A x", "Y = A X" ... */
const char *sp_captured_op_text(const struct sp_captured_product *product);

/* The record of libspmodel-pmpi.so (attach/mpi/pmpi.h): who sent how much to whom in a job of
 * MPI, counted in the calls of the program. */

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
