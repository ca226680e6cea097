/* The test set of sampled products: 72 cases of dense operands on random matrices [THEORY 6]. */
#ifndef SP_BENCH_TESTSET_H
#define SP_BENCH_TESTSET_H

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>

/* Twelve shapes, n_c in {1024, 2048, 4096, 8192} and n_r in {1, 3, 4} n_c (as inferred from the pairs that
 * the paper names), r in {32, 128}, sparsity in {0.7, 0.8, 0.9}. */
enum { TESTSET_N = 72 };

struct test_case {
    int64_t n_r, n_c;
    int32_t r;
    double sparsity; /* share of places that are empty */
};

/* Case i of [0, TESTSET_N), by n_c, n_r, r and sparsity. */
static inline struct test_case testset_case(int i)
{
    static const int64_t columns[] = {1024, 2048, 4096, 8192}, rows_per_column[] = {1, 3, 4};
    static const int32_t widths[] = {32, 128};
    static const double sparsities[] = {0.7, 0.8, 0.9};
    assert(i >= 0 && i < TESTSET_N);
    const int64_t n_c = columns[i / 18];
    return (struct test_case){
        .n_r = n_c * rows_per_column[i / 6 % 3],
        .n_c = n_c,
        .r = widths[i / 3 % 2],
        .sparsity = sparsities[i % 3],
    };
}

/* What sp_generate() makes the matrix from: rows of round((1 - sparsity) n_c) entries each at random columns,
 * seeded by the case's number. Returns text. */
static inline char *testset_spec(int i, char *text, size_t size)
{
    const struct test_case c = testset_case(i);
    long long in_row = llround((1 - c.sparsity) * (double)c.n_c);
    snprintf(text, size, "random:%lldx%lld:%lld:%d", (long long)c.n_r, (long long)c.n_c, in_row, i + 1);
    return text;
}

#endif
