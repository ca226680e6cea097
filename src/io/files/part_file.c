#include "io/files/part_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "io/json_text.h"

/* The first line of a file of /proc, "" where there is none. */
static void read_line(const char *path, char *text, size_t size)
{
    FILE *f = fopen(path, "r");
    if (!f || !fgets(text, (int)size, f))
        text[0] = '\0';
    if (f)
        fclose(f);
    text[strcspn(text, "\n")] = '\0';
}

/* State and start of a process, fields 3 and 22 of /proc/PID/stat [proc(5)], counted behind the
 * name, which may have blanks. Returns the start, 0: unknown. */
static int64_t start_of(int pid, char *state)
{
    char path[48], line[1024];
    long long start = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    read_line(path, line, sizeof line);
    const char *p = strrchr(line, ')');
    *state = p && p[1] == ' ' ? p[2] : '?';
    for (int field = 2; p && field < 22; field++) {
        p = strchr(p, ' ');
        p += p != NULL;
    }
    return p && sscanf(p, "%lld", &start) == 1 ? start : 0;
}

void sp_claimant_self(struct sp_claimant *self)
{
    struct utsname system;
    char state;
    memset(self, 0, sizeof *self);
    if (uname(&system) == 0)
        snprintf(self->host, sizeof self->host, "%.64s", system.nodename);
    read_line("/proc/sys/kernel/random/boot_id", self->boot, sizeof self->boot);
    if (readlink("/proc/self/ns/pid", self->space, sizeof self->space - 1) < 0)
        self->space[0] = '\0';
    self->pid = (int)getpid();
    self->start = start_of(self->pid, &state);
}

bool sp_claimant_has_ended(const struct sp_claimant *self, const struct sp_claimant *other)
{
    if (!self->boot[0] || strcmp(self->boot, other->boot) != 0 || strcmp(self->space, other->space) != 0 ||
        other->pid <= 0)
        return false;
    if (kill((pid_t)other->pid, 0) != 0 && errno == ESRCH)
        return true;
    char state;
    const int64_t start = start_of(other->pid, &state);
    if (state == 'Z' || state == 'X') /* its parent has not noticed yet */
        return true;
    return start > 0 && other->start > 0 && start != other->start;
}

void sp_claimant_machine(const struct sp_claimant *c, char key[17])
{
    const char *name = c->boot[0] ? c->boot : c->host;
    snprintf(key, 17, "%016llx", (unsigned long long)sp_hash64(name, strlen(name), 0));
}

void sp_claimant_print(const struct sp_claimant *c, char *text, size_t size)
{
    json_t *o = json_pack("{s:s, s:s, s:s, s:i, s:I}", "host", c->host, "boot", c->boot, "space", c->space,
                          "pid", c->pid, "start", (json_int_t)c->start);
    char *line = o ? json_dumps(o, JSON_COMPACT) : NULL;
    snprintf(text, size, "%s\n", line ? line : "{}");
    free(line);
    json_decref(o);
}

static void take(const json_t *o, const char *key, char *text, size_t size)
{
    const char *value = json_string_value(json_object_get(o, key));
    snprintf(text, size, "%s", value ? value : "");
}

void sp_claimant_parse(const char *text, struct sp_claimant *c)
{
    json_t *o = sp_json_parse(text, strlen(text), 0, NULL);
    memset(c, 0, sizeof *c);
    take(o, "host", c->host, sizeof c->host);
    take(o, "boot", c->boot, sizeof c->boot);
    take(o, "space", c->space, sizeof c->space);
    c->pid = (int)json_integer_value(json_object_get(o, "pid"));
    c->start = (int64_t)json_integer_value(json_object_get(o, "start"));
    json_decref(o);
}

enum { MOST_PARTS = 64, MOST_CHILDREN = 8, MOST_SWEPT = 16, LONGEST = 4352 };

/* What the handler of a signal reads: fixed places, each taken and given up by one atomic word. */
static struct place {
    _Atomic int owner; /* process; 0: free, -1: being filled */
    char path[LONGEST];
} parts[MOST_PARTS];
static _Atomic pid_t children[MOST_CHILDREN], parent_of_children;

static bool note(const char *path)
{
    for (int i = 0; i < MOST_PARTS; i++) {
        int free = 0;
        if (!atomic_compare_exchange_strong(&parts[i].owner, &free, -1))
            continue;
        strcpy(parts[i].path, path);
        atomic_store(&parts[i].owner, (int)getpid());
        return true;
    }
    return false; /* the next one to write there finds it */
}

static void forget(const char *path)
{
    for (int i = 0; i < MOST_PARTS; i++)
        if (atomic_load(&parts[i].owner) == (int)getpid() && strcmp(parts[i].path, path) == 0)
            atomic_store(&parts[i].owner, 0);
}

