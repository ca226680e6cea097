/* Files that are read whole or in lines: records, what students hand in, campaigns, descriptions. Where a
 * file is expected somebody may have put a pipe, which is waited for without end, or a device, a folder or a
 * socket: all of them are refused.
 *
 * Only what this process was given open is a stream that was meant: /dev/stdin, and /dev/fd/N or
 * /proc/self/fd/N, which is what shells make of <(command). */
#ifndef SP_IO_INPUT_FILE_H
#define SP_IO_INPUT_FILE_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"

/* Opens it to read, without ever waiting. SP_INPUT: it is not there or not permitted (with the system's
 * words), or no regular file. */
enum sp_status sp_input_open(const char *path, FILE **out, struct sp_error *err);

/* A bound for files that are written by this program, or by whoever runs it. */
#define SP_INPUT_MOST_B (INT64_C(1) << 34)

/* All of it, and '\0' behind: *bytes is to be freed. SP_INPUT also where it has more than `most_B`. */
enum sp_status sp_input_bytes(const char *path, int64_t most_B, char **bytes, size_t *size,
                              struct sp_error *err);

/* A JSON document, in which no object has a key twice; the root is the caller's. SP_INPUT also where it is no
 * JSON, with line, column and `remedy` (may be NULL), or has more than `most_B`. */
enum sp_status sp_input_json(const char *path, int64_t most_B, const char *remedy, json_t **root,
                             struct sp_error *err);

#endif
