/* Rows of a matrix and elements of x and y divided over the ranks of a distributed SpMV.
 *
 * Each rank owns rows that follow each other in an order of the rows, with their elements of y, and
 * elements of x that follow each other in an order of the columns. Number i in such an order is a
 * *place*: place i is row row_perm[i] of the matrix, and column col_perm[i] (new to old,
 * sparse/csr/permute.h). Partitions that are contiguous in the matrix have no such arrays. Of a
 * square matrix x is divided as its rows are, so that x and y = A x lie alike. */
#ifndef SP_SPARSE_RANKS_H
#define SP_SPARSE_RANKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "sparse/csr/csr.h"
#include "sparse/csr/permute.h"
#include "sparse/reorder/metis.h"

enum { SP_MAX_RANKS = 1 << 20 };

struct sp_ranks {
    int n;              /* ranks, 1 ... SP_MAX_RANKS */
    int64_t n_r, n_c;   /* of the matrix */
    int64_t *row_begin; /* [n + 1] rank p has the places row_begin[p] ... row_begin[p + 1] - 1 of y */
    int64_t *col_begin; /* [n + 1] and of x; the same array as row_begin where the matrix is square */
    int32_t *row_perm;  /* [n_r] row at each place; NULL: place i is row i */
    int32_t *col_perm;  /* [n_c] column at each place, likewise; the same array as row_perm where the matrix
                           is square */
    int32_t *col_place; /* [n_c] place of each column, the inverse of col_perm; NULL: column j is place j */
};
/* Safe twice and on a zeroed one. */
void sp_ranks_free(struct sp_ranks *d);

/* A way of dividing rows. */
struct sp_division {
    const char *name;            /* as typed: "rows" */
    const char *summary;         /* one line */
    const char *(*absent)(void); /* why this build cannot; NULL: every build can */
    bool by_entries;             /* contiguous: shares of entries, not of rows */
    /* part[a->n_r + n_columns]: a rank of each row, and of each column of a rectangular matrix
     * (n_columns = a->n_c; of a square one 0). NULL: contiguous. */
    enum sp_status (*make)(const struct sp_csr *a, int n_ranks, int32_t *part, struct sp_error *err);
};
/* rows    the first n_r mod n ranks have one row more than the others (as PETSC_DECIDE)
 * nnz     contiguous, boundaries where the running number of entries is nearest to equal shares
 * metis   METIS k-way, few edges of the graph of A + A^T between ranks of equally many entries
 * scotch  the same by Scotch
 * Columns of a rectangular matrix: by rows and nnz as equal numbers; metis and scotch divide the
 * graph of rows and columns. Ends with name NULL. */
extern const struct sp_division sp_division_table[];
/* NULL: there is none of that name. */
const struct sp_division *sp_division_of(const char *name);
/* NULL, or why this build cannot make it. */
const char *sp_division_absent(const struct sp_division *division);

/* More ranks than rows leave ranks empty. SP_USAGE where n_ranks is not 1 ... SP_MAX_RANKS,
 * SP_ABSENT, SP_MEMORY. */
enum sp_status sp_ranks_make(const struct sp_division *division, const struct sp_csr *a, int n_ranks,
                             struct sp_ranks *d, struct sp_error *err);

/* From a rank of each row, part[n_r] in 0 ... n_ranks - 1; inside a rank rows keep their order.
 * Columns of a rectangular matrix: equal numbers. SP_INPUT where a number is out of range: "row 7
 * has part 4 of 4". */
enum sp_status sp_ranks_of_parts(const struct sp_csr *a, const int32_t *part, int n_ranks, struct sp_ranks *d,
                                 struct sp_error *err);

/* Of a square matrix in another order (order[n_r], new to old): rows that follow each other there,
 * of equally many entries. */
enum sp_status sp_ranks_of_order(const struct sp_csr *a, const int32_t *order, int n_ranks,
                                 struct sp_ranks *d, struct sp_error *err);

/* The rank of each row, part[d->n_r]: the inverse of sp_ranks_of_parts(). */
void sp_ranks_parts(const struct sp_ranks *d, int32_t *part);

/* Graph partitioners that divide rows over ranks. */

/* NULL, or why this build has no Scotch. scotch.c, or scotch_absent.c. */
const char *sp_scotch_absent(void);

/* part[graph->n_r] in 0 ... n_parts - 1 of the vertices of an undirected graph without loops, whose
 * weight is weight[v] >= 0: parts of about equal weight with few edges between them. One thread,
 * always the same result. SP_USAGE where Scotch's integers are too small, SP_MEMORY. */
enum sp_status sp_scotch_divide(const struct sp_pattern *graph, const int32_t *weight, int n_parts,
                                int32_t *part, struct sp_error *err);

#endif
