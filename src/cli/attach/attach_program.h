/* An unchanged program, run with libspmodel-attach.so in front of its libraries. */
#ifndef SP_CLI_ATTACH_PROGRAM_H
#define SP_CLI_ATTACH_PROGRAM_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

struct sp_attached_run {
    char *const *word;  /* the program and its arguments, NULL ends them */
    const char *folder; /* where its logs go: a full path */
    bool messages;      /* also libspmodel-pmpi.so */
    cpu_set_t cpus;     /* that this process had when it began: the program has them, too */
    /* Filled in: */
    int pid;       /* of the process that was started */
    int state;     /* of waitpid() */
    int exit_code; /* as of a shell: its own, 128 + the signal that ended it, 126 or 127: not started */
};

/* SP_ABSENT where the libraries are not there, or cannot be preloaded: before anything takes
 * time. */
enum sp_status sp_attached_ready(bool messages, struct sp_error *err);

/* Starts it and waits for its end. SP_ABSENT: it cannot be started, or the library is not there. */
enum sp_status sp_attached_run(struct sp_attached_run *run, struct sp_error *err);

/* How many processes that it started, or that these did, still run; `name` of one of them. */
int sp_attach_count_running(const char *folder, char *name, size_t size);

/* What will keep the library out of this program, as far as its file tells: a sentence without its
 * end, into text, "" where nothing does. */
void sp_attach_obstacle(const char *program, char *text, size_t size);

#endif
