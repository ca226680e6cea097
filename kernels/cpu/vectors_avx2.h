/* Vectors of 8 to 32 bytes with AVX2, FMA and F16C; see vectors.h, which includes this. */
#ifndef SP_KERNELS_CPU_VECTORS_AVX2_H
#define SP_KERNELS_CPU_VECTORS_AVX2_H

#include <immintrin.h>

#include "sparse/csr/real.h"

#define STORE_FENCE _mm_sfence

typedef double f64x4 __attribute__((vector_size(32)));
typedef double f64x4u __attribute__((vector_size(32), aligned(8), may_alias));
typedef float f32x8 __attribute__((vector_size(32)));
typedef float f32x8u __attribute__((vector_size(32), aligned(4), may_alias));
typedef f64x4 mixedx4;
typedef f64x4u mixedx4u;
typedef f32x8 f16x8;
typedef f32x8 bf16x8;

/* Values as sums. */
INLINE(f64x4, load_f64x4, (const double *val), return *(const f64x4u *)val)
INLINE(f32x4, load_f32x4, (const float *val), return *(const f32x4u *)val)
INLINE(f32x8, load_f32x8, (const float *val), return *(const f32x8u *)val)
INLINE(f64x4, load_mixedx4, (const float *val), return _mm256_cvtps_pd(_mm_loadu_ps(val)))

INLINE(void, save_f64x4, (double *p, f64x4 v), *(f64x4u *)p = v)
INLINE(void, save_f32x8, (float *p, f32x8 v), *(f32x8u *)p = v)

/* One number from its storage type to that of sums, and back. */
INLINE(double, widen_f64, (double v), return v)
INLINE(double, narrow_f64, (double v), return v)
INLINE(float, widen_f32, (float v), return v)
INLINE(float, narrow_f32, (float v), return v)
/* x[i[0]], x[i[1]], ... */
INLINE(f64x4, gather_f64x4_d16, (const double *x, const uint16_t *i),
       return _mm256_i32gather_pd(x, _mm_cvtepu16_epi32(_mm_loadl_epi64((const __m128i *)i)), 8))
INLINE(f32x4, gather_f32x4_d16, (const float *x, const uint16_t *i),
       return _mm_i32gather_ps(x, _mm_cvtepu16_epi32(_mm_loadl_epi64((const __m128i *)i)), 4))
INLINE(f32x8, gather_f32x8_d16, (const float *x, const uint16_t *i),
       return _mm256_i32gather_ps(x, _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)i)), 4))
INLINE(f64x4, gather_f64x4_i32, (const double *x, const int32_t *i),
       return _mm256_i32gather_pd(x, _mm_loadu_si128((const __m128i *)i), 8))
INLINE(f64x4, gather_f64x4_i64, (const double *x, const int64_t *i),
       return _mm256_i64gather_pd(x, _mm256_loadu_si256((const __m256i *)i), 8))
INLINE(f32x4, gather_f32x4_i32, (const float *x, const int32_t *i),
       return _mm_i32gather_ps(x, _mm_loadu_si128((const __m128i *)i), 4))
INLINE(f32x4, gather_f32x4_i64, (const float *x, const int64_t *i),
       return _mm256_i64gather_ps(x, _mm256_loadu_si256((const __m256i *)i), 4))
INLINE(f32x8, gather_f32x8_i32, (const float *x, const int32_t *i),
       return _mm256_i32gather_ps(x, _mm256_loadu_si256((const __m256i *)i), 4))
INLINE(f32x8, gather_f32x8_i64, (const float *x, const int64_t *i),
       return _mm256_set_m128(gather_f32x4_i64(x, i + 4), gather_f32x4_i64(x, i)))

/* Stores past the cache. */
INLINE(void, stream_f64x2, (double *y, f64x2 v), _mm_stream_pd(y, v))
INLINE(void, stream_f64x4, (double *y, f64x4 v), _mm256_stream_pd(y, v))
INLINE(void, stream_f32x4, (float *y, f32x4 v), _mm_stream_ps(y, v))
INLINE(void, stream_f32x8, (float *y, f32x8 v), _mm256_stream_ps(y, v))
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
#define stream_mixedx4 stream_f64x4

/* The sum of the lanes. */
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
INLINE(float, reduce_f32x8, (f32x8 v),
       return reduce_f32x4(_mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1))))

/* sum[i] = the sum of the lanes of s[i]. */
static inline void sums4_f32x4(const f32x4 *s, float *sum)
{
    __m128 a = _mm_add_ps(_mm_shuffle_ps(s[0], s[1], 0x88), _mm_shuffle_ps(s[0], s[1], 0xdd));
    __m128 b = _mm_add_ps(_mm_shuffle_ps(s[2], s[3], 0x88), _mm_shuffle_ps(s[2], s[3], 0xdd));
    _mm_storeu_ps(sum, _mm_add_ps(_mm_shuffle_ps(a, b, 0x88), _mm_shuffle_ps(a, b, 0xdd)));
}
static inline void sums8_f32x4(const f32x4 *s, float *sum)
{
    sums4_f32x4(s, sum);
    sums4_f32x4(s + 4, sum + 4);
}
INLINE(__m256, pairs_f32x8, (__m256 a, __m256 b),
       return _mm256_add_ps(_mm256_shuffle_ps(a, b, 0x88), _mm256_shuffle_ps(a, b, 0xdd)))
