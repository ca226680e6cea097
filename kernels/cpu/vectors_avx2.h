/* Vectors of 8 to 32 bytes with AVX2. For files that are compiled with -mavx2 -mfma. */
#ifndef SP_KERNELS_CPU_VECTORS_AVX2_H
#define SP_KERNELS_CPU_VECTORS_AVX2_H

#include <immintrin.h>

#include "kernels/cpu/vectors.h"

#define STORE_FENCE _mm_sfence

typedef double f64x2 __attribute__((vector_size(16)));
typedef double f64x2u __attribute__((vector_size(16), aligned(8), may_alias));
typedef float f32x2 __attribute__((vector_size(8)));
typedef float f32x2u __attribute__((vector_size(8), aligned(4), may_alias));
typedef double f64x4 __attribute__((vector_size(32)));
typedef double f64x4u __attribute__((vector_size(32), aligned(8), may_alias));
typedef float f32x4 __attribute__((vector_size(16)));
typedef float f32x4u __attribute__((vector_size(16), aligned(4), may_alias));
typedef float f32x8 __attribute__((vector_size(32)));
typedef float f32x8u __attribute__((vector_size(32), aligned(4), may_alias));

static inline f64x4 loads_f64x4_i32(const double *x, const int32_t *i)
{
    return (f64x4){x[i[0]], x[i[1]], x[i[2]], x[i[3]]};
}
static inline f64x4 loads_f64x4_i64(const double *x, const int64_t *i)
{
    return (f64x4){x[i[0]], x[i[1]], x[i[2]], x[i[3]]};
}
static inline f32x4 loads_f32x4_i32(const float *x, const int32_t *i)
{
    return (f32x4){x[i[0]], x[i[1]], x[i[2]], x[i[3]]};
}
static inline f32x4 loads_f32x4_i64(const float *x, const int64_t *i)
{
    return (f32x4){x[i[0]], x[i[1]], x[i[2]], x[i[3]]};
}
static inline f32x8 loads_f32x8_i32(const float *x, const int32_t *i)
{
    return (f32x8){x[i[0]], x[i[1]], x[i[2]], x[i[3]], x[i[4]], x[i[5]], x[i[6]], x[i[7]]};
}
static inline f32x8 loads_f32x8_i64(const float *x, const int64_t *i)
{
    return (f32x8){x[i[0]], x[i[1]], x[i[2]], x[i[3]], x[i[4]], x[i[5]], x[i[6]], x[i[7]]};
}

static inline f64x4 loads_f64x4_d16(const double *x, const uint16_t *i)
{
    return (f64x4){x[i[0]], x[i[1]], x[i[2]], x[i[3]]};
}
static inline f32x4 loads_f32x4_d16(const float *x, const uint16_t *i)
{
    return (f32x4){x[i[0]], x[i[1]], x[i[2]], x[i[3]]};
}
static inline f32x8 loads_f32x8_d16(const float *x, const uint16_t *i)
{
    return (f32x8){x[i[0]], x[i[1]], x[i[2]], x[i[3]], x[i[4]], x[i[5]], x[i[6]], x[i[7]]};
}

/* Matrix values; mixed ones are stored as f32 and become f64. */
static inline f64x4 values_f64x4(const double *val)
{
    return *(const f64x4u *)val;
}
static inline f32x4 values_f32x4(const float *val)
{
    return *(const f32x4u *)val;
}
static inline f32x8 values_f32x8(const float *val)
{
    return *(const f32x8u *)val;
}
static inline f64x4 values_mixedx4(const float *val)
{
    return _mm256_cvtps_pd(_mm_loadu_ps(val));
}

static inline f64x4 gather_f64x4_d16(const double *x, const uint16_t *i)
{
    return _mm256_i32gather_pd(x, _mm_cvtepu16_epi32(_mm_loadl_epi64((const __m128i *)i)), 8);
}
static inline f32x4 gather_f32x4_d16(const float *x, const uint16_t *i)
{
    return _mm_i32gather_ps(x, _mm_cvtepu16_epi32(_mm_loadl_epi64((const __m128i *)i)), 4);
}
static inline f32x8 gather_f32x8_d16(const float *x, const uint16_t *i)
{
    return _mm256_i32gather_ps(x, _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)i)), 4);
}
static inline f64x4 gather_f64x4_i32(const double *x, const int32_t *i)
{
    return _mm256_i32gather_pd(x, _mm_loadu_si128((const __m128i *)i), 8);
}
static inline f64x4 gather_f64x4_i64(const double *x, const int64_t *i)
{
    return _mm256_i64gather_pd(x, _mm256_loadu_si256((const __m256i *)i), 8);
}
static inline f32x4 gather_f32x4_i32(const float *x, const int32_t *i)
{
    return _mm_i32gather_ps(x, _mm_loadu_si128((const __m128i *)i), 4);
}
static inline f32x4 gather_f32x4_i64(const float *x, const int64_t *i)
{
    return _mm256_i64gather_ps(x, _mm256_loadu_si256((const __m256i *)i), 4);
}
static inline f32x8 gather_f32x8_i32(const float *x, const int32_t *i)
{
    return _mm256_i32gather_ps(x, _mm256_loadu_si256((const __m256i *)i), 4);
}
static inline f32x8 gather_f32x8_i64(const float *x, const int64_t *i)
{
    return _mm256_set_m128(gather_f32x4_i64(x, i + 4), gather_f32x4_i64(x, i));
}

static inline void stream_f64x2(double *y, f64x2 v)
{
    _mm_stream_pd(y, v);
}
static inline void stream_f64x4(double *y, f64x4 v)
{
    _mm256_stream_pd(y, v);
}
static inline void stream_f32x4(float *y, f32x4 v)
{
    _mm_stream_ps(y, v);
}
static inline void stream_f32x8(float *y, f32x8 v)
{
    _mm256_stream_ps(y, v);
}
static inline void stream_line_f64(double *y, const double *line)
{
    _mm256_stream_pd(y, _mm256_load_pd(line));
    _mm256_stream_pd(y + 4, _mm256_load_pd(line + 4));
}
static inline void stream_line_f32(float *y, const float *line)
{
    _mm256_stream_ps(y, _mm256_load_ps(line));
    _mm256_stream_ps(y + 8, _mm256_load_ps(line + 8));
}

static inline double reduce_f64x4(f64x4 v)
{
    __m128d s = _mm_add_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));
    return _mm_cvtsd_f64(_mm_add_sd(s, _mm_unpackhi_pd(s, s)));
}
static inline float reduce_f32x4(f32x4 v)
{
    __m128 s = _mm_add_ps(v, _mm_movehl_ps(v, v));
    return _mm_cvtss_f32(_mm_add_ss(s, _mm_movehdup_ps(s)));
}
static inline float reduce_f32x8(f32x8 v)
{
    return reduce_f32x4(_mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1)));
}

#endif
