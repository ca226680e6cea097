/* Compressed files and tar archives as streams of text, in and out, by libarchive. A build without
 * it reads plain standard input alone. */
#ifndef SP_IO_ARCHIVE_H
#define SP_IO_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"

/* What a file begins with ("gzip", "xz", "zstd", "bzip2", "tar"), or NULL. */
const char *sp_archive_kind(const char *text, int64_t n);

struct sp_archive;

/* Opens the matrix in path ("-": standard input, which may also be plain text). In a tar archive
 * that is the member NAME/NAME.mtx or NAME/NAME.rb, else the only one that ends so; SP_INPUT lists
 * the candidates where neither is there. SP_ABSENT in a build without libarchive. */
enum sp_status sp_archive_open(const char *path, struct sp_archive **archive, struct sp_error *err);

/* Up to `size` bytes of the matrix into `to`; *n = 0 at its end. SP_INPUT: damaged, too short. */
enum sp_status sp_archive_read(struct sp_archive *archive, char *to, int64_t size, int64_t *n,
                               struct sp_error *err);

/* What comes first, which is read all the same: *n is less than SP_ARCHIVE_LOOK where there is no
 * more. Before the first sp_archive_read(). */
enum { SP_ARCHIVE_LOOK = 4096 };
enum sp_status sp_archive_look(struct sp_archive *archive, const char **head, int64_t *n,
                               struct sp_error *err);

/* The tar member that is read, "" where there is none; for messages. */
const char *sp_archive_member(const struct sp_archive *archive);

/* Accepts NULL. */
void sp_archive_close(struct sp_archive *archive);

struct sp_archive_writer;

/* Compresses ("gzip", "xz", "zstd", "bzip2") into an open stream, which stays the caller's; path is
 * for messages. SP_ABSENT in a build without libarchive, or one whose libarchive cannot do it. */
enum sp_status sp_archive_writer_open(FILE *stream, const char *path, const char *compression, int n_threads,
                                      struct sp_archive_writer **writer, struct sp_error *err);
enum sp_status sp_archive_writer_put(struct sp_archive_writer *writer, const char *text, size_t n,
                                     struct sp_error *err);
/* Writes what is left and frees the writer, on failure too. Accepts NULL. */
enum sp_status sp_archive_writer_close(struct sp_archive_writer *writer, struct sp_error *err);

/* ZIP archives, whose members are read in their order and written uncompressed, by libarchive. A
 * build without it has neither. */

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
