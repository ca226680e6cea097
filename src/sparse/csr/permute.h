/* Permutations of matrices and vectors.
 *
 * A permutation is perm[n]: item i of the result is item perm[i] of the original ("new to old"). */
#ifndef SP_SPARSE_PERMUTE_H
#define SP_SPARSE_PERMUTE_H

#include <stddef.h>
#include <stdint.h>

#include "sparse/csr/csr.h"

/* A new order of rows and columns. NULL: as they are; the same array twice: symmetric. */
struct sp_permutations {
    int32_t *row_perm; /* [n_r] */
    int32_t *col_perm; /* [n_c] */
    int64_t n_r, n_c;  /* for sp_permutations_free() */
};
/* Frees arrays of sp_large_alloc() with the plain allocator; safe twice. */
void sp_permutations_free(struct sp_permutations *order);

/* SP_INPUT where perm is no permutation of 0 .. n - 1: which item is out of range or missing. */
enum sp_status sp_permutation_check(const int32_t *perm, int64_t n, struct sp_error *err);

/* inverse[perm[i]] = i. */
void sp_permutation_invert(const int32_t *perm, int64_t n, int32_t *inverse);

/* Every permutation equally likely; the same for any number of threads. */
enum sp_status sp_permutation_random(int64_t n, uint64_t seed, int32_t *perm, struct sp_error *err);

/* b(i, j) = a(row_perm[i], col_perm[j]), canonical, in parallel. NULL leaves that side as it is;
 * the same array twice is a symmetric permutation and keeps the symmetry mark. The permutations
 * must have passed sp_permutation_check(). allocator NULL: plain. */
enum sp_status sp_csr_permute(const struct sp_csr *a, const int32_t *row_perm, const int32_t *col_perm,
                              const struct sp_allocator *allocator, struct sp_csr *b, struct sp_error *err);

#endif
