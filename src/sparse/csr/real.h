/* Real numbers in the precisions that arrays are stored in. */
#ifndef SP_SPARSE_REAL_H
#define SP_SPARSE_REAL_H

#include <stdint.h>
#include <string.h>

#include "sparse/product/workload.h"

static inline uint32_t sp_float_bits(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}
static inline float sp_float_of_bits(uint32_t bits)
{
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* IEEE binary16, round to nearest even; what is too large becomes infinity. */
static inline uint16_t sp_f16_of(float v)
{
    uint32_t bits = sp_float_bits(v), sign = bits >> 16 & 0x8000u, size = bits & 0x7fffffffu;
    if (size >= 0x47800000u) /* 2^16 and more, infinity, NaN */
        return (uint16_t)(sign | 0x7c00u | (size > 0x7f800000u ? 0x200u : 0));
    if (size < 0x38800000u) { /* below 2^-14: adding 0.5 puts units of 2^-24 at the end of the fraction */
        uint32_t units = sp_float_bits(sp_float_of_bits(size) + 0.5f) - 0x3f000000u;
        return (uint16_t)(sign | units);
    }
    uint32_t rounded = size + 0xfffu + (size >> 13 & 1u) - 0x38000000u;
    return (uint16_t)(sign | rounded >> 13);
}
static inline float sp_f16_to(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000u) << 16, size = h & 0x7fffu;
    if (size >= 0x7c00u)
        return sp_float_of_bits(sign | 0x7f800000u | (size & 0x3ffu) << 13);
    if (size < 0x400u) {
        float v = (float)size * 0x1p-24f;
        return sign ? -v : v;
    }
    return sp_float_of_bits(sign | ((size << 13) + 0x38000000u));
}

/* The upper half of binary32, round to nearest even. */
static inline uint16_t sp_bf16_of(float v)
{
    uint32_t bits = sp_float_bits(v);
    if ((bits & 0x7fffffffu) > 0x7f800000u)
        return (uint16_t)(bits >> 16 | 0x40u);
    return (uint16_t)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}
static inline float sp_bf16_to(uint16_t h)
{
    return sp_float_of_bits((uint32_t)h << 16);
}

/* Item i of an array in a real precision, from and to double. */
static inline void sp_real_store(enum sp_precision precision, void *array, int64_t i, double v)
{
    switch (precision) {
    case SP_F32:
        ((float *)array)[i] = (float)v;
        break;
    case SP_F16:
        ((uint16_t *)array)[i] = sp_f16_of((float)v);
        break;
    case SP_BF16:
        ((uint16_t *)array)[i] = sp_bf16_of((float)v);
        break;
    default:
        ((double *)array)[i] = v;
    }
}
static inline double sp_real_load(enum sp_precision precision, const void *array, int64_t i)
{
    switch (precision) {
    case SP_F32:
        return (double)((const float *)array)[i];
    case SP_F16:
        return (double)sp_f16_to(((const uint16_t *)array)[i]);
    case SP_BF16:
        return (double)sp_bf16_to(((const uint16_t *)array)[i]);
    default:
        return ((const double *)array)[i];
    }
}

#endif
