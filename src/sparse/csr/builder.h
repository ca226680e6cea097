/* Entries in any order -> the canonical matrix of csr.h, by a parallel counting sort in two passes
 * over the entries: every thread counts its share, then puts the same share, in the same order,
 * where it belongs. The result does not depend on the number of threads: duplicates are added in
 * the order in which they came.
 *
 *     sp_csr_builder_open       n_threads shares
 *     sp_csr_builder_count      by thread t: all of share t            (parallel)
 *     sp_csr_builder_seal       takes the memory of the matrix, whose pages place touches first
 *     sp_csr_builder_place      by thread t: all of share t once more  (parallel)
 *     sp_csr_builder_finish     sorts rows, adds duplicates
 *     sp_csr_builder_free       always
 *
 * Entries of a matrix that is not general are mirrored here: give one triangle. Memory beside the
 * matrix: 4 n_threads n_r bytes. */
#ifndef SP_SPARSE_CSR_BUILDER_H
#define SP_SPARSE_CSR_BUILDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "sparse/csr/csr.h"

struct sp_csr_builder {
    int64_t n_r, n_c;
    enum sp_field field;
    enum sp_symmetry symmetry;
    int n_threads;
    const struct sp_allocator *allocator;
    uint32_t *count;      /* [n_threads n_r] entries of row i from thread t; after seal: where they begin */
    struct sp_csr matrix; /* from seal on */
};

/* Bytes of the work arrays, for the check before memory is taken. */
double sp_csr_builder_bytes(int64_t n_r, int n_threads);

/* allocator (of the matrix and the work arrays) may be NULL: plain. */
enum sp_status sp_csr_builder_open(struct sp_csr_builder *b, int64_t n_r, int64_t n_c, enum sp_field field,
                                   enum sp_symmetry symmetry, int n_threads,
                                   const struct sp_allocator *allocator, struct sp_error *err);

/* n entries of thread's share; col is used where the matrix is not general (else NULL will do). */
void sp_csr_builder_count(struct sp_csr_builder *b, int thread, int64_t n, const int32_t *row,
                          const int32_t *col);

/* Entries counted so far, expanded; between the passes. */
int64_t sp_csr_builder_total(const struct sp_csr_builder *b);

/* SP_MEMORY, or SP_INPUT where one row has 2^32 entries or more. */
enum sp_status sp_csr_builder_seal(struct sp_csr_builder *b, struct sp_error *err);

/* The same entries in the same order with their values (val: [n], complex [2 n], pattern NULL).
 * False, and nothing beyond the arrays written, where a row gets more than was counted: the source
 * has changed. */
bool sp_csr_builder_place(struct sp_csr_builder *b, int thread, int64_t n, const int32_t *row,
                          const int32_t *col, const double *val);

/* Moves the finished matrix to *a: columns ascending, duplicates added, zeros counted. */
enum sp_status sp_csr_builder_finish(struct sp_csr_builder *b, struct sp_csr *a, struct sp_error *err);

void sp_csr_builder_free(struct sp_csr_builder *b);

/* The last step alone, for a matrix whose rows are complete but in any order and perhaps with
 * duplicates: makes it canonical with up to n_threads threads. On failure *a is freed. */
enum sp_status sp_csr_make_canonical(struct sp_csr *a, int n_threads, struct sp_error *err);

#endif
