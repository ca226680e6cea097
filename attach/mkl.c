/* What the four types of MKL share. A handle hides its arrays: those that mkl_sparse_*_create_csr
 * was given are remembered, which MKL keeps and does not copy; of others mkl_sparse_*_export_csr is
 * asked. MKL_INT has 4 or 8 bytes: the distance of rows_end from rows_start tells, or else what can
 * be read from both. Whole numbers pass through as longs, so that both widths are the same here. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "attach/attach.h"

struct mkl_descr {
    int type, mode, diag;
};

enum {
    MKL_SUCCESS = 0,
    MKL_ABSENT = 6, /* SPARSE_STATUS_NOT_SUPPORTED */
    MKL_NOT_TRANSPOSED = 10,
    MKL_GENERAL = 20,
    MKL_SYMMETRIC = 21,
    MKL_HERMITIAN = 22,
    MKL_TRIANGULAR = 23,
    MKL_UPPER = 41,
    MKL_UNIT = 51,
    MKL_COLUMN_MAJOR = 102
};

struct mkl_c {
    float re, im;
};
struct mkl_z {
    double re, im;
};

typedef int mkl_export(const void *A, int *indexing, long *rows, long *cols, const void **rows_start,
                       const void **rows_end, const void **col, void **values);

/* Handles and their arrays, in a table that grows. */
struct made {
    const void *handle; /* NULL: free */
    int indexing;
    int64_t rows, cols;
    const void *rows_start, *rows_end, *col;
    enum sp_attach_type type;
};
static struct {
    struct made *of;
    size_t n, room;
} table;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct made *find_made(const void *handle)
{
    for (size_t k = table.n; k-- > 0;)
        if (table.of[k].handle == handle)
            return &table.of[k];
    return NULL;
}

/* A handle that was made of these arrays. */
static void mkl_made(const void *A, int indexing, long rows, long cols, const void *rows_start,
                     const void *rows_end, const void *col, enum sp_attach_type type)
{
    pthread_mutex_lock(&lock);
    struct made *m = find_made(A);
    m = m ? m : find_made(NULL);
    if (!m && table.n == table.room) {
        const size_t room = table.room ? 2 * table.room : 64;
        struct made *more = realloc(table.of, room * sizeof *more);
        if (more) {
            table.of = more;
            table.room = room;
        }
    }
    if (!m && table.n < table.room)
        m = &table.of[table.n++];
    if (m)
        *m = (struct made){A, indexing, rows, cols, rows_start, rows_end, col, type};
    pthread_mutex_unlock(&lock);
    sp_attach_forget();
}

static void forget(const void *A)
{
    pthread_mutex_lock(&lock);
    struct made *m = find_made(A);
    if (m)
        m->handle = NULL;
    pthread_mutex_unlock(&lock);
    sp_attach_forget();
}

static void hold(void)
{
    pthread_mutex_lock(&lock);
}

static void release(void)
{
    pthread_mutex_unlock(&lock);
}

/* A child has the table as whole as its parent. */
__attribute__((constructor)) static void hold_at_forks(void)
{
    pthread_atfork(hold, release, release);
}

/* 0: neither. Rows that stand one behind the other, as both readings would have them. */
static int width_of(const struct made *m)
{
    const char *begin = m->rows_start, *end = m->rows_end;
    if (end == begin + 4)
        return 4;
    if (end == begin + 8)
        return 8;
    for (int width = 4; width <= 8; width += 4) {
        bool ok = m->rows > 0;
        const int64_t n = m->rows < 64 ? m->rows : 64;
        for (int64_t k = 0; k < n && ok; k++)
            ok = sp_attach_index(begin, width, k) >= m->indexing &&
                 sp_attach_index(end, width, k) >= sp_attach_index(begin, width, k) &&
                 (k == 0 || sp_attach_index(begin, width, k) >= sp_attach_index(end, width, k - 1)) &&
                 (width == 8 || k == 0 || sp_attach_index(end, width, k) > 0 ||
                  sp_attach_index(end, width, 0) == 0);
        if (ok)
            return width;
    }
    return 0;
}

/* Of a handle that another function made. */
static bool export_rows(const void *A, enum sp_attach_type type, struct made *m)
{
    static const char *const name[] = {[SP_ATTACH_F32] = "mkl_sparse_s_export_csr",
                                       [SP_ATTACH_F64] = "mkl_sparse_d_export_csr",
                                       [SP_ATTACH_C64] = "mkl_sparse_c_export_csr",
                                       [SP_ATTACH_C128] = "mkl_sparse_z_export_csr"};
    mkl_export *ask = (mkl_export *)sp_attach_function(name[type]);
    long rows = -1, cols = -1;
    void *values = NULL;
    *m = (struct made){.handle = A, .type = type};
    if (!ask || ask(A, &m->indexing, &rows, &cols, &m->rows_start, &m->rows_end, &m->col, &values) != 0)
        return false;
    m->rows = rows;
    m->cols = cols;
    return true;
}

