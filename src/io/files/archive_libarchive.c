#include "io/files/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/memory.h"

enum { BLOCK = 1 << 20, MAX_PATH_TEXT = 1024 };

struct sp_archive {
    struct archive *archive;
    char path[MAX_PATH_TEXT];
    char member[512];
};

static enum sp_status fail_archive(const struct sp_archive *a, struct sp_error *err)
{
    const char *reason = archive_error_string(a->archive);
    return sp_fail_at(err, SP_INPUT, a->path, 0, 0, "the file is damaged or cut off: get it again",
                      "cannot unpack: %s", reason ? reason : "unknown reason");
}

/* Only filters that work inside the library: "all" would also start external programs. */
static enum sp_status open_stream(struct sp_archive *a, struct sp_error *err)
{
    a->archive = archive_read_new();
    if (!a->archive)
        return sp_fail(err, SP_MEMORY, NULL, "no memory for the unpacker");
    archive_read_support_filter_gzip(a->archive);
    archive_read_support_filter_bzip2(a->archive);
    archive_read_support_filter_xz(a->archive);
    archive_read_support_filter_zstd(a->archive);
    archive_read_support_format_tar(a->archive);
    archive_read_support_format_raw(a->archive);
    archive_read_support_format_empty(a->archive);
    int result = strcmp(a->path, "-") == 0 ? archive_read_open_fd(a->archive, STDIN_FILENO, BLOCK)
                                           : archive_read_open_filename(a->archive, a->path, BLOCK);
    return result == ARCHIVE_OK ? SP_OK : fail_archive(a, err);
}

static bool ends_in_mtx(const char *name)
{
    size_t n = strlen(name);
    return n > 4 && strcasecmp(name + n - 4, ".mtx") == 0;
}

/* .../NAME/NAME.mtx: the matrix itself in SuiteSparse's archives, beside right-hand sides and coordinates. */
static bool is_main_member(const char *name)
{
    const char *slash = strrchr(name, '/');
    if (!slash)
        return false;
    const char *folder = slash;
    while (folder > name && folder[-1] != '/')
        folder--;
    size_t n = (size_t)(slash - folder);
    return n > 0 && strncmp(folder, slash + 1, n) == 0 && strcasecmp(slash + 1 + n, ".mtx") == 0;
}

/* Goes to the member called `wanted` (NULL: to the main one, or to the data of a file that is no archive).
 * SP_NO at the end of the archive; the candidates met are then counted and listed. */
static enum sp_status find_member(struct sp_archive *a, const char *wanted, int *n_candidates, char *list,
                                  size_t size, struct sp_error *err)
{
    *n_candidates = 0;
    list[0] = '\0';
    for (;;) {
        struct archive_entry *entry;
        int result = archive_read_next_header(a->archive, &entry);
        if (result == ARCHIVE_EOF)
            return SP_NO;
        if (result != ARCHIVE_OK && result != ARCHIVE_WARN)
            return fail_archive(a, err);
        if (archive_format(a->archive) == ARCHIVE_FORMAT_RAW)
            return SP_OK;
        const char *name = archive_entry_pathname(entry);
        if (!name || archive_entry_filetype(entry) != AE_IFREG || !ends_in_mtx(name))
            continue;
        if (wanted ? strcmp(name, wanted) == 0 : is_main_member(name)) {
            snprintf(a->member, sizeof a->member, "%s", name);
            return SP_OK;
        }
        size_t used = strlen(list);
        snprintf(list + used, size - used, "%s%s", *n_candidates ? ", " : "", name);
        ++*n_candidates;
    }
}

static enum sp_status open_member(struct sp_archive *a, struct sp_error *err)
{
    char list[400], again[400];
    int n = 0;
    enum sp_status status = open_stream(a, err);
    if (status == SP_OK)
        status = find_member(a, NULL, &n, list, sizeof list, err);
    if (status != SP_NO)
        return status;
    if (archive_format(a->archive) == ARCHIVE_FORMAT_EMPTY)
        return sp_fail_at(err, SP_INPUT, a->path, 0, 0, "was its download or export cut off?",
                          "the file is empty");
    if (n == 0)
        return sp_fail_at(err, SP_INPUT, a->path, 0, 0, "give an archive with a Matrix Market file in it",
                          "the archive has no member that ends in .mtx");
    if (n > 1 || strcmp(a->path, "-") == 0)
        return sp_fail_at(err, SP_INPUT, a->path, 0, 0, "unpack the archive and name the one you mean",
                          "the archive has no main member NAME/NAME.mtx, but: %s", list);
    archive_read_free(a->archive);
    a->archive = NULL;
    status = open_stream(a, err);
    if (status == SP_OK)
        status = find_member(a, list, &n, again, sizeof again, err);
    return status == SP_NO ? sp_fail_at(err, SP_INPUT, a->path, 0, 0, "try again when it is complete",
                                        "the archive changed while it was read")
                           : status;
}

enum sp_status sp_archive_open(const char *path, struct sp_archive **archive, struct sp_error *err)
{
    *archive = NULL;
    void *p;
    enum sp_status status = sp_new_array(1, sizeof **archive, "the unpacker", &p, err);
    if (status != SP_OK)
        return status;
    struct sp_archive *a = p;
    snprintf(a->path, sizeof a->path, "%s", path);
    status = open_member(a, err);
    if (status == SP_OK)
        *archive = a;
    else
        sp_archive_close(a);
    return status;
}

enum sp_status sp_archive_read(struct sp_archive *archive, char *to, int64_t size, int64_t *n,
                               struct sp_error *err)
{
    *n = 0;
    la_ssize_t got;
    do
        got = archive_read_data(archive->archive, to, (size_t)size);
    while (got == ARCHIVE_RETRY);
    if (got < 0)
        return fail_archive(archive, err);
    *n = got;
    return SP_OK;
}

const char *sp_archive_member(const struct sp_archive *archive)
{
    return archive->member;
}

void sp_archive_close(struct sp_archive *archive)
{
    if (!archive)
        return;
    if (archive->archive)
        archive_read_free(archive->archive);
    free(archive);
}
