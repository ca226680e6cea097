#include "io/matrix_load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "io/archive.h"
#include "io/mapped_file.h"
#include "io/matrix_cache.h"
#include "io/matrix_market.h"
#include "io/mtx_stream.h"
#include "io/twin_file.h"
#include "sparse/csr_digest.h"
#include "sparse/csr_zeros.h"
#include "sparse/generate.h"
#include "sys/meminfo.h"

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
};

static enum sp_status load_generated(struct loading *l)
{
    const char *spec = l->name + strlen("gen:");
    double bytes;
    enum sp_status status = sp_generate_bytes(spec, &bytes, l->err);
    if (status == SP_OK)
        status = sp_load_check_memory(l->name, &l->options, bytes, "the generated matrix", l->err);
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
    int64_t scale, seed, n_r, n_c, n_nz;
    double bytes;
    if (!sp_twin_parse(l->name + strlen("gen:"), original, sizeof original, &scale, &seed))
        return sp_fail(l->err, SP_USAGE, "for example gen:like:A.mtx:8",
                       "%s: a twin is gen:like:FILE[:SCALE[:SEED]]", l->name);
    double start = sp_now();
    struct sp_twin *twin;
    enum sp_status status = sp_twin_load(original, &l->options, &twin, l->err);
    if (status == SP_OK)
        status = sp_twin_estimate(twin, scale, l->options.n_threads, &n_r, &n_c, &n_nz, &bytes, l->err);
    if (status == SP_OK)
        status = sp_load_check_memory(l->name, &l->options, bytes, "the twin", l->err);
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
    enum sp_status status = sp_cache_read(path, source, l->options.n_threads, l->matrix, l->facts->sha256,
                                          &l->facts->n_entries, err);
    if (status != SP_OK)
        return status;
    l->facts->digest_s = sp_now() - start;
    l->facts->cache_used = true;
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

/* A regular file: a binary one, text, or something to unpack. */
static enum sp_status load_file(struct loading *l, struct sp_mapped_file *file)
{
    l->facts->file_B = (double)file->n;
    if (sp_cache_is(file->text, file->n))
        return load_cache(l, l->name, NULL, l->err);
    char path[1024] = "";
    struct sp_cache_source source = sp_cache_source_of(file->text, file->n, file->mtime_ns);
    bool wanted = l->options.cache == SP_CACHE_BESIDE ||
                  (l->options.cache == SP_CACHE_DIRECTORY && l->options.cache_dir);
    if (wanted)
        wanted = sp_cache_path(l->name, l->options.cache == SP_CACHE_BESIDE ? NULL : l->options.cache_dir,
                               path, sizeof path, NULL) == SP_OK;
    if (wanted && use_cache(l, path, &source))
        return SP_OK;
    const char *kind = sp_archive_kind(file->text, file->n);
    enum sp_status status =
        kind ? load_stream(l, kind)
             : sp_mtx_read_text(l->name, file->text, file->n, &l->options, l->matrix, l->facts, l->err);
    if (status == SP_OK)
        status = digest(l);
    if (status == SP_OK && wanted)
        write_cache(l, path, &source);
    return status;
}

static enum sp_status load(struct loading *l)
{
    if (strncmp(l->name, "gen:like:", strlen("gen:like:")) == 0)
        return load_twin(l);
    if (strncmp(l->name, "gen:", 4) == 0)
        return load_generated(l);
    if (strcmp(l->name, "-") == 0)
        return load_stream(l, NULL);
    struct sp_mapped_file file;
    double start = sp_now();
    enum sp_status status = sp_map_file(l->name, &file, l->err);
    if (status != SP_OK)
        return status;
    l->facts->open_s = sp_now() - start;
    status = file.regular ? load_file(l, &file) : load_stream(l, NULL);
    sp_unmap_file(&file);
    return status;
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
