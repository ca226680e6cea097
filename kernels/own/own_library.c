#include "kernels/own/own_library.h"

#include <complex.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/option/option_words.h"

/* ---- plain functions ---- */

typedef void plain_function(void);

/* What a plain function is called with. */
struct plain {
    const struct sp_own_signature *signature;
    plain_function *function;
    const struct spmodel_matrix *matrix;
    int32_t r;
    const void *row_ptr, *col;   /* the matrix' own, or: */
    void *own_row_ptr, *own_col; /* counted from 1; NULL */
    char name[64];
};

/* What states are made of: the structure of a plain function is made by this file alone. */
static struct plain plain;

typedef void function_csr32(int32_t n_r, const int32_t *row_ptr, const int32_t *col, const double *values,
                            const double *x, double *y);
static void call_csr32(const struct plain *p, const void *x, void *y)
{
    const struct spmodel_matrix *m = p->matrix;
    ((function_csr32 *)p->function)((int32_t)m->n_r, p->row_ptr, p->col, m->values, x, y);
}

typedef void function_csr64(int64_t n_r, const int64_t *row_ptr, const int64_t *col, const double *values,
                            const double *x, double *y);
static void call_csr64(const struct plain *p, const void *x, void *y)
{
    const struct spmodel_matrix *m = p->matrix;
    ((function_csr64 *)p->function)((int64_t)m->n_r, p->row_ptr, p->col, m->values, x, y);
}

typedef void function_csr32_ptr64(int32_t n_r, const int64_t *row_ptr, const int32_t *col,
                                  const double *values, const double *x, double *y);
static void call_csr32_ptr64(const struct plain *p, const void *x, void *y)
{
    const struct spmodel_matrix *m = p->matrix;
    ((function_csr32_ptr64 *)p->function)((int32_t)m->n_r, p->row_ptr, p->col, m->values, x, y);
}

typedef void function_csr32_f32(int32_t n_r, const int32_t *row_ptr, const int32_t *col, const float *values,
                                const float *x, float *y);
static void call_csr32_f32(const struct plain *p, const void *x, void *y)
{
    const struct spmodel_matrix *m = p->matrix;
    ((function_csr32_f32 *)p->function)((int32_t)m->n_r, p->row_ptr, p->col, m->values, x, y);
}

typedef void function_csr64_f32(int64_t n_r, const int64_t *row_ptr, const int64_t *col, const float *values,
                                const float *x, float *y);
static void call_csr64_f32(const struct plain *p, const void *x, void *y)
{
    const struct spmodel_matrix *m = p->matrix;
    ((function_csr64_f32 *)p->function)((int64_t)m->n_r, p->row_ptr, p->col, m->values, x, y);
}

typedef void function_csr32_c128(int32_t n_r, const int32_t *row_ptr, const int32_t *col,
                                 const double complex *values, const double complex *x, double complex *y);
static void call_csr32_c128(const struct plain *p, const void *x, void *y)
{
    const struct spmodel_matrix *m = p->matrix;
    ((function_csr32_c128 *)p->function)((int32_t)m->n_r, p->row_ptr, p->col, m->values, x, y);
}

typedef void function_csr32_rhs(int32_t n_r, int32_t r, const int32_t *row_ptr, const int32_t *col,
                                const double *values, const double *x, double *y);
static void call_csr32_rhs(const struct plain *p, const void *x, void *y)
{
    const struct spmodel_matrix *m = p->matrix;
    ((function_csr32_rhs *)p->function)((int32_t)m->n_r, (int32_t)p->r, p->row_ptr, p->col, m->values, x, y);
}

typedef void function_csr64_rhs(int64_t n_r, int64_t r, const int64_t *row_ptr, const int64_t *col,
                                const double *values, const double *x, double *y);
static void call_csr64_rhs(const struct plain *p, const void *x, void *y)
{
    const struct spmodel_matrix *m = p->matrix;
    ((function_csr64_rhs *)p->function)((int64_t)m->n_r, (int64_t)p->r, p->row_ptr, p->col, m->values, x, y);
}

