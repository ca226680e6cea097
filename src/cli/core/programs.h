/* This very program again, as a process beside this one. */
#ifndef SP_CLI_PROGRAMS_H
#define SP_CLI_PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/status.h"

/* Started without a shell. */
struct sp_own_variable {
    const char *name, *value;
};

struct sp_own_process {
    char *const *word;      /* its command line; word[0] is a name for the program, NULL ends it */
    const char *out, *said; /* files that receive standard output and error; NULL: as they are here */
    const struct sp_own_variable *set; /* environment, a name of NULL ends it; NULL: none */
    bool own_group; /* in a process group of its own: the keys of the terminal do not reach it, and it can be
                       killed with what it started */
};

/* Starts it, with nothing on standard input, no other file of this process open, no signal blocked.
 * It is ended by SIGTERM when this process ends. SP_ABSENT: no process. Where the program cannot be
 * started, it ends with 127 and says why on its standard error. */
enum sp_status sp_own_process_start(const struct sp_own_process *what, pid_t *pid, struct sp_error *err);

/* Waits for its end and returns waitpid()'s status, -1: there is none. A signal that ends this
 * process in the meantime ends it first, so that nothing of it stays either. */
int sp_own_process_wait(pid_t pid);

/* Another program, in the foreground: with the standard streams of this one, and nothing else of
 * it. `before` is called in the new process, before the program is looked for as a shell does.
 * SP_ABSENT with the reason: it cannot be started; *error is the system's number then. */
enum sp_status sp_program_start(char *const *word, void (*before)(void *context), void *context, pid_t *pid,
                                int *error, struct sp_error *err);

#endif
