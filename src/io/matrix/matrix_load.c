#include "io/matrix/matrix_load.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "io/files/archive.h"
#include "io/files/input_file.h"
#include "io/matrix/load_options.h"
#include "io/matrix/matrix_cache.h"
#include "io/matrix/matrix_market.h"
#include "io/matrix/mtx_stream.h"
#include "io/matrix/twin_file.h"
#include "sparse/csr/digest.h"
#include "sparse/csr/zeros.h"
#include "sparse/generate/generate.h"
#include "sys/machine/meminfo.h"

void sp_matrix_display_name(const char *name, char *text, size_t size)
{
    static const char *const endings[] = {".gz", ".xz", ".zst", ".bz2", ".spm", ".tar", ".tgz", ".mtx"};
    if (strncmp(name, "gen:", 4) == 0) {
        snprintf(text, size, "%s", name);
        return;
    }
    const char *slash = strrchr(name, '/');
    snprintf(text, size, "%s", strcmp(name, "-") == 0 ? "stdin" : slash ? slash + 1 : name);
    for (bool cut = true; cut;) {
        cut = false;
        size_t n = strlen(text);
        for (size_t i = 0; i < sizeof endings / sizeof *endings && !cut; i++) {
            size_t length = strlen(endings[i]);
            cut = n > length && strcasecmp(text + n - length, endings[i]) == 0;
            if (cut)
                text[n - length] = '\0';
        }
    }
}

/* One loading; the public function fills it in and each source of matrices works on it. */
struct loading {
    const char *name;
    struct sp_load_options options;
    struct sp_csr *matrix;
    struct sp_load_facts *facts;
    struct sp_error *err;
    char cache[1024]; /* path of the cache to use and to write, "": none */
    struct sp_cache_source source;
};

static enum sp_status load_generated(struct loading *l)
{
    const char *spec = l->name + strlen("gen:");
    double bytes;
    struct sp_load_size size = {.field = SP_FIELD_REAL};
    enum sp_status status = sp_generate_bytes(spec, &bytes, l->err);
    if (status == SP_OK)
        status = sp_generate_estimate(spec, &size.n_r, &size.n_c, &size.n_nz, l->err);
    size.symmetric = status == SP_OK && sp_generate_is_symmetric(spec);
    if (status == SP_OK)
        status = sp_load_check_memory(l->name, &l->options, &size, bytes, "the generated matrix", l->err);
    double start = sp_now();
    if (status == SP_OK)
        status = sp_generate(spec, l->options.allocator, l->matrix, l->err);
    if (status != SP_OK)
        return status;
    l->facts->parse_s = sp_now() - start;
    l->facts->n_entries = l->matrix->n_nz;
    l->facts->n_zeros = l->matrix->n_zeros;
    l->facts->peak_B = bytes;
    snprintf(l->facts->format, sizeof l->facts->format, "generated");
    return SP_OK;
}

/* "gen:like:FILE[:SCALE[:SEED]]" */
static enum sp_status load_twin(struct loading *l)
{
    char original[1024];
    int64_t scale, seed;
    struct sp_load_size size = {.field = SP_FIELD_REAL};
    struct sp_load_options of_original = l->options;
    double bytes;
    if (!sp_twin_parse(l->name + strlen("gen:"), original, sizeof original, &scale, &seed))
        return sp_fail(l->err, SP_USAGE, "for example gen:like:A.mtx:8",
                       "%s: a twin is gen:like:FILE[:SCALE[:SEED]]", l->name);
    double start = sp_now();
    struct sp_twin *twin;
    of_original.use = SP_LOAD_ALONE;
    enum sp_status status = sp_twin_load(original, &of_original, &twin, l->err);
    if (status == SP_OK)
        status = sp_twin_estimate(twin, scale, l->options.n_threads, &size.n_r, &size.n_c, &size.n_nz, &bytes,
                                  l->err);
    if (status == SP_OK)
        status = sp_load_check_memory(l->name, &l->options, &size, bytes, "the twin", l->err);
    if (status == SP_OK)
        status = sp_twin_make(twin, scale, (uint64_t)seed, l->options.n_threads, l->options.allocator,
                              l->matrix, l->err);
    free(twin);
    if (status != SP_OK)
        return status;
    l->facts->parse_s = sp_now() - start;
    l->facts->n_entries = l->matrix->n_nz;
    l->facts->peak_B = bytes;
    snprintf(l->facts->format, sizeof l->facts->format, "generated");
    return SP_OK;
}

