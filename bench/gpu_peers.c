/* cuSPARSE and cuBLAS as peers: gpu_peers.h. */
#include "gpu_peers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "kernels/cuda/gpu_runtime.h"
#include "peer_libraries.h"
#include "sparse/csr/real.h"
#include "sparse/formats/format_ids.h"

static const struct gpu_peer peer_table[] = {
    {"cuSPARSE CSR ALG1", SP_OP_SPMV, SP_FORMAT_CRS, SP_ROW_MAJOR, CUSPARSE_SPMV_CSR_ALG1, true, false},
    {"cuSPARSE CSR ALG2", SP_OP_SPMV, SP_FORMAT_CRS, SP_ROW_MAJOR, CUSPARSE_SPMV_CSR_ALG2, true, false},
    {"cuSPARSE SELL ALG1", SP_OP_SPMV, SP_FORMAT_SELL, SP_ROW_MAJOR, CUSPARSE_SPMV_SELL_ALG1, false, false},
    {"cuSPARSE CSR ALG1, row-major", SP_OP_SPMM, SP_FORMAT_CRS, SP_ROW_MAJOR, CUSPARSE_SPMM_CSR_ALG1, true,
     false},
    {"cuSPARSE CSR ALG2, row-major", SP_OP_SPMM, SP_FORMAT_CRS, SP_ROW_MAJOR, CUSPARSE_SPMM_CSR_ALG2, true,
     false},
    {"cuSPARSE CSR ALG3, row-major", SP_OP_SPMM, SP_FORMAT_CRS, SP_ROW_MAJOR, CUSPARSE_SPMM_CSR_ALG3, true,
     false},
    {"cuSPARSE CSR ALG1, column-major", SP_OP_SPMM, SP_FORMAT_CRS, SP_COLUMN_MAJOR, CUSPARSE_SPMM_CSR_ALG1,
     true, false},
    {"cuSPARSE CSR ALG2, column-major", SP_OP_SPMM, SP_FORMAT_CRS, SP_COLUMN_MAJOR, CUSPARSE_SPMM_CSR_ALG2,
     true, false},
    {"cuSPARSE CSR ALG3, column-major", SP_OP_SPMM, SP_FORMAT_CRS, SP_COLUMN_MAJOR, CUSPARSE_SPMM_CSR_ALG3,
     true, false},
    {"cuSPARSE BSR, row-major", SP_OP_SPMM, SP_FORMAT_BCSR, SP_ROW_MAJOR, CUSPARSE_SPMM_BSR_ALG1, true,
     false},
    {"cuSPARSE BSR, column-major", SP_OP_SPMM, SP_FORMAT_BCSR, SP_COLUMN_MAJOR, CUSPARSE_SPMM_BSR_ALG1, true,
     false},
    {"cuBLAS GEMM", SP_OP_SPMM, SP_FORMAT_CRS, SP_ROW_MAJOR, CUBLAS_GEMM_DEFAULT, false, true},
    {"cuSPARSE SDDMM", SP_OP_SDDMM, SP_FORMAT_CRS, SP_ROW_MAJOR, CUSPARSE_SDDMM_ALG_DEFAULT, true, false},
};

enum { MOST_OWNED = 8 };
/* A dense matrix beyond this is not made. */
static const double MOST_DENSE_B = 16e9;

struct peer_state {
    const struct gpu_peer *peer;
    const struct sp_layout *layout;
    void *owned[MOST_OWNED];
    int n_owned;
    void *clock, *buffer, *host;
    void *x, *y, *rows, *val; /* on the device; SDDMM's result is val */
    int64_t n_x, n_y;         /* rows of X and Y, those of whole blocks for BSR */
    cusparseSpMatDescr_t matrix;
    cusparseDnVecDescr_t x_vector, y_vector;
    cusparseDnMatDescr_t x_dense, y_dense, rows_dense;
};

/* One session a process: handles of the libraries. */
static struct {
    struct peer_libraries call;
    cusparseHandle_t sparse;
    cublasHandle_t blas;
} session;

static enum sp_status check(cusparseStatus_t status, const char *doing, struct sp_error *err)
{
    return status == CUSPARSE_STATUS_SUCCESS ? SP_OK
                                             : sp_fail(err, SP_ABSENT, "leave this peer out", "%s: %s", doing,
                                                       session.call.error_string(status));
}

