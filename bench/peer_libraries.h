/* What is used of cuSPARSE and cuBLAS, found by name while the program runs. */
#ifndef SP_BENCH_PEER_LIBRARIES_H
#define SP_BENCH_PEER_LIBRARIES_H

#include <cublas_v2.h>
#include <cusparse.h>

#include "base/status.h"

struct peer_libraries {
    __typeof__(cusparseCreate) *create;
    __typeof__(cusparseDestroy) *destroy;
    __typeof__(cusparseGetErrorString) *error_string;
    __typeof__(cusparseCreateCsr) *create_csr;
    __typeof__(cusparseCreateSlicedEll) *create_sell;
    __typeof__(cusparseCreateBsr) *create_bsr;
    __typeof__(cusparseDestroySpMat) *destroy_matrix;
    __typeof__(cusparseCreateDnVec) *create_vector;
    __typeof__(cusparseDestroyDnVec) *destroy_vector;
    __typeof__(cusparseCreateDnMat) *create_dense;
    __typeof__(cusparseDestroyDnMat) *destroy_dense;
    __typeof__(cusparseSpMV_bufferSize) *spmv_size;
    __typeof__(cusparseSpMV_preprocess) *spmv_preprocess;
    __typeof__(cusparseSpMV) *spmv;
    __typeof__(cusparseSpMM_bufferSize) *spmm_size;
    __typeof__(cusparseSpMM_preprocess) *spmm_preprocess;
    __typeof__(cusparseSpMM) *spmm;
    __typeof__(cusparseSDDMM_bufferSize) *sddmm_size;
    __typeof__(cusparseSDDMM_preprocess) *sddmm_preprocess;
    __typeof__(cusparseSDDMM) *sddmm;
    __typeof__(cublasCreate_v2) *blas_create;
    __typeof__(cublasDestroy_v2) *blas_destroy;
    __typeof__(cublasGetStatusString) *blas_error_string;
    __typeof__(cublasGemmEx) *gemm;
    char without_blas
        [sizeof((struct sp_error *)0)
             ->what]; /* the loader's words where blas_create is NULL: nothing of cuBLAS is there */
};

/* All of cuSPARSE, and cuBLAS where it is there, or SP_ABSENT with the loader's words. */
enum sp_status peer_libraries_find(struct peer_libraries *libraries, struct sp_error *err);

#endif
