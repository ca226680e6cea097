/* A store of records: a directory of immutable files, one a record, that several processes and
 * machines may add to at once, also over network file systems, because a record appears by a link
 * that either is made or is not.
 *
 *     STORE/spmodel-store.json      what this is, and its version
 *     STORE/records/2026-11/ID.json the records, by month
 *     STORE/pins/SERIES-ENV.json    accepted baselines (track accept)
 */
#ifndef SP_TRACK_STORE_H
#define SP_TRACK_STORE_H

#include <stdbool.h>

#include "base/status.h"
#include "io/record/record.h"

/* Records among what a user names: files, and the *.json of folders. */

/* Zero-initialise; sp_record_paths_free(). */
struct sp_record_paths {
    int n, most;
    char **path; /* [n] owned; those of a folder in alphabetical order */
};

/* A file as it is; of a folder every .json below it. SP_INPUT: there is no such file. */
enum sp_status sp_record_paths_add(struct sp_record_paths *paths, const char *name, struct sp_error *err);
void sp_record_paths_free(struct sp_record_paths *paths);

struct sp_store {
    char path[3000];
};

/* Opens a store; `create`: makes it where there is none (in an empty or missing directory).
 * SP_INPUT: it is no store, one of a later version, or to be made in a directory of other
 * things. */
enum sp_status sp_store_open(const char *path, bool create, struct sp_store *store, struct sp_error *err);

/* May records be added? SP_OUTPUT: its folder is not to be written to. */
enum sp_status sp_store_check_writable(const struct sp_store *store, struct sp_error *err);

/* Adds a record file, byte by byte as it is. *added is false where the store has the very same
 * record already. SP_INPUT: it is no record, or one whose status is not "complete"; SP_OUTPUT: it
 * cannot be written, or another record has its id. What is interrupted leaves no file under a
 * record's name, or an empty one where the file system has no hard links: the next one takes its
 * place. path[4096] receives the name in the store. */
enum sp_status sp_store_add(const struct sp_store *store, const char *file, bool *added, char *path,
                            struct sp_error *err);

/* The same of a line of JSON Lines, text[size], which is line `line` of the file `file`. */
enum sp_status sp_store_add_line(const struct sp_store *store, const char *file, int64_t line,
                                 const char *text, size_t size, bool *added, char *path,
                                 struct sp_error *err);

/* The names of all record files. */
enum sp_status sp_store_list(const struct sp_store *store, struct sp_record_paths *paths,
                             struct sp_error *err);

#endif
