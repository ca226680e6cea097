#include "io/matrix/matrix_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/hash.h"
#include "io/files/part_file.h"
#include "io/matrix/load_options.h"
#include "sparse/csr/csr.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the file holds little-endian arrays");

enum { PAGE = 4096, VERSION = 1, N_ARRAYS = 3, HEAD = 64 * 1024 };

static const char magic[8] = {'S', 'P', 'M', 'O', 'D', 'E', 'L', '\x1a'};

/* The header as it lies in the file. */
struct header {
    char magic[8];
    uint32_t version, header_bytes;
    uint32_t field, symmetry;
    int64_t n_r, n_c, n_nz, n_zeros, n_duplicates, n_entries;
    int64_t offset[N_ARRAYS], bytes[N_ARRAYS]; /* row_ptr, col, val */
    int64_t source_size, source_mtime_ns;
    uint64_t source_head;
    char digest[64];
    uint64_t header_hash; /* of all before */
};
_Static_assert(sizeof(struct header) == 216, "no padding: the structure is the file format");

static uint64_t hash_header(const struct header *h)
{
    return sp_hash64(h, offsetof(struct header, header_hash), 0);
}

static int64_t round_up(int64_t n)
{
    return (n + PAGE - 1) / PAGE * PAGE;
}

struct sp_cache_source sp_cache_source_of(const char *text, int64_t n, int64_t mtime_ns)
{
    return (struct sp_cache_source){n, mtime_ns, sp_hash64(text, (size_t)(n < HEAD ? n : HEAD), 0)};
}

bool sp_cache_is(const char *text, int64_t n)
{
    return n >= (int64_t)sizeof magic && memcmp(text, magic, sizeof magic) == 0;
}

/* Array sizes follow from the counts; false where the counts make no sense. */
static bool lay_out(struct header *h)
{
    if (h->n_r < 0 || h->n_r > SP_MAX_DIMENSION || h->n_c < 0 || h->n_c > SP_MAX_DIMENSION || h->n_nz < 0 ||
        h->n_nz > INT64_MAX / 64 || h->field > SP_FIELD_COMPLEX || h->symmetry > SP_HERMITIAN)
        return false;
    h->bytes[0] = (h->n_r + 1) * (int64_t)sizeof(int64_t);
    h->bytes[1] = h->n_nz * (int64_t)sizeof(int32_t);
    h->bytes[2] = h->n_nz * (int64_t)sizeof(double) * (h->field == SP_FIELD_COMPLEX ? 2 : 1);
    int64_t offset = PAGE;
    for (int k = 0; k < N_ARRAYS; k++) {
        h->offset[k] = offset;
        offset += round_up(h->bytes[k]);
    }
    return true;
}

enum sp_status sp_cache_write(const char *path, const struct sp_csr *a, const char digest[65],
                              int64_t n_entries, const struct sp_cache_source *source, struct sp_error *err)
{
    struct header h = {
        .version = VERSION, .header_bytes = sizeof h, .field = a->field, .symmetry = a->symmetry};
    memcpy(h.magic, magic, sizeof magic);
    h.n_r = a->n_r;
    h.n_c = a->n_c;
    h.n_nz = a->n_nz;
    h.n_zeros = a->n_zeros;
    h.n_duplicates = a->n_duplicates;
    h.n_entries = n_entries;
    if (source) {
        h.source_size = source->size;
        h.source_mtime_ns = source->mtime_ns;
        h.source_head = source->head;
    }
    memcpy(h.digest, digest, sizeof h.digest);
    lay_out(&h);
    h.header_hash = hash_header(&h);
    struct sp_atomic_file file;
    enum sp_status status = sp_atomic_open(path, &file, err);
    if (status != SP_OK)
        return status;
    static const char zeros[PAGE];
    const void *arrays[N_ARRAYS] = {a->row_ptr, a->col, a->val};
    size_t ok = fwrite(&h, sizeof h, 1, file.stream) && fwrite(zeros, PAGE - sizeof h, 1, file.stream);
    for (int k = 0; k < N_ARRAYS && ok; k++) {
        size_t bytes = (size_t)h.bytes[k], rest = (size_t)(round_up(h.bytes[k]) - h.bytes[k]);
        ok = (bytes == 0 || fwrite(arrays[k], bytes, 1, file.stream)) &&
             (rest == 0 || fwrite(zeros, rest, 1, file.stream));
    }
    return sp_atomic_commit(&file, err);
}

static enum sp_status fail_damaged(const char *path, const char *what, struct sp_error *err)
{
    return sp_fail_at(err, SP_INPUT, path, 0, 0, "delete it and convert the Matrix Market file again",
                      "this binary matrix file is unusable: %s", what);
}

static enum sp_status check_header(const char *path, const struct header *h, int64_t file_size,
                                   struct sp_error *err)
{
    if (!sp_cache_is(h->magic, sizeof h->magic))
        return fail_damaged(path, "it does not begin like one", err);
    if (h->version != VERSION) {
        char text[96];
        snprintf(text, sizeof text, "its version is %u, this program reads version %d", h->version, VERSION);
        return fail_damaged(path, text, err);
    }
    struct header wanted = *h;
    if (h->header_hash != hash_header(h) || !lay_out(&wanted) || memcmp(h, &wanted, sizeof wanted) != 0)
        return fail_damaged(path, "its header is damaged", err);
    if (file_size != h->offset[2] + round_up(h->bytes[2]))
        return fail_damaged(path, "its length is wrong, it was cut off or added to", err);
    return SP_OK;
}

