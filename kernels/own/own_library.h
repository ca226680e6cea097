/* A kernel of somebody else from a shared library: a symbol that is a struct spmodel_kernel, or a
 * plain function of one of the signatures of the table. Opening one runs code of others (its
 * constructors): only in a process that may die. */
#ifndef SP_KERNELS_OWN_LIBRARY_H
#define SP_KERNELS_OWN_LIBRARY_H

#include "kernels/own/own_kernel.h"

struct plain;

/* How plain functions may be declared. */
struct sp_own_signature {
    const char *name; /* "csr32"; `spmodel help own-kernel` says what each takes */
    int index_B, row_ptr_B;
    enum sp_precision precision;
    int base;     /* of row_ptr and col */
    bool several; /* r vectors, row by row: for SpMMV, too */
    void (*call)(const struct plain *plain, const void *x, void *y); /* of own_library.c */
};
extern const struct sp_own_signature sp_own_signatures[]; /* ends with a name of NULL */
/* NULL: there is none of that name. */
const struct sp_own_signature *sp_own_signature_find(const char *name);

/* "./libmine.so:spmv" into path[size] and the symbol behind the last colon, borrowed; without one
 * the symbol is "spmodel_kernel". A path without a slash is one of this folder. SP_USAGE: it is too
 * long, or empty. */
enum sp_status sp_own_library_split(const char *typed, char *path, size_t size, const char **symbol,
                                    struct sp_error *err);

/* The kernel in it; signature NULL: the symbol is a structure. `kernel` stays good until the
 * process ends. SP_INPUT: no such file, no library, no such symbol. The watch may be NULL. */
enum sp_status sp_own_library_open(const char *typed, const struct sp_own_signature *signature,
                                   struct sp_own_watch *watch, struct spmodel_kernel *kernel,
                                   struct sp_error *err);

#endif