/* This process and its key; a forked child is another one. */
static uint32_t self(struct sp_claimant *out)
{
    static struct sp_claimant known;
    char text[sizeof known.boot + sizeof known.space + 2];
    if (known.pid != (int)getpid())
        sp_claimant_self(&known);
    *out = known;
    snprintf(text, sizeof text, "%s|%s", known.boot, known.space);
    return (uint32_t)sp_hash64(text, strlen(text), 0);
}

/* Is it the name of a part of a process of this machine that is not there any more? */
static bool is_left_over(const char *name, uint32_t key, const struct sp_claimant *me)
{
    unsigned its_key, number;
    long long start;
    int pid, end = -1;
    const char *dot = strrchr(name, '.'), *whose = dot ? memrchr(name, '.', (size_t)(dot - name)) : NULL;
    if (!whose || sscanf(whose, ".%8x-%d-%lld-%u%n", &its_key, &pid, &start, &number, &end) != 4 ||
        strcmp(whose + end, ".part") != 0 || its_key != key || start <= 0)
        return false;
    struct sp_claimant other = *me;
    other.pid = pid;
    other.start = start;
    return sp_claimant_has_ended(me, &other);
}

/* Once for each folder: this process's first part there clears up after earlier ones. */
static bool is_swept(int folder)
{
    static struct {
        dev_t device;
        ino_t node;
    } swept[MOST_SWEPT];
    static int n;
    struct stat facts;
    if (fstat(folder, &facts) != 0)
        return true;
    for (int i = 0; i < MOST_SWEPT; i++)
        if (swept[i].node == facts.st_ino && swept[i].device == facts.st_dev)
            return true;
    swept[n % MOST_SWEPT].device = facts.st_dev;
    swept[n++ % MOST_SWEPT].node = facts.st_ino;
    return false;
}

static void sweep(const char *path)
{
    struct sp_claimant me;
    struct stat facts;
    char name[LONGEST];
    const uint32_t key = self(&me);
    DIR *folder = opendir(path);
    const bool first = folder && !is_swept(dirfd(folder));
    for (const struct dirent *e; first && (e = readdir(folder));) {
        if (!is_left_over(e->d_name, key, &me) ||
            fstatat(dirfd(folder), e->d_name, &facts, AT_SYMLINK_NOFOLLOW) != 0 || facts.st_uid != geteuid())
            continue;
        if (S_ISREG(facts.st_mode))
            unlinkat(dirfd(folder), e->d_name, 0);
        else if (S_ISDIR(facts.st_mode) &&
                 snprintf(name, sizeof name, "%s/%s", path, e->d_name) < (int)sizeof name)
            sp_folder_remove(name);
    }
    if (folder)
        closedir(folder);
}

/* A name of its own, noted before there is anything of that name; what make() returns, or -1. */
static int make_named(const char *before, int (*make)(const char *path), char *part, size_t size)
{
    static _Atomic unsigned n_made;
    struct sp_claimant me;
    const uint32_t key = self(&me);
    for (int tries = 0; tries < 1000; tries++) {
        const unsigned number = atomic_fetch_add(&n_made, 1);
        const int n =
            snprintf(part, size, "%s.%08x-%d-%lld-%u.part", before, key, me.pid, (long long)me.start, number);
        if (n < 0 || (size_t)n >= size || n >= LONGEST) {
            errno = ENAMETOOLONG;
            break;
        }
        note(part);
        const int made = make(part), why = errno;
        if (made >= 0)
            return made;
        forget(part);
        errno = why;
        if (why != EEXIST)
            break;
    }
    part[0] = '\0';
    return -1;
}

static int make_file(const char *path)
{
    return open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
}

static int make_folder(const char *path)
{
    return mkdir(path, 0700);
}

int sp_part_make(const char *target, char *part, size_t size)
{
    char before[LONGEST], folder[LONGEST] = ".";
    const char *slash = strrchr(target, '/'), *name = slash ? slash + 1 : target;
    const int n = (int)(name - target);
    if (snprintf(before, sizeof before, "%.*s.%.190s", n, target, name) >= (int)sizeof before) {
        errno = ENAMETOOLONG;
        return -1;
    }
    if (slash)
        snprintf(folder, sizeof folder, "%.*s", n, target);
    sweep(folder);
    return make_named(before, make_file, part, size);
}

/* An empty folder "FOLDER/PREFIX.….part" of this user, for sp_part_remove. false: errno. */
static bool part_folder(const char *folder, const char *prefix, char *part, size_t size)
{
    char before[LONGEST];
    if (snprintf(before, sizeof before, "%s/%s", folder, prefix) >= (int)sizeof before) {
        errno = ENAMETOOLONG;
        return false;
    }
    sweep(folder);
    return make_named(before, make_folder, part, size) == 0;
}

