/* What is in a matrix: identity, symmetry, zeros, what f32 makes of its values, entries' rows. */
#ifndef SP_SPARSE_CSR_CONTENT_H
#define SP_SPARSE_CSR_CONTENT_H

#include <stdint.h>

#include "base/status.h"
#include "sparse/csr/csr.h"

/* 64 hexadecimal digits that depend on sizes, positions and values of the canonical matrix alone:
 * not on the order, the symmetry or the kind of the file. Definition ("spmodel.csr/1"): SHA-256 of
 * the line
 *     spmodel.csr/1 N_R N_C N_NZ real|complex\n
 * followed by the XXH64 of each 1 MiB block of row_ptr (int64), then of col (int32), then of val
 * (double), little endian, each array cut on its own, the seed of a block being its number in its
 * array. Runs at memory speed on n_threads threads, and a damaged block changes it. */
enum sp_status sp_csr_digest(const struct sp_csr *a, int n_threads, char hex[65], struct sp_error *err);

/* *holds = true when the entries of the canonical matrix have the symmetry that a->symmetry names
 * (general: never), position by position and bit by bit; a permutation of rows alone, for example,
 * breaks it. One pass. */
enum sp_status sp_csr_symmetry_holds(const struct sp_csr *a, bool *holds, struct sp_error *err);

/* The field by which every value survives: a pattern whose duplicates were added is no pattern any
 * more, an integer beyond 64 bits is none for a reader. */
enum sp_field sp_csr_plainest_field(const struct sp_csr *a);

/* Removes every entry whose value is 0 (complex: both parts), whatever its sign; *n_dropped says
 * how many. What the file said about symmetry stays true: the mirror image of a zero is one. A
 * matrix without such entries is left as it is. SP_MEMORY, the matrix is then unchanged: it takes a
 * second one while it works. */
enum sp_status sp_csr_drop_zeros(struct sp_csr *a, int64_t *n_dropped, struct sp_error *err);

/* What storing the values of a matrix in f32 changes (precision mixed). */

struct sp_rounding {
    int64_t n_changed; /* values that are not f32 numbers; of complex ones, parts */
    double largest;  /* max |fl(a) - a| / |a|: at most 2^-24 where nothing under- or overflows; INFINITY: one
                        does overflow */
    double normwise; /* ||fl(A) - A||_F / ||A||_F */
};

/* Values that are not finite count as unchanged. One parallel pass. */
void sp_rounding_of(const struct sp_csr *a, struct sp_rounding *rounding);

/* The row of entry k. */
int64_t sp_csr_row_of(const struct sp_csr *a, int64_t k);

#endif
