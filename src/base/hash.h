/* Two hashes: a fast one, and one that says what something is. */
#ifndef SP_BASE_HASH_H
#define SP_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* XXH64, the 64-bit hash of Yann Collet's published specification (xxHash, version 0.1.1): fast,
 * not cryptographic; guards stored data against damage. */
uint64_t sp_hash64(const void *data, size_t size, uint64_t seed);

/* SHA-256 [FIPS 180-4] of small data: identities in records. */
struct sp_sha256 {
    uint32_t state[8];
    unsigned char block[64];
    uint64_t n; /* [B] so far */
};

void sp_sha256_start(struct sp_sha256 *s);
void sp_sha256_add(struct sp_sha256 *s, const void *data, size_t size);
/* 64 hexadecimal digits and a terminator. */
void sp_sha256_finish(struct sp_sha256 *s, char hex[65]);

#endif