static enum sp_status check_blas(cublasStatus_t status, const char *doing, struct sp_error *err)
{
    return status == CUBLAS_STATUS_SUCCESS ? SP_OK
                                           : sp_fail(err, SP_ABSENT, "leave this peer out", "%s: %s", doing,
                                                     session.call.blas_error_string(status));
}

static enum sp_status find(struct sp_error *err)
{
    return session.call.create ? SP_OK : peer_libraries_find(&session.call, err);
}

static const char *without_blas(void)
{
    return session.call.blas_create ? NULL : session.call.without_blas;
}

static void close_session(void)
{
    if (session.sparse)
        session.call.destroy(session.sparse);
    if (session.blas)
        session.call.blas_destroy(session.blas);
    session.sparse = NULL;
    session.blas = NULL;
}

static enum sp_status open_session(struct sp_error *err)
{
    struct sp_gpu_device device;
    enum sp_status status = sp_gpu_describe(&device, err);
    if (status == SP_OK)
        status = find(err);
    if (status == SP_OK && !session.sparse)
        status = check(session.call.create(&session.sparse), "cusparseCreate", err);
    struct sp_error why;
    if (status == SP_OK && !session.blas && !without_blas() &&
        check_blas(session.call.blas_create(&session.blas), "cublasCreate", &why) != SP_OK) {
        session.blas = NULL;
        session.call.blas_create = NULL;
        snprintf(session.call.without_blas, sizeof session.call.without_blas, "%s", why.what);
    }
    if (status != SP_OK)
        close_session();
    return status;
}

static cudaDataType type_of(enum sp_precision precision)
{
    switch (precision) {
    case SP_F32:
        return CUDA_R_32F;
    case SP_F16:
        return CUDA_R_16F;
    case SP_BF16:
        return CUDA_R_16BF;
    default:
        return CUDA_R_64F;
    }
}

/* Of sums: f32 where 16 bits are stored. */
static cudaDataType sum_type_of(enum sp_precision precision)
{
    return precision == SP_F64 ? CUDA_R_64F : CUDA_R_32F;
}

static const void *scalar(enum sp_precision precision, bool one)
{
    static const double doubles[] = {0, 1};
    static const float floats[] = {0, 1};
    return precision == SP_F64 ? (const void *)&doubles[one] : (const void *)&floats[one];
}

static cusparseIndexType_t index_type(size_t size)
{
    return size == sizeof(int32_t) ? CUSPARSE_INDEX_32I : CUSPARSE_INDEX_64I;
}

static enum sp_status make(struct peer_state *s, size_t bytes, const char *what, void **p,
                           struct sp_error *err)
{
    enum sp_status status = sp_gpu_alloc(bytes, what, p, err);
    if (status == SP_OK)
        s->owned[s->n_owned++] = *p;
    return status;
}

static enum sp_status upload(struct peer_state *s, const void *from, int64_t n, size_t size, const char *what,
                             void **to, struct sp_error *err)
{
    enum sp_status status = make(s, (size_t)n * size, what, to, err);
    return status == SP_OK ? sp_gpu_copy_in(*to, from, (size_t)n * size, err) : status;
}

static int64_t place_of(const struct peer_state *s, int64_t i, int64_t k, int64_t n)
{
    return s->peer->order == SP_ROW_MAJOR ? i * s->layout->r + k : k * n + i;
}

/* An operand of n rows, filled up with zeros to n_made. */
static enum sp_status upload_dense(struct peer_state *s, const double *from, int64_t n, int64_t n_made,
                                   const char *what, void **to, struct sp_error *err)
{
    const struct sp_layout *l = s->layout;
    void *elements;
    enum sp_status status = sp_new_array(n_made * l->r, l->s_x, what, &elements, err);
    if (status != SP_OK)
        return status;
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < l->r; k++)
            sp_real_store(l->precision, elements, place_of(s, i, k, n_made), from[i * l->r + k]);
    status = upload(s, elements, n_made * l->r, l->s_x, what, to, err);
    free(elements);
    return status;
}

