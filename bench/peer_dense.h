/* C = A B^T by a library for dense matrices, f32, row-major: A [m x k], B [n x k], C [m x n]. */
#ifndef SP_BENCH_PEER_DENSE_H
#define SP_BENCH_PEER_DENSE_H

struct peer_dense {
    const char *name;
    const char *absent; /* NULL, or why it is not there: then run is NULL */
    void (*run)(int m, int n, int k, const float *a, const float *b, float *c, int n_threads);
};

extern const struct peer_dense peer_dense;

#endif
