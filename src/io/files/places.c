#include "io/files/places.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sp_config.h"
#include "sys/processes.h"

/* An installed program has no business in the tree that it was built from. */
static bool in_build_tree(const char *folder)
{
    struct stat here, build;
    return stat(folder, &here) == 0 && stat(SP_BINARY_DIR, &build) == 0 && here.st_dev == build.st_dev &&
           here.st_ino == build.st_ino;
}

/* TREE/name in the build tree; else FOLDER/FROM/name, seen from the program or library. */
static bool own_path(const char *tree, const char *const from[2], const char *name, char *path, size_t size)
{
    char folder[PATH_MAX];
    bool is_library;
    int n;
    if (!sp_own_folder(folder, sizeof folder, &is_library))
        return false;
    if (in_build_tree(folder))
        n = snprintf(path, size, "%s/%s", tree, name);
    else
        n = snprintf(path, size, "%s/%s/%s", folder, from[is_library], name);
    return n > 0 && (size_t)n < size;
}

bool sp_data_path(const char *what, char *path, size_t size)
{
    static const char *const from[] = {SP_DATA_FROM_BIN, SP_DATA_FROM_LIB};
    return own_path(SP_SOURCE_DIR, from, what, path, size);
}

bool sp_module_path(const char *name, char *path, size_t size)
{
    static const char *const from[] = {SP_LIB_FROM_BIN, "spmodel"};
    return own_path(SP_BINARY_DIR, from, name, path, size);
}

const char *sp_find_program(const char *name, char *path, size_t size)
{
    const char *p = getenv("PATH");
    while (p && *p) {
        size_t length = strcspn(p, ":");
        snprintf(path, size, "%.*s/%s", (int)length, p, name);
        if (access(path, X_OK) == 0)
            return path;
        p += length + (p[length] == ':');
    }
    return NULL;
}

/* BASE/rest of an environment variable, or HOME/home_rest; false: neither. XDG: absolute ones. */
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
