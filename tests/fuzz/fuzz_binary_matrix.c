/* Binary matrix files. An input is the header and the arrays without what fills their pages; checksums are
 * made right, for who attacks makes them, too. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "fuzz.h"
#include "io/matrix/matrix_cache.h"
#include "sparse/csr/csr.h"

enum { PAGE = 4096, HEADER = 216, MOST = 1 << 20, OFFSETS = 72, BYTES = 96, DIGEST = 144, HASH = 208 };

const char *const fuzz_words[] = {"SPMODEL\x1a", "\x7f", "\xff\xff\xff\xff", NULL};

static int64_t number(const uint8_t *header, int at)
{
    int64_t x;
    memcpy(&x, header + at, sizeof x);
    return x;
}

/* Arrays to their places; false where these are none. */
static bool spread(uint8_t *file, size_t *n, const uint8_t *data, size_t size)
{
    int64_t taken = HEADER;
    *n = PAGE;
    for (int k = 0; k < 3; k++) {
        const int64_t offset = number(file, OFFSETS + 8 * k), bytes = number(file, BYTES + 8 * k);
        if (offset < 0 || bytes < 0 || offset > MOST || bytes > MOST - offset)
            return false;
        const int64_t left = (int64_t)size - taken, here = bytes < left ? bytes : left;
        if (here > 0)
            memcpy(file + offset, data + taken, (size_t)here);
        taken += here;
        const size_t end = (size_t)((offset + bytes + PAGE - 1) / PAGE * PAGE);
        *n = end > *n ? end : *n;
    }
    return true;
}

static void sign(uint8_t *file)
{
    const bool complex = file[16] == 3;
    struct sp_csr a = {.n_r = number(file, 24), .n_c = number(file, 32), .n_nz = number(file, 40)};
    a.field = complex ? SP_FIELD_COMPLEX : SP_FIELD_REAL;
    int64_t offset[3]; /* an array that lies on the header may have changed them */
    bool inside = true;
    for (int k = 0; k < 3; k++) {
        offset[k] = number(file, OFFSETS + 8 * k);
        inside = inside && offset[k] >= 0 && offset[k] <= MOST;
        offset[k] = inside ? offset[k] : 0;
    }
    a.row_ptr = (int64_t *)(void *)(file + offset[0]);
    a.col = (int32_t *)(void *)(file + offset[1]);
    a.val = (double *)(void *)(file + offset[2]);
    char digest[65];
    if (inside && a.n_r >= 0 && a.n_r < MOST && a.n_nz >= 0 && a.n_nz < MOST &&
        number(file, BYTES) == (a.n_r + 1) * 8 && number(file, BYTES + 8) == a.n_nz * 4 &&
        number(file, BYTES + 16) == a.n_nz * (complex ? 16 : 8) && number(file, OFFSETS) % PAGE == 0 &&
        number(file, OFFSETS + 8) % PAGE == 0 && number(file, OFFSETS + 16) % PAGE == 0 &&
        sp_csr_digest(&a, 1, digest, NULL) == SP_OK)
        memcpy(file + DIGEST, digest, 64);
    const uint64_t hash = sp_hash64(file, HASH, 0);
    memcpy(file + HASH, &hash, sizeof hash);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t n;
    uint8_t *file = size < HEADER ? NULL : aligned_alloc(PAGE, MOST + PAGE);
    if (!file)
        return 0;
    memset(file, 0, MOST + PAGE);
    memcpy(file, data, HEADER);
    if (spread(file, &n, data, size)) {
        sign(file);
        struct sp_csr a;
        struct sp_error err = {0};
        char digest[65];
        int64_t n_entries;
        const struct sp_load_options options = {.n_threads = 1, .memory_limit_B = 64e6};
        const enum sp_status status =
            sp_cache_read(fuzz_path(file, n), NULL, &options, &a, digest, &n_entries, &err);
        if (status == SP_OK)
            fuzz_require(sp_csr_check(&a, NULL) == SP_OK, "the matrix is not canonical");
        else
            fuzz_require_refusal(status, &err);
        sp_csr_free(&a);
    }
    free(file);
    return 0;
}
