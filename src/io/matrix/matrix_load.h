/* A matrix from whatever the user names: the one entry for all commands. */
#ifndef SP_IO_MATRIX_LOAD_H
#define SP_IO_MATRIX_LOAD_H

#include "base/status.h"
#include "io/matrix/load_options.h"
#include "sparse/csr/csr.h"
#include "sparse/twin/twin.h"

/* `name` is the path of a file in one of the formats of matrix_formats.h (Matrix Market, PETSc
 * binary, SciPy npz, Rutherford-Boeing), plain or compressed (recognised by content, else by name),
 * of a SuiteSparse NAME.tar.gz or of a binary cache (.spm); "-": standard input; "gen:...": a
 * generated matrix, of which "gen:like:FILE[:SCALE[:SEED]]" is the twin of one that FILE holds (or
 * its features, .json). options and facts may be NULL. SP_INPUT: the input is unusable; SP_MEMORY:
 * it needs more memory than there is, found out before it is taken; SP_ABSENT: this build cannot
 * read it; SP_INTERRUPTED. */
enum sp_status sp_matrix_load(const char *name, const struct sp_load_options *options, struct sp_csr *matrix,
                              struct sp_load_facts *facts, struct sp_error *err);

/* The file's name without directories and known endings: "/a/kkt_power.mtx.gz" -> "kkt_power". */
void sp_matrix_display_name(const char *name, char *text, size_t size);

/* What a matrix is like, as a file, and as whatever the user names it by.
 *
 * `spmodel.twin/1` is one JSON object: sizes as numbers, each table of struct sp_twin as a list of
 * [place, count] for the counts that are not 0, the places of a table of several dimensions in the
 * order of C. */

/* Whole or not at all. */
enum sp_status sp_twin_file_write(const char *path, const struct sp_twin *twin, struct sp_error *err);
/* *twin is released with free(). SP_INPUT: not such a file, or one whose figures contradict each
 * other. */
enum sp_status sp_twin_file_read(const char *path, struct sp_twin **twin, struct sp_error *err);

/* From such a file where the name ends in .json, else from the matrix of that name
 * (sp_matrix_load). */
enum sp_status sp_twin_load(const char *name, const struct sp_load_options *options, struct sp_twin **twin,
                            struct sp_error *err);

/* "like:NAME[:SCALE[:SEED]]", without "gen:"; both are 1 where they are absent; a NAME that
 * itself ends in ":NUMBER" needs both. False: not of this form. */
bool sp_twin_parse(const char *spec, char *name, size_t size, int64_t *scale, int64_t *seed);

#endif
