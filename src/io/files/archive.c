#include "io/files/archive.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/memory.h"
#include "io/files/part_file.h"
#include "sp_config.h"

#if SP_HAVE_LIBARCHIVE
#include <archive.h>
#include <archive_entry.h>
#endif

const char *sp_archive_kind(const char *text, int64_t n)
{
    static const struct {
        const char *kind, *magic;
        int64_t offset, length;
    } kinds[] = {
        {"gzip", "\x1f\x8b", 0, 2}, {"xz", "\xfd\x37zXZ", 0, 6}, {"zstd", "\x28\xb5\x2f\xfd", 0, 4},
        {"bzip2", "BZh", 0, 3},     {"tar", "ustar", 257, 5},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (n >= kinds[i].offset + kinds[i].length &&
            memcmp(text + kinds[i].offset, kinds[i].magic, (size_t)kinds[i].length) == 0)
            return kinds[i].kind;
    return NULL;
}

#if SP_HAVE_LIBARCHIVE

enum { BLOCK = 1 << 20, MAX_PATH_TEXT = 1024 };

struct sp_archive {
    struct archive *archive;
    char path[MAX_PATH_TEXT];
    char member[512];
    char head[SP_ARCHIVE_LOOK]; /* read before it is asked for, handed out first */
    int64_t n_head, taken;
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

static const char *const endings[] = {".mtx", ".rb"};
enum { N_ENDINGS = sizeof endings / sizeof *endings };

static bool ends_like_a_matrix(const char *name)
{
    const size_t n = strlen(name);
    bool ends = false;
    for (int k = 0; k < N_ENDINGS; k++) {
        const size_t length = strlen(endings[k]);
        ends = ends || (n > length && strcasecmp(name + n - length, endings[k]) == 0);
    }
    return ends;
}

/* .../NAME/NAME.mtx: the matrix in SuiteSparse's archives, beside right-hand sides. */
static bool is_main_member(const char *name)
{
    const char *slash = strrchr(name, '/');
    if (!slash)
        return false;
    const char *folder = slash;
    while (folder > name && folder[-1] != '/')
        folder--;
    size_t n = (size_t)(slash - folder);
    bool ends = false;
    for (int k = 0; k < N_ENDINGS && n > 0 && strncmp(folder, slash + 1, n) == 0; k++)
        ends = ends || strcasecmp(slash + 1 + n, endings[k]) == 0;
    return ends;
}

/* Goes to the member called `wanted` (NULL: to the main one, or to the data of a file that is no
 * archive). SP_NO at the end of the archive; the candidates met are then counted and listed. */
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
        if (!name || archive_entry_filetype(entry) != AE_IFREG || !ends_like_a_matrix(name))
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
                          "the archive has no member that ends in .mtx or .rb");
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

static enum sp_status read_on(struct sp_archive *a, char *to, int64_t size, int64_t *n, struct sp_error *err)
{
    *n = 0;
    la_ssize_t got;
    do
        got = archive_read_data(a->archive, to, (size_t)size);
    while (got == ARCHIVE_RETRY);
    if (got < 0)
        return fail_archive(a, err);
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

struct sp_archive_writer {
    struct archive *archive;
    char path[1024];
};

static enum sp_status fail_write(struct archive *archive, const char *path, struct sp_error *err)
{
    int error = archive_errno(archive);
    const char *reason = archive_error_string(archive);
    return sp_fail_at(err, SP_OUTPUT, path, 0, 0, sp_output_remedy(error), "cannot write the file: %s%s%s",
                      reason ? reason : "unknown reason", error > 0 ? ": " : "",
                      error > 0 ? strerror(error) : "");
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

/* The stream's buffer is empty (nothing was written), so its descriptor can be used beneath. */
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
    return ok ? SP_OK : fail_write(w->archive, w->path, err);
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
            return fail_write(writer->archive, writer->path, err);
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
            status = fail_write(writer->archive, writer->path, err);
        archive_write_free(writer->archive);
    }
    free(writer);
    return status;
}

#else

/* Without libarchive only standard input is a stream, and only as it is. */
struct sp_archive {
    char head[SP_ARCHIVE_LOOK]; /* read to recognise compressed input, handed out first */
    int64_t n_head, taken;
};

static enum sp_status fail_absent(const char *path, const char *kind, struct sp_error *err)
{
    return sp_fail_at(err, SP_ABSENT, path, 0, 0,
                      "unpack the file first, or install libarchive's headers and build again",
                      "this is %s data, and this build is without libarchive", kind);
}

static enum sp_status read_on(struct sp_archive *a, char *to, int64_t size, int64_t *n, struct sp_error *err)
{
    (void)a;
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
    const char *head;
    int64_t n;
    status = sp_archive_look(a, &head, &n, err);
    const char *kind = sp_archive_kind(head, n);
    if (status == SP_OK && kind)
        status = fail_absent("-", kind, err);
    if (status == SP_OK)
        *archive = a;
    else
        sp_archive_close(a);
    return status;
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

enum sp_status sp_archive_writer_open(FILE *stream, const char *path, const char *compression, int n_threads,
                                      struct sp_archive_writer **writer, struct sp_error *err)
{
    (void)stream;
    (void)n_threads;
    *writer = NULL;
    return sp_fail_at(err, SP_ABSENT, path, 0, 0,
                      "write plain .mtx and compress it, or install libarchive's headers and build again",
                      "this build is without libarchive and cannot write %s", compression);
}

enum sp_status sp_archive_writer_put(struct sp_archive_writer *writer, const char *text, size_t n,
                                     struct sp_error *err)
{
    (void)writer;
    (void)text;
    (void)n;
    return sp_fail(err, SP_ABSENT, NULL, "this build is without libarchive");
}

enum sp_status sp_archive_writer_close(struct sp_archive_writer *writer, struct sp_error *err)
{
    (void)writer;
    (void)err;
    return SP_OK;
}

#endif

enum sp_status sp_archive_look(struct sp_archive *archive, const char **head, int64_t *n,
                               struct sp_error *err)
{
    enum sp_status status = SP_OK;
    for (int64_t got = 1; status == SP_OK && got > 0 && archive->n_head < SP_ARCHIVE_LOOK;) {
        status =
            read_on(archive, archive->head + archive->n_head, SP_ARCHIVE_LOOK - archive->n_head, &got, err);
        archive->n_head += got;
    }
    *head = archive->head;
    *n = archive->n_head;
    return status;
}

enum sp_status sp_archive_read(struct sp_archive *archive, char *to, int64_t size, int64_t *n,
                               struct sp_error *err)
{
    const int64_t left = archive->n_head - archive->taken;
    if (left == 0)
        return read_on(archive, to, size, n, err);
    *n = left < size ? left : size;
    memcpy(to, archive->head + archive->taken, (size_t)*n);
    archive->taken += *n;
    return SP_OK;
}

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
        status = fail_write(w->archive, w->path, err);
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
    return ok ? SP_OK : fail_write(writer->archive, writer->path, err);
}

enum sp_status sp_zip_writer_put(struct sp_zip_writer *writer, const void *bytes, int64_t n,
                                 struct sp_error *err)
{
    const char *p = bytes;
    while (n > 0) {
        const la_ssize_t written = archive_write_data(writer->archive, p, (size_t)n);
        if (written <= 0)
            return fail_write(writer->archive, writer->path, err);
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
        status = fail_write(writer->archive, writer->path, err);
    archive_write_free(writer->archive);
    free(writer);
    return status;
}

#else

static enum sp_status fail_no_zip(const char *path, struct sp_error *err)
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
    return fail_no_zip(path, err);
}

enum sp_status sp_zip_next(struct sp_zip *zip, const char **name, int64_t *size, struct sp_error *err)
{
    (void)zip;
    *name = "";
    *size = -1;
    return fail_no_zip("", err);
}

enum sp_status sp_zip_read(struct sp_zip *zip, void *to, int64_t size, int64_t *n, struct sp_error *err)
{
    (void)zip;
    (void)to;
    (void)size;
    *n = 0;
    return fail_no_zip("", err);
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
    return fail_no_zip(path, err);
}

enum sp_status sp_zip_writer_begin(struct sp_zip_writer *writer, const char *name, int64_t size,
                                   struct sp_error *err)
{
    (void)writer;
    (void)size;
    return fail_no_zip(name, err);
}

enum sp_status sp_zip_writer_put(struct sp_zip_writer *writer, const void *bytes, int64_t n,
                                 struct sp_error *err)
{
    (void)writer;
    (void)bytes;
    (void)n;
    return fail_no_zip("", err);
}

enum sp_status sp_zip_writer_close(struct sp_zip_writer *writer, struct sp_error *err)
{
    (void)writer;
    (void)err;
    return SP_OK;
}

#endif
