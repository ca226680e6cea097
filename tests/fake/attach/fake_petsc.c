/* Of PETSc what attach asks for, with the names and the manners of the real one: matrices of one process and
 * of several, whose products call each other through the public functions, and one without entries of its
 * own. */
#include <dlfcn.h>
#include <string.h>

#include "fake_matrix.h"

struct mat {
    const char *type;
    int64_t id, state;
    struct fake_rows rows;
    struct mat *part[2];
};

static long each_ns = 20000;
static int64_t n_made;

FAKE int MatMult(void *A, void *x, void *y);
FAKE int MatMultAdd(void *A, void *x, void *y, void *z);

FAKE void fake_petsc_time(long ns)
{
    each_ns = ns;
}

FAKE void *fake_petsc_make(const char *type, int n_r, int n_c, int each)
{
    struct mat *m = calloc(1, sizeof *m);
    m->type = type;
    m->id = __atomic_add_fetch(&n_made, 1, __ATOMIC_RELAXED);
    m->state = 1;
    m->rows = fake_rows_make(n_r, n_c, each);
    return m;
}

FAKE void *fake_petsc_join(const char *type, void *first, void *second)
{
    struct mat *m = calloc(1, sizeof *m);
    m->type = type;
    m->id = __atomic_add_fetch(&n_made, 1, __ATOMIC_RELAXED);
    m->part[0] = first;
    m->part[1] = second;
    return m;
}

FAKE void fake_petsc_free(void *A)
{
    struct mat *m = A;
    free(m->rows.row_ptr);
    free(m->rows.col);
    free(m);
}

FAKE int PetscObjectGetId(void *A, int64_t *id)
{
    *id = ((struct mat *)A)->id;
    return 0;
}

FAKE int MatGetNonzeroState(void *A, int64_t *state)
{
    *state = ((struct mat *)A)->state;
    return 0;
}

FAKE int MatGetType(void *A, const char **type)
{
    *type = ((struct mat *)A)->type;
    return 0;
}

FAKE int MatGetLocalSize(void *A, int *n_r, int *n_c)
{
    const struct mat *m = A;
    const struct mat *own = m->part[0] ? m->part[0] : m;
    *n_r = own->rows.n_r;
    *n_c = own->rows.n_c;
    return 0;
}

FAKE int MatGetRowIJ(void *A, int shift, int symmetric, int compressed, int *n, const int **i, const int **j,
                     int *done)
{
    const struct mat *m = A;
    *n = m->rows.n_r;
    *i = m->rows.row_ptr;
    *j = m->rows.col;
    *done = m->part[0] == NULL && shift == 0 && !symmetric && !compressed;
    return 0;
}

FAKE int MatRestoreRowIJ(void *A, int shift, int symmetric, int compressed, int *n, const int **i,
                         const int **j, int *done)
{
    (void)A, (void)shift, (void)symmetric, (void)compressed, (void)n, (void)done;
    *i = *j = NULL;
    return 0;
}

FAKE int MatMPIAIJGetSeqAIJ(void *A, void **diagonal, void **others, const int **columns)
{
    const struct mat *m = A;
    *diagonal = m->part[0];
    *others = m->part[1];
    *columns = NULL;
    return 0;
}

FAKE int PetscDataTypeFromString(const char *name, int *type, int *found)
{
    *type = strcmp(name, "scalar") == 0 || strcmp(name, "real") == 0;
    *found = *type;
    return 0;
}

FAKE int PetscDataTypeGetSize(int type, size_t *size)
{
    *size = type == 1 ? 8 : 4;
    return 0;
}

/* Products of several processes, and of a shell, are made of others; the compiler must not know of which. */
static int (*volatile inner)(void *A, void *x, void *y) = MatMult;

FAKE int MatMult(void *A, void *x, void *y)
{
    const struct mat *m = A;
    if (strcmp(m->type, "shell") == 0)
        return inner(m->part[0], x, y);
    if (m->part[0])
        return inner(m->part[0], x, y) || MatMultAdd(m->part[1], x, y, y);
    fake_wait(each_ns);
    return 0;
}

FAKE int MatMultAdd(void *A, void *x, void *y, void *z)
{
    (void)A, (void)x, (void)y, (void)z;
    fake_wait(each_ns);
    return 0;
}

FAKE int MatMultTranspose(void *A, void *x, void *y)
{
    (void)A, (void)x, (void)y;
    fake_wait(each_ns);
    return 0;
}

FAKE int MatMultTransposeAdd(void *A, void *x, void *y, void *z)
{
    return MatMultAdd(A, x, y, z);
}

FAKE int MatMultHermitianTranspose(void *A, void *x, void *y)
{
    return MatMultTranspose(A, x, y);
}

/* RTLD_NEXT means next after this library, whoever stands in front of dlsym(): the one of fake_hypre. */
FAKE const char *fake_who(void)
{
    return "petsc";
}

FAKE const char *fake_who_is_next(void)
{
    const char *(*next)(void) = (const char *(*)(void))dlsym(RTLD_NEXT, "fake_who");
    return next ? next() : "nobody";
}
