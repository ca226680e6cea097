/* Matrix Market text that comes as a stream (standard input, compressed files) -> canonical matrix. */
#ifndef SP_IO_MTX_STREAM_H
#define SP_IO_MTX_STREAM_H

#include "base/status.h"
#include "io/files/archive.h"
#include "io/matrix/load_options.h"
#include "sparse/csr/csr.h"

/* The calling thread unpacks, the others parse: as fast as the unpacking where that is the slower part. The
 * entries wait as coordinates until the row lengths are known: 8 bytes and the value each, beside the matrix.
 * Otherwise like sp_mtx_read_text(). */
enum sp_status sp_mtx_read_stream(const char *path, struct sp_archive *archive,
                                  const struct sp_load_options *options, struct sp_csr *matrix,
                                  struct sp_load_facts *facts, struct sp_error *err);

#endif
