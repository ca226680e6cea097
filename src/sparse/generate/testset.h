/* The test set of sampled products: 72 cases of dense operands on random matrices [THEORY 6]. */
#ifndef SP_SPARSE_TESTSET_H
#define SP_SPARSE_TESTSET_H

#include <stddef.h>
#include <stdint.h>

/* Twelve shapes, n_c in {1024, 2048, 4096, 8192} and n_r in {1, 3, 4} n_c (as inferred from the pairs that
 * the paper names), r in {32, 128}, sparsity in {0.7, 0.8, 0.9}. */
enum { SP_TESTSET_N = 72 };

struct sp_test_case {
    int64_t n_r, n_c;
    int32_t r;
    double sparsity; /* share of places that are empty */
};

/* Case i of [0, SP_TESTSET_N), by n_c, n_r, r and sparsity. */
struct sp_test_case sp_testset_case(int i);

/* What sp_generate() makes the matrix from: rows of round((1 - sparsity) n_c) entries each at random columns,
 * seeded by the case's number. Returns text. */
char *sp_testset_spec(int i, char *text, size_t size);

#endif
