#include "sys/processes.h"

#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "sys/machine/sysfs.h"

static const unsigned kernel_thread = 0x00200000; /* PF_KTHREAD of the kernel's sched.h */

/* "1234 (name) S ppid pgrp session tty tpgid flags minflt cminflt majflt cmajflt utime stime ...".
 * The name may hold blanks and parentheses: the last ')' ends it. */
static bool parse(const char *text, struct sp_process *p)
{
    const char *open = strchr(text, '('), *close = strrchr(text, ')');
    unsigned flags;
    int64_t user, system;
    if (!open || !close || close < open ||
        sscanf(close + 1, " %c %d %*d %*d %*d %*d %u %*u %*u %*u %*u %" SCNd64 " %" SCNd64, &p->state,
               &p->parent, &flags, &user, &system) != 5)
        return false;
    snprintf(p->name, sizeof p->name, "%.*s", (int)(close - open - 1), open + 1);
    p->kernel = (flags & kernel_thread) != 0;
    p->ticks = user + system;
    return true;
}

static int by_pid(const void *a, const void *b)
{
    const struct sp_process *p = a, *q = b;
    return (p->pid > q->pid) - (p->pid < q->pid);
}

enum sp_status sp_processes_read(const char *root, double deadline, struct sp_processes *out,
                                 struct sp_error *err)
{
    memset(out, 0, sizeof *out);
    char path[512], text[512];
    snprintf(path, sizeof path, "%s/proc", root ? root : "");
    DIR *directory = opendir(path);
    if (!directory)
        return sp_fail(err, SP_ABSENT, "mount /proc", "%s cannot be read", path);
    out->when = sp_now();
    int room = 0;
    for (struct dirent *e; (e = readdir(directory));) {
        if (!isdigit((unsigned char)e->d_name[0]))
            continue;
        if (sp_now() > deadline) {
            out->cut = true;
            break;
        }
        if (out->n == room) {
            room = room ? 2 * room : 256;
            struct sp_process *grown = realloc(out->process, (size_t)room * sizeof *grown);
            if (!grown) {
                closedir(directory);
                sp_processes_free(out);
                return sp_fail(err, SP_MEMORY, NULL, "no memory for the list of processes");
            }
            out->process = grown;
        }
        struct sp_process *p = &out->process[out->n];
        struct stat facts;
        memset(p, 0, sizeof *p);
        p->pid = atoi(e->d_name);
        /* Processes end while one looks: what cannot be read any more is not there. */
        if (fstatat(dirfd(directory), e->d_name, &facts, 0) == 0 &&
            sp_sysfs_text(root, text, sizeof text, "/proc/%s/stat", e->d_name) && parse(text, p)) {
            p->uid = facts.st_uid;
            out->n++;
        }
    }
    closedir(directory);
    if (out->n > 1)
        sp_sort_by(out->process, out->n, sizeof *out->process, by_pid);
    return SP_OK;
}

void sp_process_goes_first(void)
{
    FILE *file = fopen("/proc/self/oom_score_adj", "we");
    if (file) {
        fputs("1000", file);
        fclose(file);
    }
}

void sp_processes_free(struct sp_processes *processes)
{
    free(processes->process);
    memset(processes, 0, sizeof *processes);
}

int sp_processes_busy(const struct sp_processes *before, const struct sp_processes *after, int self,
                      double least, struct sp_busy *busy, int max)
{
    int n = 0;
    double seconds = after->when - before->when, hertz = (double)sysconf(_SC_CLK_TCK);
    if (seconds <= 0)
        return 0;
    for (int i = 0, j = 0; i < after->n; i++) {
        const struct sp_process *now = &after->process[i];
        while (j < before->n && before->process[j].pid < now->pid)
            j++;
        bool known = j < before->n && before->process[j].pid == now->pid;
        double share = (double)(now->ticks - (known ? before->process[j].ticks : 0)) / hertz / seconds;
        /* A new number without an earlier reading may only have been beyond the cut. */
        if (now->pid == self || share < least || (!known && before->cut))
            continue;
        int at = n < max ? n++ : max;
        for (; at > 0 && busy[at - 1].share < share; at--)
            if (at < max)
                busy[at] = busy[at - 1];
        if (at < max) {
            busy[at] = (struct sp_busy){.pid = now->pid, .share = share};
            memcpy(busy[at].name, now->name, sizeof now->name);
        }
    }
    return n;
}

/* The place of a process among those by ascending pid; -1: it is not there. */
static int place_of(const struct sp_processes *all, int pid)
{
    int low = 0, high = all->n;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (all->process[middle].pid < pid)
            low = middle + 1;
        else
            high = middle;
    }
    return low < all->n && all->process[low].pid == pid ? low : -1;
}

static bool descends(const struct sp_processes *all, int pid, int ancestor)
{
    for (int k = 0, i = place_of(all, pid); i >= 0 && k < all->n; k++) {
        if (all->process[i].parent == ancestor)
            return true;
        i = place_of(all, all->process[i].parent);
    }
    return false;
}

int sp_processes_end_children(int pid)
{
    enum { ROUNDS = 20 }; /* one that forks faster than it is killed is given up */
    int n = 0;
    for (int round = 0, n_new = 1; round < ROUNDS && n_new > 0; round++) {
        struct sp_processes all;
        if (sp_processes_read("", sp_now() + 1, &all, NULL) != SP_OK)
            break;
        n_new = 0;
        for (int i = 0; i < all.n; i++)
            if (all.process[i].state != 'Z' && descends(&all, all.process[i].pid, pid))
                n_new += kill(all.process[i].pid, SIGKILL) == 0;
        n += round == 0 ? n_new : 0;
        sp_processes_free(&all);
    }
    return n;
}

int sp_process_threads(int *thread, int max)
{
    int n = 0;
    DIR *d = opendir("/proc/self/task");
    for (struct dirent *e; d && n < max && (e = readdir(d));)
        if (e->d_name[0] != '.')
            thread[n++] = atoi(e->d_name);
    if (d)
        closedir(d);
    return n;
}

bool sp_own_folder(char *folder, size_t size, bool *is_library)
{
    static const char own; /* an address in here */
    char program[PATH_MAX] = "", holder[PATH_MAX] = "";
    Dl_info info;
    const ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    program[n > 0 ? n : 0] = '\0';
    *is_library = dladdr(&own, &info) && info.dli_fname && strchr(info.dli_fname, '/') &&
                  realpath(info.dli_fname, holder) && strstr(holder, ".so") && strcmp(holder, program) != 0;
    const char *path = *is_library ? holder : program, *slash = strrchr(path, '/');
    const size_t length = slash ? (size_t)(slash - path) : 0;
    if (!slash || length >= size)
        return false;
    memcpy(folder, path, length);
    folder[length] = '\0';
    return true;
}
