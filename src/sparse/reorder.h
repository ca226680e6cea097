/* Reorderings: symmetric permutations of square matrices, one file reorder_NAME.c and one row in reorder.c
 * each. */
#ifndef SP_SPARSE_REORDER_H
#define SP_SPARSE_REORDER_H

#include "sparse/csr.h"

struct sp_reordering {
    const char *name;    /* "rcm" */
    const char *form;    /* "random[:SEED]" */
    const char *summary; /* one line */
    bool takes_seed;
    const char *square_because; /* why it needs a square matrix; NULL: it does not */
    /* perm[n_r], new to old (sparse/permute.h). Deterministic: the same for any number of threads. */
    enum sp_status (*make)(const struct sp_csr *a, uint64_t seed, int32_t *perm, struct sp_error *err);
};

extern const struct sp_reordering sp_reordering_table[]; /* ends with name NULL */

/* `method` as a user types it: "rcm", "random:7", "none". Fills perm[n_r], the caller's. SP_USAGE: no such
 * method, or the matrix is not square where it must be. */
enum sp_status sp_reorder_permutation(const char *method, const struct sp_csr *a, int32_t *perm,
                                      struct sp_error *err);

/* The matrix in the new order. perm[n_r] receives the permutation unless it is NULL. */
enum sp_status sp_reorder(const char *method, const struct sp_csr *a, const struct sp_allocator *allocator,
                          int32_t *perm, struct sp_csr *b, struct sp_error *err);

#endif
