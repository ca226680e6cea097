#include "kernels/own/own_kernel.h"

#include <complex.h>
#include <dlfcn.h>
#include <errno.h>
#include <fenv.h>
#include <link.h>
#include <math.h>
#include <omp.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/escape.h"
#include "base/option/option_words.h"
#include "kernels/own/own_watch.h"
#include "sparse/formats/format_ids.h"
#include "sys/processes.h"

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

/* The OpenMP of the library: those of gcc and clang live beside each other in one process. */
static struct {
    void (*set_threads)(int n); /* omp_set_num_threads(); NULL: it has none, or no library was opened */
    bool is_other;              /* than ours: our team computes nothing for it */
} their_openmp;

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

static bool is_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

enum sp_status sp_own_library_split(const char *typed, char *path, size_t size, const char **symbol,
                                    struct sp_error *err)
{
    const char *colon = strrchr(typed, ':');
    const int n = snprintf(path, size, "%s%s", strchr(typed, '/') ? "" : "./", typed);
    if (!*typed || colon == typed || (size_t)n >= size)
        return sp_fail(err, SP_USAGE, SP_O_KERNEL " ./libmine.so:spmv", "'%.200s' names no library", typed);
    *symbol = "spmodel_kernel";
    if (colon && colon[1] && !strchr(colon, '/') && !is_file(path)) {
        *symbol = colon + 1;
        *strrchr(path, ':') = '\0';
    }
    return SP_OK;
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
    void *set = o->library ? dlsym(o->library, "omp_set_num_threads") : NULL;
    memcpy(&their_openmp.set_threads, &set, sizeof set);
    their_openmp.is_other = !set || set != dlsym(RTLD_DEFAULT, "omp_set_num_threads");
    return 0;
}

