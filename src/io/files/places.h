/* Where the files are that come with the program, and where the user keeps those of his own. */
#ifndef SP_IO_PLACES_H
#define SP_IO_PLACES_H

#include <stdbool.h>
#include <stddef.h>

/* Files that come with the program, machines, labs, data: the folder `what` ("machines") of the
 * source tree where the program, or the library with this function, lies in its build tree, else in
 * share/spmodel as seen from there, wherever it was installed or moved to. False where its own
 * place is unknown or the path too long; whether the folder exists is not looked at. */
bool sp_data_path(const char *what, char *path, size_t size);

/* A library that comes with the program, "libNAME.so": beside it in the build, or lib/spmodel. */
bool sp_module_path(const char *name, char *path, size_t size);
/* The full path of an executable `name`, in `path`; NULL when no directory of $PATH has it. */
const char *sp_find_program(const char *name, char *path, size_t size);

/* Machine files and caches: the only place that reads HOME and the XDG variables for them. */
enum { SP_MACHINE_DIRECTORIES = 2 };

struct sp_machine_paths {
    char storage[SP_MACHINE_DIRECTORIES][1024];
    /* Ends with NULL: the user's own, the program's; none of the current directory, which may be
     * anybody's: its files have a path. */
    const char *directory[SP_MACHINE_DIRECTORIES + 1];
    const char *cache; /* $XDG_CACHE_HOME/spmodel or ~/.cache/spmodel; NULL: there is no home */
    char cache_storage[1024];
};

void sp_machine_paths_find(struct sp_machine_paths *paths);

#endif
