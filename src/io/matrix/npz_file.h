/* SciPy's .npz files, as scipy.sparse.save_npz writes them: a ZIP archive of one .npy for each
 * array of a sparse matrix in csr, csc, coo, bsr or dia. */
#ifndef SP_IO_NPZ_FILE_H
#define SP_IO_NPZ_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "io/matrix/load_options.h"
#include "io/matrix/matrix_market.h"
#include "sparse/csr/csr.h"

/* One array of NumPy's .npy format: a magic word, the length of a header, the header (a Python
 * dictionary of descr, fortran_order and shape), the numbers. */

enum { SP_NPY_DIMS = 3, SP_NPY_PREFIX = 12, SP_NPY_HEADER = 256 };

struct sp_npy {
    char kind;    /* f, c (complex), i, u, b (bool), S (bytes), U (text of 4 bytes a letter) */
    int size;     /* [B] of an element */
    bool swapped; /* its bytes are not in the order of this machine */
    bool fortran; /* the first index runs fastest, else the last */
    int n_dims;
    int64_t dim[SP_NPY_DIMS]; /* 1 from n_dims on */
    int64_t n, bytes;         /* elements, and [B] of all */
    char descr[16];           /* for messages: "<f8" */
    const void *data;         /* of any alignment, borrowed; NULL: not there */
};

/* Of the first 12 bytes: where the header begins and how long it is. False: these are no .npy's. */
bool sp_npy_prefix(const unsigned char *bytes, int64_t n, int64_t *begin, int64_t *length);
/* NULL, or what is wrong with the header text[n]. */
const char *sp_npy_parse(const char *text, int64_t n, struct sp_npy *a);

/* Elements first .. first + n as they lie in the file. Whole numbers of kinds i and u; those beyond
 * int64_t become -1. */
void sp_npy_whole(const struct sp_npy *a, int64_t first, int64_t n, int64_t *to);
/* Of kinds f (4, 8), i, u, b, and c (8, 16), which gives two numbers for each element. */
void sp_npy_real(const struct sp_npy *a, int64_t first, int64_t n, double *to);

/* Magic word and header of an array of these dimensions in the order of C, into
 * text[SP_NPY_HEADER]; returns its length, a multiple of 64. */
int sp_npy_write_header(const char *descr, int n_dims, const int64_t *dim, char *text);

/* text[n] is the whole content of `path`. Zeros that are stored stay, but for dia, where they are
 * padding. SP_INPUT names the array and element at fault; SP_ABSENT in a build without
 * libarchive. */
enum sp_status sp_npz_read(const char *path, const char *text, int64_t n,
                           const struct sp_load_options *options, struct sp_csr *matrix,
                           struct sp_load_facts *facts, struct sp_error *err);

/* csr, not compressed; values of float64, complex128, int64, or of bool for a pattern. Appears
 * complete or not at all. SP_OUTPUT, SP_INTERRUPTED, SP_ABSENT. */
enum sp_status sp_npz_write(const char *path, const struct sp_csr *a,
                            const struct sp_mtx_write_options *options, struct sp_error *err);

#endif
