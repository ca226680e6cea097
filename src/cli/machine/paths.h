/* Where machine files and caches are: the only place that reads HOME and the XDG variables for them. */
#ifndef SP_CLI_MACHINE_PATHS_H
#define SP_CLI_MACHINE_PATHS_H

#include <stddef.h>

enum { SP_MACHINE_DIRECTORIES = 2 };

struct sp_machine_paths {
    char storage[SP_MACHINE_DIRECTORIES][1024];
    /* Ends with NULL: the user's own, the program's (cli/core/data_paths.h); none of the current directory,
     * which may be anybody's: its files have a path. */
    const char *directory[SP_MACHINE_DIRECTORIES + 1];
    const char *cache; /* $XDG_CACHE_HOME/spmodel or ~/.cache/spmodel; NULL: there is no home */
    char cache_storage[1024];
};

void sp_machine_paths_find(struct sp_machine_paths *paths);

#endif
