/* The machine that a command works with: named, from a file, or this one, measured once and remembered. */
#ifndef SP_CLI_THIS_MACHINE_H
#define SP_CLI_THIS_MACHINE_H

#include <stddef.h>

#include "base/progress.h"
#include "model/machine.h"

/* `name` NULL: this machine from the cache of its environment, measured in a quick version with
 * n_threads (0: one for each core) when there is none; figures in doubt are measured again where the command
 * measures for 1 s at least anyway (`budget_s`). */
enum sp_status sp_this_machine(const char *name, int n_threads, double budget_s,
                               const struct sp_progress *progress, int verbosity, struct sp_machine *machine,
                               struct sp_error *err);

/* The same of the first GPU. SP_ABSENT says what is missing. */
enum sp_status sp_this_gpu(const char *name, const struct sp_progress *progress, int verbosity,
                           struct sp_machine *machine, struct sp_error *err);

/* The caches of this machine as the system states them, without measuring: enough to simulate. */

/* SP_ABSENT where the system describes none. */
enum sp_status sp_this_caches(struct sp_machine *machine, struct sp_error *err);

/* Where machine files and caches are: the only place that reads HOME and the XDG variables for them. */

enum { SP_MACHINE_DIRECTORIES = 2 };

struct sp_machine_paths {
    char storage[SP_MACHINE_DIRECTORIES][1024];
    /* Ends with NULL: the user's own, the program's (cli/core/programs.h); none of the current directory,
     * which may be anybody's: its files have a path. */
    const char *directory[SP_MACHINE_DIRECTORIES + 1];
    const char *cache; /* $XDG_CACHE_HOME/spmodel or ~/.cache/spmodel; NULL: there is no home */
    char cache_storage[1024];
};

void sp_machine_paths_find(struct sp_machine_paths *paths);

#endif