static enum sp_status make_csr(struct peer_state *s, struct sp_error *err)
{
    const struct sp_layout *l = s->layout;
    void *col = NULL, *ptr = NULL;
    enum sp_status status = upload(s, l->val, l->n_nz, l->s_a, "values", &s->val, err);
    if (status == SP_OK)
        status = upload(s, l->col, l->n_nz, l->s_i, "column indices", &col, err);
    if (status == SP_OK)
        status = upload(s, l->ptr, l->n_ptr, l->s_p, "pointers", &ptr, err);
    if (status == SP_OK)
        status = check(session.call.create_csr(&s->matrix, l->n_r, l->n_c, l->n_nz, ptr, col, s->val,
                                               index_type(l->s_p), index_type(l->s_i),
                                               CUSPARSE_INDEX_BASE_ZERO, type_of(l->precision)),
                       "cusparseCreateCsr", err);
    return status;
}

/* Fill has column -1 there. */
static void mark_fill(const struct sp_csr *a, const struct sp_layout *l, void *col)
{
    for (int64_t chunk = 0; chunk < l->n_chunks; chunk++)
        for (int64_t j = 0; j < (int64_t)l->len[chunk] * l->C; j++) {
            const int64_t at = sp_layout_ptr(l, chunk) + j, row = chunk * l->C + j % l->C;
            const bool real = row < l->n_r && j / l->C < a->row_ptr[row + 1] - a->row_ptr[row];
            const int64_t c = real ? sp_layout_col(l, at) : -1;
            if (l->index == SP_I32)
                ((int32_t *)col)[at] = (int32_t)c;
            else
                ((int64_t *)col)[at] = c;
        }
}

static enum sp_status make_sell(struct peer_state *s, const struct sp_workload *w, struct sp_error *err)
{
    const struct sp_layout *l = s->layout;
    void *marked, *col = NULL, *ptr = NULL;
    if (l->perm)
        return sp_fail(err, SP_ABSENT, "take sigma = 1", "cuSPARSE's sliced ELL does not sort rows");
    enum sp_status status = sp_new_array(l->n_stored, l->s_i, "column indices", &marked, err);
    if (status != SP_OK)
        return status;
    mark_fill(w->matrix, l, marked);
    status = upload(s, marked, l->n_stored, l->s_i, "column indices", &col, err);
    free(marked);
    if (status == SP_OK)
        status = upload(s, l->val, l->n_stored, l->s_a, "values", &s->val, err);
    if (status == SP_OK)
        status = upload(s, l->ptr, l->n_ptr, l->s_p, "pointers", &ptr, err);
    if (status == SP_OK)
        status = check(session.call.create_sell(&s->matrix, l->n_r, l->n_c, l->n_nz, l->n_stored, l->C, ptr,
                                                col, s->val, index_type(l->s_p), index_type(l->s_i),
                                                CUSPARSE_INDEX_BASE_ZERO, type_of(l->precision)),
                       "cusparseCreateSlicedEll", err);
    return status;
}

static enum sp_status make_bsr(struct peer_state *s, struct sp_error *err)
{
    const struct sp_layout *l = s->layout;
    void *col = NULL, *ptr = NULL;
    enum sp_status status = upload(s, l->val, l->n_stored, l->s_a, "values", &s->val, err);
    if (status == SP_OK)
        status = upload(s, l->col, l->n_indices, l->s_i, "column indices", &col, err);
    if (status == SP_OK)
        status = upload(s, l->ptr, l->n_ptr, l->s_p, "pointers", &ptr, err);
    if (status == SP_OK)
        status = check(session.call.create_bsr(&s->matrix, s->n_y / l->b_h, s->n_x / l->b_w, l->n_indices,
                                               l->b_h, l->b_w, ptr, col, s->val, index_type(l->s_p),
                                               index_type(l->s_i), CUSPARSE_INDEX_BASE_ZERO,
                                               type_of(l->precision), CUSPARSE_ORDER_COL),
                       "cusparseCreateBsr", err);
    return status;
}

