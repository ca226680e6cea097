/* SciPy's .npz files, as scipy.sparse.save_npz writes them: a ZIP archive of one .npy for each
 * array of a sparse matrix in csr, csc, coo, bsr or dia. */
#ifndef SP_IO_NPZ_FILE_H
#define SP_IO_NPZ_FILE_H

#include <stdint.h>

#include "base/status.h"
#include "io/matrix/load_options.h"
#include "io/matrix/mtx_write.h"
#include "sparse/csr/csr.h"

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

#endif
