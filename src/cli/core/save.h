/* Writing a matrix: Matrix Market text, plain or compressed, or the binary file of io/matrix/matrix_cache.h.
 */
#ifndef SP_CLI_SAVE_H
#define SP_CLI_SAVE_H

#include "sparse/csr/csr.h"

#define SP_SAVE_FORMATS "mtx, mtx.gz, mtx.xz, mtx.zst, mtx.bz2 or spm"

/* Zero-initialise: the format by the path's ending, one thread, symmetry kept. */
struct sp_save_options {
    const char *format; /* one of SP_SAVE_FORMATS; NULL: by the path's ending */
    int n_threads;
    bool general;                                     /* text: all entries, of a symmetric matrix too */
    const char *sha256;                               /* .spm: digest of the source; NULL: of the matrix */
    int64_t n_entries;                                /* .spm, with sha256: entries of the source */
    void (*progress)(void *context, double fraction); /* may be NULL */
    bool (*interrupted)(void *context);               /* may be NULL */
    void *context;
};

/* SP_USAGE where neither the ending nor the format is one of the above; call it before the work is done. */
enum sp_status sp_save_check(const char *path, const struct sp_save_options *options, struct sp_error *err);
/* SP_USAGE, SP_OUTPUT, SP_INTERRUPTED, SP_ABSENT (compression without libarchive). The file appears complete
 * or not at all. */
enum sp_status sp_save(const char *path, const struct sp_csr *a, const struct sp_save_options *options,
                       struct sp_error *err);

#endif
