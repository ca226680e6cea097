#include "kernels/own/own_library.h"

#include <complex.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/option/option_words.h"

#define C_FUNCTION(index, row_ptr, real)                                                                     \
    "void NAME(" index " n_r, const " row_ptr " *row_ptr, const " index " *col, const " real                 \
    " *values, const " real " *x, " real " *y)"
#define C_SEVERAL(index, row_ptr, real)                                                                      \
    "void NAME(" index " n_r, " index " r, const " row_ptr " *row_ptr, const " index " *col, const " real    \
    " *values, const " real " *x, " real " *y)"
#define FORTRAN_FUNCTION(kind, real)                                                                         \
    "subroutine NAME(n_r, row_ptr, col, values, x, y) bind(C): integer(" kind                                \
    ") n_r, row_ptr(n_r + 1), col(*); " real " values(*), x(*), y(n_r)"

const struct sp_own_signature sp_own_signatures[] = {
    {"csr32", C_FUNCTION("int32_t", "int32_t", "double"), 4, 4, SP_F64, 0, false, false},
    {"csr64", C_FUNCTION("int64_t", "int64_t", "double"), 8, 8, SP_F64, 0, false, false},
    {"csr32-ptr64", C_FUNCTION("int32_t", "int64_t", "double"), 4, 8, SP_F64, 0, false, false},
    {"csr32-f32", C_FUNCTION("int32_t", "int32_t", "float"), 4, 4, SP_F32, 0, false, false},
    {"csr64-f32", C_FUNCTION("int64_t", "int64_t", "float"), 8, 8, SP_F32, 0, false, false},
    {"csr32-c128", C_FUNCTION("int32_t", "int32_t", "double complex"), 4, 4, SP_C128, 0, false, false},
    {"csr32-rhs", C_SEVERAL("int32_t", "int32_t", "double"), 4, 4, SP_F64, 0, false, true},
    {"csr64-rhs", C_SEVERAL("int64_t", "int64_t", "double"), 8, 8, SP_F64, 0, false, true},
    {"fortran32", FORTRAN_FUNCTION("int32", "real(real64)"), 4, 4, SP_F64, 1, true, false},
    {"fortran64", FORTRAN_FUNCTION("int64", "real(real64)"), 8, 8, SP_F64, 1, true, false},
    {"fortran32-f32", FORTRAN_FUNCTION("int32", "real(real32)"), 4, 4, SP_F32, 1, true, false},
    {0},
};

const struct sp_own_signature *sp_own_signature_find(const char *name)
{
    for (const struct sp_own_signature *s = sp_own_signatures; s->name; s++)
        if (strcmp(s->name, name) == 0)
            return s;
    return NULL;
}

enum sp_status sp_own_library_split(const char *typed, char *path, size_t size, const char **symbol,
                                    struct sp_error *err)
{
    const char *colon = strrchr(typed, ':');
    const bool named = colon && colon[1] && !strchr(colon, '/');
    const size_t length = named ? (size_t)(colon - typed) : strlen(typed);
    *symbol = named ? colon + 1 : "spmodel_kernel";
    const int n = snprintf(path, size, "%s%.*s", strchr(typed, '/') ? "" : "./", (int)length, typed);
    if (length > 0 && n > 0 && (size_t)n < size)
        return SP_OK;
    return sp_fail(err, SP_USAGE, SP_O_KERNEL " ./libmine.so:spmv", "'%.200s' names no library", typed);
}

/* ---- plain functions ---- */

typedef void plain_function(void);

/* What a plain function is called with; its own arrays where it counts from 1. */
struct plain {
    const struct sp_own_signature *signature;
    plain_function *function;
    const struct spmodel_matrix *matrix;
    int32_t r;
    void *row_ptr, *col; /* from 1; NULL: the matrix' own */
    char name[64];
};

/* One state for each process: the structure of a plain function is made by this file alone. */
static struct plain plain;

static void *count_from_1(const void *from, int64_t n, size_t size_B)
{
    void *to = malloc((size_t)(n > 0 ? n : 1) * size_B);
    for (int64_t i = 0; to && i < n; i++)
        if (size_B == sizeof(int32_t))
            ((int32_t *)to)[i] = ((const int32_t *)from)[i] + 1;
        else
            ((int64_t *)to)[i] = ((const int64_t *)from)[i] + 1;
    return to;
}

static int prepare_plain(void *context, const struct spmodel_matrix *m, int32_t n_threads, int32_t r,
                         void **state)
{
    struct plain *p = context;
    (void)n_threads;
    p->matrix = m;
    p->r = r;
    if (p->signature->base == 1) {
        p->row_ptr = count_from_1(m->row_ptr, m->n_r + 1, (size_t)m->row_ptr_B);
        p->col = count_from_1(m->col, m->n_nz, (size_t)m->col_B);
        if (!p->row_ptr || !p->col)
            return -1;
    }
    *state = p;
    return 0;
}

static void finish_plain(void *state)
{
    struct plain *p = state;
    free(p->row_ptr);
    free(p->col);
    p->row_ptr = p->col = NULL;
}

/* The arrays from 1 instead of the matrix'. */
static int stores_plain(void *state, struct spmodel_array *array)
{
    const struct plain *p = state;
    const struct spmodel_matrix *m = p->matrix;
    const size_t value_B = m->type == SPMODEL_F32    ? sizeof(float)
                           : m->type == SPMODEL_C128 ? 2 * sizeof(double)
                                                     : sizeof(double);
    int n = 0;
    if (m->n_nz > 0) {
        array[n++] = (struct spmodel_array){"values", m->values, (size_t)m->n_nz * value_B};
        array[n++] = (struct spmodel_array){"indices", p->col, (size_t)m->n_nz * (size_t)m->col_B};
    }
    array[n++] = (struct spmodel_array){"pointers", p->row_ptr, (size_t)(m->n_r + 1) * (size_t)m->row_ptr_B};
    return n;
}

