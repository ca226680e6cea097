/* Output files that appear complete or not at all: written beside the target under a temporary
 * name, flushed, synchronised and renamed. What a program leaves that is killed, a hidden
 * ".NAME.….part", goes with the next one (part_file.h). A file that is replaced leaves its
 * permissions, owner and group to the new one, as far as this user may. A symbolic link keeps
 * pointing where it did: its target is what appears. A device or a pipe is written to as it is. */
#ifndef SP_IO_ATOMIC_FILE_H
#define SP_IO_ATOMIC_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/status.h"

struct sp_atomic_file {
    FILE *stream;                /* write here; errors are noticed at commit */
    char path[4096], part[4200]; /* part "": written directly */
};

/* Opens a temporary file in the directory of `path` (missing directories are not made). */
enum sp_status sp_atomic_open(const char *path, struct sp_atomic_file *file, struct sp_error *err);
/* Makes it appear under its name (replacing an older one); on failure the temporary file is removed
 * and the old one is untouched: SP_OUTPUT names the reason, a full disk for example. The struct is
 * zeroed either way. */
enum sp_status sp_atomic_commit(struct sp_atomic_file *file, struct sp_error *err);
/* Throws it away; safe twice and after commit. */
void sp_atomic_abort(struct sp_atomic_file *file);

/* Makes a directory and those above it that are missing; 0, else errno. */
int sp_make_directories(const char *path);

/* For a tree below `root` (made where missing) that others may write to, as a store: no link in it
 * is followed, so that nobody leads a file of this user elsewhere. `folder` is ROOT or ROOT/...
 * SP_OUTPUT names a link, or what cannot be made. What is exchanged between this look and the write
 * is not seen. */
enum sp_status sp_make_folder_within(const char *root, const char *folder, struct sp_error *err);
/* As sp_atomic_open() in a folder that sp_make_folder_within() has made: a link of that name is
 * replaced, not its target; a pipe or a device is refused. */
enum sp_status sp_atomic_open_within(const char *path, struct sp_atomic_file *file, struct sp_error *err);

/* Files that are made once: complete under a name that was free, or not at all. A hard link that is
 * made or is not decides, so that several processes and machines may try at once, also over network
 * file systems. */

/* Makes `path` (its folder must be there) of bytes[size], synchronised to the disk with its folder,
 * with the permissions that umask leaves. *made is false where the name is taken. SP_OUTPUT: it
 * cannot be written. What is interrupted leaves at most a hidden file of another name. Where the
 * file system has no hard links, the name is claimed by an empty file first. */
enum sp_status sp_new_file(const char *path, const char *bytes, size_t size, bool *made,
                           struct sp_error *err);

#endif
