/* PETSc, of any version that has these functions: 3.5 and later. A matrix is asked through PETSc's
 * own public functions, found by name, so that neither its headers nor its number of index bits are
 * known here. SeqAIJ: its arrays. MPIAIJ: what one process holds, the columns of others behind its
 * own. Others are counted, and what they call is part of them, unless they have no entries of their
 * own (shell, nest, composite, ...). */
#include <stdlib.h>
#include <string.h>

#include "attach/attach.h"

typedef int product_2(void *A, void *x, void *y);
typedef int product_3(void *A, void *x, void *y, void *z);

enum { NO_LIBRARY = 56 }; /* PETSC_ERR_SUP */

/* PetscInt may have 4 or 8 bytes: whatever a function leaves of this was not its. */
union index {
    int64_t wide;
    int32_t narrow[2];
};
static const union index untouched = {-1};

static int64_t value_of(union index i, int width_B)
{
    return width_B == 8 ? i.wide : i.narrow[0];
}

struct functions {
    int (*get_id)(void *object, int64_t *id);
    int (*get_state)(void *A, int64_t *state);
    int (*get_type)(void *A, const char **type);
    int (*get_local_size)(void *A, union index *n_r, union index *n_c);
    int (*get_rows)(void *A, int64_t shift, int symmetric, int compressed, union index *n, const void **i,
                    const void **j, int *done);
    int (*restore_rows)(void *A, int64_t shift, int symmetric, int compressed, union index *n, const void **i,
                        const void **j, int *done);
    int (*get_parts)(void *A, void **diagonal, void **others, const void **columns);
    int index_B;
    enum sp_attach_type type;
    bool are_all_there;
};
/* NULL: not looked up. Filled by its thread alone before others see it; two threads may both look,
 * and one of the two results stays. */
static struct functions *known;

/* Of PetscScalar, by its name and by the size of PetscReal. */
static enum sp_attach_type scalar_type(void)
{
    int (*from_string)(const char *name, int *type, int *found) =
        (int (*)(const char *, int *, int *))sp_attach_function("PetscDataTypeFromString");
    int (*size_of)(int type, size_t *size) =
        (int (*)(int, size_t *))sp_attach_function("PetscDataTypeGetSize");
    size_t scalar = 0, real = 0;
    int type = 0, found = 0;
    if (!from_string || !size_of)
        return SP_ATTACH_TYPE_UNKNOWN;
    if (from_string("scalar", &type, &found) || !found || size_of(type, &scalar) ||
        from_string("real", &type, &found) || !found || size_of(type, &real))
        return SP_ATTACH_TYPE_UNKNOWN;
    return scalar == 4 && real == 4    ? SP_ATTACH_F32
           : scalar == 8 && real == 8  ? SP_ATTACH_F64
           : scalar == 8 && real == 4  ? SP_ATTACH_C64
           : scalar == 16 && real == 8 ? SP_ATTACH_C128
                                       : SP_ATTACH_TYPE_UNKNOWN;
}

static void look_up(void *A, struct functions *f)
{
    union index n_r = untouched, n_c = untouched;
    *(void **)&f->get_id = sp_attach_function("PetscObjectGetId");
    *(void **)&f->get_state = sp_attach_function("MatGetNonzeroState");
    *(void **)&f->get_type = sp_attach_function("MatGetType");
    *(void **)&f->get_local_size = sp_attach_function("MatGetLocalSize");
    *(void **)&f->get_rows = sp_attach_function("MatGetRowIJ");
    *(void **)&f->restore_rows = sp_attach_function("MatRestoreRowIJ");
    *(void **)&f->get_parts = sp_attach_function("MatMPIAIJGetSeqAIJ");
    f->are_all_there = f->get_id && f->get_state && f->get_type && f->get_local_size && f->get_rows &&
                       f->restore_rows && f->get_parts && f->get_local_size(A, &n_r, &n_c) == 0;
    f->index_B = n_r.narrow[1] == untouched.narrow[1] ? 4 : 8;
    f->type = f->are_all_there ? scalar_type() : SP_ATTACH_TYPE_UNKNOWN;
}

