/* For sums of products with AVX2: vectors loaded from each storage type, and the sums of eight or four
 * vectors made together. The 16-bit types need F16C, which every CPU with AVX2 has. */
#ifndef SP_KERNELS_CPU_VECTORS_SUMS_AVX2_H
#define SP_KERNELS_CPU_VECTORS_SUMS_AVX2_H

#include "kernels/cpu/vectors_avx2.h"
#include "sparse/csr/real.h"

static inline f64x4 load_f64x4_f64(const double *p)
{
    return *(const f64x4u *)p;
}
static inline f32x4 load_f32x4_f32(const float *p)
{
    return *(const f32x4u *)p;
}
static inline f32x8 load_f32x8_f32(const float *p)
{
    return *(const f32x8u *)p;
}
static inline f32x4 load_f32x4_f16(const uint16_t *p)
{
    return _mm_cvtph_ps(_mm_loadl_epi64((const __m128i *)p));
}
static inline f32x8 load_f32x8_f16(const uint16_t *p)
{
    return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)p));
}
static inline f32x4 load_f32x4_bf16(const uint16_t *p)
{
    return _mm_castsi128_ps(_mm_unpacklo_epi16(_mm_setzero_si128(), _mm_loadl_epi64((const __m128i *)p)));
}
static inline f32x8 load_f32x8_bf16(const uint16_t *p)
{
    __m256i wide = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)p));
    return _mm256_castsi256_ps(_mm256_slli_epi32(wide, 16));
}

/* One number from its storage type to that of sums, and back. */
static inline double widen_f64(double v)
{
    return v;
}
static inline double narrow_f64(double v)
{
    return v;
}
static inline float widen_f32(float v)
{
    return v;
}
static inline float narrow_f32(float v)
{
    return v;
}
static inline float widen_f16(uint16_t v)
{
    return _cvtsh_ss(v);
}
static inline uint16_t narrow_f16(float v)
{
    return _cvtss_sh(v, _MM_FROUND_TO_NEAREST_INT);
}
static inline float widen_bf16(uint16_t v)
{
    return sp_bf16_to(v);
}
static inline uint16_t narrow_bf16(float v)
{
    return sp_bf16_of(v);
}

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
static inline __m256 pairs_f32x8(__m256 a, __m256 b)
{
    return _mm256_add_ps(_mm256_shuffle_ps(a, b, 0x88), _mm256_shuffle_ps(a, b, 0xdd));
}
/* Both halves of the result have four sums that are still to be added. */
static inline __m256 quads_f32x8(const f32x8 *s)
{
    return pairs_f32x8(pairs_f32x8(s[0], s[1]), pairs_f32x8(s[2], s[3]));
}
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

#endif
