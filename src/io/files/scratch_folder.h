/* Folders for files on their way somewhere else. */
#ifndef SP_IO_SCRATCH_FOLDER_H
#define SP_IO_SCRATCH_FOLDER_H

#include <stddef.h>

#include "base/status.h"

/* Makes an empty one of a new name, which only this user may read, in $TMPDIR, else /tmp:
 * "/tmp/spmodel-PURPOSE.….part" in path[size] (part_file.h: it goes with this process; sp_part_remove removes
 * it before). SP_OUTPUT: none can be made. */
enum sp_status sp_scratch_folder(const char *purpose, char *path, size_t size, struct sp_error *err);

#endif
