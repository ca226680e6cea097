/* A file mapped for reading. */
#ifndef SP_IO_MAPPED_FILE_H
#define SP_IO_MAPPED_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

struct sp_mapped_file {
    const char *text; /* [n]; NULL for an empty file and where regular is false */
    int64_t n;        /* [B] */
    int64_t mtime_ns; /* last modification, since 1970 */
    bool regular;     /* false: a pipe or device, which can only be read as a stream */
};

/* SP_INPUT with the system's reason when the file cannot be opened. */
enum sp_status sp_map_file(const char *path, struct sp_mapped_file *file, struct sp_error *err);
/* Safe twice. */
void sp_unmap_file(struct sp_mapped_file *file);

#endif
