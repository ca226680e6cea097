/* Of MKL what attach asks for, LP64. Handles hide their arrays; alpha and beta come back so that a test sees
 * that they arrived. */
#include <complex.h>
#include <string.h>

#include "fake_matrix.h"

struct matrix_descr {
    int type, mode, diag;
};

/* As the program passes them: lower and with a diagonal, but the triangle alone. */
static int is_whole(struct matrix_descr d)
{
    return d.type == 23 ? d.mode == 41 && d.diag == 51 : d.mode == 40 && d.diag == 50;
}

struct handle {
    int rows, cols;
    int *begin, *end, *col;
    char type;
};

FAKE int MKL_Get_Max_Threads(void)
{
    return 3;
}

static int create(struct handle **A, int rows, int cols, int *begin, int *end, int *col, char type)
{
    *A = malloc(sizeof **A);
    **A = (struct handle){rows, cols, begin, end, col, type};
    return 0;
}

FAKE int mkl_sparse_destroy(struct handle *A)
{
    free(A);
    return 0;
}

/* Another way to a handle. */
FAKE int fake_mkl_convert(struct handle **A, int rows, int cols, int *begin, int *end, int *col)
{
    return create(A, rows, cols, begin, end, col, 'd');
}

FAKE int mkl_sparse_d_export_csr(const struct handle *A, int *indexing, int *rows, int *cols, int **begin,
                                 int **end, int **col, double **values)
{
    *indexing = 0;
    *rows = A->rows;
    *cols = A->cols;
    *begin = A->begin;
    *end = A->end;
    *col = A->col;
    *values = NULL;
    return 0;
}

#define VALUE  float
#define CREATE mkl_sparse_s_create_csr
#define MV     mkl_sparse_s_mv
#define MM     mkl_sparse_s_mm
#define LETTER 's'
#include "fake_mkl.inc"

#define VALUE  double
#define CREATE mkl_sparse_d_create_csr
#define MV     mkl_sparse_d_mv
#define MM     mkl_sparse_d_mm
#define LETTER 'd'
#include "fake_mkl.inc"

#define VALUE  float complex
#define CREATE mkl_sparse_c_create_csr
#define MV     mkl_sparse_c_mv
#define MM     mkl_sparse_c_mm
#define LETTER 'c'
#include "fake_mkl.inc"

#define VALUE  double complex
#define CREATE mkl_sparse_z_create_csr
#define MV     mkl_sparse_z_mv
#define MM     mkl_sparse_z_mm
#define LETTER 'z'
#include "fake_mkl.inc"