/* Both halves of the result have four sums that are still to be added. */
INLINE(__m256, quads_f32x8, (const f32x8 *s),
       return pairs_f32x8(pairs_f32x8(s[0], s[1]), pairs_f32x8(s[2], s[3])))
static inline void sums4_f32x8(const f32x8 *s, float *sum)
{
    __m256 q = quads_f32x8(s);
    _mm_storeu_ps(sum, _mm_add_ps(_mm256_castps256_ps128(q), _mm256_extractf128_ps(q, 1)));
}
static inline void sums8_f32x8(const f32x8 *s, float *sum)
{
    __m256 q = quads_f32x8(s), r = quads_f32x8(s + 4);
    _mm256_storeu_ps(sum,
                     _mm256_add_ps(_mm256_permute2f128_ps(q, r, 0x20), _mm256_permute2f128_ps(q, r, 0x31)));
}
static inline void sums4_f64x4(const f64x4 *s, double *sum)
{
    __m256d a = _mm256_add_pd(_mm256_unpacklo_pd(s[0], s[1]), _mm256_unpackhi_pd(s[0], s[1]));
    __m256d b = _mm256_add_pd(_mm256_unpacklo_pd(s[2], s[3]), _mm256_unpackhi_pd(s[2], s[3]));
    _mm256_storeu_pd(sum,
                     _mm256_add_pd(_mm256_permute2f128_pd(a, b, 0x20), _mm256_permute2f128_pd(a, b, 0x31)));
}
static inline void sums8_f64x4(const f64x4 *s, double *sum)
{
    sums4_f64x4(s, sum);
    sums4_f64x4(s + 4, sum + 4);
}

/* t[k][i] = val[n i + k] for k < 4: the first columns of as many rows of n values each as there are
 * lanes. */
static inline void columns_f64x4(const double *val, int64_t n, f64x4 *t)
{
    __m256d r0 = _mm256_loadu_pd(val), r1 = _mm256_loadu_pd(val + n);
    __m256d r2 = _mm256_loadu_pd(val + 2 * n), r3 = _mm256_loadu_pd(val + 3 * n);
    __m256d a = _mm256_unpacklo_pd(r0, r1), b = _mm256_unpackhi_pd(r0, r1);
    __m256d c = _mm256_unpacklo_pd(r2, r3), d = _mm256_unpackhi_pd(r2, r3);
    t[0] = _mm256_permute2f128_pd(a, c, 0x20);
    t[1] = _mm256_permute2f128_pd(b, d, 0x20);
    t[2] = _mm256_permute2f128_pd(a, c, 0x31);
    t[3] = _mm256_permute2f128_pd(b, d, 0x31);
}
static inline void columns_mixedx4(const float *val, int64_t n, mixedx4 *t)
{
    __m128 r0 = _mm_loadu_ps(val), r1 = _mm_loadu_ps(val + n);
    __m128 r2 = _mm_loadu_ps(val + 2 * n), r3 = _mm_loadu_ps(val + 3 * n);
    _MM_TRANSPOSE4_PS(r0, r1, r2, r3);
    t[0] = _mm256_cvtps_pd(r0);
    t[1] = _mm256_cvtps_pd(r1);
    t[2] = _mm256_cvtps_pd(r2);
    t[3] = _mm256_cvtps_pd(r3);
}
/* Of rows i and i + 4, for the two halves of a vector. */
INLINE(__m256, two_rows, (const float *val, int64_t n),
       return _mm256_set_m128(_mm_loadu_ps(val + 4 * n), _mm_loadu_ps(val)))
static inline void columns_f32x8(const float *val, int64_t n, f32x8 *t)
{
    __m256 r0 = two_rows(val, n), r1 = two_rows(val + n, n);
    __m256 r2 = two_rows(val + 2 * n, n), r3 = two_rows(val + 3 * n, n);
    __m256 a = _mm256_unpacklo_ps(r0, r1), b = _mm256_unpacklo_ps(r2, r3);
    __m256 c = _mm256_unpackhi_ps(r0, r1), d = _mm256_unpackhi_ps(r2, r3);
    t[0] = _mm256_shuffle_ps(a, b, 0x44);
    t[1] = _mm256_shuffle_ps(a, b, 0xee);
    t[2] = _mm256_shuffle_ps(c, d, 0x44);
    t[3] = _mm256_shuffle_ps(c, d, 0xee);
}

