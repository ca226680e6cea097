/* Of hypre what attach asks for: a hypre_CSRMatrix as 2.26 lays it out. */
#include "fake_matrix.h"

struct csr_matrix {
    int *i, *j;
    void *big_j;
    int num_rows, num_cols, num_nonzeros;
    void *rest[8];
};

FAKE int hypre_CSRMatrixMatvecOutOfPlace(double alpha, void *A, void *x, double beta, void *b, void *y,
                                         int offset);

FAKE void *fake_hypre_make(int n_r, int n_c, int each)
{
    const struct fake_rows rows = fake_rows_make(n_r, n_c, each);
    struct csr_matrix *m = calloc(1, sizeof *m);
    *m = (struct csr_matrix){rows.row_ptr, rows.col, NULL, n_r, n_c, rows.row_ptr[n_r], {NULL}};
    return m;
}

FAKE int hypre_CSRMatrixMatvecOutOfPlace(double alpha, void *A, void *x, double beta, void *b, void *y,
                                         int offset)
{
    (void)A, (void)x, (void)b, (void)y, (void)offset;
    fake_wait(20000);
    return alpha != 1 || (beta != 0 && beta != 1);
}

FAKE int hypre_CSRMatrixMatvec(double alpha, void *A, void *x, double beta, void *y)
{
    return hypre_CSRMatrixMatvecOutOfPlace(alpha, A, x, beta, y, y, 0);
}

FAKE int hypre_CSRMatrixMatvecT(double alpha, void *A, void *x, double beta, void *y)
{
    return hypre_CSRMatrixMatvecOutOfPlace(alpha, A, x, beta, y, y, 0);
}

FAKE const char *fake_who(void)
{
    return "hypre";
}
