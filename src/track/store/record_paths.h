/* Records among what a user names: files, and the *.json of folders. */
#ifndef SP_TRACK_RECORD_PATHS_H
#define SP_TRACK_RECORD_PATHS_H

#include "base/status.h"

/* Zero-initialise; sp_record_paths_free(). */
struct sp_record_paths {
    int n, most;
    char **path; /* [n] owned; those of a folder in alphabetical order */
};

/* A file as it is; of a folder every file that ends in .json, folders in it too. SP_INPUT: there is no such
 * file. */
enum sp_status sp_record_paths_add(struct sp_record_paths *paths, const char *name, struct sp_error *err);
void sp_record_paths_free(struct sp_record_paths *paths);

#endif
