#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/files/archive_write.h"

struct sp_archive_writer {
    struct archive *archive;
    char path[1024];
};

static enum sp_status fail_write(const struct sp_archive_writer *w, struct sp_error *err)
{
    int error = archive_errno(w->archive);
    const char *reason = archive_error_string(w->archive);
    return sp_fail_at(err, SP_OUTPUT, w->path, 0, 0,
                      error == ENOSPC || error == EDQUOT ? "free some space, or choose another directory"
                                                         : "choose a place where you may write",
                      "cannot write the file: %s%s%s", reason ? reason : "unknown reason",
                      error > 0 ? ": " : "", error > 0 ? strerror(error) : "");
}

static int add_filter(struct archive *a, const char *compression, int n_threads)
{
    static const struct {
        const char *name;
        int (*add)(struct archive *);
    } filters[] = {{"gzip", archive_write_add_filter_gzip},
                   {"xz", archive_write_add_filter_xz},
                   {"zstd", archive_write_add_filter_zstd},
                   {"bzip2", archive_write_add_filter_bzip2}};
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
        if (strcmp(filters[i].name, compression) != 0)
            continue;
        int result = filters[i].add(a);
        char threads[16];
        snprintf(threads, sizeof threads, "%d", n_threads);
        archive_write_set_filter_option(a, NULL, "threads", threads); /* gzip and bzip2 know no threads */
        return result;
    }
    return ARCHIVE_FATAL;
}

/* The stream's buffer is empty (nothing was written to it), so that its descriptor can be used beneath it. */
static enum sp_status start(struct sp_archive_writer *w, FILE *stream, struct sp_error *err)
{
    struct archive_entry *entry = archive_entry_new();
    if (!entry)
        return sp_fail(err, SP_MEMORY, NULL, "no memory for the compressor");
    archive_entry_set_pathname(entry, "matrix.mtx");
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_write_set_bytes_in_last_block(w->archive, 1); /* no padding to a tape block */
    bool ok = archive_write_set_format_raw(w->archive) == ARCHIVE_OK &&
              archive_write_open_fd(w->archive, fileno(stream)) == ARCHIVE_OK &&
              archive_write_header(w->archive, entry) == ARCHIVE_OK;
    archive_entry_free(entry);
    return ok ? SP_OK : fail_write(w, err);
}

enum sp_status sp_archive_writer_open(FILE *stream, const char *path, const char *compression, int n_threads,
                                      struct sp_archive_writer **writer, struct sp_error *err)
{
    *writer = NULL;
    void *p;
    enum sp_status status = sp_new_array(1, sizeof **writer, "the compressor", &p, err);
    if (status != SP_OK)
        return status;
    struct sp_archive_writer *w = p;
    snprintf(w->path, sizeof w->path, "%s", path);
    w->archive = archive_write_new();
    if (!w->archive)
        status = sp_fail(err, SP_MEMORY, NULL, "no memory for the compressor");
    else if (add_filter(w->archive, compression, n_threads) != ARCHIVE_OK)
        status = sp_fail_at(err, SP_ABSENT, path, 0, 0, "choose .gz, or plain .mtx",
                            "this libarchive cannot write %s", compression);
    if (status == SP_OK)
        status = start(w, stream, err);
    if (status == SP_OK)
        *writer = w;
    else
        sp_archive_writer_close(w, NULL);
    return status;
}

enum sp_status sp_archive_writer_put(struct sp_archive_writer *writer, const char *text, size_t n,
                                     struct sp_error *err)
{
    while (n > 0) {
        la_ssize_t written = archive_write_data(writer->archive, text, n);
        if (written <= 0)
            return fail_write(writer, err);
        text += written;
        n -= (size_t)written;
    }
    return SP_OK;
}

enum sp_status sp_archive_writer_close(struct sp_archive_writer *writer, struct sp_error *err)
{
    if (!writer)
        return SP_OK;
    enum sp_status status = SP_OK;
    if (writer->archive) {
        if (archive_write_close(writer->archive) != ARCHIVE_OK)
            status = fail_write(writer, err);
        archive_write_free(writer->archive);
    }
    free(writer);
    return status;
}