/* NULL: something is missing. */
static const struct functions *functions(void *A)
{
    struct functions *f = __atomic_load_n(&known, __ATOMIC_ACQUIRE), *none = NULL;
    if (!f) {
        f = calloc(1, sizeof *f);
        if (!f)
            return NULL;
        look_up(A, f);
        if (!__atomic_compare_exchange_n(&known, &none, f, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
            free(f);
            f = none;
        }
    }
    return f->are_all_there ? f : NULL;
}

static void give_back(struct sp_attach_view *view)
{
    for (int k = 0; k < view->n_parts; k++) {
        const struct functions *petsc = functions(view->held[k]);
        union index n = {0};
        int done = 1;
        const void *i = view->part[k].row_ptr, *j = view->part[k].col;
        if (petsc)
            petsc->restore_rows(view->held[k], 0, 0, 0, &n, &i, &j, &done);
    }
}

/* Adds the rows of a SeqAIJ matrix as the next part. */
static bool add_part(const struct functions *petsc, void *A, struct sp_attach_view *view)
{
    union index n_r = untouched, n_c = untouched, n = untouched;
    struct sp_attach_part *part = &view->part[view->n_parts];
    int done = 0;
    if (!A || petsc->get_local_size(A, &n_r, &n_c) ||
        petsc->get_rows(A, 0, 0, 0, &n, &part->row_ptr, &part->col, &done) || !done)
        return false;
    view->held[view->n_parts++] = A;
    view->n_r = value_of(n_r, petsc->index_B);
    part->n_c = value_of(n_c, petsc->index_B);
    view->n_c += part->n_c;
    union index end = untouched;
    memcpy(&end, (const char *)part->row_ptr + view->n_r * petsc->index_B, (size_t)petsc->index_B);
    view->n_nz += value_of(end, petsc->index_B);
    return true;
}

static bool has_word(const char *words, const char *word)
{
    const char *at = strstr(words, word);
    const size_t n = strlen(word);
    return at && (at == words || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0');
}

static bool look(const struct sp_attach_product *p, struct sp_attach_view *view)
{
    void *A = (void *)(uintptr_t)p->matrix;
    const struct functions *petsc = functions(A);
    const char *type = NULL;
    if (!petsc || petsc->get_type(A, &type) || !type)
        return false;
    view->row_ptr_B = view->col_B = petsc->index_B;
    view->type = petsc->type;
    view->release = give_back;
    if (has_word("seqaij seqaijmkl seqaijperm seqaijsell seqaijcrl", type)) {
        view->kind = "SeqAIJ";
        return add_part(petsc, A, view);
    }
    if (has_word("mpiaij mpiaijmkl mpiaijperm mpiaijsell mpiaijcrl", type)) {
        void *diagonal = NULL, *others = NULL;
        const void *columns = NULL;
        view->kind = "rows of an MPIAIJ";
        return petsc->get_parts(A, &diagonal, &others, &columns) == 0 && add_part(petsc, diagonal, view) &&
               add_part(petsc, others, view);
    }
    if (!strstr(type, "baij") && !strstr(type, "sell") && !strstr(type, "aij"))
        return false;
    union index n_r = untouched, n_c = untouched;
    if (petsc->get_local_size(A, &n_r, &n_c))
        return false;
    view->kind = strstr(type, "baij") ? "BAIJ" : strstr(type, "sell") ? "SELL" : "AIJ of another kind";
    view->why = "only AIJ matrices of CPUs are read";
    view->n_r = value_of(n_r, petsc->index_B);
    view->n_c = value_of(n_c, petsc->index_B);
    return true;
}

static struct sp_attach_product product(enum sp_attach_row row, void *A, enum sp_attach_op op)
{
    struct sp_attach_product p = {.row = row, .matrix = A, .op = op, .width = 1, .look = look};
    const struct functions *petsc = functions(A);
    if (petsc && petsc->get_id(A, &p.version[0]) == 0)
        petsc->get_state(A, &p.version[1]);
    return p;
}

static int call_2(enum sp_attach_row row, enum sp_attach_op op, void *A, void *x, void *y)
{
    product_2 *real = (product_2 *)sp_attach_real(row);
    if (!real)
        return NO_LIBRARY;
    if (!sp_attach_is_on())
        return real(A, x, y);
    struct sp_attach_call call;
    const struct sp_attach_product p = product(row, A, op);
    sp_attach_begin(&call, &p);
    const int status = real(A, x, y);
    sp_attach_end(&call, status == 0);
    return status;
}

static int call_3(enum sp_attach_row row, enum sp_attach_op op, void *A, void *x, void *y, void *z)
{
    product_3 *real = (product_3 *)sp_attach_real(row);
    if (!real)
        return NO_LIBRARY;
    if (!sp_attach_is_on())
        return real(A, x, y, z);
    struct sp_attach_call call;
    const struct sp_attach_product p = product(row, A, op);
    sp_attach_begin(&call, &p);
    const int status = real(A, x, y, z);
    sp_attach_end(&call, status == 0);
    return status;
}

SP_EXPORT int MatMult(void *A, void *x, void *y)
{
    return call_2(SP_ROW_MatMult, SP_ATTACH_SPMV, A, x, y);
}

SP_EXPORT int MatMultTranspose(void *A, void *x, void *y)
{
    return call_2(SP_ROW_MatMultTranspose, SP_ATTACH_TRANSPOSE, A, x, y);
}

SP_EXPORT int MatMultHermitianTranspose(void *A, void *x, void *y)
{
    return call_2(SP_ROW_MatMultHermitianTranspose, SP_ATTACH_TRANSPOSE, A, x, y);
}

SP_EXPORT int MatMultAdd(void *A, void *x, void *y, void *z)
{
    return call_3(SP_ROW_MatMultAdd, SP_ATTACH_ADD, A, x, y, z);
}

SP_EXPORT int MatMultTransposeAdd(void *A, void *x, void *y, void *z)
{
    return call_3(SP_ROW_MatMultTransposeAdd, SP_ATTACH_TRANSPOSE, A, x, y, z);
}