/* Blocks of one array, of which each thread reads some. */
enum { BLOCK = 8 << 20 };

static int read_block(int descriptor, char *to, int64_t n, int64_t offset)
{
    while (n > 0) {
        const ssize_t got = pread(descriptor, to, (size_t)n, offset);
        if (got == 0)
            return ENODATA;
        if (got < 0 && errno != EINTR)
            return errno;
        to += got > 0 ? got : 0;
        offset += got > 0 ? got : 0;
        n -= got > 0 ? got : 0;
    }
    return 0;
}

static int read_array(int descriptor, void *to, int64_t n, int64_t offset, int n_threads)
{
    int error = 0;
#pragma omp parallel for schedule(static) num_threads(n_threads) reduction(max : error)
    for (int64_t at = 0; at < n; at += BLOCK) {
        const int e = read_block(descriptor, (char *)to + at, n - at < BLOCK ? n - at : BLOCK, offset + at);
        error = e > error ? e : error;
    }
    return error;
}

/* Own memory, not a mapping: what check_content() finds stays so, whatever is done to the file
 * later. */
static enum sp_status read_arrays(const char *path, int descriptor, const struct header *h,
                                  const struct sp_load_options *o, struct sp_csr *a, struct sp_error *err)
{
    const int n_threads = o->n_threads < 1 ? 1 : o->n_threads;
    const struct sp_load_size size = {h->n_r, h->n_c, h->n_nz, (enum sp_field)h->field,
                                      h->symmetry != SP_GENERAL};
    enum sp_status status = sp_load_check_memory(
        path, o, &size, sp_csr_bytes(size.n_r, size.n_nz, size.field), "the matrix", err);
    if (status == SP_OK)
        status = sp_csr_alloc(size.n_r, size.n_c, size.n_nz, size.field, o->allocator, a, err);
    if (status != SP_OK)
        return status;
    a->symmetry = (enum sp_symmetry)h->symmetry;
    a->n_zeros = h->n_zeros;
    a->n_duplicates = h->n_duplicates;
    void *array[N_ARRAYS] = {a->row_ptr, a->col, a->val};
    int error = 0;
    for (int k = 0; k < N_ARRAYS && !error; k++)
        error = read_array(descriptor, array[k], h->bytes[k], h->offset[k], n_threads);
    if (error == ENODATA)
        return fail_damaged(path, "it was cut off while it was read", err);
    return error ? sp_fail_at(err, sp_input_status(error), path, 0, 0,
                              "put a whole copy there, from where it was made",
                              "the file cannot be read to its end: %s", strerror(error))
                 : SP_OK;
}

static enum sp_status check_content(const char *path, const struct header *h, const struct sp_csr *a,
                                    int n_threads, struct sp_error *err)
{
    char digest[65];
    enum sp_status status = sp_csr_digest(a, n_threads, digest, err);
    if (status != SP_OK)
        return status;
    if (memcmp(digest, h->digest, sizeof h->digest) != 0)
        return fail_damaged(path, "its content does not match its checksum", err);
    struct sp_error broken;
    if (sp_csr_check(a, &broken) != SP_OK)
        return fail_damaged(path, broken.what, err);
    return SP_OK;
}

enum sp_status sp_cache_read(const char *path, const struct sp_cache_source *source,
                             const struct sp_load_options *options, struct sp_csr *a, char digest[65],
                             int64_t *n_entries, struct sp_error *err)
{
    memset(a, 0, sizeof *a);
    digest[0] = '\0';
    *n_entries = 0;
    struct header h = {0};
    struct stat facts;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return sp_fail_at(err, sp_input_status(errno), path, 0, 0, NULL, "cannot open the file: %s",
                          strerror(errno));
    enum sp_status status = SP_OK;
    if (fstat(descriptor, &facts) != 0 || pread(descriptor, &h, sizeof h, 0) != (ssize_t)sizeof h)
        status = fail_damaged(path, "it is shorter than its header", err);
    if (status == SP_OK)
        status = check_header(path, &h, facts.st_size, err);
    if (status == SP_OK && source &&
        (source->size != h.source_size || source->mtime_ns != h.source_mtime_ns ||
         source->head != h.source_head))
        status = sp_fail_at(err, SP_NO, path, 0, 0, NULL, "the cache is older than its source");
    if (status == SP_OK)
        status = read_arrays(path, descriptor, &h, options, a, err);
    close(descriptor);
    if (status == SP_OK)
        status = check_content(path, &h, a, options->n_threads, err);
    if (status != SP_OK) {
        sp_csr_free(a);
        return status;
    }
    memcpy(digest, h.digest, sizeof h.digest);
    digest[64] = '\0';
    *n_entries = h.n_entries;
    return SP_OK;
}

enum sp_status sp_cache_path(const char *path, const char *directory, char *text, size_t size,
                             struct sp_error *err)
{
    int n;
    if (!directory) {
        n = snprintf(text, size, "%s.spm", path);
    } else {
        char *full = realpath(path, NULL);
        const char *key = full ? full : path, *slash = strrchr(key, '/');
        char stem[200];
        n = snprintf(text, size, "%s/%s-%016llx.spm", directory,
                     sp_file_stem(stem, sizeof stem, slash ? slash + 1 : key),
                     (unsigned long long)sp_hash64(key, strlen(key), 0));
        free(full);
    }
    if (n < 0 || (size_t)n >= size) {
        text[0] = '\0';
        return sp_fail_at(err, SP_OUTPUT, path, 0, 0, NULL, "the path of its cache is too long");
    }
    return SP_OK;
}
