/* PETSc's binary files, as MatView writes sparse matrices: big-endian numbers,
 *
 *     1211216, rows, columns, entries; entries of each row; columns, 0-based, row by row; values
 *
 * where indices have 32 bits, or 64 in a PETSc that was configured so: then the first number has 64
 * bits, too. Whether values are real or complex the file does not say: it follows from where the
 * next object, or the end of the file, is. Vectors and index sets before the first matrix are
 * skipped, what follows it is not read. */
#ifndef SP_IO_PETSC_FILE_H
#define SP_IO_PETSC_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "io/matrix/load_options.h"
#include "io/matrix/matrix_market.h"
#include "sparse/csr/csr.h"

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

#endif
