/* Files and folders under temporary names. None outlives its process: they go when it is ended by a
 * signal (sp_parts_end), and what a process left that was killed goes when another of the same user
 * makes one in that folder. Their names say whose they are: ".NAME.MACHINE-PID-START-NUMBER.part",
 * MACHINE a hash of the kernel's boot and its namespace of processes. So it is known without locks,
 * which network file systems may lack, which of them nobody writes any more; of other machines, and
 * of before a boot, nothing is known and nothing goes. Made by one thread at a time. */
#ifndef SP_IO_PART_FILE_H
#define SP_IO_PART_FILE_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/status.h"

/* Where a path leads, all links followed, also to what is not there yet. False: the path is too
 * long, or a link leads to itself. */
bool sp_path_follow(const char *path, char target[PATH_MAX]);

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

/* A child that ends with this process, such as one that writes to parts: kept until it is waited
 * for. Of a group that it leads, with all that it starts, the number with a minus, as kill(2) takes
 * it. At most 8 at a time; more, or 0 and -1, which are no child: without effect. It is started and
 * noted between hold and release, while no signal ends this process; the child itself has the
 * signals of `before`, from its start or by its own doing. */
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

/* Output files that appear complete or not at all: written beside the target under a temporary
 * name, flushed, synchronised and renamed. What a program leaves that is killed, a hidden
 * ".NAME.….part", goes with the next one (part_file.h). A file that is replaced leaves its
 * permissions, owner and group to the new one, as far as this user may. A symbolic link keeps
 * pointing where it did: its target is what appears. A device or a pipe is written to as it is. */

struct sp_atomic_file {
    FILE *stream;                /* write here; errors are noticed at commit */
    char path[4096], part[4200]; /* part "": written directly */
};

/* Opens a temporary file in the directory of `path` (missing directories are not made). */
enum sp_status sp_atomic_open(const char *path, struct sp_atomic_file *file, struct sp_error *err);
/* Makes it appear under its name (replacing an older one); on failure the temporary file is removed
 * and the old one is untouched: SP_OUTPUT names the reason, a full disk for example. The struct is
 * zeroed either way. */
enum sp_status sp_atomic_commit(struct sp_atomic_file *file, struct sp_error *err);
/* The same, but replaces nothing: *made is false where the name is taken. */
enum sp_status sp_atomic_commit_new(struct sp_atomic_file *file, bool *made, struct sp_error *err);
/* Throws it away; safe twice and after commit. */
void sp_atomic_abort(struct sp_atomic_file *file);

/* What to do where writing ended with an errno. */
const char *sp_output_remedy(int error);
/* SP_OUTPUT with it: "PATH: cannot DOING: ..." */
enum sp_status sp_fail_output(struct sp_error *err, const char *path, const char *doing, int error);

/* Makes a directory and those above it that are missing; 0, else errno. */
int sp_make_directories(const char *path);
/* Likewise; SP_OUTPUT with what to do. */
enum sp_status sp_make_folder(const char *path, struct sp_error *err);

/* For a tree below `root` (made where missing) that others may write to, as a store: no link in it
 * is followed, so that nobody leads a file of this user elsewhere. `folder` is ROOT or ROOT/...
 * SP_OUTPUT names a link, or what cannot be made. What is exchanged between this look and the write
 * is not seen. */
enum sp_status sp_make_folder_within(const char *root, const char *folder, struct sp_error *err);
/* As sp_atomic_open() in a folder that sp_make_folder_within() has made: a link of that name is
 * replaced, not its target; a pipe or a device is refused. */
enum sp_status sp_atomic_open_within(const char *path, struct sp_atomic_file *file, struct sp_error *err);

/* Files that are made once: complete under a name that was free, or not at all. A hard link that is
 * made or is not decides, so that several processes and machines may try at once, also over network
 * file systems. */

/* Makes `path` (its folder must be there) of bytes[size], synchronised to the disk with its folder,
 * with the permissions that umask leaves. *made is false where the name is taken. SP_OUTPUT: it
 * cannot be written. What is interrupted leaves at most a hidden file of another name. Where the
 * file system has no hard links, the name is claimed by an empty file first. */
enum sp_status sp_new_file(const char *path, const char *bytes, size_t size, bool *made,
                           struct sp_error *err);

#endif
