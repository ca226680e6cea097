/* SDDMM as one writes it first: a parallel loop over rows, f32, 32-bit indices. What the kernels
 * are compared with; compiled for this machine with all that the compiler does by itself. */
#ifndef SP_BENCH_PLAIN_SAMPLED_H
#define SP_BENCH_PLAIN_SAMPLED_H

#include <stdint.h>

struct plain_operands {
    int64_t n_r, r;
    const int32_t *row_ptr; /* [n_r + 1] */
    const int32_t *col;     /* [n_nz] */
    const float *val;       /* [n_nz]; NULL: the pattern alone */
    const float *rows;      /* [n_r x r] */
    const float *x;         /* [n_c x r] */
    float *p;               /* [n_nz] */
    int n_threads;
};

/* p = S o (rows x^T): the sum of a product as a scalar loop, and as one that may be summed in any
 * order. */
void plain_sddmm(const struct plain_operands *o);
void plain_sddmm_simd(const struct plain_operands *o);

#endif
