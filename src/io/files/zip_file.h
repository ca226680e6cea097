/* ZIP archives, whose members are read in their order and written uncompressed, by libarchive. A
 * build without it has neither. */
#ifndef SP_IO_ZIP_FILE_H
#define SP_IO_ZIP_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"

/* True when the bytes begin as a ZIP archive does. */
bool sp_zip_is(const char *bytes, int64_t n);

struct sp_zip;

/* bytes[n] is the whole archive, and stays the caller's; path is for messages. SP_INPUT where it is
 * damaged, SP_ABSENT in a build without libarchive. */
enum sp_status sp_zip_open(const char *path, const char *bytes, int64_t n, struct sp_zip **zip,
                           struct sp_error *err);
/* Goes to the next member. SP_NO: there is none. *name is valid until the next call, *size -1 where
 * the archive does not say it. */
enum sp_status sp_zip_next(struct sp_zip *zip, const char **name, int64_t *size, struct sp_error *err);
/* Up to `size` bytes of the member into `to`, fewer at its end alone. SP_INPUT where they are
 * damaged: a checksum that is wrong shows in the call that finds the end. */
enum sp_status sp_zip_read(struct sp_zip *zip, void *to, int64_t size, int64_t *n, struct sp_error *err);
/* The next `size` bytes where they lie in the archive; NULL: compressed, or fewer; still unread. */
const void *sp_zip_borrow(struct sp_zip *zip, int64_t size);
/* Accepts NULL. */
void sp_zip_close(struct sp_zip *zip);

struct sp_zip_writer;

/* Into an open stream to which nothing was written yet, and which stays the caller's. */
enum sp_status sp_zip_writer_open(FILE *stream, const char *path, struct sp_zip_writer **writer,
                                  struct sp_error *err);
/* Begins a member of `size` bytes, which the calls of sp_zip_writer_put() that follow give. */
enum sp_status sp_zip_writer_begin(struct sp_zip_writer *writer, const char *name, int64_t size,
                                   struct sp_error *err);
enum sp_status sp_zip_writer_put(struct sp_zip_writer *writer, const void *bytes, int64_t n,
                                 struct sp_error *err);
/* Writes what is left and frees the writer, on failure too. Accepts NULL. */
enum sp_status sp_zip_writer_close(struct sp_zip_writer *writer, struct sp_error *err);

#endif
