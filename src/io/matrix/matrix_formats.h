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

#endif
