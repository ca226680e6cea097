/* Harwell-Boeing and Rutherford-Boeing files: text with Fortran's formats, columns one after the
 * other [I. S. Duff, R. G. Grimes, J. G. Lewis, Users' guide for the Harwell-Boeing sparse matrix
 * collection, 1992; the same, The Rutherford-Boeing sparse matrix collection, 1997]. */
#ifndef SP_IO_RB_FILE_H
#define SP_IO_RB_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "io/matrix/load_options.h"
#include "io/matrix/matrix_market.h"
#include "sparse/csr/csr.h"

/* text[n] is the whole content of `path`. SP_INPUT with line, column and remedy. */
enum sp_status sp_rb_read(const char *path, const char *text, int64_t n,
                          const struct sp_load_options *options, struct sp_csr *matrix,
                          struct sp_load_facts *facts, struct sp_error *err);

/* Rutherford-Boeing, one triangle where the matrix still has the symmetry that its file had (unless
 * general); reads back to the same matrix bit by bit. Appears complete or not at all. SP_OUTPUT,
 * SP_INTERRUPTED, SP_MEMORY. */
enum sp_status sp_rb_write(const char *path, const struct sp_csr *a,
                           const struct sp_mtx_write_options *options, struct sp_error *err);

#endif
