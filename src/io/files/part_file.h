/* Files and folders under temporary names. None outlives its process: they go when it is ended by a
 * signal (sp_parts_end), and what a process left that was killed goes when another of the same user
 * makes one in that folder. Their names say whose they are: ".NAME.MACHINE-PID-START-NUMBER.part",
 * MACHINE a hash of the kernel's boot and its namespace of processes. So it is known without locks,
 * which network file systems may lack, which of them nobody writes any more; of other machines, and
 * of before a boot, nothing is known and nothing goes. Made by one thread at a time. */
#ifndef SP_IO_PART_FILE_H
#define SP_IO_PART_FILE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/status.h"

/* Makes an empty file beside `target` that only this user may read: its name in part[size], which
 * the caller keeps for the next three. Returns its descriptor, open for reading and writing; -1:
 * errno says why. */
int sp_part_make(const char *target, char *part, size_t size);
/* Gives it the permissions of `target`, and its owner and group where that is allowed; where its
 * group cannot be kept, the group may do no more than everybody. Without a target: what umask
 * leaves of 0666. Before the last fsync(), and not before the content is there: until then it is
 * its maker's alone. */
void sp_part_permit(int descriptor, const char *target);
/* Under the name `target`, in place of what has it; false: errno, and the part is removed. */
bool sp_part_rename(const char *part, const char *target);
/* Removes it (a folder with its files); without effect where it has its final name. */
void sp_part_remove(const char *part);

/* A child that writes to parts and ends with this process: kept until it is waited for. At most 8
 * at a time; more, or pid <= 0: without effect. It is started and noted between hold and release,
 * while no signal ends this process; the child itself has the signals of `before`, from its start
 * or by its own doing. */
void sp_part_children_hold(sigset_t *before);
void sp_part_child(pid_t pid);
void sp_part_children_release(const sigset_t *before);
void sp_part_child_ended(pid_t pid);

/* For a signal's handler, and safe there: ends those children (SIGTERM, after five seconds SIGKILL)
 * and removes all parts of this process. Without effect in a child that was forked from the one
 * that made them. */
void sp_parts_end(void);

/* Removes the files in a folder, and it where nothing else is left; safe in a signal's handler. */
void sp_folder_remove(const char *path);

/* Folders for files on their way somewhere else. */

/* Makes an empty one of a new name, which only this user may read, in $TMPDIR, else /tmp:
 * "/tmp/spmodel-PURPOSE.….part" in path[size] (it goes with this process; sp_part_remove removes
 * it before). SP_OUTPUT: none can be made. */
enum sp_status sp_scratch_folder(const char *purpose, char *path, size_t size, struct sp_error *err);

/* Whose a claim or an unfinished file is: a process, told from later ones of its number. */

struct sp_claimant {
    char host[65];
    char boot[40];  /* of the running kernel, the same in its containers; "" unknown */
    char space[40]; /* namespace of process numbers; "" unknown */
    int pid;        /* 0: unknown */
    int64_t start;  /* when the process began [clock ticks since boot]; 0: unknown */
};

/* This process. */
void sp_claimant_self(struct sp_claimant *self);

/* True where it is certain that `other` has ended: it ran under the kernel and among the processes
 * that `self` sees, and is not there any more. Of other machines nothing is certain. */
bool sp_claimant_has_ended(const struct sp_claimant *self, const struct sp_claimant *other);

/* A key of the machine, the same for all its processes: 16 hexadecimal digits. */
void sp_claimant_machine(const struct sp_claimant *claimant, char key[17]);

/* As JSON and back; a text that says nothing gives a claimant of whom nothing is known. */
void sp_claimant_print(const struct sp_claimant *claimant, char *text, size_t size);
void sp_claimant_parse(const char *text, struct sp_claimant *claimant);

#endif
