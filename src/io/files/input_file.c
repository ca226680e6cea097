#include "io/files/input_file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/json_text.h"

static enum sp_status fail_open(const char *path, int error, struct sp_error *err)
{
    return sp_fail_at(err, sp_input_status(error), path, 0, 0, "check the name, and that you may read it",
                      "cannot open the file: %s", strerror(error));
}

/* Was it open when this process began? Then opening it again does not wait. A link to such a name is not one:
 * it may lie in a folder of somebody else. */
static bool is_own_stream(const char *path)
{
    static const char *const folder[] = {"/dev/fd/", "/proc/self/fd/"};
    if (strcmp(path, "/dev/stdin") == 0)
        return true;
    for (size_t i = 0; i < sizeof folder / sizeof *folder; i++) {
        const size_t n = strlen(folder[i]);
        if (strncmp(path, folder[i], n) == 0 && path[n])
            return path[n + strspn(path + n, "0123456789")] == '\0';
    }
    return false;
}

static const char *kind_of(mode_t mode)
{
    return S_ISDIR(mode)                    ? "a directory"
           : S_ISFIFO(mode)                 ? "a named pipe"
           : S_ISSOCK(mode)                 ? "a socket"
           : S_ISCHR(mode) || S_ISBLK(mode) ? "a device"
                                            : "no regular file";
}

static enum sp_status check_kind(const char *path, mode_t mode, bool own, struct sp_error *err)
{
    if (S_ISREG(mode) || (own && !S_ISDIR(mode)))
        return SP_OK;
    if (S_ISDIR(mode))
        return sp_fail_at(err, SP_INPUT, path, 0, 0, "name a file in it", "this is a directory");
    return sp_fail_at(err, SP_INPUT, path, 0, 0, "put a regular file there", "this is %s, not a file",
                      kind_of(mode));
}

/* Its kind is asked before it is opened, because opening alone does things to some devices, and after,
 * because it may have been exchanged. */
enum sp_status sp_input_open(const char *path, FILE **out, struct sp_error *err)
{
    const bool own = is_own_stream(path);
    struct stat facts;
    *out = NULL;
    if (stat(path, &facts) != 0)
        return fail_open(path, errno, err);
    enum sp_status status = check_kind(path, facts.st_mode, own, err);
    if (status != SP_OK)
        return status;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (own ? 0 : O_NONBLOCK));
    if (fd < 0)
        return fail_open(path, errno, err);
    if (fstat(fd, &facts) != 0)
        status = fail_open(path, errno, err);
    else
        status = check_kind(path, facts.st_mode, own, err);
    *out = status == SP_OK ? fdopen(fd, "r") : NULL;
    if (*out)
        return SP_OK;
    if (status == SP_OK)
        status = fail_open(path, errno, err);
    close(fd);
    return status;
}

static enum sp_status fail_read(const char *path, int error, struct sp_error *err)
{
    return sp_fail_at(err, sp_input_status(error), path, 0, 0,
                      "put a whole copy there, from where it was made",
                      "the file cannot be read to its end: %s", strerror(error));
}

/* Copies at most one byte more than is allowed; false: no memory. */
static bool copy(FILE *from, int64_t most_B, FILE *to)
{
    char block[1 << 14];
    int64_t left = most_B + 1;
    while (left > 0) {
        const size_t want = left < (int64_t)sizeof block ? (size_t)left : sizeof block,
                     n = fread(block, 1, want, from);
        if (n == 0)
            break;
        if (fwrite(block, 1, n, to) != n)
            return false;
        left -= (int64_t)n;
    }
    return true;
}

enum sp_status sp_input_bytes(const char *path, int64_t most_B, char **bytes, size_t *size,
                              struct sp_error *err)
{
    FILE *file;
    *bytes = NULL;
    *size = 0;
    enum sp_status status = sp_input_open(path, &file, err);
    if (status != SP_OK)
        return status;
    FILE *memory = open_memstream(bytes, size);
    errno = 0;
    bool held = memory && copy(file, most_B, memory);
    const int error = ferror(file) ? (errno ? errno : EIO) : 0;
    fclose(file);
    if (memory && (fclose(memory) != 0 || !*bytes)) /* its last allocation tells by NULL alone */
        held = false;
    if (!held)
        status = sp_fail_at(err, SP_MEMORY, path, 0, 0, "free memory", "no memory for this file");
    else if (error)
        status = fail_read(path, error, err);
    else if ((int64_t)*size > most_B)
        status = sp_fail_at(err, SP_INPUT, path, 0, 0,
                            "put the file there that was meant; larger ones are not read",
                            "it has more than %lld bytes", (long long)most_B);
    if (status != SP_OK) {
        free(*bytes);
        *bytes = NULL;
        *size = 0;
    }
    return status;
}

enum sp_status sp_input_json(const char *path, int64_t most_B, const char *remedy, json_t **root,
                             struct sp_error *err)
{
    char *bytes;
    size_t size;
    json_error_t fault;
    *root = NULL;
    enum sp_status status = sp_input_bytes(path, most_B, &bytes, &size, err);
    if (status != SP_OK)
        return status;
    *root = sp_json_parse(bytes, size, JSON_REJECT_DUPLICATES, &fault);
    free(bytes);
    if (*root)
        return SP_OK;
    const int column = fault.column > 0 ? fault.column : 1;
    return sp_fail_at(err, SP_INPUT, path, fault.line > 0 ? fault.line : 0, fault.line > 0 ? column : 0,
                      remedy, "not valid JSON: %s", fault.text);
}