static bool look(const struct sp_attach_product *p, struct sp_attach_view *view)
{
    struct made m;
    pthread_mutex_lock(&lock);
    const struct made *known = find_made(p->matrix);
    if (known)
        m = *known;
    pthread_mutex_unlock(&lock);
    view->kind = "CSR";
    view->type = (enum sp_attach_type)(intptr_t)p->context;
    if (!known && !export_rows(p->matrix, view->type, &m)) {
        view->why = "the matrix is not in CSR";
        return true;
    }
    const int width_B = width_of(&m);
    view->n_r = width_B == 8 ? m.rows : (int32_t)m.rows;
    view->n_c = width_B == 8 ? m.cols : (int32_t)m.cols;
    view->base = m.indexing;
    view->row_ptr_B = view->col_B = width_B;
    if (width_B == 0 || view->n_r < 0) {
        view->n_r = view->n_r < 0 ? 0 : view->n_r;
        view->why = "the width of its indices cannot be told";
        return true;
    }
    const bool in_a_row = (const char *)m.rows_end == (const char *)m.rows_start + width_B;
    if (in_a_row && view->n_r > 0) /* handles may be made for each product: no pass over the rows */
        view->n_nz = sp_attach_index(m.rows_end, width_B, view->n_r - 1) - m.indexing;
    for (int64_t i = 0; i < view->n_r && !in_a_row; i++)
        view->n_nz += sp_attach_index(m.rows_end, width_B, i) - sp_attach_index(m.rows_start, width_B, i);
    view->part[view->n_parts++] = (struct sp_attach_part){m.rows_start, m.rows_end, m.col, view->n_c};
    return true;
}

static int threads(void)
{
    int (*n)(void) = (int (*)(void))sp_attach_function("MKL_Get_Max_Threads");
    return n && n() > 0 ? n() : sp_attach_omp_threads();
}

/* Of a diagonal and of blocks no more is told. */
static uint32_t bits_of(const struct mkl_descr *d)
{
    if (d->type == MKL_GENERAL)
        return 0;
    if (d->type != MKL_SYMMETRIC && d->type != MKL_HERMITIAN && d->type != MKL_TRIANGULAR)
        return SP_ATTACH_TRIANGLE;
    return (d->type == MKL_TRIANGULAR ? 0 : SP_ATTACH_TRIANGLE) |
           (d->mode == MKL_UPPER ? SP_ATTACH_UPPER : SP_ATTACH_LOWER) |
           (d->diag == MKL_UNIT ? SP_ATTACH_UNIT : 0);
}

/* Of columns: MKL_INT as it was passed. */
static struct sp_attach_product mkl_product(enum sp_attach_row row, const void *A, int transposition,
                                            const struct mkl_descr *descr, enum sp_attach_type type)
{
    return (struct sp_attach_product){.row = row,
                                      .matrix = A,
                                      .op = transposition == MKL_NOT_TRANSPOSED ? SP_ATTACH_SPMV
                                                                                : SP_ATTACH_TRANSPOSE,
                                      .width = 1,
                                      .bits = bits_of(descr),
                                      .look = look,
                                      .threads = threads,
                                      .context = (void *)(intptr_t)type};
}

static void mkl_block(struct sp_attach_product *p, int layout, long columns)
{
    p->bits |= p->op == SP_ATTACH_TRANSPOSE ? SP_ATTACH_SIDE_T : 0;
    p->bits |= layout == MKL_COLUMN_MAJOR ? SP_ATTACH_COLUMNS : 0;
    p->op = SP_ATTACH_SPMM;
    p->width = (uint32_t)columns; /* the lower half: of either MKL_INT */
}

SP_EXPORT int mkl_sparse_destroy(void *A)
{
    int (*real)(void *) = (int (*)(void *))sp_attach_real(SP_ROW_mkl_sparse_destroy);
    if (!real)
        return MKL_ABSENT;
    if (sp_attach_is_on())
        forget(A);
    return real(A);
}

#define VALUE      float
#define TYPE       SP_ATTACH_F32
#define MV         mkl_sparse_s_mv
#define MM         mkl_sparse_s_mm
#define CREATE     mkl_sparse_s_create_csr
#define ROW_MV     SP_ROW_mkl_sparse_s_mv
#define ROW_MM     SP_ROW_mkl_sparse_s_mm
#define ROW_CREATE SP_ROW_mkl_sparse_s_create_csr
#include "attach/mkl.inc"

#define VALUE      double
#define TYPE       SP_ATTACH_F64
#define MV         mkl_sparse_d_mv
#define MM         mkl_sparse_d_mm
#define CREATE     mkl_sparse_d_create_csr
#define ROW_MV     SP_ROW_mkl_sparse_d_mv
#define ROW_MM     SP_ROW_mkl_sparse_d_mm
#define ROW_CREATE SP_ROW_mkl_sparse_d_create_csr
#include "attach/mkl.inc"

#define VALUE      struct mkl_c
#define TYPE       SP_ATTACH_C64
#define MV         mkl_sparse_c_mv
#define MM         mkl_sparse_c_mm
#define CREATE     mkl_sparse_c_create_csr
#define ROW_MV     SP_ROW_mkl_sparse_c_mv
#define ROW_MM     SP_ROW_mkl_sparse_c_mm
#define ROW_CREATE SP_ROW_mkl_sparse_c_create_csr
#include "attach/mkl.inc"

#define VALUE      struct mkl_z
#define TYPE       SP_ATTACH_C128
#define MV         mkl_sparse_z_mv
#define MM         mkl_sparse_z_mm
#define CREATE     mkl_sparse_z_create_csr
#define ROW_MV     SP_ROW_mkl_sparse_z_mv
#define ROW_MM     SP_ROW_mkl_sparse_z_mm
#define ROW_CREATE SP_ROW_mkl_sparse_z_create_csr
#include "attach/mkl.inc"
