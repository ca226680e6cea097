#include "io/scratch_folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum sp_status sp_scratch_folder(const char *purpose, char *path, size_t size, struct sp_error *err)
{
    static const char remedy[] = "set TMPDIR to a directory that can be written";
    const char *tmp = getenv("TMPDIR"), *base = tmp && *tmp ? tmp : "/tmp";
    if (snprintf(path, size, "%s/spmodel-%s.XXXXXX", base, purpose) >= (int)size)
        return sp_fail_at(err, SP_OUTPUT, base, 0, 0, remedy, "the name is too long");
    return mkdtemp(path) ? SP_OK
                         : sp_fail_at(err, SP_OUTPUT, base, 0, 0, remedy,
                                      "cannot make a temporary directory: %s", strerror(errno));
}

void sp_folder_remove(const char *path)
{
    char name[4400];
    DIR *folder = opendir(path);
    for (const struct dirent *e; folder && (e = readdir(folder));) {
        if (snprintf(name, sizeof name, "%s/%s", path, e->d_name) < (int)sizeof name)
            unlink(name);
    }
    if (folder)
        closedir(folder);
    rmdir(path);
}
