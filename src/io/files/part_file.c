#include "io/files/part_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
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

/* -1 is the failure of fork(), and all processes to kill(). */
static bool is_child(pid_t pid)
{
    return pid > 0 || pid < -1;
}

void sp_part_child(pid_t pid)
{
    atomic_store(&parent_of_children, getpid());
    for (int i = 0; i < MOST_CHILDREN && is_child(pid); i++) {
        pid_t none = 0;
        if (atomic_compare_exchange_strong(&children[i], &none, pid))
            return;
    }
}

void sp_part_child_ended(pid_t pid)
{
    for (int i = 0; i < MOST_CHILDREN && is_child(pid); i++)
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
        if (is_child(child))
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

const char *sp_output_remedy(int error)
{
    return error == ENOSPC || error == EDQUOT ? "free some space, or choose another directory"
           : error == EFBIG                   ? "raise the limit of a file's size (ulimit -f)"
           : error == ENOENT                  ? "make the directory first"
                                              : "choose a place where you may write";
}

enum sp_status sp_fail_output(struct sp_error *err, const char *path, const char *doing, int error)
{
    return sp_fail_at(err, SP_OUTPUT, path, 0, 0, sp_output_remedy(error), "cannot %s: %s", doing,
                      strerror(error));
}

static enum sp_status open_directly(const char *path, struct sp_atomic_file *file, struct sp_error *err)
{
    file->stream = fopen(path, "w");
    if (!file->stream)
        return sp_fail_output(err, path, "open the file", errno);
    snprintf(file->path, sizeof file->path, "%.*s", (int)sizeof file->path - 1, path);
    return SP_OK;
}

bool sp_path_follow(const char *path, char target[PATH_MAX])
{
    enum { MOST_LINKS = 40 };
    char link[PATH_MAX];
    if (strlen(path) >= PATH_MAX)
        return false;
    if (realpath(path, target))
        return true;
    strcpy(target, path);
    for (int i = 0; i < MOST_LINKS; i++) {
        const ssize_t n = readlink(target, link, sizeof link - 1);
        if (n < 0)
            return true;
        link[n] = '\0';
        char *slash = strrchr(target, '/'), *name = *link == '/' || !slash ? target : slash + 1;
        if ((size_t)(name - target) + (size_t)n >= PATH_MAX)
            return false;
        strcpy(name, link);
    }
    return false;
}

static enum sp_status open_part(const char *path, const char *target, struct sp_atomic_file *file,
                                struct sp_error *err);

enum sp_status sp_atomic_open(const char *path, struct sp_atomic_file *file, struct sp_error *err)
{
    memset(file, 0, sizeof *file);
    struct stat facts;
    bool exists = *path && stat(path, &facts) == 0;
    if (!*path || (exists && S_ISDIR(facts.st_mode)) || path[strlen(path) - 1] == '/')
        return sp_fail_at(err, SP_OUTPUT, path, 0, 0, "give a file name",
                          *path ? "this is a directory" : "no name");
    if (exists && !S_ISREG(facts.st_mode))
        return open_directly(path, file, err);
    char target[PATH_MAX];
    if (!sp_path_follow(path, target))
        return sp_fail_at(err, SP_OUTPUT, path, 0, 0, NULL,
                          "the path is too long, or a link leads to itself");
    return open_part(path, target, file, err);
}

enum sp_status sp_atomic_open_within(const char *path, struct sp_atomic_file *file, struct sp_error *err)
{
    struct stat facts;
    memset(file, 0, sizeof *file);
    if (lstat(path, &facts) == 0 && !S_ISREG(facts.st_mode) && !S_ISLNK(facts.st_mode))
        return sp_fail_at(err, SP_OUTPUT, path, 0, 0, "remove it", "this is no file");
    return open_part(path, path, file, err);
}

static enum sp_status open_part(const char *path, const char *target, struct sp_atomic_file *file,
                                struct sp_error *err)
{
    if (strlen(path) >= sizeof file->path || strlen(target) >= sizeof file->path)
        return sp_fail_at(err, SP_OUTPUT, path, 0, 0, NULL, "the path is too long");
    int descriptor = sp_part_make(target, file->part, sizeof file->part);
    if (descriptor < 0) {
        int error = errno;
        memset(file, 0, sizeof *file);
        return sp_fail_output(err, path, "create the file", error);
    }
    snprintf(file->path, sizeof file->path, "%s", target);
    file->stream = fdopen(descriptor, "w");
    if (!file->stream) {
        int error = errno;
        close(descriptor);
        sp_part_remove(file->part);
        memset(file, 0, sizeof *file);
        return sp_fail_output(err, path, "open the file", error);
    }
    return SP_OK;
}

/* An earlier write failed and errno is long gone: writing one more byte asks again. */
static int why_writing_fails(const struct sp_atomic_file *file)
{
    struct stat facts;
    int descriptor = fileno(file->stream);
    errno = 0;
    if (fstat(descriptor, &facts) == 0 && pwrite(descriptor, "", 1, facts.st_size) < 0 && errno)
        return errno;
    struct statvfs disk;
    return fstatvfs(descriptor, &disk) == 0 && disk.f_bavail == 0 ? ENOSPC : EIO;
}

/* Of a network file system the answer may be lost and the question be put again: how many names the
 * file has tells whether the link was made [open(2), O_EXCL]. */
static bool is_linked(const char *part)
{
    struct stat facts;
    return stat(part, &facts) == 0 && facts.st_nlink == 2;
}

/* Gives the part its name, unless the name is taken: errno is EEXIST then. */
static bool give_name(const char *part, const char *target)
{
    const bool linked = link(part, target) == 0;
    const int why = errno;
    if (linked || is_linked(part)) {
        sp_part_remove(part);
        return true;
    }
    errno = why;
    if (why == EEXIST)
        return false;
    const int claim = open(target, O_CREAT | O_EXCL | O_WRONLY, 0666);
    if (claim < 0)
        return false;
    close(claim);
    if (sp_part_rename(part, target))
        return true;
    const int failed = errno;
    unlink(target); /* the claim alone says nothing */
    errno = failed;
    return false;
}

/* made NULL: whatever has the name is replaced. */
static enum sp_status commit(struct sp_atomic_file *file, bool *made, struct sp_error *err)
{
    errno = 0;
    bool early = ferror(file->stream);
    bool direct = !file->part[0]; /* devices and pipes know no fsync */
    bool failed = fflush(file->stream) != 0 || early;
    if (!failed && !direct) {
        sp_part_permit(fileno(file->stream), file->path);
        failed = fsync(fileno(file->stream)) != 0;
    }
    int error = errno ? errno : early ? why_writing_fails(file) : EIO;
    if (fclose(file->stream) != 0 && !failed) {
        failed = true;
        error = errno;
    }
    file->stream = NULL;
    bool has_name = true;
    if (!failed && !direct)
        has_name = made ? give_name(file->part, file->path) : sp_part_rename(file->part, file->path);
    if (!has_name) {
        error = errno;
        failed = !made || error != EEXIST;
    }
    if (made)
        *made = !failed && has_name;
    enum sp_status status = SP_OK;
    if ((failed || !has_name) && !direct)
        sp_part_remove(file->part);
    if (failed)
        status = sp_fail_output(err, file->path, "write the file", error);
    memset(file, 0, sizeof *file);
    return status;
}

enum sp_status sp_atomic_commit(struct sp_atomic_file *file, struct sp_error *err)
{
    return commit(file, NULL, err);
}

enum sp_status sp_atomic_commit_new(struct sp_atomic_file *file, bool *made, struct sp_error *err)
{
    return commit(file, made, err);
}

void sp_atomic_abort(struct sp_atomic_file *file)
{
    if (file->stream) {
        fclose(file->stream);
        if (file->part[0])
            sp_part_remove(file->part);
    }
    memset(file, 0, sizeof *file);
}

int sp_make_directories(const char *path)
{
    char part[PATH_MAX];
    if (strlen(path) >= sizeof part)
        return ENAMETOOLONG;
    snprintf(part, sizeof part, "%s", path);
    for (char *p = part + 1; *part && *p; p++) {
        if (*p != '/')
            continue;
        *p = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST)
            return errno;
        *p = '/';
    }
    return mkdir(part, 0777) != 0 && errno != EEXIST ? errno : 0;
}

