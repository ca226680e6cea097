#include "io/files/scratch_folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/files/part_file.h"

enum sp_status sp_scratch_folder(const char *purpose, char *path, size_t size, struct sp_error *err)
{
    static const char remedy[] = "set TMPDIR to a directory that can be written";
    const char *tmp = getenv("TMPDIR"), *base = tmp && *tmp ? tmp : "/tmp";
    char prefix[64];
    snprintf(prefix, sizeof prefix, "spmodel-%s", purpose);
    return sp_part_folder(base, prefix, path, size)
               ? SP_OK
               : sp_fail_at(err, SP_OUTPUT, base, 0, 0, remedy, "cannot make a temporary directory: %s",
                            strerror(errno));
}
