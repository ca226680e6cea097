/* rocSPARSE's generic functions. rocsparse_spmv got a stage before its last two arguments in ROCm
 * 6: all that may have been passed is passed on, and a stage is told from the address that stood
 * there before. Calls that ask for the size of the buffer, or prepare, are no products. */
#include "attach/attach.h"

typedef int spmv(void *handle, int op, const void *alpha, const void *A, const void *x, const void *beta,
                 const void *y, int type, int algorithm, uintptr_t a, uintptr_t b, uintptr_t c);
typedef int spmm(void *handle, int op_a, int op_b, const void *alpha, const void *A, const void *B,
                 const void *beta, const void *C, int type, int algorithm, int stage, void *size,
                 void *buffer);
typedef int sddmm(void *handle, int op_a, int op_b, const void *alpha, const void *A, const void *B,
                  const void *beta, const void *C, int type, int algorithm, void *buffer);

/* Of rocsparse-types.h. */
enum {
    ABSENT = 2, /* rocsparse_status_not_implemented */
    STAGE_AUTO = 0,
    STAGE_COMPUTE = 3,
    MOST_STAGE = 4096,
    INDEX_64 = 3,
    PLAIN = 111,
    COLUMN_MAJOR = 1,
    F32 = 151,
    F64 = 152,
    C64 = 154,
    C128 = 155
};

#define GET_STREAM "rocsparse_get_stream"
#define GET_DENSE  "rocsparse_dnmat_get"
#include "attach/generic.inc"

static bool look(const struct sp_attach_product *p, struct sp_attach_view *view)
{
    int (*ask_size)(const void *, int64_t *, int64_t *, int64_t *) = (int (*)(
        const void *, int64_t *, int64_t *, int64_t *))sp_attach_function("rocsparse_spmat_get_size");
    int (*ask_rows)(const void *, int64_t *, int64_t *, int64_t *, void **, void **, void **, int *, int *,
                    int *, int *) =
        (int (*)(const void *, int64_t *, int64_t *, int64_t *, void **, void **, void **, int *, int *,
                 int *, int *))sp_attach_function("rocsparse_csr_get");
    int row_type = 0, col_type = 0, base = 0, type = 0;
    void *row_ptr = NULL, *col = NULL, *values = NULL;
    view->kind = "CSR";
    if (!ask_size || ask_size(p->matrix, &view->n_r, &view->n_c, &view->n_nz) != 0) {
        view->why = "this rocSPARSE does not tell";
        return true;
    }
    if (!ask_rows || ask_rows(p->matrix, &view->n_r, &view->n_c, &view->n_nz, &row_ptr, &col, &values,
                              &row_type, &col_type, &base, &type) != 0) {
        view->kind = "not CSR";
        view->why = "only CSR is read";
        return true;
    }
    view->type = type_of(type);
    view->base = base;
    view->row_ptr_B = row_type == INDEX_64 ? 8 : 4;
    view->col_B = col_type == INDEX_64 ? 8 : 4;
    sp_gpu_copy_rows(sp_gpu_hip(), p->context, view, row_ptr, col);
    return true;
}

/* With a stage: (stage, size, buffer); without: (size, buffer, nothing). */
static bool is_product(uintptr_t a, uintptr_t b, uintptr_t c)
{
    const int stage = (int)a;
    if (a >= MOST_STAGE && (a & 0xffffffffU) >= MOST_STAGE)
        return b != 0;
    return stage == STAGE_COMPUTE || (stage == STAGE_AUTO && c != 0);
}

SP_EXPORT int rocsparse_spmv(void *handle, int op, const void *alpha, const void *A, const void *x,
                             const void *beta, const void *y, int type, int algorithm, uintptr_t a,
                             uintptr_t b, uintptr_t c)
{
    spmv *real = (spmv *)sp_attach_real(SP_ROW_rocsparse_spmv);
    if (!real)
        return ABSENT;
    if (!sp_attach_is_on() || !is_product(a, b, c))
        return real(handle, op, alpha, A, x, beta, y, type, algorithm, a, b, c);
    struct sp_gpu_call call;
    const struct sp_attach_product p =
        product(SP_ROW_rocsparse_spmv, handle, A, op == PLAIN ? SP_ATTACH_SPMV : SP_ATTACH_TRANSPOSE);
    sp_gpu_begin(&call, &p, sp_gpu_hip(), p.context);
    const int status = real(handle, op, alpha, A, x, beta, y, type, algorithm, a, b, c);
    sp_gpu_end(&call, status == 0);
    return status;
}

SP_EXPORT int rocsparse_spmm(void *handle, int op_a, int op_b, const void *alpha, const void *A,
                             const void *B, const void *beta, const void *C, int type, int algorithm,
                             int stage, void *size, void *buffer)
{
    spmm *real = (spmm *)sp_attach_real(SP_ROW_rocsparse_spmm);
    if (!real)
        return ABSENT;
    if (!sp_attach_is_on() || !(stage == STAGE_COMPUTE || (stage == STAGE_AUTO && buffer)))
        return real(handle, op_a, op_b, alpha, A, B, beta, C, type, algorithm, stage, size, buffer);
    struct sp_gpu_call call;
    struct sp_attach_product p = product(SP_ROW_rocsparse_spmm, handle, A, SP_ATTACH_SPMM);
    p.bits |= op_a == PLAIN ? 0 : SP_ATTACH_SIDE_T;
    take_width(&p, C, false);
    sp_gpu_begin(&call, &p, sp_gpu_hip(), p.context);
    const int status = real(handle, op_a, op_b, alpha, A, B, beta, C, type, algorithm, stage, size, buffer);
    sp_gpu_end(&call, status == 0);
    return status;
}

SP_EXPORT int rocsparse_sddmm(void *handle, int op_a, int op_b, const void *alpha, const void *A,
                              const void *B, const void *beta, const void *C, int type, int algorithm,
                              void *buffer)
{
    sddmm *real = (sddmm *)sp_attach_real(SP_ROW_rocsparse_sddmm);
    if (!real)
        return ABSENT;
    if (!sp_attach_is_on())
        return real(handle, op_a, op_b, alpha, A, B, beta, C, type, algorithm, buffer);
    struct sp_gpu_call call;
    struct sp_attach_product p = product(SP_ROW_rocsparse_sddmm, handle, C, SP_ATTACH_SDDMM);
    take_width(&p, A, op_a != PLAIN);
    sp_gpu_begin(&call, &p, sp_gpu_hip(), p.context);
    const int status = real(handle, op_a, op_b, alpha, A, B, beta, C, type, algorithm, buffer);
    sp_gpu_end(&call, status == 0);
    return status;
}

SP_EXPORT int rocsparse_destroy_spmat_descr(const void *A)
{
    int (*real)(const void *) = (int (*)(const void *))sp_attach_real(SP_ROW_rocsparse_destroy_spmat_descr);
    if (!real)
        return ABSENT;
    sp_attach_forget();
    return real(A);
}
