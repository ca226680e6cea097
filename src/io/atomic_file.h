/* Output files that appear complete or not at all: written beside the target under a temporary name, flushed,
 * synchronised and renamed. A killed program leaves at most a hidden ".NAME.XXXXXX.part". A symbolic link
 * keeps pointing where it did: its target is what appears. A device or a pipe is written to as it is. */
#ifndef SP_IO_ATOMIC_FILE_H
#define SP_IO_ATOMIC_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/status.h"

struct sp_atomic_file {
    FILE *stream;                /* write here; errors are noticed at commit */
    char path[4096], part[4200]; /* part "": written directly */
};

/* Opens a temporary file in the directory of `path` (missing directories are not made). */
enum sp_status sp_atomic_open(const char *path, struct sp_atomic_file *file, struct sp_error *err);
/* Makes it appear under its name (replacing an older one); on failure the temporary file is removed and the
 * old one is untouched: SP_OUTPUT names the reason, a full disk for example. The struct is zeroed either way.
 */
enum sp_status sp_atomic_commit(struct sp_atomic_file *file, struct sp_error *err);
/* Throws it away; safe twice and after commit. */
void sp_atomic_abort(struct sp_atomic_file *file);

/* Makes a directory and those above it that are missing; 0, else errno. */
int sp_make_directories(const char *path);

#endif
