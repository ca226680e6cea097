/* librsb 1.2 and 1.3, with indices of 4 bytes as it is built unless asked otherwise. A matrix tells
 * its pattern through rsb_mtx_get_csr. */
#include <stdlib.h>

#include "attach/attach.h"

typedef int spmv(int transposition, const void *alpha, const void *A, const void *x, int inc_x,
                 const void *beta, void *y, int inc_y);
typedef int spmm(int transposition, const void *alpha, const void *A, int width, int order, const void *x,
                 int ld_x, const void *beta, void *y, int ld_y);
typedef int get_info(const void *A, int what, void *value);
typedef int get_csr(char type, const void *A, void *values, int *row_ptr, int *col, int flags);

/* Of rsb.h and rsb_types.h. */
enum {
    ABSENT = -1,
    ROWS = 0x4,
    COLUMNS = 0x8,
    ENTRIES = 0x10,
    FLAGS = 0x40,
    TYPE = 0x80,
    PLAIN = 'N',
    COLUMN_MAJOR = 0x4000000,
    HALVES = 0x400000 | 0x800000 /* symmetric, hermitian */
};

static void free_arrays(struct sp_attach_view *view)
{
    for (int k = 0; k < 3; k++)
        free(view->held[k]);
}

static enum sp_attach_type type_of(char letter)
{
    return letter == 'S'   ? SP_ATTACH_F32
           : letter == 'D' ? SP_ATTACH_F64
           : letter == 'C' ? SP_ATTACH_C64
           : letter == 'Z' ? SP_ATTACH_C128
                           : SP_ATTACH_TYPE_UNKNOWN;
}

static bool look(const struct sp_attach_product *p, struct sp_attach_view *view)
{
    static const size_t value_B[] = {16, 4, 8, 8, 16};
    get_info *ask = (get_info *)sp_attach_function("rsb_mtx_get_info");
    get_csr *pattern = (get_csr *)sp_attach_function("rsb_mtx_get_csr");
    int rows = 0, cols = 0, entries = 0, flags = 0;
    char letter = '\0';
    view->kind = "RSB";
    if (!ask || ask(p->matrix, ROWS, &rows) || ask(p->matrix, COLUMNS, &cols) ||
        ask(p->matrix, ENTRIES, &entries) || ask(p->matrix, TYPE, &letter)) {
        view->why = "this librsb does not tell";
        return true;
    }
    if (ask(p->matrix, FLAGS, &flags) == 0 && (flags & HALVES))
        view->bits = SP_ATTACH_TRIANGLE | SP_ATTACH_LOWER | SP_ATTACH_UPPER;
    view->n_r = rows;
    view->n_c = cols;
    view->n_nz = entries;
    view->type = type_of(letter);
    view->row_ptr_B = view->col_B = 4;
    view->release = free_arrays;
    int *row_ptr = view->held[0] = malloc(((size_t)rows + 1) * sizeof *row_ptr);
    int *col = view->held[1] = malloc(((size_t)entries + 1) * sizeof *col);
    void *values = view->held[2] = malloc(((size_t)entries + 1) * value_B[view->type]);
    if (!pattern || !row_ptr || !col || !values || pattern(letter, p->matrix, values, row_ptr, col, 0) != 0) {
        view->why = "its pattern could not be had";
        return true;
    }
    view->part[view->n_parts++] = (struct sp_attach_part){.row_ptr = row_ptr, .col = col, .n_c = cols};
    return true;
}

static struct sp_attach_product product(enum sp_attach_row row, const void *A, int transposition)
{
    return (struct sp_attach_product){.row = row,
                                      .matrix = A,
                                      .op = transposition == PLAIN ? SP_ATTACH_SPMV : SP_ATTACH_TRANSPOSE,
                                      .width = 1,
                                      .look = look,
                                      .threads = sp_attach_omp_threads};
}

SP_EXPORT int rsb_spmv(int transposition, const void *alpha, const void *A, const void *x, int inc_x,
                       const void *beta, void *y, int inc_y)
{
    spmv *real = (spmv *)sp_attach_real(SP_ROW_rsb_spmv);
    if (!real)
        return ABSENT;
    if (!sp_attach_is_on())
        return real(transposition, alpha, A, x, inc_x, beta, y, inc_y);
    struct sp_attach_call call;
    const struct sp_attach_product p = product(SP_ROW_rsb_spmv, A, transposition);
    sp_attach_begin(&call, &p);
    const int status = real(transposition, alpha, A, x, inc_x, beta, y, inc_y);
    sp_attach_end(&call, status == 0);
    return status;
}

SP_EXPORT int rsb_spmm(int transposition, const void *alpha, const void *A, int width, int order,
                       const void *x, int ld_x, const void *beta, void *y, int ld_y)
{
    spmm *real = (spmm *)sp_attach_real(SP_ROW_rsb_spmm);
    if (!real)
        return ABSENT;
    if (!sp_attach_is_on())
        return real(transposition, alpha, A, width, order, x, ld_x, beta, y, ld_y);
    struct sp_attach_call call;
    struct sp_attach_product p = product(SP_ROW_rsb_spmm, A, transposition);
    p.bits = (p.op == SP_ATTACH_TRANSPOSE ? SP_ATTACH_SIDE_T : 0) |
             ((order & COLUMN_MAJOR) ? SP_ATTACH_COLUMNS : 0);
    p.op = SP_ATTACH_SPMM;
    p.width = (uint32_t)width;
    sp_attach_begin(&call, &p);
    const int status = real(transposition, alpha, A, width, order, x, ld_x, beta, y, ld_y);
    sp_attach_end(&call, status == 0);
    return status;
}

SP_EXPORT void *rsb_mtx_free(void *A)
{
    void *(*real)(void *) = (void *(*)(void *))sp_attach_real(SP_ROW_rsb_mtx_free);
    if (!real)
        return NULL;
    sp_attach_forget();
    return real(A);
}
