/* hypre has no function that tells what is in a hypre_CSRMatrix, so its first members are read
 * where they have stood since 2.16: i, j, big_j, num_rows, num_cols, num_nonzeros (before: without
 * big_j), with HYPRE_Int of 4 or 8 bytes; read in the headers of 2.9 to 2.26. What does not look
 * like a matrix either way is counted without its pattern, and so is a matrix of a build for GPUs.
 * alpha and beta are passed on as doubles, which also carries floats; builds with complex or long
 * double values must not be attached to. */
#include <string.h>

#include "attach/attach.h"

typedef int out_of_place(double alpha, void *A, void *x, double beta, void *b, void *y, long offset);
typedef int in_place(double alpha, void *A, void *x, double beta, void *y);

enum { NO_LIBRARY = 1 }; /* HYPRE_ERROR_GENERIC */

struct shape {
    const void *i, *j;
    int64_t n_r, n_c, n_nz;
    int index_B;
};

/* Members behind `n_pointers` pointers, numbers of width_B bytes. */
static bool read_shape(const void *A, int n_pointers, int width_B, struct shape *s)
{
    const char *numbers = (const char *)A + (size_t)n_pointers * sizeof(void *);
    memcpy(&s->i, A, sizeof s->i);
    memcpy(&s->j, (const char *)A + sizeof s->i, sizeof s->j);
    s->n_r = sp_attach_index(numbers, width_B, 0);
    s->n_c = sp_attach_index(numbers, width_B, 1);
    s->n_nz = sp_attach_index(numbers, width_B, 2);
    s->index_B = width_B;
    return s->n_r >= 0 && s->n_c >= 0 && s->n_nz >= 0 && s->n_r < INT32_MAX && s->n_c < INT32_MAX;
}

static bool is_matrix(const struct shape *s)
{
    if ((uintptr_t)s->i < 4096 || ((uintptr_t)s->i & 3) != 0)
        return s->n_nz == 0 && !s->i;
    if (s->n_nz > 0 && ((uintptr_t)s->j < 4096 || ((uintptr_t)s->j & 3) != 0))
        return false;
    return sp_attach_index(s->i, s->index_B, 0) == 0 && sp_attach_index(s->i, s->index_B, s->n_r) == s->n_nz;
}

static bool find_shape(const void *A, struct shape *s)
{
    static const struct {
        int n_pointers, width_B;
    } known[] = {{3, 4}, {3, 8}, {2, 4}, {2, 8}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (read_shape(A, known[k].n_pointers, known[k].width_B, s) && is_matrix(s))
            return true;
    return false;
}

static bool may_be_on_gpu(void)
{
    static int known; /* 1: no, 2: yes */
    int k = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (!k) {
        k = sp_attach_function("hypre_CSRMatrixMatvecDevice") ? 2 : 1;
        __atomic_store_n(&known, k, __ATOMIC_RELAXED);
    }
    return k == 2;
}

static int threads(void)
{
    int (*n)(void) = (int (*)(void))sp_attach_function("hypre_NumThreads");
    return n && n() > 0 ? n() : 1;
}

static bool look(const struct sp_attach_product *p, struct sp_attach_view *view)
{
    struct shape s = {0};
    view->kind = "CSR";
    view->type = SP_ATTACH_F64;
    if (may_be_on_gpu()) {
        view->why = "this hypre was built for GPUs: its arrays may lie there";
        return true;
    }
    if (!find_shape(p->matrix, &s)) {
        view->why = "this version of hypre keeps its matrices in another way";
        return true;
    }
    view->n_r = s.n_r;
    view->n_c = s.n_c;
    view->n_nz = s.n_nz;
    view->row_ptr_B = view->col_B = s.index_B;
    view->n_parts = s.i ? 1 : 0;
    view->why = s.i ? NULL : "it has no entries";
    view->part[0] = (struct sp_attach_part){.row_ptr = s.i, .col = s.j, .n_c = s.n_c};
    return true;
}

/* Nobody says when a matrix is freed: its first members, and entries of its columns, tell it from
 * the next. */
static struct sp_attach_product product(enum sp_attach_row row, const void *A, enum sp_attach_op op)
{
    struct sp_attach_product p = {
        .row = row, .matrix = A, .op = op, .width = 1, .look = look, .threads = threads};
    uint64_t word[5], hash = 0;
    memcpy(word, A, sizeof word);
    for (int k = 0; k < 5; k++)
        hash = (hash ^ word[k]) * 0x9e3779b97f4a7c15ULL + (hash >> 29);
    struct shape s;
    if (!may_be_on_gpu() && find_shape(A, &s) && s.n_nz > 0)
        for (int k = 0; k < 4; k++)
            p.version[1] = p.version[1] * 31 + sp_attach_index(s.j, s.index_B, s.n_nz / 4 * k);
    p.version[0] = (int64_t)hash;
    return p;
}

SP_EXPORT int hypre_CSRMatrixMatvecOutOfPlace(double alpha, void *A, void *x, double beta, void *b, void *y,
                                              long offset)
{
    out_of_place *real = (out_of_place *)sp_attach_real(SP_ROW_hypre_CSRMatrixMatvecOutOfPlace);
    if (!real)
        return NO_LIBRARY;
    if (!sp_attach_is_on())
        return real(alpha, A, x, beta, b, y, offset);
    struct sp_attach_call call;
    const struct sp_attach_product p = product(SP_ROW_hypre_CSRMatrixMatvecOutOfPlace, A,
                                               b != y && beta != 0 ? SP_ATTACH_ADD : SP_ATTACH_SPMV);
    sp_attach_begin(&call, &p);
    const int status = real(alpha, A, x, beta, b, y, offset);
    sp_attach_end(&call, true);
    return status;
}

static int call_in_place(enum sp_attach_row row, enum sp_attach_op op, double alpha, void *A, void *x,
                         double beta, void *y)
{
    in_place *real = (in_place *)sp_attach_real(row);
    if (!real)
        return NO_LIBRARY;
    if (!sp_attach_is_on())
        return real(alpha, A, x, beta, y);
    struct sp_attach_call call;
    const struct sp_attach_product p = product(row, A, op);
    sp_attach_begin(&call, &p);
    const int status = real(alpha, A, x, beta, y);
    sp_attach_end(&call, true);
    return status;
}

SP_EXPORT int hypre_CSRMatrixMatvec(double alpha, void *A, void *x, double beta, void *y)
{
    return call_in_place(SP_ROW_hypre_CSRMatrixMatvec, SP_ATTACH_SPMV, alpha, A, x, beta, y);
}

SP_EXPORT int hypre_CSRMatrixMatvecT(double alpha, void *A, void *x, double beta, void *y)
{
    return call_in_place(SP_ROW_hypre_CSRMatrixMatvecT, SP_ATTACH_TRANSPOSE, alpha, A, x, beta, y);
}
