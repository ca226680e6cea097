#include "cli/save.h"

#include <string.h>
#include <strings.h>

#include "io/matrix_cache.h"
#include "io/mtx_write.h"
#include "sparse/csr_digest.h"

struct ending {
    const char *text, *compression;
    bool is_binary;
};

static const struct ending *ending_of(const char *path)
{
    static const struct ending endings[] = {{".mtx", NULL, false},        {".mtx.gz", "gzip", false},
                                            {".mtx.xz", "xz", false},     {".mtx.zst", "zstd", false},
                                            {".mtx.bz2", "bzip2", false}, {".spm", NULL, true}};
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t n = strlen(endings[i].text);
        if (length > n && strcasecmp(path + length - n, endings[i].text) == 0)
            return &endings[i];
    }
    return NULL;
}

enum sp_status sp_save_check(const char *path, struct sp_error *err)
{
    if (ending_of(path))
        return SP_OK;
    return sp_fail(err, SP_USAGE, "end it in .mtx, .mtx.gz, .mtx.xz, .mtx.zst, .mtx.bz2 or .spm",
                   "the ending of '%s' names no format", path);
}

enum sp_status sp_save(const char *path, const struct sp_csr *a, int n_threads, struct sp_error *err)
{
    enum sp_status status = sp_save_check(path, err);
    if (status != SP_OK)
        return status;
    const struct ending *ending = ending_of(path);
    if (!ending->is_binary) {
        struct sp_mtx_write_options options = {.n_threads = n_threads, .compression = ending->compression};
        return sp_mtx_write(path, a, &options, err);
    }
    char digest[65];
    status = sp_csr_digest(a, n_threads, digest, err);
    return status == SP_OK ? sp_cache_write(path, a, digest, a->n_nz, NULL, err) : status;
}