static enum sp_status load_stream(struct loading *l, const char *kind)
{
    struct sp_archive *archive;
    enum sp_status status = sp_archive_open(l->name, &archive, l->err);
    if (status != SP_OK)
        return status;
    char shown[1024];
    const char *member = sp_archive_member(archive);
    snprintf(shown, sizeof shown, "%s%s%s%s", l->name, *member ? "(" : "", member, *member ? ")" : "");
    status = sp_mtx_read_stream(shown, archive, &l->options, l->matrix, l->facts, l->err);
    sp_archive_close(archive);
    if (status == SP_OK && kind) {
        size_t n = strlen(l->facts->format);
        snprintf(l->facts->format + n, sizeof l->facts->format - n, ", %s", kind);
    }
    return status;
}

/* source NULL: the user named the binary file itself. SP_NO: stale. */
static enum sp_status load_cache(struct loading *l, const char *path, const struct sp_cache_source *source,
                                 struct sp_error *err)
{
    double start = sp_now();
    enum sp_status status =
        sp_cache_read(path, source, &l->options, l->matrix, l->facts->sha256, &l->facts->n_entries, err);
    if (status != SP_OK)
        return status;
    l->facts->digest_s = sp_now() - start;
    l->facts->cache_used = true;
    l->facts->peak_B = sp_csr_bytes(l->matrix->n_r, l->matrix->n_nz, l->matrix->field);
    l->facts->n_zeros = l->matrix->n_zeros;
    l->facts->n_duplicates = l->matrix->n_duplicates;
    snprintf(l->facts->cache_path, sizeof l->facts->cache_path, "%s", path);
    snprintf(l->facts->format, sizeof l->facts->format, "binary cache");
    return SP_OK;
}

/* The cache of a text file, where one is wanted; a bad one is a remark, because the text is still there. */
static bool use_cache(struct loading *l, const char *path, const struct sp_cache_source *source)
{
    struct sp_error err;
    enum sp_status status = load_cache(l, path, source, &err);
    struct stat facts;
    if (status == SP_INPUT && stat(path, &facts) == 0)
        snprintf(l->facts->remark, sizeof l->facts->remark,
                 "the cache %s was not used and is made anew: %.200s", path, err.what);
    return status == SP_OK;
}

static void write_cache(struct loading *l, const char *path, const struct sp_cache_source *source)
{
    struct sp_error err;
    double start = sp_now();
    if (l->options.cache == SP_CACHE_DIRECTORY)
        mkdir(l->options.cache_dir, 0777); /* what matters shows when the file is opened */
    if (sp_cache_write(path, l->matrix, l->facts->sha256, l->facts->n_entries, source, &err) == SP_OK) {
        l->facts->cache_written = true;
        snprintf(l->facts->cache_path, sizeof l->facts->cache_path, "%s", path);
    } else {
        snprintf(l->facts->remark, sizeof l->facts->remark, "no cache was written: %.400s", err.what);
    }
    l->facts->cache_s = sp_now() - start;
}

static enum sp_status digest(struct loading *l)
{
    double start = sp_now();
    enum sp_status status = sp_csr_digest(l->matrix, l->options.n_threads, l->facts->sha256, l->err);
    l->facts->digest_s = sp_now() - start;
    if (status != SP_OK)
        sp_csr_free(l->matrix);
    return status;
}

static void find_cache(struct loading *l, const struct sp_mapped_file *file)
{
    const bool beside = l->options.cache == SP_CACHE_BESIDE;
    l->source = sp_cache_source_of(file->text, file->n, file->mtime_ns);
    if (!beside && (l->options.cache != SP_CACHE_DIRECTORY || !l->options.cache_dir))
        return;
    if (sp_cache_path(l->name, beside ? NULL : l->options.cache_dir, l->cache, sizeof l->cache, NULL) !=
        SP_OK)
        l->cache[0] = '\0';
}