/* S with its zeros, by rows; GEMM sees its transpose by columns. */
static enum sp_status make_full(struct peer_state *s, struct sp_error *err)
{
    const struct sp_layout *l = s->layout;
    void *full;
    if ((double)l->n_r * (double)l->n_c * (double)l->s_a > MOST_DENSE_B || l->n_r > INT32_MAX ||
        l->n_c > INT32_MAX)
        return sp_fail(err, SP_ABSENT, "take a smaller matrix", "%lld x %lld is too large for a dense matrix",
                       (long long)l->n_r, (long long)l->n_c);
    enum sp_status status = sp_new_array(l->n_r * l->n_c, l->s_a, "the dense matrix", &full, err);
    if (status != SP_OK)
        return status;
    for (int64_t i = 0; i < l->n_r; i++)
        for (int64_t j = sp_layout_ptr(l, i); j < sp_layout_ptr(l, i + 1); j++) {
            const int64_t to = i * l->n_c + sp_layout_col(l, j);
            sp_real_store(l->precision, full, to,
                          sp_real_load(l->precision, full, to) + sp_real_load(l->precision, l->val, j));
        }
    status = upload(s, full, l->n_r * l->n_c, l->s_a, "the dense matrix", &s->val, err);
    free(full);
    return status;
}

static enum sp_status describe_dense(const struct peer_state *s, int64_t n, void *values,
                                     cusparseDnMatDescr_t *dense, struct sp_error *err)
{
    const struct sp_layout *l = s->layout;
    const bool by_rows = s->peer->order == SP_ROW_MAJOR;
    return check(session.call.create_dense(dense, n, l->r, by_rows ? l->r : n, values, type_of(l->precision),
                                           by_rows ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL),
                 "cusparseCreateDnMat", err);
}

static enum sp_status make_operands(struct peer_state *s, const struct sp_operands *o, struct sp_error *err)
{
    const struct sp_layout *l = s->layout;
    const cudaDataType type = type_of(l->precision);
    enum sp_status status = upload_dense(s, o->x, l->n_c, s->n_x, "X", &s->x, err);
    if (status == SP_OK && l->op == SP_OP_SDDMM) {
        status = upload_dense(s, o->rows, l->n_r, l->n_r, "A", &s->rows, err);
        if (status == SP_OK)
            status = describe_dense(s, l->n_r, s->rows, &s->rows_dense, err);
        return status == SP_OK ? describe_dense(s, s->n_x, s->x, &s->x_dense, err) : status;
    }
    if (status == SP_OK)
        status = make(s, (size_t)(s->n_y * l->r) * l->s_y, "Y", &s->y, err);
    if (status != SP_OK || s->peer->is_gemm)
        return status;
    if (l->op != SP_OP_SPMV) {
        status = describe_dense(s, s->n_x, s->x, &s->x_dense, err);
        return status == SP_OK ? describe_dense(s, s->n_y, s->y, &s->y_dense, err) : status;
    }
    status = check(session.call.create_vector(&s->x_vector, s->n_x, s->x, type), "cusparseCreateDnVec", err);
    if (status == SP_OK)
        status =
            check(session.call.create_vector(&s->y_vector, s->n_y, s->y, type), "cusparseCreateDnVec", err);
    return status;
}

enum step { STEP_SIZE, STEP_PREPROCESS, STEP_RUN };

static cusparseStatus_t step_spmv(struct peer_state *s, enum step step, size_t *size)
{
    const enum sp_precision p = s->layout->precision;
    const cusparseSpMVAlg_t a = (cusparseSpMVAlg_t)s->peer->algorithm;
    const cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
    const void *one = scalar(p, true), *zero = scalar(p, false);
    const struct peer_libraries *c = &session.call;
    if (step == STEP_SIZE)
        return c->spmv_size(session.sparse, plain, one, s->matrix, s->x_vector, zero, s->y_vector,
                            sum_type_of(p), a, size);
    return (step == STEP_RUN ? c->spmv : c->spmv_preprocess)(
        session.sparse, plain, one, s->matrix, s->x_vector, zero, s->y_vector, sum_type_of(p), a, s->buffer);
}

static cusparseStatus_t step_spmm(struct peer_state *s, enum step step, size_t *size)
{
    const enum sp_precision p = s->layout->precision;
    const cusparseSpMMAlg_t a = (cusparseSpMMAlg_t)s->peer->algorithm;
    const cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
    const void *one = scalar(p, true), *zero = scalar(p, false);
    const struct peer_libraries *c = &session.call;
    if (step == STEP_SIZE)
        return c->spmm_size(session.sparse, plain, plain, one, s->matrix, s->x_dense, zero, s->y_dense,
                            sum_type_of(p), a, size);
    return (step == STEP_RUN ? c->spmm : c->spmm_preprocess)(session.sparse, plain, plain, one, s->matrix,
                                                             s->x_dense, zero, s->y_dense, sum_type_of(p), a,
                                                             s->buffer);
}

