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

/* A matrix seen in another order, row by row, from the matrix as it stands and the permutations:
 * beside these only new row pointers are kept. What previews of an order walk over
 * (sparse/reorder/reorder.h, sp_layout of it). */

struct sp_permuted {
    struct sp_pattern pattern; /* in its own order; borrowed */
    const int32_t *row_perm;   /* [n_r] borrowed; NULL: rows stay */
    int32_t *new_row,
        *new_col;     /* [n_r], [n_c] what each row and column is called now; NULL: that side stays */
    int64_t *row_ptr; /* [n_r + 1] of the new order */
    int64_t longest;  /* entries of the longest row */
};

/* Pattern and checked permutations (sp_permutation_check()) are borrowed. SP_MEMORY: zeroed. */
enum sp_status sp_permuted_make(const struct sp_pattern *pattern, const struct sp_permutations *order,
                                struct sp_permuted *permuted, struct sp_error *err);
void sp_permuted_free(struct sp_permuted *permuted);

/* The row of the matrix that row i of the new order is; the new names of a row and of a column. */
static inline int64_t sp_permuted_row(const struct sp_permuted *p, int64_t i)
{
    return p->row_perm ? p->row_perm[i] : i;
}
static inline int64_t sp_permuted_place(const struct sp_permuted *p, int64_t row)
{
    return p->new_row ? p->new_row[row] : row;
}
static inline int32_t sp_permuted_column(const struct sp_permuted *p, int32_t column)
{
    return p->new_col ? p->new_col[column] : column;
}

/* The columns of some rows in turn, renamed and sorted: what a walk has before it. */
struct sp_permuted_window {
    int32_t *col;       /* [room] */
    int32_t *scratch;   /* [room] */
    int64_t first, end; /* rows */
};

/* n windows, in the caller's array. SP_MEMORY; all are zeroed then. */
enum sp_status sp_permuted_windows_make(const struct sp_permuted *permuted, int n,
                                        struct sp_permuted_window *window, struct sp_error *err);
void sp_permuted_windows_free(const struct sp_permuted *permuted, int n, struct sp_permuted_window *window);

/* Puts rows from `row` on into the window, unless it has that row; up to `stop`, as many as there
 * is room for. Entry k of the new order, of a row in the window, has column window->col[k -
 * row_ptr[window->first]]. In parallel. */
void sp_permuted_window_to(const struct sp_permuted *permuted, struct sp_permuted_window *window, int64_t row,
                           int64_t stop);

#endif
