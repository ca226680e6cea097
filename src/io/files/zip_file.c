#include "io/files/zip_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sp_config.h"

#if SP_HAVE_LIBARCHIVE
#include <archive.h>
#include <archive_entry.h>
#endif

bool sp_zip_is(const char *bytes, int64_t n)
{
    return n >= 4 && (memcmp(bytes, "PK\x03\x04", 4) == 0 || memcmp(bytes, "PK\x05\x06", 4) == 0);
}

#if SP_HAVE_LIBARCHIVE

struct sp_zip {
    struct archive *archive;
    const char *path;
    const char *bytes; /* [n] of the archive */
    int64_t n;
    const char *block; /* [left] of the member, unpacked or where it lies */
    int64_t left;
};

static enum sp_status fail_read(const struct sp_zip *zip, struct sp_error *err)
{
    const char *reason = archive_error_string(zip->archive);
    return sp_fail_at(err, archive_errno(zip->archive) == ENOMEM ? SP_MEMORY : SP_INPUT, zip->path, 0, 0,
                      "the file is damaged or cut off: get it again, or write it again with save_npz",
                      "cannot unpack: %s", reason ? reason : "unknown reason");
}

enum sp_status sp_zip_open(const char *path, const char *bytes, int64_t n, struct sp_zip **zip,
                           struct sp_error *err)
{
    *zip = NULL;
    void *p;
    enum sp_status status = sp_new_array(1, sizeof **zip, "the unpacker", &p, err);
    if (status != SP_OK)
        return status;
    struct sp_zip *z = p;
    z->path = path;
    z->bytes = bytes;
    z->n = n;
    z->archive = archive_read_new();
    if (!z->archive)
        status = sp_fail(err, SP_MEMORY, NULL, "no memory for the unpacker");
    else if (archive_read_support_format_zip_seekable(z->archive) != ARCHIVE_OK ||
             archive_read_open_memory(z->archive, bytes, (size_t)n) != ARCHIVE_OK)
        status = fail_read(z, err);
    if (status == SP_OK)
        *zip = z;
    else
        sp_zip_close(z);
    return status;
}

enum sp_status sp_zip_next(struct sp_zip *zip, const char **name, int64_t *size, struct sp_error *err)
{
    struct archive_entry *entry;
    *name = "";
    *size = -1;
    zip->left = 0;
    const int result = archive_read_next_header(zip->archive, &entry);
    if (result == ARCHIVE_EOF)
        return SP_NO;
    if (result != ARCHIVE_OK && result != ARCHIVE_WARN)
        return fail_read(zip, err);
    const char *path = archive_entry_pathname(entry);
    *name = path ? path : "";
    if (archive_entry_size_is_set(entry))
        *size = archive_entry_size(entry);
    return SP_OK;
}

/* *left is 0 at the end of the member. */
static enum sp_status next_block(struct sp_zip *zip, struct sp_error *err)
{
    const void *block = NULL;
    size_t size = 0;
    la_int64_t offset;
    int result = ARCHIVE_OK;
    while (size == 0 && (result == ARCHIVE_OK || result == ARCHIVE_RETRY))
        result = archive_read_data_block(zip->archive, &block, &size, &offset);
    if (result != ARCHIVE_OK && result != ARCHIVE_EOF)
        return fail_read(zip, err);
    zip->block = block;
    zip->left = result == ARCHIVE_OK ? (int64_t)size : 0;
    return SP_OK;
}

enum sp_status sp_zip_read(struct sp_zip *zip, void *to, int64_t size, int64_t *n, struct sp_error *err)
{
    *n = 0;
    while (*n < size) {
        const enum sp_status status = zip->left == 0 ? next_block(zip, err) : SP_OK;
        if (status != SP_OK || zip->left == 0)
            return status;
        const int64_t m = zip->left < size - *n ? zip->left : size - *n;
        memcpy((char *)to + *n, zip->block, (size_t)m);
        zip->block += m;
        zip->left -= m;
        *n += m;
    }
    return SP_OK;
}

const void *sp_zip_borrow(struct sp_zip *zip, int64_t size)
{
    const char *p = zip->block;
    if (zip->left < size || (uintptr_t)p < (uintptr_t)zip->bytes ||
        (uintptr_t)p + (uintptr_t)size > (uintptr_t)zip->bytes + (uintptr_t)zip->n)
        return NULL;
    zip->block += size;
    zip->left -= size;
    return p;
}

void sp_zip_close(struct sp_zip *zip)
{
    if (zip && zip->archive)
        archive_read_free(zip->archive);
    free(zip);
}

struct sp_zip_writer {
    struct archive *archive;
    const char *path;
};

static enum sp_status fail_write(const struct sp_zip_writer *w, struct sp_error *err)
{
    const int error = archive_errno(w->archive);
    const char *reason = archive_error_string(w->archive);
    return sp_fail_at(err, SP_OUTPUT, w->path, 0, 0,
                      error == ENOSPC || error == EDQUOT ? "free some space, or choose another directory"
                                                         : "choose a place where you may write",
                      "cannot write the file: %s%s%s", reason ? reason : "unknown reason",
                      error > 0 ? ": " : "", error > 0 ? strerror(error) : "");
}

