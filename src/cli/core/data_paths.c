#include "cli/core/data_paths.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sp_config.h"

/* The folder of this very program, links resolved. */
static bool own_folder(char *folder, size_t size)
{
    const ssize_t n = readlink("/proc/self/exe", folder, size - 1);
    if (n <= 0 || (size_t)n == size - 1)
        return false;
    folder[n] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = '\0';
    return slash != NULL;
}

/* An installed program has no business in the tree that it was built from, though it may still be there. */
static bool in_build_tree(const char *folder)
{
    struct stat here, build;
    return stat(folder, &here) == 0 && stat(SP_BINARY_DIR, &build) == 0 && here.st_dev == build.st_dev &&
           here.st_ino == build.st_ino;
}

bool sp_data_path(const char *what, char *path, size_t size)
{
    char folder[3000];
    int n;
    if (!own_folder(folder, sizeof folder))
        return false;
    if (in_build_tree(folder))
        n = snprintf(path, size, "%s/%s", SP_SOURCE_DIR, what);
    else
        n = snprintf(path, size, "%s/%s/%s", folder, SP_DATA_FROM_BIN, what);
    return n > 0 && (size_t)n < size;
}
