#include "io/files/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/files/part_file.h"

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

/* Of a network file system the answer may be lost and the question be put again: how many names the file has
 * tells whether the link was made [open(2), O_EXCL]. */
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
