/* Files that are made once: complete under a name that was free, or not at all. A hard link that is made or
 * is not decides, so that several processes and machines may try at once, also over network file systems. */
#ifndef SP_IO_NEW_FILE_H
#define SP_IO_NEW_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* Makes `path` (its folder must be there) of bytes[size], synchronised to the disk with its folder, with the
 * permissions that umask leaves. *made is false where the
 * name is taken. SP_OUTPUT: it cannot be written. What is interrupted leaves at most a hidden file of another
 * name. Where the file system has no hard links, the name is claimed by an empty file first. */
enum sp_status sp_new_file(const char *path, const char *bytes, size_t size, bool *made,
                           struct sp_error *err);

#endif
