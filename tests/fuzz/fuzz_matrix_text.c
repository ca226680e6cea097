/* Matrix Market text: one thread, three threads and a stream in small blocks agree; an accepted matrix is
 * canonical. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "io/files/archive.h"
#include "io/matrix/matrix_market.h"

const char *const fuzz_words[] = {"real",           "integer",    "complex",        "pattern",
                                  "array",          "coordinate", "general",        "symmetric",
                                  "skew-symmetric", "hermitian",  "%%MatrixMarket", NULL};

struct result {
    struct sp_csr a;
    struct sp_error err;
    enum sp_status status;
};

static struct result read_text(const uint8_t *data, size_t size, int n_threads)
{
    struct result r = {0};
    struct sp_load_options options = {.n_threads = n_threads, .memory_limit_B = 64e6};
    struct sp_load_facts facts = {0};
    /* A copy of exactly this size, so that the address sanitizer sees a read beyond it. */
    char *text = malloc(size ? size : 1);
    fuzz_require(text != NULL, "no memory");
    memcpy(text, data, size);
    r.status = sp_mtx_read_text("fuzz.mtx", text, (int64_t)size, &options, &r.a, &facts, &r.err);
    free(text);
    return r;
}

static struct result read_stream(const char *path)
{
    struct result r = {0};
    struct sp_load_options options = {.n_threads = 3, .memory_limit_B = 64e6, .block_B = 64};
    struct sp_load_facts facts = {0};
    struct sp_archive *archive;
    r.status = sp_archive_open(path, &archive, &r.err);
    if (r.status == SP_OK)
        r.status = sp_mtx_read_stream("fuzz.mtx", archive, &options, &r.a, &facts, &r.err);
    sp_archive_close(archive);
    return r;
}

/* Memory is weighed differently by those who need different amounts. */
static void compare(const struct result *x, const struct result *y)
{
    if (x->status == SP_MEMORY || y->status == SP_MEMORY)
        return;
    fuzz_require(x->status == y->status, "one way accepts what another refuses");
    fuzz_require(strcmp(x->err.what, y->err.what) == 0 && x->err.line == y->err.line &&
                     x->err.column == y->err.column,
                 "another fault is named");
    fuzz_require(x->a.n_nz == y->a.n_nz && x->a.n_zeros == y->a.n_zeros &&
                     x->a.n_duplicates == y->a.n_duplicates,
                 "entries are counted differently");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct result one = read_text(data, size, 1), three = read_text(data, size, 3);
    compare(&one, &three);
    if (one.status == SP_OK)
        fuzz_require(sp_csr_check(&one.a, NULL) == SP_OK, "the matrix is not canonical");
    else
        fuzz_require_refusal(one.status, &one.err);
    if (size > 0 && !sp_archive_kind((const char *)data, (int64_t)size)) {
        struct result stream = read_stream(fuzz_path(data, size));
        if (stream.status != SP_ABSENT)
            compare(&one, &stream);
        sp_csr_free(&stream.a);
    }
    sp_csr_free(&one.a);
    sp_csr_free(&three.a);
    return 0;
}
