/* Two hashes, a fast one and one that says what something is, and seeded random numbers. */
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

/* Seeded pseudo-random numbers, the same on every machine: splitmix64 (Steele, Lea, Flood 2014). */

struct sp_random {
    uint64_t state;
};

static inline uint64_t sp_random_next(struct sp_random *r)
{
    uint64_t z = (r->state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* A number that depends on (seed, i) alone, so that loops can be parallel and reproducible. */
static inline uint64_t sp_random_at(uint64_t seed, uint64_t i)
{
    struct sp_random r = {seed ^ (i * UINT64_C(0xd1342543de82ef95))};
    sp_random_next(&r);
    return sp_random_next(&r);
}

/* Uniform in [0, 1). */
static inline double sp_random_unit(struct sp_random *r)
{
    return (double)(sp_random_next(r) >> 11) * 0x1p-53;
}

/* Uniform in [0, n), n > 0 (multiply-shift; the bias is below n / 2^64). */
static inline int64_t sp_random_below(struct sp_random *r, int64_t n)
{
    return (int64_t)(((unsigned __int128)sp_random_next(r) * (uint64_t)n) >> 64);
}

#endif
