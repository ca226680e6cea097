#include "cli/machine/paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/core/data_paths.h"

/* BASE/rest of an environment variable, or HOME/home_rest; false when neither is set. XDG ignores relative
 * paths. */
static int xdg(const char *variable, const char *home_rest, const char *rest, char *path, size_t size)
{
    const char *base = getenv(variable), *home = getenv("HOME");
    if (base && *base == '/')
        return snprintf(path, size, "%s/%s", base, rest) < (int)size;
    if (home && *home)
        return snprintf(path, size, "%s/%s/%s", home, home_rest, rest) < (int)size;
    return 0;
}

/* The same directory under another name: in a source tree "machines" is the source's. */
static int seen_before(const struct sp_machine_paths *paths, int n, const char *path)
{
    struct stat a, b;
    if (stat(path, &a) != 0)
        return 0;
    for (int i = 0; i < n; i++)
        if (stat(paths->directory[i], &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino)
            return 1;
    return 0;
}

void sp_machine_paths_find(struct sp_machine_paths *paths)
{
    memset(paths, 0, sizeof *paths);
    int n = 0;
    if (xdg("XDG_DATA_HOME", ".local/share", "spmodel/machines", paths->storage[n], sizeof paths->storage[0]))
        n++;
    if (sp_data_path("machines", paths->storage[n], sizeof paths->storage[0]))
        n++;
    for (int i = 0, kept = 0; i < n; i++)
        if (!seen_before(paths, kept, paths->storage[i]))
            paths->directory[kept++] = paths->storage[i];
    if (xdg("XDG_CACHE_HOME", ".cache", "spmodel", paths->cache_storage, sizeof paths->cache_storage))
        paths->cache = paths->cache_storage;
}
