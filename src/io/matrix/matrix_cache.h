/* Binary matrix files (.spm): the canonical matrix as it lies in memory.
 *
 * Layout, little endian: a 4096-byte header (version, sizes, kind, where the three arrays begin,
 * the source file's size, time and head, the digest of the content, a hash of the header itself),
 * then row_ptr, col and val, each at a multiple of 4096 bytes. docs/input.md describes every
 * field. */
#ifndef SP_IO_MATRIX_CACHE_H
#define SP_IO_MATRIX_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "io/matrix/load_options.h"
#include "sparse/csr/csr.h"

/* What tells whether the file that a cache was made from has changed. */
struct sp_cache_source {
    int64_t size;     /* [B] */
    int64_t mtime_ns; /* since 1970 */
    uint64_t head;    /* hash of the first 64 KiB */
};

struct sp_cache_source sp_cache_source_of(const char *text, int64_t n, int64_t mtime_ns);

/* True when the bytes begin as a binary matrix file does. */
bool sp_cache_is(const char *text, int64_t n);

/* Writes the matrix; digest from sp_csr_digest(); source NULL: none. Appears complete or not at
 * all. SP_OUTPUT. */
enum sp_status sp_cache_write(const char *path, const struct sp_csr *a, const char digest[65],
                              int64_t n_entries, const struct sp_cache_source *source, struct sp_error *err);

/* Reads the file into arrays of the matrix' own, so that nothing that happens to it later changes
 * what was checked here: header, sizes, digest, canonical form. digest and n_entries are filled
 * from the file; of the options, threads, allocator and limit of memory count. With `source`, SP_NO
 * when the cache was made from another state of it. SP_INPUT for damage, another version or a
 * missing file, SP_MEMORY. */
enum sp_status sp_cache_read(const char *path, const struct sp_cache_source *source,
                             const struct sp_load_options *options, struct sp_csr *a, char digest[65],
                             int64_t *n_entries, struct sp_error *err);

/* Where the cache of `path` belongs: beside it (directory NULL), or in the directory under a name
 * that holds the hash of the full path. SP_OUTPUT where the name gets too long. */
enum sp_status sp_cache_path(const char *path, const char *directory, char *text, size_t size,
                             struct sp_error *err);

#endif
