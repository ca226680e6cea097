/* What a matrix is like, as a file, and as whatever the user names it by.
 *
 * `spmodel.twin/1` is one JSON object: sizes as numbers, each table of struct sp_twin as a list of [place,
 * count] for the counts that are not 0, the places of a table of several dimensions in the order of C. */
#ifndef SP_IO_TWIN_FILE_H
#define SP_IO_TWIN_FILE_H

#include "base/status.h"
#include "io/matrix/load_options.h"
#include "sparse/twin/twin.h"

/* Whole or not at all. */
enum sp_status sp_twin_file_write(const char *path, const struct sp_twin *twin, struct sp_error *err);
/* *twin is released with free(). SP_INPUT: not such a file, or one whose figures contradict each other. */
enum sp_status sp_twin_file_read(const char *path, struct sp_twin **twin, struct sp_error *err);

/* From such a file where the name ends in .json, else from the matrix of that name (sp_matrix_load). */
enum sp_status sp_twin_load(const char *name, const struct sp_load_options *options, struct sp_twin **twin,
                            struct sp_error *err);

/* "like:NAME[:SCALE[:SEED]]", without "gen:"; both are 1 where they are absent; a NAME that
 * itself ends in ":NUMBER" needs both. False: not of this form. */
bool sp_twin_parse(const char *spec, char *name, size_t size, int64_t *scale, int64_t *seed);

#endif
