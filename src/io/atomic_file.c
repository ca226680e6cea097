#include "io/atomic_file.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

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
    if (!exists || !realpath(path, target))
        snprintf(target, sizeof target, "%.*s", (int)sizeof target - 1, path);
    if (strlen(path) >= sizeof file->path || strlen(target) >= sizeof file->path)
        return sp_fail_at(err, SP_OUTPUT, path, 0, 0, NULL, "the path is too long");
    const char *slash = strrchr(target, '/');
    const char *name = slash ? slash + 1 : target;
    int directory = slash ? (int)(slash + 1 - target) : 0;
    snprintf(file->path, sizeof file->path, "%s", target);
    snprintf(file->part, sizeof file->part, "%.*s.%.200s.XXXXXX.part", directory, target, name);
    int descriptor = mkstemps(file->part, 5);
    if (descriptor < 0) {
        int error = errno;
        memset(file, 0, sizeof *file);
        return fail_output(err, path, "create the file", error);
    }
    mode_t mask = umask(0);
    umask(mask);
    fchmod(descriptor, 0666 & ~mask);
    file->stream = fdopen(descriptor, "w");
    if (!file->stream) {
        int error = errno;
        close(descriptor);
        unlink(file->part);
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
    bool failed = fflush(file->stream) != 0 || (!direct && fsync(fileno(file->stream)) != 0) || early;
    int error = errno ? errno : early ? why_writing_fails(file) : EIO;
    if (fclose(file->stream) != 0 && !failed) {
        failed = true;
        error = errno;
    }
    file->stream = NULL;
    if (!failed && !direct && rename(file->part, file->path) != 0) {
        failed = true;
        error = errno;
    }
    enum sp_status status = SP_OK;
    if (failed) {
        if (!direct)
            unlink(file->part);
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
            unlink(file->part);
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
