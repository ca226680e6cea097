/* Of cuSPARSE and rocSPARSE, and of the drivers below them, what attach asks for. A product takes 20 us of a
 * clock that only events read, and is done when an event is asked a second time. */
#include <string.h>

#include "fake_matrix.h"

static double clock_ms;

struct event {
    double at_ms;
    int asked;
};

/* ---- drivers ---- */

static int create(void **event)
{
    *event = calloc(1, sizeof(struct event));
    return 0;
}

static int record(void *event)
{
    *(struct event *)event = (struct event){clock_ms, 0};
    return 0;
}

static int query(void *event)
{
    return ((struct event *)event)->asked++ < 1 ? 600 : 0; /* not ready */
}

static int elapsed(float *ms, void *begin, void *end)
{
    *ms = (float)(((struct event *)end)->at_ms - ((struct event *)begin)->at_ms);
    return 0;
}

FAKE int cuEventCreate(void **event, unsigned flags)
{
    return flags != 0 || create(event);
}

FAKE int cuEventRecord(void *event, void *stream)
{
    (void)stream;
    return record(event);
}

FAKE int cuEventQuery(void *event)
{
    return query(event);
}

FAKE int cuEventElapsedTime(float *ms, void *begin, void *end)
{
    return elapsed(ms, begin, end);
}

FAKE int cuStreamIsCapturing(void *stream, int *status)
{
    *status = stream == (void *)2;
    return 0;
}

FAKE int cuStreamSynchronize(void *stream)
{
    (void)stream;
    return 0;
}

FAKE int cuMemcpyDtoH_v2(void *to, uintptr_t from, size_t size)
{
    memcpy(to, (const void *)from, size);
    return 0;
}

FAKE int hipEventCreateWithFlags(void **event, unsigned flags)
{
    return flags != 0 || create(event);
}

FAKE int hipEventRecord(void *event, void *stream)
{
    (void)stream;
    return record(event);
}

FAKE int hipEventQuery(void *event)
{
    return query(event);
}

FAKE int hipEventElapsedTime(float *ms, void *begin, void *end)
{
    return elapsed(ms, begin, end);
}

FAKE int hipStreamSynchronize(void *stream)
{
    (void)stream;
    return 0;
}

FAKE int hipMemcpy(void *to, const void *from, size_t size, int kind)
{
    memcpy(to, from, size);
    return kind != 2;
}

/* ---- descriptors of both ---- */

FAKE void *fake_gpu_make(int n_r, int n_c, int each)
{
    struct fake_rows *m = malloc(sizeof *m);
    *m = fake_rows_make(n_r, n_c, each);
    return m;
}

struct dense {
    int64_t rows, cols;
};

FAKE void *fake_gpu_dense(int64_t rows, int64_t cols)
{
    struct dense *d = malloc(sizeof *d);
    *d = (struct dense){rows, cols};
    return d;
}

static int get_size(const void *A, int64_t *rows, int64_t *cols, int64_t *nnz)
{
    const struct fake_rows *m = A;
    *rows = m->n_r;
    *cols = m->n_c;
    *nnz = m->row_ptr[m->n_r];
    return 0;
}

static int get_rows(const void *A, int64_t *rows, int64_t *cols, int64_t *nnz, void **row_ptr, void **col,
                    void **values, int *row_type, int *col_type, int *base, int *type, int f64)
{
    const struct fake_rows *m = A;
    get_size(A, rows, cols, nnz);
    *row_ptr = m->row_ptr;
    *col = m->col;
    *values = NULL;
    *row_type = *col_type = 2;
    *base = 0;
    *type = f64;
    return 0;
}

static int get_dense(const void *D, int64_t *rows, int64_t *cols, int64_t *ld, void **values, int *type,
                     int *order)
{
    *rows = ((const struct dense *)D)->rows;
    *cols = ((const struct dense *)D)->cols;
    *ld = *rows;
    *values = NULL;
    *type = 1;
    *order = 1;
    return 0;
}

static int multiply(void)
{
    clock_ms += 0.02;
    return 0;
}

/* ---- cuSPARSE: the handle is its stream ---- */

FAKE int cusparseGetStream(void *handle, void **stream)
{
    *stream = handle;
    return 0;
}

FAKE int cusparseSpMatGetFormat(const void *A, int *format)
{
    (void)A;
    *format = 1;
    return 0;
}

