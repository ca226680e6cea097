/* What surrounds every command: standard streams that are there, signals that leave nothing behind,
 * threads and stacks that can be had, an output that has arrived. */
#ifndef SP_CLI_PROCESS_H
#define SP_CLI_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/status.h"

/* First in main(). Standard streams that are closed are opened such that reading or writing fails:
 * no file gets their numbers. SIGTERM, SIGHUP and the like remove what is unfinished
 * (io/files/part_file.h) and end the process as they do by themselves; so does SIGINT, even where a
 * shell without job control ignores it. From here on an exit by whomever (argp's --help) ends with
 * 4 where standard output could not be written. jansson, which returns NULL where memory is short,
 * gives what was asked for or ends the program: a reason on stderr, no unfinished file, exit 4; so
 * no document is ever incomplete. Returns 0, or 4: more threads (OMP_NUM_THREADS) or smaller stacks
 * (ulimit -s, OMP_STACKSIZE) than can work, and the reason stands on stderr. */
int sp_process_begin(void);

/* libgomp's threads spin for up to 300,000 pauses, 6 ms and more, when they wait: beside
 * other work they take the processor from whoever they wait for, and between the steps of an
 * analysis what others could use. 20,000 still outlast what separates two executions. libgomp looks
 * into the environment once, before main(): so this process begins anew, unless the user says how
 * threads wait (GOMP_SPINCOUNT, OMP_WAIT_POLICY). Programs that it starts see nothing of it.
 * Returns where it has begun anew, or cannot. */
void sp_process_wait_briefly(char *const *argv);

/* Last in main(): flushes. The worse of `code` and 4 where that fails; 130 after a Ctrl-C. */
int sp_process_end(int code);

/* From now on the first Ctrl-C asks for an orderly end, and the second one ends the process. So
 * does a second of time in which the command does not learn of the first by
 * sp_process_interrupted(), and one after that: what waits or computes for long needs no check. */
void sp_process_watch(void);
bool sp_process_interrupted(void);
/* From now on that many seconds in place of one: for as long as a command has something to keep. */
void sp_process_be_patient(unsigned seconds);

/* While `child` runs in the foreground it has the keys of the terminal: Ctrl-C reaches it, and not
 * this process, which passes on what else would end it. 0: as before. */
void sp_process_leave_to(int child);

/* This very program again, as a process beside this one. */

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