enum sp_status sp_zip_writer_open(FILE *stream, const char *path, struct sp_zip_writer **writer,
                                  struct sp_error *err)
{
    *writer = NULL;
    void *p;
    enum sp_status status = sp_new_array(1, sizeof **writer, "the writer of the archive", &p, err);
    if (status != SP_OK)
        return status;
    struct sp_zip_writer *w = p;
    w->path = path;
    w->archive = archive_write_new();
    if (!w->archive) {
        free(w);
        return sp_fail(err, SP_MEMORY, NULL, "no memory for the writer of the archive");
    }
    archive_write_set_bytes_in_last_block(w->archive, 1); /* no padding to a tape block */
    if (archive_write_set_format_zip(w->archive) != ARCHIVE_OK ||
        archive_write_zip_set_compression_store(w->archive) != ARCHIVE_OK ||
        archive_write_open_fd(w->archive, fileno(stream)) != ARCHIVE_OK) {
        status = fail_write(w, err);
        sp_zip_writer_close(w, NULL);
        return status;
    }
    *writer = w;
    return SP_OK;
}

enum sp_status sp_zip_writer_begin(struct sp_zip_writer *writer, const char *name, int64_t size,
                                   struct sp_error *err)
{
    struct archive_entry *entry = archive_entry_new();
    if (!entry)
        return sp_fail(err, SP_MEMORY, NULL, "no memory for the writer of the archive");
    archive_entry_set_pathname(entry, name);
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_size(entry, size);
    archive_entry_set_mtime(entry, 315619200, 0); /* 1980: the same matrix gives the same file */
    const bool ok = archive_write_header(writer->archive, entry) == ARCHIVE_OK;
    archive_entry_free(entry);
    return ok ? SP_OK : fail_write(writer, err);
}

enum sp_status sp_zip_writer_put(struct sp_zip_writer *writer, const void *bytes, int64_t n,
                                 struct sp_error *err)
{
    const char *p = bytes;
    while (n > 0) {
        const la_ssize_t written = archive_write_data(writer->archive, p, (size_t)n);
        if (written <= 0)
            return fail_write(writer, err);
        p += written;
        n -= written;
    }
    return SP_OK;
}

enum sp_status sp_zip_writer_close(struct sp_zip_writer *writer, struct sp_error *err)
{
    if (!writer)
        return SP_OK;
    enum sp_status status = SP_OK;
    if (archive_write_close(writer->archive) != ARCHIVE_OK)
        status = fail_write(writer, err);
    archive_write_free(writer->archive);
    free(writer);
    return status;
}

#else

static enum sp_status fail_absent(const char *path, struct sp_error *err)
{
    return sp_fail_at(err, SP_ABSENT, path, 0, 0,
                      "take a Matrix Market file, or install libarchive's headers and build again",
                      "this is a ZIP archive, and this build is without libarchive");
}

enum sp_status sp_zip_open(const char *path, const char *bytes, int64_t n, struct sp_zip **zip,
                           struct sp_error *err)
{
    (void)bytes;
    (void)n;
    *zip = NULL;
    return fail_absent(path, err);
}

enum sp_status sp_zip_next(struct sp_zip *zip, const char **name, int64_t *size, struct sp_error *err)
{
    (void)zip;
    *name = "";
    *size = -1;
    return fail_absent("", err);
}

enum sp_status sp_zip_read(struct sp_zip *zip, void *to, int64_t size, int64_t *n, struct sp_error *err)
{
    (void)zip;
    (void)to;
    (void)size;
    *n = 0;
    return fail_absent("", err);
}

const void *sp_zip_borrow(struct sp_zip *zip, int64_t size)
{
    (void)zip;
    (void)size;
    return NULL;
}

void sp_zip_close(struct sp_zip *zip)
{
    (void)zip;
}

enum sp_status sp_zip_writer_open(FILE *stream, const char *path, struct sp_zip_writer **writer,
                                  struct sp_error *err)
{
    (void)stream;
    *writer = NULL;
    return fail_absent(path, err);
}

enum sp_status sp_zip_writer_begin(struct sp_zip_writer *writer, const char *name, int64_t size,
                                   struct sp_error *err)
{
    (void)writer;
    (void)size;
    return fail_absent(name, err);
}

enum sp_status sp_zip_writer_put(struct sp_zip_writer *writer, const void *bytes, int64_t n,
                                 struct sp_error *err)
{
    (void)writer;
    (void)bytes;
    (void)n;
    return fail_absent("", err);
}

enum sp_status sp_zip_writer_close(struct sp_zip_writer *writer, struct sp_error *err)
{
    (void)writer;
    (void)err;
    return SP_OK;
}

#endif
