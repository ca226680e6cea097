/* A matrix from whatever the user names: the one entry for all commands. */
#ifndef SP_IO_MATRIX_LOAD_H
#define SP_IO_MATRIX_LOAD_H

#include "base/status.h"
#include "io/matrix/load_options.h"
#include "sparse/csr/csr.h"

/* `name` is the path of a Matrix Market file, plain or compressed (recognised by content, not by name), of a
 * SuiteSparse NAME.tar.gz or of a binary cache (.spm); "-": standard input; "gen:...": a generated matrix, of
 * which "gen:like:FILE[:SCALE[:SEED]]" is the twin of one that FILE holds (or its features, .json).
 * options and facts may be NULL. SP_INPUT: the input is unusable; SP_MEMORY: it needs more memory than there
 * is, found out before it is taken; SP_ABSENT: this build cannot read it; SP_INTERRUPTED. */
enum sp_status sp_matrix_load(const char *name, const struct sp_load_options *options, struct sp_csr *matrix,
                              struct sp_load_facts *facts, struct sp_error *err);

/* The file's name without directories and known endings: "/a/kkt_power.mtx.gz" -> "kkt_power". */
void sp_matrix_display_name(const char *name, char *text, size_t size);

#endif
