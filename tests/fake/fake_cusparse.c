/* The part of cuSPARSE that benchmarks use, on this CPU: by its documentation, entry by entry, every index
 * checked. What it is asked in another way than documented makes CUSPARSE_STATUS_INVALID_VALUE. */
#include <cusparse.h>
#include <stdlib.h>

#include "sparse/csr/real.h"

enum kind { CSR, SELL, BSR };

struct cusparseSpMatDescr {
    enum kind kind;
    int64_t rows, cols, n, slice, b_h, b_w; /* n: of stored blocks, of the other kinds of entries */
    const void *ptr, *col;
    void *val;
    cusparseIndexType_t ptr_type, col_type;
    cudaDataType type;
};
struct cusparseDnVecDescr {
    int64_t n;
    void *values;
    cudaDataType type;
};
struct cusparseDnMatDescr {
    int64_t rows, cols, ld;
    void *values;
    cudaDataType type;
    cusparseOrder_t order;
};

static enum sp_precision precision_of(cudaDataType type)
{
    return type == CUDA_R_32F ? SP_F32 : type == CUDA_R_16F ? SP_F16 : type == CUDA_R_16BF ? SP_BF16 : SP_F64;
}

static int64_t index_at(const void *p, cusparseIndexType_t type, int64_t i)
{
    return type == CUSPARSE_INDEX_32I ? ((const int32_t *)p)[i] : ((const int64_t *)p)[i];
}

static int64_t place(const struct cusparseDnMatDescr *d, int64_t i, int64_t k)
{
    if (i < 0 || i >= d->rows || k < 0 || k >= d->cols)
        abort();
    return d->order == CUSPARSE_ORDER_ROW ? i * d->ld + k : k * d->ld + i;
}

static double get(const struct cusparseDnMatDescr *d, int64_t i, int64_t k)
{
    return sp_real_load(precision_of(d->type), d->values, place(d, i, k));
}

/* What is done with the entry at `at` of the values. */
typedef void visit(void *context, int64_t row, int64_t column, int64_t at);

static void visit_csr(const struct cusparseSpMatDescr *a, visit *f, void *context)
{
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t j = index_at(a->ptr, a->ptr_type, i); j < index_at(a->ptr, a->ptr_type, i + 1); j++)
            f(context, i, index_at(a->col, a->col_type, j), j);
}

/* Slots of `slice` rows; column -1 is fill. */
static void visit_sell(const struct cusparseSpMatDescr *a, visit *f, void *context)
{
    for (int64_t s = 0; s * a->slice < a->rows; s++) {
        const int64_t first = index_at(a->ptr, a->ptr_type, s);
        for (int64_t j = first; j < index_at(a->ptr, a->ptr_type, s + 1); j++)
            if (index_at(a->col, a->col_type, j) >= 0)
                f(context, s * a->slice + (j - first) % a->slice, index_at(a->col, a->col_type, j), j);
    }
}

static void visit_bsr(const struct cusparseSpMatDescr *a, visit *f, void *context)
{
    for (int64_t i = 0; i < a->rows / a->b_h; i++)
        for (int64_t b = index_at(a->ptr, a->ptr_type, i); b < index_at(a->ptr, a->ptr_type, i + 1); b++)
            for (int64_t e = 0; e < a->b_h * a->b_w; e++)
                f(context, i * a->b_h + e % a->b_h, index_at(a->col, a->col_type, b) * a->b_w + e / a->b_h,
                  b * a->b_h * a->b_w + e);
}

static void visit_all(const struct cusparseSpMatDescr *a, visit *f, void *context)
{
    (a->kind == CSR ? visit_csr : a->kind == SELL ? visit_sell : visit_bsr)(a, f, context);
}

struct product {
    const struct cusparseSpMatDescr *a;
    const struct cusparseDnMatDescr *x;
    double *sum; /* [rows x r] */
};

static void add_entry(void *context, int64_t row, int64_t column, int64_t at)
{
    struct product *p = context;
    const double v = sp_real_load(precision_of(p->a->type), p->a->val, at);
    if (row >= p->a->rows)
        abort();
    for (int64_t k = 0; k < p->x->cols; k++)
        p->sum[row * p->x->cols + k] += v * get(p->x, column, k);
}

static cusparseStatus_t multiply(const struct cusparseSpMatDescr *a, const struct cusparseDnMatDescr *x,
                                 const struct cusparseDnMatDescr *y, const void *buffer)
{
    if (a->rows != y->rows || a->cols != x->rows || x->cols != y->cols || !buffer)
        return CUSPARSE_STATUS_INVALID_VALUE;
    struct product p = {a, x, calloc((size_t)(y->rows * y->cols + 1), sizeof(double))};
    visit_all(a, add_entry, &p);
    for (int64_t i = 0; i < y->rows; i++)
        for (int64_t k = 0; k < y->cols; k++)
            sp_real_store(precision_of(y->type), y->values, place(y, i, k), p.sum[i * y->cols + k]);
    free(p.sum);
    return CUSPARSE_STATUS_SUCCESS;
}