static cusparseStatus_t step_sddmm(struct peer_state *s, enum step step, size_t *size)
{
    const enum sp_precision p = s->layout->precision;
    const cusparseSDDMMAlg_t a = (cusparseSDDMMAlg_t)s->peer->algorithm;
    const cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE, turned = CUSPARSE_OPERATION_TRANSPOSE;
    const void *one = scalar(p, true), *zero = scalar(p, false);
    const struct peer_libraries *c = &session.call;
    if (step == STEP_SIZE)
        return c->sddmm_size(session.sparse, plain, turned, one, s->rows_dense, s->x_dense, zero, s->matrix,
                             sum_type_of(p), a, size);
    return (step == STEP_RUN ? c->sddmm : c->sddmm_preprocess)(session.sparse, plain, turned, one,
                                                               s->rows_dense, s->x_dense, zero, s->matrix,
                                                               sum_type_of(p), a, s->buffer);
}

/* Y^T = X^T S^T, all by columns. */
static enum sp_status multiply_full(struct peer_state *s, struct sp_error *err)
{
    const struct sp_layout *l = s->layout;
    const cudaDataType type = type_of(l->precision);
    return check_blas(session.call.gemm(session.blas, CUBLAS_OP_N, CUBLAS_OP_N, l->r, (int)l->n_r,
                                        (int)l->n_c, scalar(l->precision, true), s->x, type, l->r, s->val,
                                        type, (int)l->n_c, scalar(l->precision, false), s->y, type, l->r,
                                        l->precision == SP_F64 ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F,
                                        (cublasGemmAlgo_t)s->peer->algorithm),
                      "cublasGemmEx", err);
}

static enum sp_status do_step(struct peer_state *s, enum step step, size_t *size, struct sp_error *err)
{
    static const char *const names[SP_N_OPS] = {
        [SP_OP_SPMV] = "cusparseSpMV", [SP_OP_SPMM] = "cusparseSpMM", [SP_OP_SDDMM] = "cusparseSDDMM"};
    if (s->peer->is_gemm)
        return step == STEP_RUN ? multiply_full(s, err) : SP_OK;
    const enum sp_op op = s->peer->op;
    cusparseStatus_t (*const take)(struct peer_state *, enum step, size_t *) = op == SP_OP_SPMV ? step_spmv
                                                                               : op == SP_OP_SPMM
                                                                                   ? step_spmm
                                                                                   : step_sddmm;
    return check(take(s, step, size), names[op], err);
}

/* What the library needs once: its work space, and its look at the matrix. */
static enum sp_status preprocess(struct peer_state *s, double *seconds, struct sp_error *err)
{
    size_t size = 0;
    double device_s;
    const double start = sp_now();
    enum sp_status status = do_step(s, STEP_SIZE, &size, err);
    if (status == SP_OK)
        status = make(s, size, "work space of the library", &s->buffer, err);
    if (status == SP_OK)
        status = sp_gpu_clock_start(s->clock, err);
    if (status == SP_OK && s->peer->preprocesses)
        status = do_step(s, STEP_PREPROCESS, NULL, err);
    if (status == SP_OK)
        status = sp_gpu_clock_stop(s->clock, &device_s, err);
    *seconds = sp_now() - start;
    return status;
}

static enum sp_status make_matrix(struct peer_state *s, const struct sp_workload *w, struct sp_error *err)
{
    if (s->peer->is_gemm)
        return make_full(s, err);
    switch (s->layout->format) {
    case SP_FORMAT_SELL:
        return make_sell(s, w, err);
    case SP_FORMAT_BCSR:
        return make_bsr(s, err);
    default:
        return make_csr(s, err);
    }
}

static int64_t whole_blocks(int64_t n, int32_t b)
{
    return b > 0 ? (n + b - 1) / b * b : n;
}

