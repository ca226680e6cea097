#include "plain_sampled.h"

void plain_sddmm(const struct plain_operands *o)
{
#pragma omp parallel for num_threads(o->n_threads) schedule(static)
    for (int64_t i = 0; i < o->n_r; i++)
        for (int32_t j = o->row_ptr[i]; j < o->row_ptr[i + 1]; j++) {
            const float *a = o->rows + i * o->r, *b = o->x + o->col[j] * o->r;
            float sum = 0;
            for (int64_t k = 0; k < o->r; k++)
                sum += a[k] * b[k];
            o->p[j] = o->val ? o->val[j] * sum : sum;
        }
}

void plain_sddmm_simd(const struct plain_operands *o)
{
#pragma omp parallel for num_threads(o->n_threads) schedule(static)
    for (int64_t i = 0; i < o->n_r; i++)
        for (int32_t j = o->row_ptr[i]; j < o->row_ptr[i + 1]; j++) {
            const float *a = o->rows + i * o->r, *b = o->x + o->col[j] * o->r;
            float sum = 0;
#pragma omp simd reduction(+ : sum)
            for (int64_t k = 0; k < o->r; k++)
                sum += a[k] * b[k];
            o->p[j] = o->val ? o->val[j] * sum : sum;
        }
}