struct sampled {
    const struct cusparseDnMatDescr *a, *b;
    struct cusparseSpMatDescr *c;
};

static void sample_entry(void *context, int64_t row, int64_t column, int64_t at)
{
    struct sampled *s = context;
    double sum = 0;
    for (int64_t k = 0; k < s->a->cols; k++)
        sum += get(s->a, row, k) * get(s->b, column, k);
    sp_real_store(precision_of(s->c->type), s->c->val, at, sum);
}

static int handle;

cusparseStatus_t cusparseCreate(cusparseHandle_t *out)
{
    *out = (cusparseHandle_t)&handle;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDestroy(cusparseHandle_t h)
{
    return h == (cusparseHandle_t)&handle ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_INVALID_VALUE;
}
const char *cusparseGetErrorString(cusparseStatus_t status)
{
    return status == CUSPARSE_STATUS_NOT_SUPPORTED ? "operation not supported" : "invalid value";
}

static cusparseStatus_t make(struct cusparseSpMatDescr a, cusparseSpMatDescr_t *out)
{
    *out = malloc(sizeof a);
    **out = a;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCreateCsr(cusparseSpMatDescr_t *out, int64_t rows, int64_t cols, int64_t n,
                                   void *ptr, void *col, void *val, cusparseIndexType_t ptr_type,
                                   cusparseIndexType_t col_type, cusparseIndexBase_t base, cudaDataType type)
{
    (void)base;
    return make(
        (struct cusparseSpMatDescr){CSR, rows, cols, n, 0, 1, 1, ptr, col, val, ptr_type, col_type, type},
        out);
}
cusparseStatus_t cusparseCreateSlicedEll(cusparseSpMatDescr_t *out, int64_t rows, int64_t cols, int64_t n,
                                         int64_t n_stored, int64_t slice, void *ptr, void *col, void *val,
                                         cusparseIndexType_t ptr_type, cusparseIndexType_t col_type,
                                         cusparseIndexBase_t base, cudaDataType type)
{
    (void)base;
    if (n > n_stored)
        return CUSPARSE_STATUS_INVALID_VALUE;
    return make((struct cusparseSpMatDescr){SELL, rows, cols, n_stored, slice, 1, 1, ptr, col, val, ptr_type,
                                            col_type, type},
                out);
}
cusparseStatus_t cusparseCreateBsr(cusparseSpMatDescr_t *out, int64_t rows, int64_t cols, int64_t n,
                                   int64_t b_h, int64_t b_w, void *ptr, void *col, void *val,
                                   cusparseIndexType_t ptr_type, cusparseIndexType_t col_type,
                                   cusparseIndexBase_t base, cudaDataType type, cusparseOrder_t order)
{
    (void)base;
    if (order != CUSPARSE_ORDER_COL)
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    return make((struct cusparseSpMatDescr){BSR, rows * b_h, cols * b_w, n, 0, b_h, b_w, ptr, col, val,
                                            ptr_type, col_type, type},
                out);
}
cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t a)
{
    free((void *)(uintptr_t)a);
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t *out, int64_t n, void *values, cudaDataType type)
{
    *out = malloc(sizeof **out);
    **out = (struct cusparseDnVecDescr){n, values, type};
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t v)
{
    free((void *)(uintptr_t)v);
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t *out, int64_t rows, int64_t cols, int64_t ld,
                                     void *values, cudaDataType type, cusparseOrder_t order)
{
    *out = malloc(sizeof **out);
    **out = (struct cusparseDnMatDescr){rows, cols, ld, values, type, order};
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDestroyDnMat(cusparseConstDnMatDescr_t d)
{
    free((void *)(uintptr_t)d);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpMV_bufferSize(cusparseHandle_t h, cusparseOperation_t op, const void *alpha,
                                         cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x,
                                         const void *beta, cusparseDnVecDescr_t y, cudaDataType type,
                                         cusparseSpMVAlg_t algorithm, size_t *size)
{
    (void)op, (void)alpha, (void)x, (void)beta, (void)y, (void)type;
    *size = 256;
    if ((a->kind == SELL) != (algorithm == CUSPARSE_SPMV_SELL_ALG1))
        return CUSPARSE_STATUS_INVALID_VALUE;
    return cusparseDestroy(h);
}
cusparseStatus_t cusparseSpMV_preprocess(cusparseHandle_t h, cusparseOperation_t op, const void *alpha,
                                         cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x,
                                         const void *beta, cusparseDnVecDescr_t y, cudaDataType type,
                                         cusparseSpMVAlg_t algorithm, void *buffer)
{
    size_t size;
    return buffer ? cusparseSpMV_bufferSize(h, op, alpha, a, x, beta, y, type, algorithm, &size)
                  : CUSPARSE_STATUS_INVALID_VALUE;
}
cusparseStatus_t cusparseSpMV(cusparseHandle_t h, cusparseOperation_t op, const void *alpha,
                              cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, const void *beta,
                              cusparseDnVecDescr_t y, cudaDataType type, cusparseSpMVAlg_t algorithm,
                              void *buffer)
{
    (void)h, (void)op, (void)alpha, (void)beta, (void)type, (void)algorithm;
    const struct cusparseDnMatDescr X = {x->n, 1, 1, x->values, x->type, CUSPARSE_ORDER_ROW};
    const struct cusparseDnMatDescr Y = {y->n, 1, 1, y->values, y->type, CUSPARSE_ORDER_ROW};
    return multiply(a, &X, &Y, buffer);
}

cusparseStatus_t cusparseSpMM_bufferSize(cusparseHandle_t h, cusparseOperation_t op_a,
                                         cusparseOperation_t op_b, const void *alpha,
                                         cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t x,
                                         const void *beta, cusparseDnMatDescr_t y, cudaDataType type,
                                         cusparseSpMMAlg_t algorithm, size_t *size)
{
    (void)op_a, (void)op_b, (void)alpha, (void)x, (void)beta, (void)y, (void)type;
    *size = 256;
    if ((a->kind == BSR) != (algorithm == CUSPARSE_SPMM_BSR_ALG1))
        return CUSPARSE_STATUS_INVALID_VALUE;
    return cusparseDestroy(h);
}
cusparseStatus_t cusparseSpMM_preprocess(cusparseHandle_t h, cusparseOperation_t op_a,
                                         cusparseOperation_t op_b, const void *alpha,
                                         cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t x,
                                         const void *beta, cusparseDnMatDescr_t y, cudaDataType type,
                                         cusparseSpMMAlg_t algorithm, void *buffer)
{
    size_t size;
    return buffer ? cusparseSpMM_bufferSize(h, op_a, op_b, alpha, a, x, beta, y, type, algorithm, &size)
                  : CUSPARSE_STATUS_INVALID_VALUE;
}
cusparseStatus_t cusparseSpMM(cusparseHandle_t h, cusparseOperation_t op_a, cusparseOperation_t op_b,
                              const void *alpha, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t x,
                              const void *beta, cusparseDnMatDescr_t y, cudaDataType type,
                              cusparseSpMMAlg_t algorithm, void *buffer)
{
    (void)h, (void)op_a, (void)op_b, (void)alpha, (void)beta, (void)type, (void)algorithm;
    return multiply(a, x, y, buffer);
}

cusparseStatus_t cusparseSDDMM_bufferSize(cusparseHandle_t h, cusparseOperation_t op_a,
                                          cusparseOperation_t op_b, const void *alpha,
                                          cusparseConstDnMatDescr_t a, cusparseConstDnMatDescr_t b,
                                          const void *beta, cusparseSpMatDescr_t c, cudaDataType type,
                                          cusparseSDDMMAlg_t algorithm, size_t *size)
{
    (void)alpha, (void)beta, (void)type, (void)algorithm;
    *size = 256;
    if (op_a != CUSPARSE_OPERATION_NON_TRANSPOSE || op_b != CUSPARSE_OPERATION_TRANSPOSE ||
        a->rows != c->rows || b->rows != c->cols || a->cols != b->cols)
        return CUSPARSE_STATUS_INVALID_VALUE;
    return cusparseDestroy(h);
}
cusparseStatus_t cusparseSDDMM_preprocess(cusparseHandle_t h, cusparseOperation_t op_a,
                                          cusparseOperation_t op_b, const void *alpha,
                                          cusparseConstDnMatDescr_t a, cusparseConstDnMatDescr_t b,
                                          const void *beta, cusparseSpMatDescr_t c, cudaDataType type,
                                          cusparseSDDMMAlg_t algorithm, void *buffer)
{
    size_t size;
    return buffer ? cusparseSDDMM_bufferSize(h, op_a, op_b, alpha, a, b, beta, c, type, algorithm, &size)
                  : CUSPARSE_STATUS_INVALID_VALUE;
}
cusparseStatus_t cusparseSDDMM(cusparseHandle_t h, cusparseOperation_t op_a, cusparseOperation_t op_b,
                               const void *alpha, cusparseConstDnMatDescr_t a, cusparseConstDnMatDescr_t b,
                               const void *beta, cusparseSpMatDescr_t c, cudaDataType type,
                               cusparseSDDMMAlg_t algorithm, void *buffer)
{
    (void)h, (void)op_a, (void)op_b, (void)alpha, (void)beta, (void)type, (void)algorithm;
    struct sampled s = {a, b, c};
    if (!buffer)
        return CUSPARSE_STATUS_INVALID_VALUE;
    visit_all(c, sample_entry, &s);
    return CUSPARSE_STATUS_SUCCESS;
}
