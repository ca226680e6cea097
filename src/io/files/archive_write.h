/* Compressed output, by libarchive where the build has it. */
#ifndef SP_IO_ARCHIVE_WRITE_H
#define SP_IO_ARCHIVE_WRITE_H

#include <stddef.h>
#include <stdio.h>

#include "base/status.h"

struct sp_archive_writer;

/* Compresses ("gzip", "xz", "zstd", "bzip2") into an open stream, which stays the caller's; path is for
 * messages. SP_ABSENT in a build without libarchive, or one whose libarchive cannot do it. */
enum sp_status sp_archive_writer_open(FILE *stream, const char *path, const char *compression, int n_threads,
                                      struct sp_archive_writer **writer, struct sp_error *err);
enum sp_status sp_archive_writer_put(struct sp_archive_writer *writer, const char *text, size_t n,
                                     struct sp_error *err);
/* Writes what is left and frees the writer, on failure too. Accepts NULL. */
enum sp_status sp_archive_writer_close(struct sp_archive_writer *writer, struct sp_error *err);

#endif
