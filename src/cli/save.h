/* Writing a matrix under a name whose ending says how: .mtx, .mtx.gz, .mtx.xz, .mtx.zst, .mtx.bz2 or .spm. */
#ifndef SP_CLI_SAVE_H
#define SP_CLI_SAVE_H

#include "sparse/csr.h"

/* SP_USAGE where the ending names no format; call it before the work is done. */
enum sp_status sp_save_check(const char *path, struct sp_error *err);
/* SP_USAGE, SP_OUTPUT, SP_ABSENT (compression without libarchive). The file appears complete or not at all.
 */
enum sp_status sp_save(const char *path, const struct sp_csr *a, int n_threads, struct sp_error *err);

#endif