static int64_t result_items(const struct peer_state *s)
{
    return s->layout->op == SP_OP_SDDMM ? s->layout->n_nz : s->n_y * s->layout->r;
}

static void release(void *state)
{
    struct peer_state *s = state;
    const struct peer_libraries *c = &session.call;
    if (!s)
        return;
    if (s->matrix)
        c->destroy_matrix(s->matrix);
    cusparseDnVecDescr_t vectors[] = {s->x_vector, s->y_vector};
    cusparseDnMatDescr_t dense[] = {s->x_dense, s->y_dense, s->rows_dense};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        if (vectors[i])
            c->destroy_vector(vectors[i]);
    for (size_t i = 0; i < sizeof dense / sizeof *dense; i++)
        if (dense[i])
            c->destroy_dense(dense[i]);
    for (int i = 0; i < s->n_owned; i++)
        sp_gpu_free(s->owned[i]);
    sp_gpu_clock_free(s->clock);
    free(s->host);
    free(s);
}

static enum sp_status prepare(const struct gpu_peer *peer, const struct sp_workload *w,
                              const struct sp_layout *l, const struct sp_operands *operands, void **state,
                              double *preprocess_s, struct sp_error *err)
{
    void *memory;
    *state = NULL;
    *preprocess_s = 0;
    if (peer->is_gemm && !session.blas)
        return sp_fail(err, SP_ABSENT, "install cuBLAS, or leave this peer out", "%s",
                       session.call.without_blas);
    enum sp_status status = sp_new_array(1, sizeof(struct peer_state), "a peer", &memory, err);
    if (status != SP_OK)
        return status;
    struct peer_state *s = memory;
    s->peer = peer;
    s->layout = l;
    s->n_x = whole_blocks(l->n_c, l->b_w);
    s->n_y = whole_blocks(l->n_r, l->b_h);
    status = sp_gpu_clock_make(&s->clock, err);
    if (status == SP_OK)
        status = make_matrix(s, w, err);
    if (status == SP_OK)
        status = make_operands(s, operands, err);
    if (status == SP_OK)
        status = sp_new_array(result_items(s), l->s_y, "the result", &s->host, err);
    if (status == SP_OK)
        status = preprocess(s, preprocess_s, err);
    if (status != SP_OK) {
        release(s);
        return status;
    }
    *state = s;
    return SP_OK;
}

static enum sp_status run(void *state, int64_t repetitions, double *seconds, struct sp_error *err)
{
    struct peer_state *s = state;
    *seconds = 0;
    enum sp_status status = sp_gpu_clock_start(s->clock, err);
    for (int64_t i = 0; i < repetitions && status == SP_OK; i++)
        status = do_step(s, STEP_RUN, NULL, err);
    return status == SP_OK ? sp_gpu_clock_stop(s->clock, seconds, err) : status;
}

static enum sp_status fetch(void *state, double *result, struct sp_error *err)
{
    struct peer_state *s = state;
    const struct sp_layout *l = s->layout;
    const bool sampled = l->op == SP_OP_SDDMM;
    enum sp_status status =
        sp_gpu_copy_out(s->host, sampled ? s->val : s->y, (size_t)result_items(s) * l->s_y, err);
    if (status != SP_OK)
        return status;
    for (int64_t j = 0; sampled && j < l->n_nz; j++)
        result[j] = sp_real_load(l->precision, s->host, j) * sp_real_load(l->precision, l->val, j);
    for (int64_t i = 0; !sampled && i < l->n_r; i++)
        for (int64_t k = 0; k < l->r; k++)
            result[i * l->r + k] = sp_real_load(l->precision, s->host, place_of(s, i, k, s->n_y));
    return SP_OK;
}

__attribute__((visibility("default"))) const struct gpu_peers *gpu_peers(void)
{
    static const struct gpu_peers peers = {.abi = GPU_PEERS_ABI,
                                           .layout_size = sizeof(struct sp_layout),
                                           .n = sizeof peer_table / sizeof *peer_table,
                                           .peer = peer_table,
                                           .find = find,
                                           .without_blas = without_blas,
                                           .open = open_session,
                                           .prepare = prepare,
                                           .run = run,
                                           .fetch = fetch,
                                           .release = release,
                                           .close = close_session};
    return &peers;
}
