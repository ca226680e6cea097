#include "layer_reference.h"

#include <math.h>

/* The sum of row i for one input, and the sum of the sizes of its terms. */
static double sum_of(const struct sp_csr *w, int64_t i, const double *x, const float *x_f32, int64_t ld,
                     int64_t input, double bias, double *size)
{
    double sum = bias;
    *size = fabs(bias);
    for (int64_t j = w->row_ptr[i]; j < w->row_ptr[i + 1]; j++) {
        const int64_t at = w->col[j] * ld + input;
        const double term = w->val[j] * (x ? x[at] : (double)x_f32[at]);
        sum += term;
        *size += fabs(term);
    }
    return sum;
}

static double ended(double sum, double most)
{
    return fmin(fmax(sum, 0), most);
}

void reference_layer(const struct sp_csr *w, const double *x, double *y, int64_t ld, int64_t n, double bias,
                     double most)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < w->n_r; i++)
        for (int64_t k = 0; k < n; k++) {
            double size;
            y[i * ld + k] = ended(sum_of(w, i, x, NULL, ld, k, bias, &size), most);
        }
}

int64_t reference_differences(const struct sp_csr *w, const float *x, const float *y, int64_t ld, int64_t n,
                              double bias, double most)
{
    int64_t wrong = 0;
#pragma omp parallel for schedule(static) reduction(+ : wrong)
    for (int64_t i = 0; i < w->n_r; i++)
        for (int64_t k = 0; k < n; k++) {
            double size;
            const double expected = ended(sum_of(w, i, NULL, x, ld, k, bias, &size), most);
            const double n_terms = (double)(w->row_ptr[i + 1] - w->row_ptr[i]) + 4;
            wrong += !(fabs((double)y[i * ld + k] - expected) <= n_terms * 0x1p-24 * size);
        }
    return wrong;
}