/* A regular file: a binary one, text, or something to unpack. */
static enum sp_status read_mapped(struct loading *l, const struct sp_mapped_file *file)
{
    l->facts->file_B = (double)file->n;
    if (sp_cache_is(file->text, file->n))
        return load_cache(l, l->name, NULL, l->err);
    find_cache(l, file);
    if (l->cache[0] && use_cache(l, l->cache, &l->source))
        return SP_OK;
    const char *kind = sp_archive_kind(file->text, file->n);
    return kind ? load_stream(l, kind)
                : sp_mtx_read_text(l->name, file->text, file->n, &l->options, l->matrix, l->facts, l->err);
}

static enum sp_status load_file(struct loading *l)
{
    struct sp_mapped_file file;
    double start = sp_now();
    enum sp_status status = sp_map_file(l->name, &file, l->err);
    if (status != SP_OK)
        return status;
    l->facts->open_s = sp_now() - start;
    status = file.regular ? read_mapped(l, &file) : load_stream(l, NULL);
    status = sp_unmap_file(&file, l->name, status, l->err);
    if (status != SP_OK)
        sp_csr_free(l->matrix); /* of a file that changed */
    else if (!l->facts->cache_used)
        status = digest(l);
    if (status == SP_OK && !l->facts->cache_used && l->cache[0])
        write_cache(l, l->cache, &l->source);
    return status;
}

/* A stream that was closed is open for writing only (cli/core/process.h). */
static bool is_readable(int descriptor)
{
    const int flags = fcntl(descriptor, F_GETFL);
    return flags >= 0 && (flags & O_ACCMODE) != O_WRONLY;
}

static enum sp_status load(struct loading *l)
{
    if (strncmp(l->name, "gen:like:", strlen("gen:like:")) == 0)
        return load_twin(l);
    if (strncmp(l->name, "gen:", 4) == 0)
        return load_generated(l);
    if (strcmp(l->name, "-") == 0 && !is_readable(STDIN_FILENO))
        return sp_fail_at(l->err, SP_INPUT, "-", 0, 0, "give a matrix to standard input, or name a file",
                          "standard input is closed");
    if (strcmp(l->name, "-") == 0)
        return load_stream(l, NULL);
    return load_file(l);
}

/* The digest is that of the matrix without them. */
static enum sp_status drop_zeros(struct loading *l)
{
    enum sp_status status = sp_csr_drop_zeros(l->matrix, &l->facts->n_dropped, l->err);
    if (status != SP_OK)
        sp_csr_free(l->matrix);
    if (l->facts->n_dropped > 0)
        l->facts->sha256[0] = '\0';
    return status;
}

enum sp_status sp_matrix_load(const char *name, const struct sp_load_options *options, struct sp_csr *matrix,
                              struct sp_load_facts *facts, struct sp_error *err)
{
    struct sp_load_facts ignored;
    struct loading l = {.name = name, .matrix = matrix, .facts = facts ? facts : &ignored, .err = err};
    if (options)
        l.options = *options;
    if (l.options.n_threads < 1)
        l.options.n_threads = 1;
    struct sp_meminfo memory;
    if (l.options.memory_limit_B <= 0 && sp_meminfo_read("", &memory, NULL) == SP_OK)
        l.options.memory_limit_B = (double)memory.available_B;
    memset(matrix, 0, sizeof *matrix);
    memset(l.facts, 0, sizeof *l.facts);
    double start = sp_now();
    enum sp_status status = load(&l);
    if (status == SP_OK && l.options.drop_zeros)
        status = drop_zeros(&l);
    if (status == SP_OK && !l.facts->sha256[0])
        status = digest(&l);
    if (status != SP_OK) {
        memset(l.facts, 0, sizeof *l.facts);
        return status;
    }
    sp_matrix_display_name(name, l.facts->name, sizeof l.facts->name);
    l.facts->total_s = sp_now() - start;
    return SP_OK;
}
