/* SpMV as plain as it can be, for cachegrind to watch: cachegrind_spmv FILE BYTES empties the caches by
 * reading so many bytes, then executes y = A x twice, cold and warm, on the CRS matrix that test_cachegrind
 * wrote to FILE (n_r, n_c, n_nz as int64_t, then ptr and col as int32_t). Arrays start on pages of their own,
 * in the order of the simulation. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) void spmv(int64_t n_r, const int32_t *ptr, const int32_t *col, const double *val,
                                    const double *x, double *y)
{
    for (int64_t i = 0; i < n_r; i++) {
        double sum = 0;
        for (int32_t k = ptr[i]; k < ptr[i + 1]; k++)
            sum += val[k] * x[col[k]];
        y[i] = sum;
    }
}

int main(int argc, char **argv)
{
    FILE *file = argc == 3 ? fopen(argv[1], "rb") : NULL;
    int64_t n[3];
    if (!file || fread(n, sizeof *n, 3, file) != 3)
        return 2;
    const size_t bytes[5] = {8 * (size_t)n[2], 4 * (size_t)n[2], 4 * (size_t)(n[0] + 1), 8 * (size_t)n[1],
                             8 * (size_t)n[0]};
    size_t at[6] = {0};
    for (int i = 0; i < 5; i++)
        at[i + 1] = (at[i] + bytes[i] + 4095) / 4096 * 4096;
    char *block = aligned_alloc(1 << 22, (at[5] + (1 << 22) - 1) >> 22 << 22);
    if (!block)
        return 2;
    double *val = (double *)(block + at[0]), *x = (double *)(block + at[3]), *y = (double *)(block + at[4]);
    int32_t *col = (int32_t *)(block + at[1]), *ptr = (int32_t *)(block + at[2]);
    if (fread(ptr, 4, (size_t)(n[0] + 1), file) != (size_t)(n[0] + 1) ||
        fread(col, 4, (size_t)n[2], file) != (size_t)n[2])
        return 2;
    for (int64_t k = 0; k < n[2]; k++)
        val[k] = 1;
    for (int64_t i = 0; i < n[1]; i++)
        x[i] = 1;
    size_t n_sweep = (size_t)atoll(argv[2]);
    const volatile char *sweep = calloc(n_sweep, 1);
    for (size_t i = 0; sweep && i < n_sweep; i += 64)
        (void)sweep[i];
    spmv(n[0], ptr, col, val, x, y);
    spmv(n[0], ptr, col, val, x, y);
    fclose(file);
    return y[0] < 0;
}
