#include <cblas.h>

#include "peer_dense.h"

static void run(int m, int n, int k, const float *a, const float *b, float *c, int n_threads)
{
    openblas_set_num_threads(n_threads);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, n, k, 1, a, k, b, k, 0, c, n);
}

const struct peer_dense peer_dense = {.name = "OpenBLAS", .run = run};
