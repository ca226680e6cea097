/* The processes of this machine as far as /proc shows them, and who of them computes. */
#ifndef SP_SYS_PROCESSES_H
#define SP_SYS_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct sp_process {
    int pid, parent;
    unsigned uid;  /* effective user */
    char name[16]; /* the kernel's, cut after 15 characters */
    char state;    /* 'R', 'S', 'D' ... */
    bool kernel;   /* a thread of the kernel */
    int64_t ticks; /* user and system time so far, in clock ticks */
};

struct sp_processes {
    int n;
    struct sp_process *process; /* [n] by ascending pid; owned */
    double when;                /* sp_now() at the start of the reading [s] */
    bool cut;                   /* the time was over before all were read */
};

/* Reads ROOT/proc until sp_now() reaches `deadline`. SP_ABSENT without /proc, SP_MEMORY. */
enum sp_status sp_processes_read(const char *root, double deadline, struct sp_processes *out,
                                 struct sp_error *err);
void sp_processes_free(struct sp_processes *processes);

/* Kernel identifiers of this process's threads, at most `max`; returns how many were stored. */
int sp_process_threads(int *thread, int max);

/* Kills what `pid` has started, and what that has; how many there were, 0 without /proc. Those
 * whose own parent is gone are among them where `pid` takes them (PR_SET_CHILD_SUBREAPER). */
int sp_processes_end_children(int pid);

/* Where memory runs out, the system ends this process and what it starts before all others. */
void sp_process_goes_first(void);

struct sp_busy {
    char name[16];
    int pid;
    double share; /* processors' worth of time between the two readings */
};

/* Those that used more than `least` of a processor between two readings, most first, without
 * `self`; at most `max` of them. Returns how many were stored. */
int sp_processes_busy(const struct sp_processes *before, const struct sp_processes *after, int self,
                      double least, struct sp_busy *busy, int max);

/* Where this code lies on disk: in a program, or in a shared library that another one uses. */

/* The folder of the library, where this function is in one, else of the program, links resolved.
 * False where it is unknown or too long. */
bool sp_own_folder(char *folder, size_t size, bool *is_library);

#endif
