/* Files that are read whole or in lines: records, what students hand in, campaigns, descriptions.
 * Where a file is expected somebody may have put a pipe, which is waited for without end, or a
 * device, a folder or a socket: all of them are refused.
 *
 * Only what this process was given open is a stream that was meant: /dev/stdin, and /dev/fd/N or
 * /proc/self/fd/N, which is what shells make of <(command). */
#ifndef SP_IO_INPUT_FILE_H
#define SP_IO_INPUT_FILE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"

/* Opens it to read, without ever waiting. SP_INPUT: it is not there or not permitted (with the
 * system's words), or no regular file. */
enum sp_status sp_input_open(const char *path, FILE **out, struct sp_error *err);

/* A bound for files that are written by this program, or by whoever runs it. */
#define SP_INPUT_MOST_B (INT64_C(1) << 34)

/* All of it, and '\0' behind: *bytes is for free(). SP_INPUT also beyond `most_B`. */
enum sp_status sp_input_bytes(const char *path, int64_t most_B, char **bytes, size_t *size,
                              struct sp_error *err);

/* A JSON document, in which no object has a key twice; the root is the caller's. SP_INPUT also
 * where it is no JSON, with line, column and `remedy` (may be NULL), or has more than `most_B`. */
enum sp_status sp_input_json(const char *path, int64_t most_B, const char *remedy, json_t **root,
                             struct sp_error *err);

/* A file mapped for reading while others may still write or shorten it.
 *
 * A page that is gone (the file was truncated, or its file system gave an I/O error) would end the
 * process with SIGBUS, in whichever thread touches it. Here such a fault inside a mapped file puts
 * zeros from that page to the end of the mapping, and the reader goes on; sp_unmap_file() then
 * tells that what was read is worth nothing. A SIGBUS from elsewhere does what it did before. */

struct sp_mapped_guard;

struct sp_mapped_file {
    const char *text; /* [n]; NULL for an empty file and where regular is false. Behind it, within the next
                         two pages, there is always a '\n', whatever becomes of the file */
    int64_t n;        /* [B] */
    int64_t mtime_ns; /* last modification, since 1970 */
    bool regular;     /* false: a pipe or device, which can only be read as a stream */
    int descriptor;   /* of a regular file */
    struct sp_mapped_guard *guard; /* of `text` */
};

/* SP_INPUT with the system's reason when the file cannot be opened. `path` is not kept. */
enum sp_status sp_map_file(const char *path, struct sp_mapped_file *file, struct sp_error *err);

/* Ends the mapping of `path` and says what became of a reading that ended with `status`: that, or
 * SP_INPUT in its place where the file changed between the two calls or could not be read. Then
 * nothing that was read may be used, whatever it was taken for. Safe twice. */
enum sp_status sp_unmap_file(struct sp_mapped_file *file, const char *path, enum sp_status status,
                             struct sp_error *err) __attribute__((warn_unused_result));

#endif
