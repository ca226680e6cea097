/* Vectors of 64 bytes, and masks for the shorter ones. For files that are compiled with -mavx512f and -vl;
 * the 16-bit tails are there for those with -mavx512bw. */
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

static inline f64x8 loads_f64x8_d16(const double *x, const uint16_t *i)
{
    return (f64x8){x[i[0]], x[i[1]], x[i[2]], x[i[3]], x[i[4]], x[i[5]], x[i[6]], x[i[7]]};
}
static inline f32x16 loads_f32x16_d16(const float *x, const uint16_t *i)
{
    return (f32x16){x[i[0]], x[i[1]], x[i[2]],  x[i[3]],  x[i[4]],  x[i[5]],  x[i[6]],  x[i[7]],
                    x[i[8]], x[i[9]], x[i[10]], x[i[11]], x[i[12]], x[i[13]], x[i[14]], x[i[15]]};
}

static inline f64x8 values_f64x8(const double *val)
{
    return *(const f64x8u *)val;
}
static inline f32x16 values_f32x16(const float *val)
{
    return *(const f32x16u *)val;
}
static inline f64x8 values_mixedx8(const float *val)
{
    return _mm512_cvtps_pd(_mm256_loadu_ps(val));
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

static inline f64x8 gather_f64x8_d16(const double *x, const uint16_t *i)
{
    __m256i at = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)i));
    return _mm512_mask_i32gather_pd(_mm512_setzero_pd(), 0xff, at, x, 8);
}
static inline f32x16 gather_f32x16_d16(const float *x, const uint16_t *i)
{
    __m512i at = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)i));
    return _mm512_mask_i32gather_ps(_mm512_setzero_ps(), 0xffff, at, x, 4);
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

/* Values and gathers of n entries, fewer than a vector has lanes, and 0; neither arrays nor x are read beyond
 * them. */
static inline f64x4 tail_values_f64x4(const double *val, int64_t n)
{
    return _mm256_maskz_loadu_pd((__mmask8)((1u << n) - 1), val);
}
static inline f64x8 tail_values_f64x8(const double *val, int64_t n)
{
    return _mm512_maskz_loadu_pd((__mmask8)((1u << n) - 1), val);
}
static inline f32x8 tail_values_f32x8(const float *val, int64_t n)
{
    return _mm256_maskz_loadu_ps((__mmask8)((1u << n) - 1), val);
}
static inline f32x16 tail_values_f32x16(const float *val, int64_t n)
{
    return _mm512_maskz_loadu_ps((__mmask16)((1u << n) - 1), val);
}
static inline f64x4 tail_values_mixedx4(const float *val, int64_t n)
{
    return _mm256_cvtps_pd(_mm_maskz_loadu_ps((__mmask8)((1u << n) - 1), val));
}
static inline f64x8 tail_values_mixedx8(const float *val, int64_t n)
{
    return _mm512_cvtps_pd(_mm256_maskz_loadu_ps((__mmask8)((1u << n) - 1), val));
}

static inline f64x8 tail_gather_f64x8_i32(const double *x, const int32_t *i, int64_t n)
{
    __mmask8 m = (__mmask8)((1u << n) - 1);
    return _mm512_mask_i32gather_pd(_mm512_setzero_pd(), m, _mm256_maskz_loadu_epi32(m, i), x, 8);
}
static inline f64x8 tail_gather_f64x8_i64(const double *x, const int64_t *i, int64_t n)
{
    __mmask8 m = (__mmask8)((1u << n) - 1);
    return _mm512_mask_i64gather_pd(_mm512_setzero_pd(), m, _mm512_maskz_loadu_epi64(m, i), x, 8);
}
static inline f64x4 tail_gather_f64x4_i32(const double *x, const int32_t *i, int64_t n)
{
    __mmask8 m = (__mmask8)((1u << n) - 1);
    return _mm256_mmask_i32gather_pd(_mm256_setzero_pd(), m, _mm_maskz_loadu_epi32(m, i), x, 8);
}
static inline f64x4 tail_gather_f64x4_i64(const double *x, const int64_t *i, int64_t n)
{
    __mmask8 m = (__mmask8)((1u << n) - 1);
    return _mm256_mmask_i64gather_pd(_mm256_setzero_pd(), m, _mm256_maskz_loadu_epi64(m, i), x, 8);
}
static inline f32x16 tail_gather_f32x16_i32(const float *x, const int32_t *i, int64_t n)
{
    __mmask16 m = (__mmask16)((1u << n) - 1);
    return _mm512_mask_i32gather_ps(_mm512_setzero_ps(), m, _mm512_maskz_loadu_epi32(m, i), x, 4);
}
static inline f32x8 tail_gather_f32x8_i32(const float *x, const int32_t *i, int64_t n)
{
    __mmask8 m = (__mmask8)((1u << n) - 1);
    return _mm256_mmask_i32gather_ps(_mm256_setzero_ps(), m, _mm256_maskz_loadu_epi32(m, i), x, 4);
}
static inline f32x8 tail_gather_f32x8_i64(const float *x, const int64_t *i, int64_t n)
{
    __mmask8 m = (__mmask8)((1u << n) - 1);
    return _mm512_mask_i64gather_ps(_mm256_setzero_ps(), m, _mm512_maskz_loadu_epi64(m, i), x, 4);
}
static inline f32x16 tail_gather_f32x16_i64(const float *x, const int64_t *i, int64_t n)
{
    __m256 low = tail_gather_f32x8_i64(x, i, n < 8 ? n : 8);
    __m256 high = _mm256_setzero_ps();
    if (n > 8)
        high = tail_gather_f32x8_i64(x, i + 8, n - 8);
    return _mm512_castpd_ps(
        _mm512_insertf64x4(_mm512_castps_pd(_mm512_castps256_ps512(low)), _mm256_castps_pd(high), 1));
}
#ifdef __AVX512BW__
static inline f64x8 tail_gather_f64x8_d16(const double *x, const uint16_t *i, int64_t n)
{
    __mmask8 m = (__mmask8)((1u << n) - 1);
    __m256i at = _mm256_cvtepu16_epi32(_mm_maskz_loadu_epi16(m, i));
    return _mm512_mask_i32gather_pd(_mm512_setzero_pd(), m, at, x, 8);
}
static inline f64x4 tail_gather_f64x4_d16(const double *x, const uint16_t *i, int64_t n)
{
    __mmask8 m = (__mmask8)((1u << n) - 1);
    __m128i at = _mm_cvtepu16_epi32(_mm_maskz_loadu_epi16(m, i));
    return _mm256_mmask_i32gather_pd(_mm256_setzero_pd(), m, at, x, 8);
}
static inline f32x16 tail_gather_f32x16_d16(const float *x, const uint16_t *i, int64_t n)
{
    __mmask16 m = (__mmask16)((1u << n) - 1);
    __m512i at = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(m, i));
    return _mm512_mask_i32gather_ps(_mm512_setzero_ps(), m, at, x, 4);
}
static inline f32x8 tail_gather_f32x8_d16(const float *x, const uint16_t *i, int64_t n)
{
    __mmask8 m = (__mmask8)((1u << n) - 1);
    __m256i at = _mm256_cvtepu16_epi32(_mm_maskz_loadu_epi16(m, i));
    return _mm256_mmask_i32gather_ps(_mm256_setzero_ps(), m, at, x, 4);
}
#endif

#endif
