/* y = A x as one writes it first: rows shared out to threads, one sum a row. Nothing of spmodel is needed:
 *
 *     cc -O3 -march=native -fopenmp -shared -fPIC my_spmv.c -o libmine.so
 *     spmodel analyze --kernel ./libmine.so:my_spmv --signature csr32 matrix.mtx
 *
 * `spmodel help own-kernel` shows the other signatures, and what else a kernel may say of itself. */
#include <stdint.h>

void my_spmv(int32_t n_r, const int32_t *row_ptr, const int32_t *col, const double *values, const double *x,
             double *y)
{
#pragma omp parallel for schedule(static)
    for (int32_t i = 0; i < n_r; i++) {
        double sum = 0;
        for (int32_t k = row_ptr[i]; k < row_ptr[i + 1]; k++)
            sum += values[k] * x[col[k]];
        y[i] = sum;
    }
}
