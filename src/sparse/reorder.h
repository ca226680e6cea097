/* Reorderings of rows and columns: one file reorder_NAME.c and one row in reorder.c each. */
#ifndef SP_SPARSE_REORDER_H
#define SP_SPARSE_REORDER_H

#include "sparse/csr.h"

/* Columns take the order of the rows where the matrix is square, keep theirs, or get one of their own. */
enum sp_reorder_side { SP_REORDER_SYMMETRIC, SP_REORDER_ROWS, SP_REORDER_BOTH };

struct sp_reordering {
    const char *name;    /* "rcm" */
    const char *form;    /* "random[:SEED]" */
    const char *summary; /* one line */
    bool takes_number;
    int64_t number; /* a seed or a size, where the user gives none */
    enum sp_reorder_side side;
    const char *square_because; /* why it needs a square matrix; NULL: it does not */
    /* perm[n_r], new to old (sparse/permute.h). Deterministic: the same for any number of threads. */
    enum sp_status (*make)(const struct sp_csr *a, uint64_t number, int32_t *perm, struct sp_error *err);
    enum sp_status (*make_columns)(const struct sp_csr *a, uint64_t number, int32_t *perm,
                                   struct sp_error *err); /* perm[n_c]; BOTH only */
};

extern const struct sp_reordering sp_reordering_table[]; /* ends with name NULL */

/* `method` as a user types it: "rcm", "random:7", "none". Fills perm[n_r], the caller's. SP_USAGE: no such
 * method, or the matrix is not square where it must be. */
enum sp_status sp_reorder_permutation(const char *method, const struct sp_csr *a, int32_t *perm,
                                      struct sp_error *err);

/* The order of the columns that goes with it, into perm[n_c]; *kept: they stay as they are, perm is not set.
 */
enum sp_status sp_reorder_columns(const char *method, const struct sp_csr *a, const int32_t *row_perm,
                                  int32_t *perm, bool *kept, struct sp_error *err);

/* The matrix in the new order. perm[n_r] receives the permutation of the rows unless it is NULL. */
enum sp_status sp_reorder(const char *method, const struct sp_csr *a, const struct sp_allocator *allocator,
                          int32_t *perm, struct sp_csr *b, struct sp_error *err);

#endif
