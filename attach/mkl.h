/* What the four types of MKL share. A handle hides its arrays: those that mkl_sparse_*_create_csr
 * was given are remembered, which MKL keeps and does not copy; of others mkl_sparse_*_export_csr is
 * asked. MKL_INT has 4 or 8 bytes: the distance of rows_end from rows_start tells, or else what can
 * be read from both. Whole numbers pass through as longs, so that both widths are the same here. */
#ifndef SP_ATTACH_MKL_H
#define SP_ATTACH_MKL_H

#include "attach/attach.h"

struct sp_mkl_descr {
    int type, mode, diag;
};

enum {
    SP_MKL_SUCCESS = 0,
    SP_MKL_ABSENT = 6, /* SPARSE_STATUS_NOT_SUPPORTED */
    SP_MKL_NOT_TRANSPOSED = 10,
    SP_MKL_GENERAL = 20,
    SP_MKL_SYMMETRIC = 21,
    SP_MKL_HERMITIAN = 22,
    SP_MKL_TRIANGULAR = 23,
    SP_MKL_UPPER = 41,
    SP_MKL_UNIT = 51,
    SP_MKL_COLUMN_MAJOR = 102
};

struct sp_mkl_c {
    float re, im;
};
struct sp_mkl_z {
    double re, im;
};

typedef int sp_mkl_export(const void *A, int *indexing, long *rows, long *cols, const void **rows_start,
                          const void **rows_end, const void **col, void **values);

/* A handle that was made of these arrays. */
void sp_mkl_made(const void *A, int indexing, long rows, long cols, const void *rows_start,
                 const void *rows_end, const void *col, enum sp_attach_type type);
/* Of columns: MKL_INT as it was passed. */
struct sp_attach_product sp_mkl_product(enum sp_attach_row row, const void *A, int transposition,
                                        const struct sp_mkl_descr *descr, enum sp_attach_type type);
void sp_mkl_block(struct sp_attach_product *product, int layout, long columns);

#endif
