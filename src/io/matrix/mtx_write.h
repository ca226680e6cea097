/* Matrix -> Matrix Market text. */
#ifndef SP_IO_MTX_WRITE_H
#define SP_IO_MTX_WRITE_H

#include "base/status.h"
#include "sparse/csr/csr.h"

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

#endif
