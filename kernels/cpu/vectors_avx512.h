/* Vectors of 64 bytes, and masks for the shorter ones. For files that are compiled with -mavx512f and -vl. */
#ifndef SP_KERNELS_CPU_VECTORS_AVX512_H
#define SP_KERNELS_CPU_VECTORS_AVX512_H

#include "kernels/cpu/vectors_avx2.h"

typedef double f64x8 __attribute__((vector_size(64)));
typedef double f64x8u __attribute__((vector_size(64), aligned(8), may_alias));
typedef float f32x16 __attribute__((vector_size(64)));
typedef float f32x16u __attribute__((vector_size(64), aligned(4), may_alias));

static inline f64x8 loads_f64x8_i32(const double *x, const int32_t *i)
{
    return (f64x8){x[i[0]], x[i[1]], x[i[2]], x[i[3]], x[i[4]], x[i[5]], x[i[6]], x[i[7]]};
}
static inline f64x8 loads_f64x8_i64(const double *x, const int64_t *i)
{
    return (f64x8){x[i[0]], x[i[1]], x[i[2]], x[i[3]], x[i[4]], x[i[5]], x[i[6]], x[i[7]]};
}
static inline f32x16 loads_f32x16_i32(const float *x, const int32_t *i)
{
    return (f32x16){x[i[0]], x[i[1]], x[i[2]],  x[i[3]],  x[i[4]],  x[i[5]],  x[i[6]],  x[i[7]],
                    x[i[8]], x[i[9]], x[i[10]], x[i[11]], x[i[12]], x[i[13]], x[i[14]], x[i[15]]};
}
static inline f32x16 loads_f32x16_i64(const float *x, const int64_t *i)
{
    return (f32x16){x[i[0]], x[i[1]], x[i[2]],  x[i[3]],  x[i[4]],  x[i[5]],  x[i[6]],  x[i[7]],
                    x[i[8]], x[i[9]], x[i[10]], x[i[11]], x[i[12]], x[i[13]], x[i[14]], x[i[15]]};
}

/* The masked forms start from a zeroed register: the plain ones depend on what it held before. */
static inline f64x8 gather_f64x8_i32(const double *x, const int32_t *i)
{
    return _mm512_mask_i32gather_pd(_mm512_setzero_pd(), 0xff, _mm256_loadu_si256((const __m256i *)i), x, 8);
}
static inline f64x8 gather_f64x8_i64(const double *x, const int64_t *i)
{
    return _mm512_mask_i64gather_pd(_mm512_setzero_pd(), 0xff, _mm512_loadu_si512(i), x, 8);
}
static inline f32x16 gather_f32x16_i32(const float *x, const int32_t *i)
{
    return _mm512_mask_i32gather_ps(_mm512_setzero_ps(), 0xffff, _mm512_loadu_si512(i), x, 4);
}
static inline f32x16 gather_f32x16_i64(const float *x, const int64_t *i)
{
    __m256 low = _mm512_mask_i64gather_ps(_mm256_setzero_ps(), 0xff, _mm512_loadu_si512(i), x, 4);
    __m256 high = _mm512_mask_i64gather_ps(_mm256_setzero_ps(), 0xff, _mm512_loadu_si512(i + 8), x, 4);
    return _mm512_castpd_ps(
        _mm512_insertf64x4(_mm512_castps_pd(_mm512_castps256_ps512(low)), _mm256_castps_pd(high), 1));
}

static inline void stream_f64x8(double *y, f64x8 v)
{
    _mm512_stream_pd(y, v);
}
static inline void stream_f32x16(float *y, f32x16 v)
{
    _mm512_stream_ps(y, v);
}

static inline double reduce_f64x8(f64x8 v)
{
    return reduce_f64x4(_mm256_add_pd(_mm512_castpd512_pd256(v), _mm512_extractf64x4_pd(v, 1)));
}
static inline float reduce_f32x16(f32x16 v)
{
    __m256 high = _mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(v), 1));
    return reduce_f32x8(_mm256_add_ps(_mm512_castps512_ps256(v), high));
}

/* Products of n entries, fewer than a vector has lanes; neither arrays nor x are read beyond them. */
static inline f64x8 tail_f64x8_i32(const double *val, const double *x, const int32_t *i, int64_t n)
{
    __mmask8 m = (__mmask8)((1u << n) - 1);
    __m256i at = _mm256_maskz_loadu_epi32(m, i);
    return _mm512_maskz_loadu_pd(m, val) * _mm512_mask_i32gather_pd(_mm512_setzero_pd(), m, at, x, 8);
}
static inline f64x8 tail_f64x8_i64(const double *val, const double *x, const int64_t *i, int64_t n)
{
    __mmask8 m = (__mmask8)((1u << n) - 1);
    __m512i at = _mm512_maskz_loadu_epi64(m, i);
    return _mm512_maskz_loadu_pd(m, val) * _mm512_mask_i64gather_pd(_mm512_setzero_pd(), m, at, x, 8);
}
static inline f64x4 tail_f64x4_i32(const double *val, const double *x, const int32_t *i, int64_t n)
{
    __mmask8 m = (__mmask8)((1u << n) - 1);
    __m128i at = _mm_maskz_loadu_epi32(m, i);
    return _mm256_maskz_loadu_pd(m, val) * _mm256_mmask_i32gather_pd(_mm256_setzero_pd(), m, at, x, 8);
}
static inline f64x4 tail_f64x4_i64(const double *val, const double *x, const int64_t *i, int64_t n)
{
    __mmask8 m = (__mmask8)((1u << n) - 1);
    __m256i at = _mm256_maskz_loadu_epi64(m, i);
    return _mm256_maskz_loadu_pd(m, val) * _mm256_mmask_i64gather_pd(_mm256_setzero_pd(), m, at, x, 8);
}
static inline f32x16 tail_f32x16_i32(const float *val, const float *x, const int32_t *i, int64_t n)
{
    __mmask16 m = (__mmask16)((1u << n) - 1);
    __m512i at = _mm512_maskz_loadu_epi32(m, i);
    return _mm512_maskz_loadu_ps(m, val) * _mm512_mask_i32gather_ps(_mm512_setzero_ps(), m, at, x, 4);
}
static inline f32x8 tail_f32x8_i32(const float *val, const float *x, const int32_t *i, int64_t n)
{
    __mmask8 m = (__mmask8)((1u << n) - 1);
    __m256i at = _mm256_maskz_loadu_epi32(m, i);
    return _mm256_maskz_loadu_ps(m, val) * _mm256_mmask_i32gather_ps(_mm256_setzero_ps(), m, at, x, 4);
}
static inline f32x8 tail_f32x8_i64(const float *val, const float *x, const int64_t *i, int64_t n)
{
    __mmask8 m = (__mmask8)((1u << n) - 1);
    __m512i at = _mm512_maskz_loadu_epi64(m, i);
    return _mm256_maskz_loadu_ps(m, val) * _mm512_mask_i64gather_ps(_mm256_setzero_ps(), m, at, x, 4);
}
static inline f32x16 tail_f32x16_i64(const float *val, const float *x, const int64_t *i, int64_t n)
{
    int64_t low = n < 8 ? n : 8;
    __m512 sum = _mm512_zextps256_ps512(tail_f32x8_i64(val, x, i, low));
    if (n <= 8)
        return sum;
    __m256 high = tail_f32x8_i64(val + 8, x, i + 8, n - 8);
    return _mm512_add_ps(sum, _mm512_zextps256_ps512(high));
}

#endif
