#include "sparse/generate/testset.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

struct sp_test_case sp_testset_case(int i)
{
    static const int64_t columns[] = {1024, 2048, 4096, 8192}, rows_per_column[] = {1, 3, 4};
    static const int32_t widths[] = {32, 128};
    static const double sparsities[] = {0.7, 0.8, 0.9};
    assert(i >= 0 && i < SP_TESTSET_N);
    const int64_t n_c = columns[i / 18];
    return (struct sp_test_case){
        .n_r = n_c * rows_per_column[i / 6 % 3],
        .n_c = n_c,
        .r = widths[i / 3 % 2],
        .sparsity = sparsities[i % 3],
    };
}

char *sp_testset_spec(int i, char *text, size_t size)
{
    const struct sp_test_case c = sp_testset_case(i);
    long long in_row = llround((1 - c.sparsity) * (double)c.n_c);
    snprintf(text, size, "random:%lldx%lld:%lld:%d", (long long)c.n_r, (long long)c.n_c, in_row, i + 1);
    return text;
}
