/* A kernel of somebody else (include/spmodel.h) as a row beside those of the table, in which it
 * never stands. It computes SpMV and SpMMV (row-major) in CRS with whole indices, is given the
 * arrays of the layout as they are, and x and y between pages that nobody may touch; the matrix and
 * x are read-only for it. What it does beside its contract is SP_WRONG, a sentence with its
 * name. */
#ifndef SP_KERNELS_OWN_KERNEL_H
#define SP_KERNELS_OWN_KERNEL_H

#include "include/spmodel.h"
#include "kernels/kernel.h"
#include "kernels/own/own_watch.h"
#include "sparse/product/verify.h"

/* Bytes of a structure that has all that a kernel needs. */
#define SP_OWN_LEAST_B (offsetof(struct spmodel_kernel, run) + sizeof(int (*)(void)))

/* Not to be moved once it was made. */
struct sp_own {
    struct sp_kernel kernel;      /* the row: name, functions */
    struct spmodel_kernel theirs; /* a copy; what their header does not know is NULL */
    char name[80];                /* "own/NAME", visible */
    struct sp_own_watch *watch;   /* NULL: nobody looks */
    bool has_run;                 /* its first execution is over, in which many begin their threads */
    int n_before;                 /* threads of the process before prepare() */
    bool has_threads;             /* that it began, and no OpenMP of ours has */
    bool many_states;             /* prepare() may be asked for several */
    void *kept;                   /* released state whose finish() is still to come; NULL: none */
};

/* SP_USAGE: the structure is of another version, or lacks run(). `watch` is given the name. */
enum sp_status sp_own_make(const struct spmodel_kernel *kernel, struct sp_own_watch *watch,
                           struct sp_own *own, struct sp_error *err);

/* Can it run that? SP_USAGE where the operation, format or storage is none of those above. */
enum sp_status sp_own_check(const struct sp_workload *workload, struct sp_error *err);

/* May there be a second state, of other rows, beside the first? Else prepare() is called once. */
static inline bool sp_own_is_stateless(const struct sp_own *own)
{
    return !own->theirs.prepare || own->many_states;
}

/* y holds what no kernel computes, so that what the next execution does not write is seen. */
void sp_own_forget(void *state);
/* x becomes -x, so that y becomes -y, to the bit. */
void sp_own_negate_x(void *state);

/* The arrays that it says it reads instead of the matrix'; 0: it reads those, -1: its stores()
 * failed (err). array[SPMODEL_MAX_ARRAYS]. */
int sp_own_stores(void *state, struct spmodel_array *array, struct sp_error *err);

/* trace() of one thread under the watch; SP_WRONG: it returned a number. */
enum sp_status sp_own_trace(void *state, int32_t thread, spmodel_access *access, void *walker,
                            struct sp_error *err);

/* The sentence about a wrong result that `check` found; `later`: behind the first execution. */
enum sp_status sp_own_wrong(const struct sp_own *own, const struct sp_spmv_check *check, int64_t n_r,
                            bool later, struct sp_error *err);

/* finish() of the state that was released last: after everything else, for it may fail, too. */
enum sp_status sp_own_finish(struct sp_own *own, struct sp_error *err);

/* A kernel of somebody else from a shared library: a symbol that is a struct spmodel_kernel, or a
 * plain function of one of the signatures of the table. Opening one runs code of others (its
 * constructors): only in a process that may die. */

struct plain;

/* How plain functions may be declared. */
struct sp_own_signature {
    const char *name; /* "csr32"; `spmodel help own-kernel` says what each takes */
    int index_B, row_ptr_B;
    enum sp_precision precision;
    int base;     /* of row_ptr and col */
    bool several; /* r vectors, row by row: for SpMMV, too */
    void (*call)(const struct plain *plain, const void *x, void *y); /* of own_kernel.c */
};
extern const struct sp_own_signature sp_own_signatures[]; /* ends with a name of NULL */
/* NULL: there is none of that name. */
const struct sp_own_signature *sp_own_signature_find(const char *name);

/* "./libmine.so:spmv" into path[size] and the symbol behind the last colon, borrowed; without one,
 * or where a file has the whole name, the symbol is "spmodel_kernel". A path without a slash is one
 * of this folder. SP_USAGE: it is too long, or empty. */
enum sp_status sp_own_library_split(const char *typed, char *path, size_t size, const char **symbol,
                                    struct sp_error *err);

/* The kernel in it; signature NULL: the symbol is a structure. `kernel` stays good until the
 * process ends. SP_INPUT: no such file, no library, no such symbol. The watch may be NULL. */
enum sp_status sp_own_library_open(const char *typed, const struct sp_own_signature *signature,
                                   struct sp_own_watch *watch, struct spmodel_kernel *kernel,
                                   struct sp_error *err);

#endif