void sp_part_permit(int descriptor, const char *target)
{
    struct stat old, now;
    if (!target || lstat(target, &old) != 0 || !S_ISREG(old.st_mode)) {
        const mode_t mask = umask(0);
        umask(mask);
        fchmod(descriptor, 0666 & ~mask);
        return;
    }
    if (fchown(descriptor, old.st_uid, old.st_gid) != 0 &&
        fchown(descriptor, (uid_t)-1, old.st_gid) != 0) /* the group alone: its members may */
        errno = 0;
    mode_t mode = old.st_mode & 0777;
    if (fstat(descriptor, &now) != 0 || now.st_gid != old.st_gid)
        mode &= ~(mode_t)0070 | (mode & 0007) << 3;
    fchmod(descriptor, mode);
}

bool sp_part_rename(const char *part, const char *target)
{
    const bool good = rename(part, target) == 0;
    const int why = errno;
    if (good)
        forget(part);
    else
        sp_part_remove(part);
    errno = why;
    return good;
}

void sp_part_remove(const char *part)
{
    if (unlink(part) != 0 && (errno == EISDIR || errno == EPERM))
        sp_folder_remove(part);
    forget(part);
}

/* opendir() takes memory, which a handler must not: the system call is asked itself. */
static void remove_files(int folder)
{
    struct {
        uint64_t node;
        int64_t next;
        unsigned short length;
        unsigned char kind;
        char name[];
    } * entry; /* struct linux_dirent64 [getdents64(2)] */
    _Alignas(8) char block[2048];
    for (long n; (n = syscall(SYS_getdents64, folder, block, sizeof block)) > 0;)
        for (long at = 0; at < n; at += entry->length) {
            entry = (void *)(block + at);
            unlinkat(folder, entry->name, 0);
        }
}

void sp_folder_remove(const char *path)
{
    const int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0)
        return;
    for (int pass = 0; pass < 3; pass++) { /* some file systems leave names out while others go */
        remove_files(folder);
        if (rmdir(path) == 0 || lseek(folder, 0, SEEK_SET) < 0)
            break;
    }
    close(folder);
    forget(path);
}

/* Set while a child is started: a signal's handler, in another thread, waits for its note. */
static _Atomic bool is_starting;

void sp_part_children_hold(sigset_t *before)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, before);
    atomic_store(&is_starting, true);
}

void sp_part_children_release(const sigset_t *before)
{
    atomic_store(&is_starting, false);
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

static void doze(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
}

void sp_part_child(pid_t pid)
{
    atomic_store(&parent_of_children, getpid());
    for (int i = 0; i < MOST_CHILDREN && pid > 0; i++) {
        pid_t none = 0;
        if (atomic_compare_exchange_strong(&children[i], &none, pid))
            return;
    }
}

void sp_part_child_ended(pid_t pid)
{
    for (int i = 0; i < MOST_CHILDREN && pid > 0; i++)
        atomic_compare_exchange_strong(&children[i], &(pid_t){pid}, 0);
}

/* At SIGTERM it may remove what it has half-written; it has five seconds for that. */
static void end_child(pid_t pid)
{
    if (kill(pid, SIGTERM) != 0)
        return;
    for (int i = 0; i < 500; i++) {
        if (waitpid(pid, NULL, WNOHANG) != 0)
            return;
        doze();
    }
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

void sp_parts_end(void)
{
    const pid_t me = getpid();
    for (int i = 0; i < 500 && atomic_load(&is_starting); i++)
        doze();
    for (int i = 0; i < MOST_CHILDREN && atomic_load(&parent_of_children) == me; i++) {
        const pid_t child = atomic_load(&children[i]);
        if (child > 0)
            end_child(child);
    }
    for (int i = 0; i < MOST_PARTS; i++)
        if (atomic_load(&parts[i].owner) == (int)me && unlink(parts[i].path) != 0 &&
            (errno == EISDIR || errno == EPERM))
            sp_folder_remove(parts[i].path);
}

enum sp_status sp_scratch_folder(const char *purpose, char *path, size_t size, struct sp_error *err)
{
    static const char remedy[] = "set TMPDIR to a directory that can be written";
    const char *tmp = getenv("TMPDIR"), *base = tmp && *tmp ? tmp : "/tmp";
    char prefix[64];
    snprintf(prefix, sizeof prefix, "spmodel-%s", purpose);
    return part_folder(base, prefix, path, size)
               ? SP_OK
               : sp_fail_at(err, SP_OUTPUT, base, 0, 0, remedy, "cannot make a temporary directory: %s",
                            strerror(errno));
}
