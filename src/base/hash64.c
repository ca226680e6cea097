#include "base/hash64.h"

#include <string.h>

static const uint64_t prime_1 = UINT64_C(0x9e3779b185ebca87), prime_2 = UINT64_C(0xc2b2ae3d27d4eb4f),
                      prime_3 = UINT64_C(0x165667b19e3779f9), prime_4 = UINT64_C(0x85ebca77c2b2ae63),
                      prime_5 = UINT64_C(0x27d4eb2f165667c5);

static uint64_t rotate(uint64_t x, int n)
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
    return rotate(lane + input * prime_2, 31) * prime_1;
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
        hash = rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18);
        hash = merge_lane(merge_lane(merge_lane(merge_lane(hash, a), b), c), d);
    }
    hash += size;
    for (; left >= 8; left -= 8, p += 8)
        hash = rotate(hash ^ mix_lane(0, load_64(p)), 27) * prime_1 + prime_4;
    for (; left >= 4; left -= 4, p += 4)
        hash = rotate(hash ^ load_32(p) * prime_1, 23) * prime_2 + prime_3;
    for (; left > 0; left--, p++)
        hash = rotate(hash ^ *p * prime_5, 11) * prime_1;
    hash = (hash ^ hash >> 33) * prime_2;
    hash = (hash ^ hash >> 29) * prime_3;
    return hash ^ hash >> 32;
}