#define CALL(INDEX, ROW_PTR, REAL)                                                                           \
    ((void (*)(INDEX, const ROW_PTR *, const INDEX *, const REAL *, const REAL *, REAL *))f)(                \
        (INDEX)m->n_r, m->row_ptr, m->col, m->values, x, y)
#define CALL_SEVERAL(INDEX)                                                                                  \
    ((void (*)(INDEX, INDEX, const INDEX *, const INDEX *, const double *, const double *, double *))f)(     \
        (INDEX)m->n_r, (INDEX)r, m->row_ptr, m->col, m->values, x, y)
#define CALL_FORTRAN(INDEX, REAL)                                                                            \
    ((void (*)(const INDEX *, const INDEX *, const INDEX *, const REAL *, const REAL *, REAL *))f)(          \
        &(const INDEX){(INDEX)m->n_r}, plain.row_ptr, plain.col, m->values, x, y)

static void call(plain_function *f, const struct sp_own_signature *s, const struct spmodel_matrix *m,
                 int32_t r, const void *x, void *y)
{
    const bool wide = s->index_B == sizeof(int64_t);
    if (s->by_reference && wide)
        CALL_FORTRAN(int64_t, double);
    else if (s->by_reference && s->precision == SP_F32)
        CALL_FORTRAN(int32_t, float);
    else if (s->by_reference)
        CALL_FORTRAN(int32_t, double);
    else if (s->several && wide)
        CALL_SEVERAL(int64_t);
    else if (s->several)
        CALL_SEVERAL(int32_t);
    else if (s->precision == SP_F32 && wide)
        CALL(int64_t, int64_t, float);
    else if (s->precision == SP_F32)
        CALL(int32_t, int32_t, float);
    else if (s->precision == SP_C128)
        CALL(int32_t, int32_t, double complex);
    else if (wide)
        CALL(int64_t, int64_t, double);
    else if (s->row_ptr_B == sizeof(int64_t))
        CALL(int32_t, int64_t, double);
    else
        CALL(int32_t, int32_t, double);
}

/* Counted from 0: the state is the matrix. */
static int run_matrix(void *state, const void *x, void *y)
{
    call(plain.function, plain.signature, state, 1, x, y);
    return 0;
}

static int run_plain(void *state, const void *x, void *y)
{
    const struct plain *p = state;
    call(p->function, p->signature, p->matrix, p->r, x, y);
    return 0;
}

/* ---- the library ---- */

struct opening {
    const char *path, *symbol;
    void *library, *found;
};

static int open_it(void *context)
{
    struct opening *o = context;
    o->library = dlopen(o->path, RTLD_NOW | RTLD_LOCAL);
    o->found = o->library ? dlsym(o->library, o->symbol) : NULL;
    return 0;
}

static enum sp_status find_symbol(const char *typed, struct sp_own_watch *watch, char *path, size_t size,
                                  struct opening *o, struct sp_error *err)
{
    struct stat st;
    enum sp_status status = sp_own_library_split(typed, path, size, &o->symbol, err);
    if (status != SP_OK)
        return status;
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return sp_fail_at(err, SP_INPUT, path, 0, 0, "build it: cc -O3 -shared -fPIC mine.c -o libmine.so",
                          "there is no such library");
    o->path = path;
    if (watch)
        snprintf(watch->name, sizeof watch->name, "%s", typed);
    sp_own_watched(watch, SP_OWN_LOAD, open_it, o);
    if (!o->library)
        return sp_fail_at(err, SP_INPUT, path, 0, 0,
                          "it has to be a shared library of this kind of processor, with all that it needs",
                          "it cannot be opened: %.400s", dlerror());
    if (!o->found)
        return sp_fail_at(
            err, SP_INPUT, path, 0, 0,
            "name the symbol behind a colon (nm -D lists them), and of a plain function give " SP_O_SIGNATURE,
            "it has no symbol %s", o->symbol);
    return SP_OK;
}

enum sp_status sp_own_library_open(const char *typed, const struct sp_own_signature *signature,
                                   struct sp_own_watch *watch, struct spmodel_kernel *kernel,
                                   struct sp_error *err)
{
    char path[1024];
    struct opening o = {0};
    memset(kernel, 0, sizeof *kernel);
    enum sp_status status = find_symbol(typed, watch, path, sizeof path, &o, err);
    if (status != SP_OK)
        return status;
    if (!signature) {
        const struct spmodel_kernel *theirs = o.found;
        if (theirs->size < SP_OWN_LEAST_B || theirs->size > sizeof *kernel)
            return sp_fail_at(err, SP_INPUT, path, 0, 0,
                              "set its first field to sizeof(struct spmodel_kernel) and build it with this "
                              "version's spmodel.h; of a plain function give " SP_O_SIGNATURE,
                              "%s is no struct spmodel_kernel of this version: its size is %zu, not %zu",
                              o.symbol, theirs->size, sizeof *kernel);
        memcpy(kernel, theirs, theirs->size);
        return SP_OK;
    }
    memcpy(&plain.function, &o.found, sizeof o.found);
    plain.signature = signature;
    snprintf(plain.name, sizeof plain.name, "%s", o.symbol);
    *kernel = (struct spmodel_kernel){
        .size = sizeof *kernel, .name = plain.name, .context = &plain, .run = run_matrix};
    if (signature->base == 1 || signature->several) {
        kernel->prepare = prepare_plain;
        kernel->run = run_plain;
        kernel->finish = finish_plain;
    }
    if (signature->base == 1)
        kernel->stores = stores_plain;
    return SP_OK;
}