enum sp_status sp_make_folder(const char *path, struct sp_error *err)
{
    const int failed = sp_make_directories(path);
    return failed ? sp_fail_output(err, path, "make the folder", failed) : SP_OK;
}

/* One folder: made, or there and no link. */
static enum sp_status make_real_folder(const char *path, struct sp_error *err)
{
    struct stat facts;
    if (mkdir(path, 0777) == 0)
        return SP_OK;
    if (errno != EEXIST)
        return sp_fail_output(err, path, "make the folder", errno);
    if (lstat(path, &facts) == 0 && S_ISDIR(facts.st_mode))
        return SP_OK;
    return sp_fail_at(err, SP_OUTPUT, path, 0, 0, "remove it, and ask who put it there",
                      "a link or a file stands where a folder is wanted");
}

enum sp_status sp_make_folder_within(const char *root, const char *folder, struct sp_error *err)
{
    char part[PATH_MAX];
    const size_t n = strlen(root);
    enum sp_status status = sp_make_folder(root, err);
    if (status != SP_OK)
        return status;
    if (strlen(folder) >= sizeof part)
        return sp_fail_at(err, SP_OUTPUT, folder, 0, 0, NULL, "the path is too long");
    strcpy(part, folder);
    for (char *slash = part + n; status == SP_OK && *slash;) {
        slash += strspn(slash, "/");
        slash += strcspn(slash, "/");
        const char end = *slash;
        *slash = '\0';
        status = make_real_folder(part, err);
        *slash = end;
    }
    return status;
}

/* A temporary file of a name of its own beside the target, complete and on the disk. */
static enum sp_status write_part(const char *target, const char *bytes, size_t size, char *part,
                                 size_t part_size, struct sp_error *err)
{
    const int fd = sp_part_make(target, part, part_size);
    if (fd < 0)
        return sp_fail_output(err, target, "create the file", errno);
    size_t done = 0;
    while (done < size) {
        const ssize_t n = write(fd, bytes + done, size - done);
        if (n < 0 && errno != EINTR)
            break;
        done += n > 0 ? (size_t)n : 0;
    }
    sp_part_permit(fd, NULL);
    const bool whole = done == size && fsync(fd) == 0;
    const int why = errno;
    if (close(fd) == 0 && whole)
        return SP_OK;
    sp_part_remove(part);
    return sp_fail_output(err, target, "write the file", why);
}

/* So that the name survives a crash, too; file systems that cannot say so leave it. */
static void synchronise_folder(const char *path)
{
    char folder[4300];
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    fsync(fd);
    close(fd);
}

enum sp_status sp_new_file(const char *path, const char *bytes, size_t size, bool *made, struct sp_error *err)
{
    char part[4300];
    *made = false;
    enum sp_status status = write_part(path, bytes, size, part, sizeof part, err);
    if (status != SP_OK)
        return status;
    *made = give_name(part, path);
    const int why = errno;
    if (*made) {
        synchronise_folder(path);
        return SP_OK;
    }
    sp_part_remove(part);
    return why == EEXIST ? SP_OK : sp_fail_output(err, path, "create the file", why);
}
