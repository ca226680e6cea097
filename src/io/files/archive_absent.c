#include "io/files/archive.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

/* Without libarchive only standard input is a stream, and only as plain text. */
struct sp_archive {
    char head[512]; /* read to recognise compressed input, handed out first */
    int64_t n_head, taken;
};

static enum sp_status fail_absent(const char *path, const char *kind, struct sp_error *err)
{
    return sp_fail_at(err, SP_ABSENT, path, 0, 0,
                      "unpack the file first, or install libarchive's headers and build again",
                      "this is %s data, and this build is without libarchive", kind);
}

static enum sp_status read_input(char *to, int64_t size, int64_t *n, struct sp_error *err)
{
    ssize_t got;
    do
        got = read(STDIN_FILENO, to, (size_t)size);
    while (got < 0 && errno == EINTR);
    *n = got > 0 ? got : 0;
    if (got < 0)
        return sp_fail_at(err, SP_INPUT, "-", 0, 0, NULL, "cannot read standard input: %s", strerror(errno));
    return SP_OK;
}

enum sp_status sp_archive_open(const char *path, struct sp_archive **archive, struct sp_error *err)
{
    *archive = NULL;
    if (strcmp(path, "-") != 0)
        return fail_absent(path, "compressed", err);
    void *p;
    enum sp_status status = sp_new_array(1, sizeof **archive, "the input stream", &p, err);
    if (status != SP_OK)
        return status;
    struct sp_archive *a = p;
    int64_t n = 1;
    while (status == SP_OK && n > 0 && a->n_head < (int64_t)sizeof a->head) {
        status = read_input(a->head + a->n_head, (int64_t)sizeof a->head - a->n_head, &n, err);
        a->n_head += n;
    }
    const char *kind = sp_archive_kind(a->head, a->n_head);
    if (status == SP_OK && kind)
        status = fail_absent("-", kind, err);
    if (status == SP_OK)
        *archive = a;
    else
        sp_archive_close(a);
    return status;
}

enum sp_status sp_archive_read(struct sp_archive *archive, char *to, int64_t size, int64_t *n,
                               struct sp_error *err)
{
    int64_t left = archive->n_head - archive->taken;
    if (left == 0)
        return read_input(to, size, n, err);
    *n = left < size ? left : size;
    memcpy(to, archive->head + archive->taken, (size_t)*n);
    archive->taken += *n;
    return SP_OK;
}

const char *sp_archive_member(const struct sp_archive *archive)
{
    (void)archive;
    return "";
}

void sp_archive_close(struct sp_archive *archive)
{
    free(archive);
}