FAKE int cusparseSpMatGetSize(const void *A, int64_t *rows, int64_t *cols, int64_t *nnz)
{
    return get_size(A, rows, cols, nnz);
}

FAKE int cusparseCsrGet(const void *A, int64_t *rows, int64_t *cols, int64_t *nnz, void **row_ptr, void **col,
                        void **values, int *row_type, int *col_type, int *base, int *type)
{
    return get_rows(A, rows, cols, nnz, row_ptr, col, values, row_type, col_type, base, type, 1);
}

FAKE int cusparseDnMatGet(const void *D, int64_t *rows, int64_t *cols, int64_t *ld, void **values, int *type,
                          int *order)
{
    return get_dense(D, rows, cols, ld, values, type, order);
}

FAKE int cusparseSpMV(void *handle, int op, const void *alpha, const void *A, const void *x, const void *beta,
                      void *y, int type, int algorithm, void *buffer)
{
    (void)handle, (void)op, (void)alpha, (void)A, (void)x, (void)beta, (void)y;
    return type != 1 || algorithm != 5 || buffer != (void *)6 || multiply();
}

FAKE int cusparseSpMM(void *handle, int op_a, int op_b, const void *alpha, const void *A, const void *B,
                      const void *beta, void *C, int type, int algorithm, void *buffer)
{
    (void)handle, (void)op_a, (void)op_b, (void)alpha, (void)A, (void)B, (void)beta, (void)C;
    return type != 1 || algorithm != 5 || buffer != (void *)6 || multiply();
}

FAKE int cusparseSDDMM(void *handle, int op_a, int op_b, const void *alpha, const void *A, const void *B,
                       const void *beta, void *C, int type, int algorithm, void *buffer)
{
    return cusparseSpMM(handle, op_a, op_b, alpha, A, B, beta, C, type, algorithm, buffer);
}

FAKE int cusparseDestroySpMat(const void *A)
{
    (void)A;
    return 0;
}

/* ---- rocSPARSE, with and without stages ---- */

FAKE int rocsparse_get_stream(void *handle, void **stream)
{
    *stream = handle;
    return 0;
}

FAKE int rocsparse_spmat_get_size(const void *A, int64_t *rows, int64_t *cols, int64_t *nnz)
{
    return get_size(A, rows, cols, nnz);
}

FAKE int rocsparse_csr_get(const void *A, int64_t *rows, int64_t *cols, int64_t *nnz, void **row_ptr,
                           void **col, void **values, int *row_type, int *col_type, int *base, int *type)
{
    return get_rows(A, rows, cols, nnz, row_ptr, col, values, row_type, col_type, base, type, 152);
}

FAKE int rocsparse_dnmat_get(const void *D, int64_t *rows, int64_t *cols, int64_t *ld, void **values,
                             int *type, int *order)
{
    return get_dense(D, rows, cols, ld, values, type, order);
}

FAKE int rocsparse_spmv(void *handle, int op, const void *alpha, const void *A, const void *x,
                        const void *beta, const void *y, int type, int algorithm, int stage, size_t *size,
                        void *buffer)
{
    (void)handle, (void)op, (void)alpha, (void)A, (void)x, (void)beta, (void)y, (void)buffer;
    if (type != 152 || algorithm != 5)
        return 3;
    if (stage == 1)
        *size = 16;
    return stage == 3 ? multiply() : 0;
}

FAKE int rocsparse_spmm(void *handle, int op_a, int op_b, const void *alpha, const void *A, const void *B,
                        const void *beta, const void *C, int type, int algorithm, int stage, size_t *size,
                        void *buffer)
{
    (void)op_b, (void)B;
    return rocsparse_spmv(handle, op_a, alpha, A, NULL, beta, C, type, algorithm, stage, size, buffer);
}

FAKE int rocsparse_sddmm(void *handle, int op_a, int op_b, const void *alpha, const void *A, const void *B,
                         const void *beta, const void *C, int type, int algorithm, void *buffer)
{
    (void)handle, (void)op_a, (void)op_b, (void)alpha, (void)A, (void)B, (void)beta, (void)C, (void)buffer;
    return type != 152 || algorithm != 5 || multiply();
}

FAKE int rocsparse_destroy_spmat_descr(const void *A)
{
    (void)A;
    return 0;
}
