#include "peer_libraries.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* The versions whose headers this was built with. */
#define TEXT_OF(number) #number
#define TEXT(number)    TEXT_OF(number)
static const char sparse_file[] = "libcusparse.so." TEXT(CUSPARSE_VER_MAJOR);
static const char blas_file[] = "libcublas.so." TEXT(CUBLAS_VER_MAJOR);

struct symbol {
    const char *name;
    size_t at; /* of the pointer in struct peer_libraries */
};

static const struct symbol sparse_symbols[] = {
    {"cusparseCreate", offsetof(struct peer_libraries, create)},
    {"cusparseDestroy", offsetof(struct peer_libraries, destroy)},
    {"cusparseGetErrorString", offsetof(struct peer_libraries, error_string)},
    {"cusparseCreateCsr", offsetof(struct peer_libraries, create_csr)},
    {"cusparseCreateSlicedEll", offsetof(struct peer_libraries, create_sell)},
    {"cusparseCreateBsr", offsetof(struct peer_libraries, create_bsr)},
    {"cusparseDestroySpMat", offsetof(struct peer_libraries, destroy_matrix)},
    {"cusparseCreateDnVec", offsetof(struct peer_libraries, create_vector)},
    {"cusparseDestroyDnVec", offsetof(struct peer_libraries, destroy_vector)},
    {"cusparseCreateDnMat", offsetof(struct peer_libraries, create_dense)},
    {"cusparseDestroyDnMat", offsetof(struct peer_libraries, destroy_dense)},
    {"cusparseSpMV_bufferSize", offsetof(struct peer_libraries, spmv_size)},
    {"cusparseSpMV_preprocess", offsetof(struct peer_libraries, spmv_preprocess)},
    {"cusparseSpMV", offsetof(struct peer_libraries, spmv)},
    {"cusparseSpMM_bufferSize", offsetof(struct peer_libraries, spmm_size)},
    {"cusparseSpMM_preprocess", offsetof(struct peer_libraries, spmm_preprocess)},
    {"cusparseSpMM", offsetof(struct peer_libraries, spmm)},
    {"cusparseSDDMM_bufferSize", offsetof(struct peer_libraries, sddmm_size)},
    {"cusparseSDDMM_preprocess", offsetof(struct peer_libraries, sddmm_preprocess)},
    {"cusparseSDDMM", offsetof(struct peer_libraries, sddmm)},
};

static const struct symbol blas_symbols[] = {
    {"cublasCreate_v2", offsetof(struct peer_libraries, blas_create)},
    {"cublasDestroy_v2", offsetof(struct peer_libraries, blas_destroy)},
    {"cublasGetStatusString", offsetof(struct peer_libraries, blas_error_string)},
    {"cublasGemmEx", offsetof(struct peer_libraries, gemm)},
};

/* Where the loader looks, then in the toolkit that was built with. They stay open: libraries of drivers do
 * not survive being closed. */
static void *open_library(const char *file)
{
    char path[1024];
    void *handle = dlopen(file, RTLD_NOW | RTLD_NODELETE);
    if (handle)
        return handle;
    snprintf(path, sizeof path, "%s/%s", PEER_LIBRARY_DIR, file);
    return dlopen(path, RTLD_NOW | RTLD_NODELETE);
}

static enum sp_status find_all(const char *file, const struct symbol *symbols, size_t n,
                               struct peer_libraries *libraries, struct sp_error *err)
{
    void *handle = open_library(file);
    if (!handle)
        return sp_fail(err, SP_ABSENT, "install the CUDA toolkit's libraries, or leave this peer out", "%s",
                       dlerror());
    for (size_t i = 0; i < n; i++) {
        void *address = dlsym(handle, symbols[i].name);
        if (!address)
            return sp_fail(err, SP_ABSENT, "build and run with the same CUDA version", "%s", dlerror());
        memcpy((char *)libraries + symbols[i].at, &address, sizeof address);
    }
    return SP_OK;
}

enum sp_status peer_libraries_find(struct peer_libraries *libraries, struct sp_error *err)
{
    memset(libraries, 0, sizeof *libraries);
    enum sp_status status =
        find_all(sparse_file, sparse_symbols, sizeof sparse_symbols / sizeof *sparse_symbols, libraries, err);
    if (status != SP_OK) {
        memset(libraries, 0, sizeof *libraries);
        return status;
    }
    struct sp_error why;
    if (find_all(blas_file, blas_symbols, sizeof blas_symbols / sizeof *blas_symbols, libraries, &why) !=
        SP_OK) {
        libraries->blas_create = NULL;
        snprintf(libraries->without_blas, sizeof libraries->without_blas, "%s", why.what);
    }
    return SP_OK;
}
