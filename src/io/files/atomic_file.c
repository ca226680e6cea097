#include "io/files/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "io/files/part_file.h"

static enum sp_status fail_output(struct sp_error *err, const char *path, const char *doing, int error)
{
    const char *remedy = error == ENOSPC || error == EDQUOT ? "free some space, or choose another directory"
                         : error == ENOENT                  ? "make the directory first"
                                                            : "choose a place where you may write";
    return sp_fail_at(err, SP_OUTPUT, path, 0, 0, remedy, "cannot %s: %s", doing, strerror(error));
}

static enum sp_status open_directly(const char *path, struct sp_atomic_file *file, struct sp_error *err)
{
    file->stream = fopen(path, "w");
    if (!file->stream)
        return fail_output(err, path, "open the file", errno);
    snprintf(file->path, sizeof file->path, "%.*s", (int)sizeof file->path - 1, path);
    return SP_OK;
}

/* Where a path leads, through a last link without a target, too; false: too long, or a ring. */
static bool follow(const char *path, char target[PATH_MAX])
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
    if (!follow(path, target))
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
        return fail_output(err, path, "create the file", error);
    }
    snprintf(file->path, sizeof file->path, "%s", target);
    file->stream = fdopen(descriptor, "w");
    if (!file->stream) {
        int error = errno;
        close(descriptor);
        sp_part_remove(file->part);
        memset(file, 0, sizeof *file);
        return fail_output(err, path, "open the file", error);
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

enum sp_status sp_atomic_commit(struct sp_atomic_file *file, struct sp_error *err)
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
    if (!failed && !direct && !sp_part_rename(file->part, file->path)) {
        failed = true;
        error = errno;
    }
    enum sp_status status = SP_OK;
    if (failed) {
        if (!direct)
            sp_part_remove(file->part);
        status = fail_output(err, file->path, "write the file", error);
    }
    memset(file, 0, sizeof *file);
    return status;
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

/* One folder: made, or there and no link. */
static enum sp_status make_real_folder(const char *path, struct sp_error *err)
{
    struct stat facts;
    if (mkdir(path, 0777) == 0)
        return SP_OK;
    if (errno != EEXIST)
        return fail_output(err, path, "make the folder", errno);
    if (lstat(path, &facts) == 0 && S_ISDIR(facts.st_mode))
        return SP_OK;
    return sp_fail_at(err, SP_OUTPUT, path, 0, 0, "remove it, and ask who put it there",
                      "a link or a file stands where a folder is wanted");
}

enum sp_status sp_make_folder_within(const char *root, const char *folder, struct sp_error *err)
{
    char part[PATH_MAX];
    const size_t n = strlen(root);
    const int failed = sp_make_directories(root);
    if (failed)
        return fail_output(err, root, "make the folder", failed);
    if (strlen(folder) >= sizeof part)
        return sp_fail_at(err, SP_OUTPUT, folder, 0, 0, NULL, "the path is too long");
    strcpy(part, folder);
    enum sp_status status = SP_OK;
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
        return sp_fail_at(err, SP_OUTPUT, target, 0, 0, NULL, "%s", strerror(errno));
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
    return sp_fail_at(err, SP_OUTPUT, target, 0, 0, NULL, "%s", strerror(why));
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
    return why == EEXIST ? SP_OK : sp_fail_at(err, SP_OUTPUT, path, 0, 0, NULL, "%s", strerror(why));
}
