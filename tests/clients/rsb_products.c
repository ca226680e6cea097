/* rsb_spmv and rsb_spmm of a 3-D Laplacian of N x N x N points, by librsb alone: rsb_products [N]. */
#include <rsb.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "median.h"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 60, rows = n * n * n, r = 4;
    int *row = malloc(7 * sizeof *row * (size_t)rows), *col = malloc(7 * sizeof *col * (size_t)rows), nnz = 0;
    double *value = malloc(7 * sizeof *value * (size_t)rows), *x = calloc((size_t)(rows * r), sizeof *x),
           *y = calloc((size_t)(rows * r), sizeof *y);
    const double one = 1, zero = 0;
    const int step[3] = {1, n, n * n};
    for (int i = 0; i < rows; i++) {
        const int at[3] = {i % n, i / n % n, i / n / n};
        row[nnz] = i, col[nnz] = i, value[nnz++] = 6;
        for (int d = 0; d < 3; d++)
            for (int side = -1; side <= 1; side += 2)
                if (at[d] + side >= 0 && at[d] + side < n)
                    row[nnz] = i, col[nnz] = i + side * step[d], value[nnz++] = -1;
    }
    rsb_err_t error = rsb_lib_init(RSB_NULL_INIT_OPTIONS);
    struct rsb_mtx_t *A = rsb_mtx_alloc_from_coo_const(value, row, col, nnz, RSB_NUMERICAL_TYPE_DOUBLE, rows,
                                                       rows, 1, 1, RSB_FLAG_NOFLAGS, &error);
    static double time[200];
    for (int k = 0; k < 200; k++) {
        const double t0 = now();
        error |= rsb_spmv(RSB_TRANSPOSITION_N, &one, A, x, 1, &zero, y, 1);
        time[k] = now() - t0;
    }
    printf("spmv seconds %.9f\n", median(time, 200));
    for (int k = 0; k < 50; k++) {
        const double t0 = now();
        error |= rsb_spmm(RSB_TRANSPOSITION_N, &one, A, r, RSB_FLAG_WANT_COLUMN_MAJOR_ORDER, x, rows, &zero,
                          y, rows);
        time[k] = now() - t0;
    }
    printf("spmm seconds %.9f\n", median(time, 50));
    rsb_mtx_free(A);
    rsb_lib_exit(RSB_NULL_EXIT_OPTIONS);
    return error != RSB_ERR_NO_ERROR;
}
