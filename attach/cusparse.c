/* cuSPARSE's generic functions, 11 and 12. Descriptors are asked through cuSPARSE's own
 * functions. */
#include "attach/attach.h"

typedef int spmv(void *handle, int op, const void *alpha, void *A, void *x, const void *beta, void *y,
                 int type, int algorithm, void *buffer);
typedef int spmm(void *handle, int op_a, int op_b, const void *alpha, void *A, void *B, const void *beta,
                 void *C, int type, int algorithm, void *buffer);

/* Of cusparse.h and library_types.h. */
enum {
    ABSENT = 10, /* CUSPARSE_STATUS_NOT_SUPPORTED */
    INDEX_64 = 3,
    PLAIN = 0,
    COLUMN_MAJOR = 1,
    FORMAT_CSR = 1,
    F32 = 0,
    F64 = 1,
    C64 = 4,
    C128 = 5
};

#define GET_STREAM "cusparseGetStream"
#define GET_DENSE  "cusparseDnMatGet"
#include "attach/generic.inc"

typedef int get_rows(const void *A, int64_t *n_r, int64_t *n_c, int64_t *n_nz, void **row_ptr, void **col,
                     void **values, int *row_type, int *col_type, int *base, int *type);

struct rows {
    void *row_ptr, *col, *values;
    int row_type, col_type, base, type;
};

/* A descriptor of constant arrays tells another function. */
static bool ask_rows(const void *A, struct sp_attach_view *view, struct rows *r)
{
    static const char *const name[] = {"cusparseCsrGet", "cusparseConstCsrGet"};
    for (int k = 0; k < 2; k++) {
        get_rows *ask = (get_rows *)sp_attach_function(name[k]);
        if (ask && ask(A, &view->n_r, &view->n_c, &view->n_nz, &r->row_ptr, &r->col, &r->values, &r->row_type,
                       &r->col_type, &r->base, &r->type) == 0)
            return true;
    }
    return false;
}

static bool look(const struct sp_attach_product *p, struct sp_attach_view *view)
{
    int (*ask_format)(const void *, int *) =
        (int (*)(const void *, int *))sp_attach_function("cusparseSpMatGetFormat");
    int (*ask_size)(const void *, int64_t *, int64_t *, int64_t *) =
        (int (*)(const void *, int64_t *, int64_t *, int64_t *))sp_attach_function("cusparseSpMatGetSize");
    struct rows r = {0};
    int format = 0;
    view->kind = "CSR";
    if (!ask_size || ask_size(p->matrix, &view->n_r, &view->n_c, &view->n_nz) != 0) {
        view->why = "this cuSPARSE does not tell";
        return true;
    }
    if (!ask_format || ask_format(p->matrix, &format) != 0 || format != FORMAT_CSR ||
        !ask_rows(p->matrix, view, &r)) {
        view->kind = "not CSR";
        view->why = "only CSR is read";
        return true;
    }
    view->type = type_of(r.type);
    view->base = r.base;
    view->row_ptr_B = r.row_type == INDEX_64 ? 8 : 4;
    view->col_B = r.col_type == INDEX_64 ? 8 : 4;
    sp_gpu_copy_rows(sp_gpu_cuda(), p->context, view, r.row_ptr, r.col);
    return true;
}

SP_EXPORT int cusparseSpMV(void *handle, int op, const void *alpha, void *A, void *x, const void *beta,
                           void *y, int type, int algorithm, void *buffer)
{
    spmv *real = (spmv *)sp_attach_real(SP_ROW_cusparseSpMV);
    if (!real)
        return ABSENT;
    if (!sp_attach_is_on())
        return real(handle, op, alpha, A, x, beta, y, type, algorithm, buffer);
    struct sp_gpu_call call;
    const struct sp_attach_product p =
        product(SP_ROW_cusparseSpMV, handle, A, op == PLAIN ? SP_ATTACH_SPMV : SP_ATTACH_TRANSPOSE);
    sp_gpu_begin(&call, &p, sp_gpu_cuda(), p.context);
    const int status = real(handle, op, alpha, A, x, beta, y, type, algorithm, buffer);
    sp_gpu_end(&call, status == 0);
    return status;
}

SP_EXPORT int cusparseSpMM(void *handle, int op_a, int op_b, const void *alpha, void *A, void *B,
                           const void *beta, void *C, int type, int algorithm, void *buffer)
{
    spmm *real = (spmm *)sp_attach_real(SP_ROW_cusparseSpMM);
    if (!real)
        return ABSENT;
    if (!sp_attach_is_on())
        return real(handle, op_a, op_b, alpha, A, B, beta, C, type, algorithm, buffer);
    struct sp_gpu_call call;
    struct sp_attach_product p = product(SP_ROW_cusparseSpMM, handle, A, SP_ATTACH_SPMM);
    p.bits |= op_a == PLAIN ? 0 : SP_ATTACH_SIDE_T;
    take_width(&p, C, false);
    sp_gpu_begin(&call, &p, sp_gpu_cuda(), p.context);
    const int status = real(handle, op_a, op_b, alpha, A, B, beta, C, type, algorithm, buffer);
    sp_gpu_end(&call, status == 0);
    return status;
}

/* C = (A B) o pattern(C), with dense A and B. */
SP_EXPORT int cusparseSDDMM(void *handle, int op_a, int op_b, const void *alpha, void *A, void *B,
                            const void *beta, void *C, int type, int algorithm, void *buffer)
{
    spmm *real = (spmm *)sp_attach_real(SP_ROW_cusparseSDDMM);
    if (!real)
        return ABSENT;
    if (!sp_attach_is_on())
        return real(handle, op_a, op_b, alpha, A, B, beta, C, type, algorithm, buffer);
    struct sp_gpu_call call;
    struct sp_attach_product p = product(SP_ROW_cusparseSDDMM, handle, C, SP_ATTACH_SDDMM);
    take_width(&p, A, op_a != PLAIN);
    sp_gpu_begin(&call, &p, sp_gpu_cuda(), p.context);
    const int status = real(handle, op_a, op_b, alpha, A, B, beta, C, type, algorithm, buffer);
    sp_gpu_end(&call, status == 0);
    return status;
}

SP_EXPORT int cusparseDestroySpMat(void *A)
{
    int (*real)(void *) = (int (*)(void *))sp_attach_real(SP_ROW_cusparseDestroySpMat);
    if (!real)
        return ABSENT;
    sp_attach_forget();
    return real(A);
}
