/* Folders for files on their way somewhere else. */
#ifndef SP_IO_SCRATCH_FOLDER_H
#define SP_IO_SCRATCH_FOLDER_H

#include <stddef.h>

#include "base/status.h"

/* Makes an empty one of a new name, which only this user may read, in $TMPDIR, else /tmp:
 * "/tmp/spmodel-PURPOSE.XXXXXX" in path[size]. SP_OUTPUT: none can be made. */
enum sp_status sp_scratch_folder(const char *purpose, char *path, size_t size, struct sp_error *err);

/* Removes a folder with the files in it; folders in it stay, and keep it. Without effect where there is none.
 */
void sp_folder_remove(const char *path);

#endif