static enum sp_status find_symbol(const char *typed, struct sp_own_watch *watch, char *path, size_t size,
                                  struct opening *o, struct sp_error *err)
{
    enum sp_status status = sp_own_library_split(typed, path, size, &o->symbol, err);
    if (status != SP_OK)
        return status;
    if (!is_file(path))
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

/* Whether the library's table of symbols calls it a function; false where that is not known. */
static bool is_function(void *address)
{
#ifdef __GLIBC__
    Dl_info info;
    void *symbol = NULL;
    if (dladdr1(address, &info, &symbol, RTLD_DL_SYMENT) && symbol && info.dli_saddr == address)
        return ELF64_ST_TYPE(((const ElfW(Sym) *)symbol)->st_info) == STT_FUNC; /* as ELF32_ST_TYPE */
#else
    (void)address;
#endif
    return false;
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
        if (is_function(o.found))
            return sp_fail_at(err, SP_INPUT, path, 0, 0,
                              "say what it takes: " SP_O_SIGNATURE
                              " csr32, for example (spmodel help own-kernel)",
                              "%s is a function, and not a struct spmodel_kernel", o.symbol);
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

struct state {
    struct sp_own *own;
    const struct sp_layout *layout;
    struct spmodel_matrix matrix;
    void *theirs; /* what prepare() made */
    void *x, *y;  /* [n_x], [n_y] */
    int64_t n_x, n_y;
    const struct sp_allocator *allocator;
    struct sp_own_array array[5], *in_x, *in_y; /* what it is given; n_arrays of them */
    int n_arrays;
};

enum sp_status sp_own_check(const struct sp_workload *w, struct sp_error *err)
{
    static const char whose[] = "a kernel of your own";
    if (w->op != SP_OP_SPMV && w->op != SP_OP_SPMMV)
        return sp_fail(err, SP_USAGE, "leave " SP_O_OP " out, or give " SP_O_RHS,
                       "%s computes y = A x or several right-hand sides, not %s", whose, sp_op_name(w->op));
    if (w->format != SP_FORMAT_CRS)
        return sp_fail(err, SP_USAGE,
                       "leave " SP_O_FORMAT " out; what it converts to, its function stores() may say",
                       "%s is given the matrix in CRS, not in format %s", whose, sp_format_name(w->format));
    if (w->index == SP_D16)
        return sp_fail(err, SP_USAGE, SP_O_INDEX " i32 or i64", "%s is given whole indices", whose);
    if (w->precision != SP_F64 && w->precision != SP_F32 && w->precision != SP_C128)
        return sp_fail(err, SP_USAGE, SP_O_PRECISION " f64, f32 or c128", "%s does not compute in %s", whose,
                       sp_precision_name(w->precision));
    if (w->order != SP_ROW_MAJOR)
        return sp_fail(err, SP_USAGE, "leave " SP_O_ORDER " out", "%s is given vectors row by row", whose);
    if (w->prefetch > 0)
        return sp_fail(err, SP_USAGE, "leave " SP_O_PREFETCH " out", "what %s prefetches is its own affair",
                       whose);
    return SP_OK;
}

static const char *their_name(const struct state *s)
{
    return s->own->name + sizeof "own/" - 1;
}

static void give(struct state *s, const void *p, size_t size_B, const char *name, bool read_only,
                 struct sp_own_array **where)
{
    if (size_B == 0)
        return;
    struct sp_own_array *a = &s->array[s->n_arrays++];
    sp_own_pages_array(p, size_B, name, a);
    if (read_only)
        sp_own_pages_protect(a, true);
    sp_own_watch_array(s->own->watch, a);
    if (where)
        *where = a;
}

/* The arrays of the layout, of x and y. Rows of an analysis have pages of their own. */
static void give_arrays(struct state *s)
{
    const struct sp_layout *l = s->layout;
    const bool own = sp_own_pages_are(l->allocator);
    if (own) {
        give(s, l->ptr, (size_t)l->n_ptr * l->s_p, "row_ptr", true, NULL);
        give(s, l->col, (size_t)l->n_indices * l->s_i, "col", true, NULL);
        give(s, l->val, (size_t)l->n_stored * l->s_a, "values", true, NULL);
    }
    give(s, s->x, (size_t)s->n_x * l->s_x, "x", true, &s->in_x);
    give(s, s->y, (size_t)s->n_y * l->s_y, "y", false, &s->in_y);
}

void sp_own_forget(void *state)
{
    const struct state *s = state;
    const int n = s->layout->partition.n_threads;
    const int64_t bytes = s->n_y * (int64_t)s->layout->s_y;
    char *y = s->y;
#pragma omp parallel num_threads(n)
    for (int t = omp_get_thread_num(); t < n; t += omp_get_num_threads()) /* each byte 0xff: NaN */
        memset(y + bytes * t / n, 0xff, (size_t)(bytes * (t + 1) / n - bytes * t / n));
}

void sp_own_negate_x(void *state)
{
    struct state *s = state;
    const struct sp_layout *l = s->layout;
    const int64_t n = s->n_x * (l->precision == SP_C128 ? 2 : 1);
    if (s->in_x)
        sp_own_pages_protect(s->in_x, false);
#pragma omp parallel for num_threads(l->partition.n_threads) schedule(static)
    for (int64_t i = 0; i < n; i++)
        if (l->precision == SP_F32)
            ((float *)s->x)[i] = -((float *)s->x)[i];
        else
            ((double *)s->x)[i] = -((double *)s->x)[i];
    if (s->in_x)
        sp_own_pages_protect(s->in_x, true);
}

static void fill_x(const struct state *s, const double *x)
{
    const struct sp_layout *l = s->layout;
    const int n = l->partition.n_threads;
    const int64_t reals = s->n_x * (l->precision == SP_C128 ? 2 : 1);
#pragma omp parallel num_threads(n)
    for (int t = omp_get_thread_num(); t < n; t += omp_get_num_threads())
        for (int64_t i = reals * t / n; i < reals * (t + 1) / n; i++)
            if (l->precision == SP_F32)
                ((float *)s->x)[i] = (float)x[i];
            else
                ((double *)s->x)[i] = x[i];
}

static int type_of(enum sp_precision p)
{
    return p == SP_F32 ? SPMODEL_F32 : p == SP_C128 ? SPMODEL_C128 : SPMODEL_F64;
}

static int do_prepare(void *context)
{
    struct state *s = context;
    return s->own->theirs.prepare(s->own->theirs.context, &s->matrix, s->layout->partition.n_threads,
                                  s->layout->r, &s->theirs);
}

static void release(void *state);

/* Threads that code of others begins may run where the one that begins them may: pinned, that would
 * be one processor for all. From here on the caller may run where any thread of its team may;
 * false: as before. */
static bool let_go(int n_threads, cpu_set_t *before)
{
    cpu_set_t all;
    CPU_ZERO(&all);
#pragma omp parallel num_threads(n_threads)
    {
        cpu_set_t own;
        CPU_ZERO(&own);
        sched_getaffinity(0, sizeof own, &own);
#pragma omp critical
        CPU_OR(&all, &all, &own);
    }
    return sched_getaffinity(0, sizeof *before, before) == 0 && sched_setaffinity(0, sizeof all, &all) == 0;
}

static int count_threads(void)
{
    enum { MOST = 4096 };
    static int thread[MOST];
    return sp_process_threads(thread, MOST);
}

/* What a loop of OpenMP without a clause takes. */
static void set_threads(int n_threads)
{
    omp_set_num_threads(n_threads);
    if (their_openmp.set_threads)
        their_openmp.set_threads(n_threads);
}

static enum sp_status prepare_theirs(struct state *s, struct sp_error *err)
{
    const struct sp_layout *l = s->layout;
    s->matrix = (struct spmodel_matrix){.size = sizeof s->matrix,
                                        .n_r = l->n_r,
                                        .n_c = l->n_c,
                                        .n_nz = l->n_nz,
                                        .row_ptr = l->ptr,
                                        .col = l->col,
                                        .values = l->val,
                                        .row_ptr_B = (int32_t)l->s_p,
                                        .col_B = (int32_t)l->s_i,
                                        .type = type_of(l->precision),
                                        .name = "matrix"};
    s->theirs = &s->matrix;
    if (!s->own->has_run)
        s->own->n_before = count_threads(); /* our team is there */
    if (!s->own->theirs.prepare)
        return SP_OK;
    cpu_set_t before;
    const bool is_free = let_go(l->partition.n_threads, &before);
    set_threads(l->partition.n_threads);
    const int code = sp_own_watched(s->own->watch, SP_OWN_PREPARE, do_prepare, s);
    if (is_free)
        sched_setaffinity(0, sizeof before, &before);
    if (code == 0)
        return SP_OK;
    s->theirs = NULL;
    return sp_fail(err, SP_WRONG, "look up what its number means", "the kernel %s returned %d from prepare()",
                   their_name(s), code);
}

static enum sp_status prepare(const struct sp_layout *l, const struct sp_operands *operands, void **state,
                              struct sp_error *err)
{
    void *p;
    *state = NULL;
    if (!operands->own)
        return sp_fail(err, SP_ABSENT, NULL, "a kernel of somebody else is not run here");
    enum sp_status status = sp_new_array(1, sizeof(struct state), "a kernel's state", &p, err);
    if (status != SP_OK)
        return status;
    struct state *s = p;
    s->own = operands->own;
    s->layout = l;
    s->allocator = sp_own_pages_are(operands->allocator) ? operands->allocator : &sp_own_pages_huge;
    s->n_x = l->n_c * l->r;
    s->n_y = l->n_r * l->r;
    status = sp_large_alloc(s->allocator, s->n_x, l->s_x, "x", &s->x, err);
    if (status == SP_OK)
        status = sp_large_alloc(s->allocator, s->n_y, l->s_y, "y", &s->y, err);
    if (status == SP_OK) {
        fill_x(s, operands->x);
        sp_own_forget(s);
        give_arrays(s);
        status = prepare_theirs(s, err);
    }
    if (status != SP_OK) {
        s->theirs = NULL;
        release(s);
        return status;
    }
    *state = s;
    return SP_OK;
}

/* Executions in a row, up to the first that returns a number. */
struct executions {
    struct state *s;
    int64_t n;
};

static int do_run(void *context)
{
    const struct executions *e = context;
    struct state *s = e->s;
    int code = 0;
    for (int64_t i = 0; i < e->n && code == 0; i++) {
        code = s->own->theirs.run(s->theirs, s->x, s->y);
        sp_own_moved(s->own->watch);
    }
    return code;
}

/* Our team sleeps meanwhile: waiting for its next region it would compute beside theirs. */
static int run_beside_parked(struct executions *e, int n_threads)
{
    static sem_t done;
    int code = 0;
    sem_init(&done, 0, 0);
#pragma omp parallel num_threads(n_threads)
    if (omp_get_thread_num() == 0) {
        code = sp_own_watched(e->s->own->watch, SP_OWN_RUN, do_run, e);
        for (int t = 1; t < omp_get_num_threads(); t++)
            sem_post(&done);
    } else {
        while (sem_wait(&done) != 0)
            ;
    }
    return code;
}

/* Its loops may bind the calling thread elsewhere, which would move what is measured. */
static enum sp_status run(void *state, int64_t repetitions, struct sp_run_stats *stats, struct sp_error *err)
{
    struct state *s = state;
    cpu_set_t before, after;
    fenv_t arithmetic;
    fegetenv(&arithmetic);
    const int n_threads = s->layout->partition.n_threads;
    const bool is_first = !s->own->has_run;
    struct executions e = {s, repetitions};
    const bool known =
        is_first ? let_go(n_threads, &before) : sched_getaffinity(0, sizeof before, &before) == 0;
    set_threads(n_threads);
    const double start = sp_now();
    const int code = s->own->has_threads ? run_beside_parked(&e, n_threads)
                                         : sp_own_watched(s->own->watch, SP_OWN_RUN, do_run, &e);
    const double took_s = sp_now() - start;
    if (is_first)
        s->own->has_threads = their_openmp.is_other && count_threads() > s->own->n_before;
    s->own->has_run = true;
    fesetenv(&arithmetic); /* its rounding and traps are its own */
    if (known && sched_getaffinity(0, sizeof after, &after) == 0 && !CPU_EQUAL(&before, &after))
        sched_setaffinity(0, sizeof before, &before);
    for (int t = 0; stats && stats->thread_s && t < stats->n_threads; t++)
        stats->thread_s[t] = took_s;
    if (code == 0)
        return SP_OK;
    return sp_fail(err, SP_WRONG, "look up what its number means", "the kernel %s returned %d from run()",
                   their_name(s), code);
}

/* Of x and the matrix the pages are read-only; beside y the pattern tells. */
static enum sp_status look_beside(const struct state *s, struct sp_error *err)
{
    size_t before_B = 0, behind_B = 0;
    if (s->in_y)
        sp_own_pages_look(s->in_y, &before_B, &behind_B);
    if (before_B == 0 && behind_B == 0)
        return SP_OK;
    sp_own_watch_wrong(s->own->watch);
    return sp_fail(err, SP_WRONG, "mend the bounds of its loops",
                   "the kernel %s wrote up to %zu bytes %s of y in run()", their_name(s),
                   behind_B > 0 ? behind_B : before_B, behind_B > 0 ? "behind the end" : "before the start");
}

static enum sp_status fetch(void *state, double *y, struct sp_error *err)
{
    const struct state *s = state;
    const struct sp_layout *l = s->layout;
    const enum sp_status status = look_beside(s, err);
    if (status != SP_OK)
        return status;
    if (l->precision == SP_F32)
        for (int64_t i = 0; i < s->n_y; i++)
            y[i] = ((const float *)s->y)[i];
    else if (s->n_y > 0)
        memcpy(y, s->y, (size_t)s->n_y * l->s_y);
    return SP_OK;
}

static void facts(const void *state, struct sp_kernel_facts *f)
{
    enum { LINE_B = 64 };
    const struct state *s = state;
    *f = (struct sp_kernel_facts){.x_offset_B = (uintptr_t)s->x % LINE_B,
                                  .y_offset_B = (uintptr_t)s->y % LINE_B,
                                  .x = s->x,
                                  .y = s->y,
                                  .x_B = (size_t)s->n_x * s->layout->s_x,
                                  .y_B = (size_t)s->n_y * s->layout->s_y};
}

struct storing {
    struct state *s;
    struct spmodel_array *array;
};

static int do_stores(void *context)
{
    const struct storing *t = context;
    return t->s->own->theirs.stores(t->s->theirs, t->array);
}

/* Both ends of an array. */
static bool is_readable(const void *address, size_t size_B)
{
    const char *at = address;
    char copy;
    struct iovec here = {&copy, 1}, there[2] = {{(void *)at, 1}, {(void *)(at + size_B - 1), 1}};
    for (int i = 0; i < 2; i++)
        if (size_B > PTRDIFF_MAX || process_vm_readv(getpid(), &here, 1, &there[i], 1, 0) != 1)
            return errno == ENOSYS || errno == EPERM;
    return true;
}

int sp_own_stores(void *state, struct spmodel_array *array, struct sp_error *err)
{
    enum { ROOM = 8 * SPMODEL_MAX_ARRAYS }; /* what it writes beyond those that it may harms nothing */
    static const struct spmodel_array nothing[ROOM];
    struct spmodel_array room[ROOM];
    struct state *s = state;
    memset(room, 0, sizeof room);
    memset(array, 0, SPMODEL_MAX_ARRAYS * sizeof *array);
    if (!s->own->theirs.stores)
        return 0;
    const int n = sp_own_watched(s->own->watch, SP_OWN_STORES, do_stores, &(struct storing){s, room});
    if (memcmp(room + SPMODEL_MAX_ARRAYS, nothing, sizeof room - SPMODEL_MAX_ARRAYS * sizeof *room) != 0) {
        sp_fail(err, SP_WRONG, "put parts of the same kind together",
                "the kernel %s wrote more than %d arrays in stores()", their_name(s), SPMODEL_MAX_ARRAYS);
        return -1;
    }
    memcpy(array, room, SPMODEL_MAX_ARRAYS * sizeof *array);
    int n_full = 0;
    for (int i = 0; i < n && n <= SPMODEL_MAX_ARRAYS; i++) {
        const struct spmodel_array a = array[i];
        if (a.size_B > 0 && !(a.address && is_readable(a.address, a.size_B))) {
            char name[64];
            sp_visible(a.name ? a.name : "without a name", name, sizeof name);
            sp_fail(err, SP_WRONG, "give where it begins and how many bytes it has",
                    "the kernel %s names an array %s in stores() that cannot be read", their_name(s), name);
            return -1;
        }
        if (a.size_B > 0)
            array[n_full++] = a;
    }
    if (n >= 1 && n <= SPMODEL_MAX_ARRAYS && (n_full > 0 || s->layout->n_nz == 0))
        return n_full;
    sp_fail(err, SP_WRONG, "it returns how many arrays it has put there, 1 to 16, with their bytes",
            "the kernel %s returned %d from stores()%s", their_name(s), n,
            n >= 1 && n <= SPMODEL_MAX_ARRAYS ? ", and all of these arrays are empty" : "");
    return -1;
}

struct tracing {
    struct state *s;
    int32_t thread;
    spmodel_access *access;
    void *walker;
    unsigned n;
};

/* Passed on; who waits sees that it goes on. */
static void pass_on(void *context, const void *address, size_t size_B, int is_write)
{
    enum { OFTEN = 1024 };
    struct tracing *t = context;
    if (t->n++ % OFTEN == 0 && t->s->own->watch) {
        atomic_store(&t->s->own->watch->call, SP_OWN_TRACE); /* another thread's may have ended meanwhile */
        sp_own_moved(t->s->own->watch);
    }
    t->access(t->walker, address, size_B, is_write);
}

static int do_trace(void *context)
{
    struct tracing *t = context;
    return t->s->own->theirs.trace(t->s->theirs, t->s->x, t->s->y, t->thread, pass_on, t);
}

enum sp_status sp_own_trace(void *state, int32_t thread, spmodel_access *access, void *walker,
                            struct sp_error *err)
{
    struct state *s = state;
    const int code = sp_own_watched(s->own->watch, SP_OWN_TRACE, do_trace,
                                    &(struct tracing){s, thread, access, walker, 0});
    if (code == 0)
        return SP_OK;
    return sp_fail(err, SP_WRONG, "look up what its number means", "the kernel %s returned %d from trace()",
                   their_name(s), code);
}

enum sp_status sp_own_wrong(const struct sp_own *own, const struct sp_spmv_check *c, int64_t n_r, bool later,
                            struct sp_error *err)
{
    char worst[120];
    if (isnan(c->got))
        snprintf(worst, sizeof worst, "row %lld was not written, or is not a number",
                 (long long)c->worst_row + 1);
    else
        snprintf(worst, sizeof worst, "row %lld most, %.17g instead of %.17g", (long long)c->worst_row + 1,
                 c->got, c->expected);
    sp_own_watch_wrong(own->watch);
    return sp_fail(
        err, SP_WRONG,
        later ? "does it keep x or y from one execution to the next?"
        : isnan(c->got)
            ? "does it write each row of y, those without entries, too? Else look for what is no number"
            : "compare it with a plain loop; does it compute in float?",
        "the kernel %s computes wrongly in run()%s: %lld of %lld rows differ from the reference, %s",
        own->name + sizeof "own/" - 1, later ? ", later than in its first execution" : "",
        (long long)c->n_bad, (long long)n_r, worst);
}

static void free_state(struct state *s)
{
    const struct sp_layout *l = s->layout;
    sp_large_free(s->allocator, s->x, s->n_x, l->s_x);
    sp_large_free(s->allocator, s->y, s->n_y, l->s_y);
    free(s);
}

static int do_finish(void *context)
{
    const struct state *s = context;
    if (s->own->theirs.finish)
        s->own->theirs.finish(s->theirs);
    return 0;
}

/* Stateless ones end here; of others finish() is to come. */
static void release(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    if (s->theirs && s->own->many_states)
        sp_own_watched(s->own->watch, SP_OWN_FINISH, do_finish, s);
    if (s->theirs && s->own->theirs.prepare && !s->own->many_states && !s->own->kept)
        s->own->kept = s;
    else
        free_state(s);
}

enum sp_status sp_own_finish(struct sp_own *own, struct sp_error *err)
{
    struct state *s = own->kept;
    own->kept = NULL;
    (void)err;
    if (s)
        sp_own_watched(own->watch, SP_OWN_FINISH, do_finish, s);
    return SP_OK;
}

static const struct sp_kernel row = {
    .name = "own",
    .summary = "a kernel of somebody else",
    .op = SP_OP_SPMV,
    .format = SP_FORMAT_CRS,
    .precisions = 1u << SP_F64 | 1u << SP_F32 | 1u << SP_C128,
    .available = sp_kernel_everywhere,
    .prepare = prepare,
    .run = run,
    .fetch = fetch,
    .facts = facts,
    .release = release,
};

enum sp_status sp_own_make(const struct spmodel_kernel *kernel, struct sp_own_watch *watch,
                           struct sp_own *own, struct sp_error *err)
{
    memset(own, 0, sizeof *own);
    if (kernel->size > sizeof own->theirs || kernel->size < SP_OWN_LEAST_B)
        return sp_fail(err, SP_USAGE,
                       "set its first field, size, to sizeof(struct spmodel_kernel), and build it with the "
                       "spmodel.h of this version",
                       "the kernel's structure says that it has %zu bytes, and here it has %zu", kernel->size,
                       sizeof own->theirs);
    memcpy(&own->theirs, kernel, kernel->size);
    if (!own->theirs.run)
        return sp_fail(err, SP_USAGE, "set its field run", "the kernel's structure has no function run()");
    char shown[64];
    sp_visible(own->theirs.name && *own->theirs.name ? own->theirs.name : "kernel", shown, sizeof shown);
    snprintf(own->name, sizeof own->name, "own/%s", shown);
    if (watch)
        snprintf(watch->name, sizeof watch->name, "%s", shown);
    own->watch = watch;
    own->kernel = row;
    own->kernel.name = own->name;
    return SP_OK;
}
