/* The part of cuBLAS that benchmarks use, on this CPU: C = A B by columns, alpha 1 and beta 0. */
#include <cublas_v2.h>

#include "sparse/csr/real.h"

static int handle;

cublasStatus_t cublasCreate_v2(cublasHandle_t *out)
{
    *out = (cublasHandle_t)&handle;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy_v2(cublasHandle_t h)
{
    return h == (cublasHandle_t)&handle ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}
const char *cublasGetStatusString(cublasStatus_t status)
{
    return status == CUBLAS_STATUS_SUCCESS ? "success" : "an invalid value";
}

static enum sp_precision precision_of(cudaDataType type)
{
    return type == CUDA_R_32F ? SP_F32 : type == CUDA_R_16F ? SP_F16 : type == CUDA_R_16BF ? SP_BF16 : SP_F64;
}

cublasStatus_t cublasGemmEx(cublasHandle_t h, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n,
                            int k, const void *alpha, const void *a, cudaDataType type_a, int ld_a,
                            const void *b, cudaDataType type_b, int ld_b, const void *beta, void *c,
                            cudaDataType type_c, int ld_c, cublasComputeType_t compute,
                            cublasGemmAlgo_t algorithm)
{
    (void)alpha, (void)beta, (void)compute, (void)algorithm;
    if (op_a != CUBLAS_OP_N || op_b != CUBLAS_OP_N || ld_a < m || ld_b < k || ld_c < m)
        return CUBLAS_STATUS_INVALID_VALUE;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            double sum = 0;
            for (int64_t l = 0; l < k; l++)
                sum += sp_real_load(precision_of(type_a), a, l * ld_a + i) *
                       sp_real_load(precision_of(type_b), b, j * ld_b + l);
            sp_real_store(precision_of(type_c), c, j * ld_c + i, sum);
        }
    return cublasDestroy_v2(h);
}
