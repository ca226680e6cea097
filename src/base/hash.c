#include "base/hash.h"

#include <stdio.h>
#include <string.h>

static const uint64_t prime_1 = UINT64_C(0x9e3779b185ebca87), prime_2 = UINT64_C(0xc2b2ae3d27d4eb4f),
                      prime_3 = UINT64_C(0x165667b19e3779f9), prime_4 = UINT64_C(0x85ebca77c2b2ae63),
                      prime_5 = UINT64_C(0x27d4eb2f165667c5);

static uint64_t rotate_64(uint64_t x, int n)
{
    return x << n | x >> (64 - n);
}

static uint64_t load_64(const unsigned char *p)
{
    uint64_t x;
    memcpy(&x, p, sizeof x);
    return x;
}

static uint64_t load_32(const unsigned char *p)
{
    uint32_t x;
    memcpy(&x, p, sizeof x);
    return x;
}

static uint64_t mix_lane(uint64_t lane, uint64_t input)
{
    return rotate_64(lane + input * prime_2, 31) * prime_1;
}

static uint64_t merge_lane(uint64_t hash, uint64_t lane)
{
    return (hash ^ mix_lane(0, lane)) * prime_1 + prime_4;
}

uint64_t sp_hash64(const void *data, size_t size, uint64_t seed)
{
    const unsigned char *p = data;
    size_t left = size;
    uint64_t hash = seed + prime_5;
    if (size >= 32) {
        uint64_t a = seed + prime_1 + prime_2, b = seed + prime_2, c = seed, d = seed - prime_1;
        for (; left >= 32; left -= 32, p += 32) {
            a = mix_lane(a, load_64(p));
            b = mix_lane(b, load_64(p + 8));
            c = mix_lane(c, load_64(p + 16));
            d = mix_lane(d, load_64(p + 24));
        }
        hash = rotate_64(a, 1) + rotate_64(b, 7) + rotate_64(c, 12) + rotate_64(d, 18);
        hash = merge_lane(merge_lane(merge_lane(merge_lane(hash, a), b), c), d);
    }
    hash += size;
    for (; left >= 8; left -= 8, p += 8)
        hash = rotate_64(hash ^ mix_lane(0, load_64(p)), 27) * prime_1 + prime_4;
    for (; left >= 4; left -= 4, p += 4)
        hash = rotate_64(hash ^ load_32(p) * prime_1, 23) * prime_2 + prime_3;
    for (; left > 0; left--, p++)
        hash = rotate_64(hash ^ *p * prime_5, 11) * prime_1;
    hash = (hash ^ hash >> 33) * prime_2;
    hash = (hash ^ hash >> 29) * prime_3;
    return hash ^ hash >> 32;
}

static const uint32_t round_constant[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

static void take_block(uint32_t state[8], const unsigned char *p)
{
    uint32_t w[64], s[8];
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)p[4 * i] << 24 | (uint32_t)p[4 * i + 1] << 16 | (uint32_t)p[4 * i + 2] << 8 |
               p[4 * i + 3];
    for (int i = 16; i < 64; i++)
        w[i] = w[i - 16] + w[i - 7] + (rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3) +
               (rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10);
    memcpy(s, state, sizeof s);
    for (int i = 0; i < 64; i++) {
        uint32_t sum_e = rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25);
        uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
        uint32_t first = s[7] + sum_e + choice + round_constant[i] + w[i];
        uint32_t sum_a = rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22);
        uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += first;
        s[0] = first + sum_a + majority;
    }
    for (int i = 0; i < 8; i++)
        state[i] += s[i];
}

void sp_sha256_start(struct sp_sha256 *s)
{
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(s->state, start, sizeof start);
    s->n = 0;
}

void sp_sha256_add(struct sp_sha256 *s, const void *data, size_t size)
{
    const unsigned char *p = data;
    while (size > 0) {
        size_t used = s->n % 64, part = 64 - used < size ? 64 - used : size;
        memcpy(s->block + used, p, part);
        s->n += part;
        p += part;
        size -= part;
        if (s->n % 64 == 0)
            take_block(s->state, s->block);
    }
}

void sp_sha256_finish(struct sp_sha256 *s, char hex[65])
{
    uint64_t bits = s->n * 8;
    unsigned char end[8];
    sp_sha256_add(s, "\x80", 1);
    while (s->n % 64 != 56)
        sp_sha256_add(s, "", 1);
    for (int i = 0; i < 8; i++)
        end[i] = (unsigned char)(bits >> (56 - 8 * i));
    sp_sha256_add(s, end, 8);
    for (int i = 0; i < 8; i++)
        snprintf(hex + 8 * i, 9, "%08x", s->state[i]);
}
