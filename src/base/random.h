/* Seeded pseudo-random numbers, the same on every machine: splitmix64 (Steele, Lea, Flood 2014). */
#ifndef SP_BASE_RANDOM_H
#define SP_BASE_RANDOM_H

#include <stdint.h>

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
