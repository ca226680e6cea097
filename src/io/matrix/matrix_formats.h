/* The formats of matrix files that are read from bytes in memory, in one table. Compressed files
 * and archives (io/files/archive.h) hold them; binary caches (matrix_cache.h) are not among
 * them. */
#ifndef SP_IO_MATRIX_FORMATS_H
#define SP_IO_MATRIX_FORMATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "io/matrix/load_options.h"
#include "io/matrix/matrix_market.h"
#include "sparse/csr/csr.h"

struct sp_matrix_format {
    const char *word;                        /* the ending of what is written: "npz" */
    const char *endings;                     /* of names of files, without case: "rb rua ..." */
    bool holds_triangle;                     /* of a symmetric matrix it may hold one triangle alone */
    bool slow;                               /* to read, so that a cache pays */
    bool (*is)(const char *text, int64_t n); /* begins like one; NULL: whatever nothing else is */

    /* text[n] is the whole content of `path`; what is filled, matrix_market.h says. */
    enum sp_status (*read)(const char *path, const char *text, int64_t n,
                           const struct sp_load_options *options, struct sp_csr *matrix,
                           struct sp_load_facts *facts, struct sp_error *err);
    /* NULL: it is only read. */
    enum sp_status (*write)(const char *path, const struct sp_csr *a,
                            const struct sp_mtx_write_options *options, struct sp_error *err);
};

/* That ends with .word NULL. */
extern const struct sp_matrix_format sp_matrix_formats[];

/* By content; the format of Matrix Market files where it says nothing. text[n] may be the first
 * SP_ARCHIVE_LOOK bytes. */
const struct sp_matrix_format *sp_matrix_format_of(const char *text, int64_t n);
/* By the name alone; NULL: it says nothing. */
const struct sp_matrix_format *sp_matrix_format_named(const char *name);

/* Cuts the ending of a known format off the name, once; false: there is none. */
bool sp_matrix_format_cut(char *name);

/* The first lines of a Harwell-Boeing or Rutherford-Boeing file. */

/* Fortran's formats, as far as files of matrices have them, and the numbers that they describe:
 * "(8I10)", "(1P,4D20.12)", "(3(1X,E25.17))". */

enum { SP_FORTRAN_FIELDS = 128, SP_FORTRAN_WIDTH = 128 };

struct sp_fortran_field {
    int16_t start, width; /* columns of the line, the first is 0 */
    int16_t decimals;     /* digits behind a point that is not written */
    int16_t scale;        /* P: without an exponent the number is divided by 10^scale */
    bool is_integer;      /* I, else D, E, F or G */
};

struct sp_fortran_format {
    int n; /* numbers on a line */
    struct sp_fortran_field field[SP_FORTRAN_FIELDS];
};

/* NULL, or what is wrong with text[n], which is the format with its parentheses. */
const char *sp_fortran_parse(const char *text, int64_t n, struct sp_fortran_format *format);

/* The number in p .. end, which is the field or what its line has of it; blanks in it say nothing.
 * NULL, or what is wrong. */
const char *sp_fortran_whole(const char *p, const char *end, int64_t *value);
const char *sp_fortran_real(const struct sp_fortran_field *field, const char *p, const char *end,
                            double *value);

/* True when line 3 begins with three letters such as RSA. */
bool sp_rb_is(const char *text, int64_t n);

enum sp_rb_part { SP_RB_POINTERS, SP_RB_INDICES, SP_RB_VALUES, SP_RB_PARTS };

struct sp_rb_header {
    const char *path;
    char type[4]; /* "RSA" */
    enum sp_field field;
    enum sp_symmetry symmetry;
    int64_t n_r, n_c, n_nz;
    int64_t n_numbers[SP_RB_PARTS], n_lines[SP_RB_PARTS]; /* of pointers, indices, values */
    struct sp_fortran_format format[SP_RB_PARTS];
    bool right_hand_sides; /* they follow, and are not read */
    int64_t body_line;     /* 1-based line where the data begin */
    int64_t body_begin;    /* [B] offset of that line */
};

/* For messages: "pointers", "row indices", "values". */
extern const char *const sp_rb_part_names[SP_RB_PARTS];

/* SP_INPUT with line, column and remedy. Numbers and lines agree with each other; whether the file
 * has so many lines is not looked at. */
enum sp_status sp_rb_header_read(const char *path, const char *text, int64_t n, struct sp_rb_header *header,
                                 struct sp_error *err);

/* Harwell-Boeing and Rutherford-Boeing files: text with Fortran's formats, columns one after the
 * other [I. S. Duff, R. G. Grimes, J. G. Lewis, Users' guide for the Harwell-Boeing sparse matrix
 * collection, 1992; the same, The Rutherford-Boeing sparse matrix collection, 1997]. */

/* text[n] is the whole content of `path`. SP_INPUT with line, column and remedy. */
enum sp_status sp_rb_read(const char *path, const char *text, int64_t n,
                          const struct sp_load_options *options, struct sp_csr *matrix,
                          struct sp_load_facts *facts, struct sp_error *err);

/* Rutherford-Boeing, one triangle where the matrix still has the symmetry that its file had (unless
 * general); reads back to the same matrix bit by bit. Appears complete or not at all. SP_OUTPUT,
 * SP_INTERRUPTED, SP_MEMORY. */
enum sp_status sp_rb_write(const char *path, const struct sp_csr *a,
                           const struct sp_mtx_write_options *options, struct sp_error *err);

/* PETSc's binary files, as MatView writes sparse matrices: big-endian numbers,
 *
 *     1211216, rows, columns, entries; entries of each row; columns, 0-based, row by row; values
 *
 * where indices have 32 bits, or 64 in a PETSc that was configured so: then the first number has 64
 * bits, too. Whether values are real or complex the file does not say: it follows from where the
 * next object, or the end of the file, is. Vectors and index sets before the first matrix are
 * skipped, what follows it is not read. */

/* True when the bytes begin as an object of PETSc does. */
bool sp_petsc_is(const char *text, int64_t n);

/* text[n] is the whole content of `path`. SP_INPUT with the byte where the fault is. */
enum sp_status sp_petsc_read(const char *path, const char *text, int64_t n,
                             const struct sp_load_options *options, struct sp_csr *matrix,
                             struct sp_load_facts *facts, struct sp_error *err);

/* All entries; complex values where the matrix is complex, else real ones; 64-bit indices where
 * there are more entries than 32 bits count. Appears complete or not at all. SP_OUTPUT,
 * SP_INTERRUPTED. */
enum sp_status sp_petsc_write(const char *path, const struct sp_csr *a,
                              const struct sp_mtx_write_options *options, struct sp_error *err);

/* SciPy's .npz files, as scipy.sparse.save_npz writes them: a ZIP archive of one .npy for each
 * array of a sparse matrix in csr, csc, coo, bsr or dia. */

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

/* Patterns that libspmodel-attach.so keeps of matrices that it meets (base/attach_log.h): positions
 * without values, which are read as ones. */

bool sp_pattern_is(const char *text, int64_t n);

/* text[n] is the whole content of `path`. SP_INPUT with what is wrong. */
enum sp_status sp_pattern_read(const char *path, const char *text, int64_t n,
                               const struct sp_load_options *options, struct sp_csr *matrix,
                               struct sp_load_facts *facts, struct sp_error *err);

#endif
