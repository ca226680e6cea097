/* Banner and size line of a Matrix Market file [Boisvert, Pozo, Remington, NISTIR 5935, 1996]. */
#ifndef SP_IO_MTX_HEADER_H
#define SP_IO_MTX_HEADER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "sparse/csr/csr.h"

enum sp_mtx_format { SP_MTX_COORDINATE, SP_MTX_ARRAY };

struct sp_mtx_header {
    const char *path; /* borrowed; for error messages */
    enum sp_mtx_format format;
    enum sp_field field;
    enum sp_symmetry symmetry;
    int64_t n_r, n_c;
    int64_t n_entries;  /* lines of data that must follow: stored entries, or values of an array */
    int64_t size_line;  /* 1-based line of the sizes */
    int64_t body_line;  /* 1-based line where the data begin */
    int64_t body_begin; /* [B] offset of that line */
};

/* True when text[n] holds the whole header: all up to and including the size line. */
bool sp_mtx_header_complete(const char *text, int64_t n);

/* Reads the header from the first n bytes of the file; they must contain all of it, or be the whole
 * file. SP_INPUT with line, column and remedy for whatever is not a Matrix Market header; files
 * that are something else and commonly met (Git LFS pointers, HTML pages, edge lists,
 * Harwell-Boeing, MATLAB, HDF5) are named. */
enum sp_status sp_mtx_header_read(const char *path, const char *text, int64_t n, struct sp_mtx_header *header,
                                  struct sp_error *err);

/* SP_INPUT that names what text[n] is, where it begins like one of these; else SP_OK. */
enum sp_status sp_mtx_name_foreign(const char *path, const char *text, int64_t n, struct sp_error *err);

/* Whether a file of n bytes has room behind the header for the entries that it announces. */
bool sp_mtx_header_can_hold(const struct sp_mtx_header *header, int64_t n);

/* So many bytes are looked at to tell what a file without a banner is: a stream has read them, or
 * all that there is, when it asks for the header. */
enum { SP_MTX_FOREIGN_LOOK = 4096 };

#endif