#if SP_LEVEL == 1 /* vectors_avx512.h has its own, by mask */
/* Four zeros between words of which all bits are set: where masks of any n lanes begin. */
static const int32_t lanes_between[24] = {-1, -1, -1, -1, -1, -1, -1, -1, 0,  0,  0,  0,
                                          0,  0,  0,  0,  -1, -1, -1, -1, -1, -1, -1, -1};
INLINE(__m256i, first_lanes, (int64_t n_words),
       return _mm256_loadu_si256((const __m256i *)(lanes_between + 8 - n_words)))
INLINE(__m256i, last_lanes, (int64_t n_words),
       return _mm256_loadu_si256((const __m256i *)(lanes_between + 8 + n_words)))

/* The first n values, from none to as many as there are lanes, and 0; the array is not read beyond
 * them. */
INLINE(f64x4, up_to_load_f64x4, (const double *p, int32_t n),
       return _mm256_maskload_pd(p, first_lanes(2 * n)))
INLINE(f32x8, up_to_load_f32x8, (const float *p, int32_t n), return _mm256_maskload_ps(p, first_lanes(n)))
INLINE(f32x4, up_to_load_f32x4, (const float *p, int32_t n),
       return _mm_maskload_ps(p, _mm256_castsi256_si128(first_lanes(n))))

/* The last n lanes, and 0 before them. */
INLINE(f64x4, last_f64x4, (f64x4 v, int64_t n),
       return _mm256_and_pd(v, _mm256_castsi256_pd(last_lanes(2 * n))))
INLINE(f32x8, last_f32x8, (f32x8 v, int64_t n), return _mm256_and_ps(v, _mm256_castsi256_ps(last_lanes(n))))
#endif

/* Are eight words all n, and a bit for each that is more. */
INLINE(bool, are_all, (__m256i v, int32_t n),
       return _mm256_movemask_epi8(_mm256_cmpeq_epi32(v, _mm256_set1_epi32(n))) == -1)
INLINE(unsigned, more_than, (__m256i v, int32_t n),
       return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(v, _mm256_set1_epi32(n)))))

#ifdef __F16C__
INLINE(f32x4, load_f16x4, (const uint16_t *p), return _mm_cvtph_ps(_mm_loadl_epi64((const __m128i *)p)))
INLINE(f32x8, load_f16x8, (const uint16_t *p), return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)p)))
INLINE(f32x4, load_bf16x4, (const uint16_t *p),
       return _mm_castsi128_ps(_mm_unpacklo_epi16(_mm_setzero_si128(), _mm_loadl_epi64((const __m128i *)p))))
static inline f32x8 load_bf16x8(const uint16_t *p)
{
    __m256i wide = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)p));
    return _mm256_castsi256_ps(_mm256_slli_epi32(wide, 16));
}
INLINE(float, widen_f16, (uint16_t v), return _cvtsh_ss(v))
INLINE(uint16_t, narrow_f16, (float v), return _cvtss_sh(v, _MM_FROUND_TO_NEAREST_INT))
INLINE(float, widen_bf16, (uint16_t v), return sp_bf16_to(v))
INLINE(uint16_t, narrow_bf16, (float v), return sp_bf16_of(v))

/* For 16-bit types: sums stored, also past the cache, and one value as sums. */
INLINE(void, save_f16x8, (uint16_t * p, f16x8 v),
       _mm_storeu_si128((__m128i *)p, _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT)))
INLINE(void, stream_f16x8, (uint16_t * p, f16x8 v),
       _mm_stream_si128((__m128i *)p, _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT)))
INLINE(f16x8, scale_f16x8, (const uint16_t *p), return _mm256_cvtph_ps(_mm_set1_epi16((short)*p)))
/* sp_bf16_of() in each lane. */
static inline __m128i round_bf16x8(bf16x8 v)
{
    __m256i bits = _mm256_castps_si256(v), upper = _mm256_srli_epi32(bits, 16);
    __m256i odd = _mm256_and_si256(upper, _mm256_set1_epi32(1));
    __m256i sum = _mm256_add_epi32(_mm256_add_epi32(bits, odd), _mm256_set1_epi32(0x7fff));
    __m256i nan = _mm256_castps_si256(_mm256_cmp_ps(v, v, _CMP_UNORD_Q));
    __m256i quiet = _mm256_or_si256(upper, _mm256_set1_epi32(0x40));
    __m256i rounded = _mm256_blendv_epi8(_mm256_srli_epi32(sum, 16), quiet, nan);
    return _mm_packus_epi32(_mm256_castsi256_si128(rounded), _mm256_extracti128_si256(rounded, 1));
}
INLINE(void, save_bf16x8, (uint16_t * p, bf16x8 v), _mm_storeu_si128((__m128i *)p, round_bf16x8(v)))
INLINE(void, stream_bf16x8, (uint16_t * p, bf16x8 v), _mm_stream_si128((__m128i *)p, round_bf16x8(v)))
INLINE(bf16x8, scale_bf16x8, (const uint16_t *p), return _mm256_set1_ps(sp_bf16_to(*p)))
#endif

#endif
