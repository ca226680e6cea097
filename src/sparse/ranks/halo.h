/* What the ranks of a distributed SpMV need of each other's x: who sends how many elements to whom.
 *
 * Rank p multiplies its rows. The columns that it owns make the local (diagonal) block, all others
 * the remote block; each remote column that has an entry in its rows is received once from its
 * owner, whatever number of entries it has. The owner's message to p has all of them: one message
 * for a pair of ranks. */
#ifndef SP_SPARSE_HALO_H
#define SP_SPARSE_HALO_H

#include <stdbool.h>
#include <stdint.h>

#include "base/progress.h"
#include "base/status.h"
#include "sparse/csr/csr.h"
#include "sparse/ranks/ranks.h"

struct sp_halo_rank {
    int64_t n_r, n_x;             /* places of y and x that it owns */
    int64_t local_nz, remote_nz;  /* entries in columns that it owns, and in those of others */
    int64_t local_columns;        /* of its own, those that have an entry in its rows */
    int64_t remote_rows;          /* of its rows, those that have a remote entry */
    int64_t n_recv, n_sent;       /* elements of x */
    int32_t n_senders, n_readers; /* ranks that it receives from, and sends to */
};

/* Pairs are sorted by receiver, then by sender. */
struct sp_halo {
    int n_ranks;
    struct sp_halo_rank *rank; /* [n_ranks] */
    int64_t n_pairs;           /* messages of one SpMV */
    int64_t *recv_begin;       /* [n_ranks + 1] rank p receives the pairs recv_begin[p] ... */
    int32_t *sender;           /* [n_pairs] ascending for each receiver */
    int32_t *elements;         /* [n_pairs] of x, >= 1 */
    int64_t *send_begin;       /* [n_ranks + 1] rank p sends the pairs send_pair[send_begin[p]] ... */
    int64_t *send_pair;        /* [n_pairs] receivers ascending for each sender */
    int32_t *receiver;         /* [n_pairs] in the order of send_pair: of pair send_pair[k] */
    /* Where they were asked for, else NULL: places of x (struct sp_ranks), ascending, so that what
     * a rank receives lies in the order of its senders, and a message in the order of places. */
    int64_t *place_begin; /* [n_pairs + 1] pair k has place[place_begin[k]] ... */
    int32_t *place;       /* [place_begin[n_pairs]] */
};

/* One pass over the entries, in parallel over ranks; beside the result each thread takes 4 B a
 * column, and as many threads work as keep that within half of the matrix's own bytes. SP_MEMORY;
 * SP_INTERRUPTED. */
enum sp_status sp_halo_make(const struct sp_csr *a, const struct sp_ranks *d, bool with_places,
                            const struct sp_progress *progress, struct sp_halo *halo, struct sp_error *err);
/* Safe twice and on a zeroed one. */
void sp_halo_free(struct sp_halo *halo);

/* The rows of one rank as two matrices, as PETSc's MPIAIJ stores them. */
struct sp_rank_part {
    struct sp_csr local;  /* [n_r, n_x] column c is place col_begin[rank] + c of x */
    struct sp_csr remote; /* [n_r, n_recv] column c is place[c] of x */
    int32_t *place;       /* [n_recv] ascending: what is received, in the order of senders */
    int64_t n_recv;
};
/* Rows in the order of places, columns ascending, values as in `a`, whichever they are.
 * SP_MEMORY. */
enum sp_status sp_rank_part_make(const struct sp_csr *a, const struct sp_ranks *d, int rank,
                                 struct sp_rank_part *part, struct sp_error *err);
/* Safe twice and on a zeroed one. */
void sp_rank_part_free(struct sp_rank_part *part);

#endif
