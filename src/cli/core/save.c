#include "cli/core/save.h"

#include <string.h>
#include <strings.h>

#include "cli/core/words.h"
#include "io/matrix/matrix_cache.h"
#include "io/matrix/mtx_write.h"
#include "sparse/csr/csr_content.h"

struct format {
    const char *ending, *compression;
    bool is_binary;
};

static const struct format *format_of(const char *path, const char *wanted)
{
    static const struct format formats[] = {{".mtx", NULL, false},        {".mtx.gz", "gzip", false},
                                            {".mtx.xz", "xz", false},     {".mtx.zst", "zstd", false},
                                            {".mtx.bz2", "bzip2", false}, {".spm", NULL, true}};
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        size_t n = strlen(formats[i].ending);
        bool fits = wanted ? strcmp(formats[i].ending + 1, wanted) == 0
                           : length > n && strcasecmp(path + length - n, formats[i].ending) == 0;
        if (fits)
            return &formats[i];
    }
    return NULL;
}

enum sp_status sp_save_check(const char *path, const struct sp_save_options *o, struct sp_error *err)
{
    if (strcmp(path, "-") == 0)
        return sp_fail(err, SP_USAGE, "name a file; ./- is one that is called so",
                       "a matrix is not written to standard output");
    const struct format *format = format_of(path, o->format);
    if (format && format->is_binary && o->general)
        return sp_fail(err, SP_USAGE, "leave --general out, or write text",
                       "a binary matrix file has all entries in any case");
    if (format)
        return sp_words_refuse(path, err);
    return sp_fail(err, SP_USAGE, "the formats, and the endings of files, are " SP_SAVE_FORMATS,
                   o->format ? "no format is called '%s'" : "the ending of '%s' names no format",
                   o->format ? o->format : path);
}

enum sp_status sp_save(const char *path, const struct sp_csr *a, const struct sp_save_options *o,
                       struct sp_error *err)
{
    enum sp_status status = sp_save_check(path, o, err);
    if (status != SP_OK)
        return status;
    const struct format *format = format_of(path, o->format);
    if (!format->is_binary) {
        struct sp_mtx_write_options write = {.n_threads = o->n_threads,
                                             .general = o->general,
                                             .compression = format->compression,
                                             .progress = o->progress,
                                             .interrupted = o->interrupted,
                                             .context = o->context};
        return sp_mtx_write(path, a, &write, err);
    }
    if (o->sha256)
        return sp_cache_write(path, a, o->sha256, o->n_entries, NULL, err);
    char digest[65];
    status = sp_csr_digest(a, o->n_threads, digest, err);
    return status == SP_OK ? sp_cache_write(path, a, digest, a->n_nz, NULL, err) : status;
}
