#include "sparse/csr/digest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the digest is defined on little-endian arrays");

static const size_t block_bytes = 1 << 20;

enum sp_status sp_csr_digest(const struct sp_csr *a, int n_threads, char hex[65], struct sp_error *err)
{
    size_t value_bytes = sp_csr_is_complex(a) ? 2 * sizeof(double) : sizeof(double);
    const struct {
        const void *data;
        size_t bytes;
    } arrays[3] = {{a->row_ptr, (size_t)(a->n_r + 1) * sizeof *a->row_ptr},
                   {a->col, (size_t)a->n_nz * sizeof *a->col},
                   {a->val, (size_t)a->n_nz * value_bytes}};
    hex[0] = '\0';
    struct sp_sha256 sha;
    char line[128];
    sp_sha256_start(&sha);
    int length = snprintf(line, sizeof line, "spmodel.csr/1 %lld %lld %lld %s\n", (long long)a->n_r,
                          (long long)a->n_c, (long long)a->n_nz, sp_csr_is_complex(a) ? "complex" : "real");
    sp_sha256_add(&sha, line, (size_t)length);
    for (int k = 0; k < 3; k++) {
        int64_t n_blocks = (int64_t)((arrays[k].bytes + block_bytes - 1) / block_bytes);
        void *p;
        enum sp_status status = sp_new_array(n_blocks, sizeof(uint64_t), "block hashes", &p, err);
        if (status != SP_OK)
            return status;
        uint64_t *hash = p;
#pragma omp parallel for schedule(static) num_threads(n_threads < 1 ? 1 : n_threads) if (n_blocks > 4)
        for (int64_t b = 0; b < n_blocks; b++) {
            size_t begin = (size_t)b * block_bytes, left = arrays[k].bytes - begin;
            hash[b] = sp_hash64((const char *)arrays[k].data + begin, left < block_bytes ? left : block_bytes,
                                (uint64_t)b);
        }
        sp_sha256_add(&sha, hash, (size_t)n_blocks * sizeof *hash);
        free(hash);
    }
    sp_sha256_finish(&sha, hex);
    return SP_OK;
}