typedef void function_fortran32(const int32_t *n_r, const int32_t *row_ptr, const int32_t *col,
                                const double *values, const double *x, double *y);
static void call_fortran32(const struct plain *p, const void *x, void *y)
{
    const struct spmodel_matrix *m = p->matrix;
    const int32_t n_r = (int32_t)m->n_r;
    ((function_fortran32 *)p->function)(&n_r, p->row_ptr, p->col, m->values, x, y);
}

typedef void function_fortran64(const int64_t *n_r, const int64_t *row_ptr, const int64_t *col,
                                const double *values, const double *x, double *y);
static void call_fortran64(const struct plain *p, const void *x, void *y)
{
    const struct spmodel_matrix *m = p->matrix;
    const int64_t n_r = (int64_t)m->n_r;
    ((function_fortran64 *)p->function)(&n_r, p->row_ptr, p->col, m->values, x, y);
}

typedef void function_fortran32_f32(const int32_t *n_r, const int32_t *row_ptr, const int32_t *col,
                                    const float *values, const float *x, float *y);
static void call_fortran32_f32(const struct plain *p, const void *x, void *y)
{
    const struct spmodel_matrix *m = p->matrix;
    const int32_t n_r = (int32_t)m->n_r;
    ((function_fortran32_f32 *)p->function)(&n_r, p->row_ptr, p->col, m->values, x, y);
}

const struct sp_own_signature sp_own_signatures[] = {
    {"csr32", 4, 4, SP_F64, 0, false, call_csr32},
    {"csr64", 8, 8, SP_F64, 0, false, call_csr64},
    {"csr32-ptr64", 4, 8, SP_F64, 0, false, call_csr32_ptr64},
    {"csr32-f32", 4, 4, SP_F32, 0, false, call_csr32_f32},
    {"csr64-f32", 8, 8, SP_F32, 0, false, call_csr64_f32},
    {"csr32-c128", 4, 4, SP_C128, 0, false, call_csr32_c128},
    {"csr32-rhs", 4, 4, SP_F64, 0, true, call_csr32_rhs},
    {"csr64-rhs", 8, 8, SP_F64, 0, true, call_csr64_rhs},
    {"fortran32", 4, 4, SP_F64, 1, false, call_fortran32},
    {"fortran64", 8, 8, SP_F64, 1, false, call_fortran64},
    {"fortran32-f32", 4, 4, SP_F32, 1, false, call_fortran32_f32},
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

static void finish_plain(void *state)
{
    struct plain *p = state;
    free(p->own_row_ptr);
    free(p->own_col);
    free(p);
}

static int prepare_plain(void *context, const struct spmodel_matrix *m, int32_t n_threads, int32_t r,
                         void **state)
{
    struct plain *p = malloc(sizeof *p);
    (void)n_threads;
    if (!p)
        return -1;
    *p = *(const struct plain *)context;
    p->matrix = m;
    p->r = r;
    p->row_ptr = m->row_ptr;
    p->col = m->col;
    if (p->signature->base == 1) {
        p->row_ptr = p->own_row_ptr = count_from_1(m->row_ptr, m->n_r + 1, (size_t)m->row_ptr_B);
        p->col = p->own_col = count_from_1(m->col, m->n_nz, (size_t)m->col_B);
    }
    *state = p;
    if (p->row_ptr && p->col)
        return 0;
    finish_plain(p);
    return -1;
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

/* Counted from 0, one vector: the state is the matrix. */
static int run_matrix(void *state, const void *x, void *y)
{
    const struct spmodel_matrix *m = state;
    const struct plain p = {plain.signature, plain.function, m, 1, m->row_ptr, m->col, NULL, NULL, ""};
    p.signature->call(&p, x, y);
    return 0;
}

static int run_plain(void *state, const void *x, void *y)
{
    const struct plain *p = state;
    p->signature->call(p, x, y);
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
