/* What surrounds every command: standard streams that are there, signals that leave nothing behind,
 * threads and stacks that can be had, an output that has arrived. */
#ifndef SP_CLI_PROCESS_H
#define SP_CLI_PROCESS_H

#include <stdbool.h>

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

#endif
