/* A dense Matrix Market array (a vector, or several side by side) whose numbers stay the text that
 * they are, so that moving them changes no digit. */
#ifndef SP_IO_ARRAY_TEXT_H
#define SP_IO_ARRAY_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "sparse/csr/csr.h"

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
