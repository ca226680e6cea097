/* Matrix Market text -> canonical matrix. docs/input.md states what is accepted. */
#ifndef SP_IO_MATRIX_MARKET_H
#define SP_IO_MATRIX_MARKET_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "io/files/archive.h"
#include "io/matrix/load_options.h"
#include "sparse/csr/csr.h"

/* Reads text[n], the whole content of `path` (a name for messages), usually a mapped file; nothing
 * beyond n is touched. Fills *matrix and the fields of *facts about entries and times (facts is not
 * cleared). SP_INPUT with line, column and remedy for a file that breaks the format, SP_MEMORY
 * before memory is taken that is not there. */
enum sp_status sp_mtx_read_text(const char *path, const char *text, int64_t n,
                                const struct sp_load_options *options, struct sp_csr *matrix,
                                struct sp_load_facts *facts, struct sp_error *err);

/* The same of text that comes as a stream (standard input, compressed files). The calling thread
 * unpacks, the others parse: as fast as the unpacking where that is the slower part. The entries
 * wait as coordinates until the row lengths are known: 8 bytes and the value each, beside the
 * matrix. Otherwise like sp_mtx_read_text(). */
enum sp_status sp_mtx_read_stream(const char *path, struct sp_archive *archive,
                                  const struct sp_load_options *options, struct sp_csr *matrix,
                                  struct sp_load_facts *facts, struct sp_error *err);

struct sp_mtx_header;

/* What a file says of itself, into facts; for readers. */
void sp_mtx_describe(const struct sp_mtx_header *h, int n_threads, const struct sp_csr *matrix,
                     struct sp_load_facts *facts);

/* Matrix -> Matrix Market text. */

struct sp_mtx_write_options {
    int n_threads;                                    /* 0: one */
    bool general;                                     /* all entries, also where the matrix is symmetric */
    const char *compression;                          /* "gzip", "xz", "zstd", "bzip2"; NULL: none */
    void (*progress)(void *context, double fraction); /* may be NULL */
    bool (*interrupted)(void *context);               /* may be NULL */
    void *context;
};

/* Writes a coordinate file that reads back to the same matrix bit by bit, in the shortest digits
 * that do so: row by row, one triangle where the matrix still has the symmetry that its file had
 * (unless general). The file appears complete or not at all. SP_OUTPUT: it cannot be written;
 * SP_ABSENT: compression without libarchive; SP_INTERRUPTED. */
enum sp_status sp_mtx_write(const char *path, const struct sp_csr *a,
                            const struct sp_mtx_write_options *options, struct sp_error *err);

/* A dense Matrix Market array (a vector, or several side by side) whose numbers stay the text that
 * they are, so that moving them changes no digit. */

struct sp_array_item {
    const char *text; /* not terminated */
    int64_t length;
    int64_t line; /* 1-based, in the file */
};

struct sp_array_text {
    char *bytes; /* [n] of the file; its items point into them */
    size_t n;
    enum sp_field field; /* SP_FIELD_REAL, _INTEGER or _COMPLEX */
    int64_t n_r, n_c;
    struct sp_array_item *item; /* [n_r n_c] column by column */
};

/* SP_INPUT with the line for what is no general array, or has a line that is no number. */
enum sp_status sp_array_text_read(const char *path, struct sp_array_text *array, struct sp_error *err);
void sp_array_text_free(struct sp_array_text *array);

/* Writes rows in a new order: row i is row from[i], or row from[i] is row i where `inverse`.
 * `comment`: one line. */
enum sp_status sp_array_text_write(const char *path, const struct sp_array_text *array, const int32_t *from,
                                   bool inverse, const char *comment, struct sp_error *err);

/* A permutation is an array of one column of the numbers 1 .. n, each once; in memory they count
 * from 0. perm[n] is allocated, free it with free(). */
enum sp_status sp_permutation_read(const char *path, int32_t **perm, int64_t *n, struct sp_error *err);
enum sp_status sp_permutation_write(const char *path, const int32_t *perm, int64_t n, const char *comment,
                                    struct sp_error *err);

#endif
