/* Of librsb what attach asks for. */
#include <string.h>

#include "fake_matrix.h"

FAKE void *fake_rsb_make(int n_r, int n_c, int each)
{
    struct fake_rows *m = malloc(sizeof *m);
    *m = fake_rows_make(n_r, n_c, each);
    return m;
}

FAKE int rsb_mtx_get_info(const void *A, int what, void *value)
{
    const struct fake_rows *m = A;
    if (what == 0x80)
        *(char *)value = 'D';
    else
        *(int *)value = what == 0x4 ? m->n_r : what == 0x8 ? m->n_c : what == 0x10 ? m->row_ptr[m->n_r] : 0;
    return 0;
}

static int n_looks;

/* How often somebody has asked for a pattern. */
FAKE int fake_rsb_looks(void)
{
    return n_looks;
}

FAKE int rsb_mtx_get_csr(char type, const void *A, void *values, int *row_ptr, int *col, int flags)
{
    const struct fake_rows *m = A;
    (void)values;
    n_looks++;
    memcpy(row_ptr, m->row_ptr, ((size_t)m->n_r + 1) * sizeof *row_ptr);
    memcpy(col, m->col, (size_t)m->row_ptr[m->n_r] * sizeof *col);
    return type != 'D' || flags != 0;
}

FAKE int rsb_spmv(int transposition, const void *alpha, const void *A, const void *x, int inc_x,
                  const void *beta, void *y, int inc_y)
{
    (void)transposition, (void)alpha, (void)A, (void)x, (void)beta, (void)y;
    fake_wait(20000);
    return inc_x != 1 || inc_y != 1;
}

FAKE int rsb_spmm(int transposition, const void *alpha, const void *A, int width, int order, const void *x,
                  int ld_x, const void *beta, void *y, int ld_y)
{
    (void)transposition, (void)alpha, (void)A, (void)x, (void)beta, (void)y, (void)order;
    fake_wait(20000);
    return width < 1 || ld_x != -7 || ld_y != -9;
}

FAKE void *rsb_mtx_free(void *A)
{
    struct fake_rows *m = A;
    free(m->row_ptr);
    free(m->col);
    free(m);
    return NULL;
}
