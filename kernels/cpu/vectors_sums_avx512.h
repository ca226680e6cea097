/* For sums of products with AVX-512: as vectors_sums_avx2.h, with vectors of 64 bytes as well. */
#ifndef SP_KERNELS_CPU_VECTORS_SUMS_AVX512_H
#define SP_KERNELS_CPU_VECTORS_SUMS_AVX512_H

#include "kernels/cpu/vectors_avx512.h"
#include "kernels/cpu/vectors_sums_avx2.h"

static inline f64x8 load_f64x8_f64(const double *p)
{
    return *(const f64x8u *)p;
}
static inline f32x16 load_f32x16_f32(const float *p)
{
    return *(const f32x16u *)p;
}
static inline f32x16 load_f32x16_f16(const uint16_t *p)
{
    return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)p));
}
static inline f32x16 load_f32x16_bf16(const uint16_t *p)
{
    __m512i wide = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)p));
    return _mm512_castsi512_ps(_mm512_slli_epi32(wide, 16));
}

static inline f32x8 halved_f32x16(f32x16 v)
{
    __m256 high = _mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(v), 1));
    return _mm256_add_ps(_mm512_castps512_ps256(v), high);
}
static inline f64x4 halved_f64x8(f64x8 v)
{
    return _mm256_add_pd(_mm512_castpd512_pd256(v), _mm512_extractf64x4_pd(v, 1));
}
static inline void sums4_f32x16(const f32x16 *s, float *sum)
{
    f32x8 h[4] = {halved_f32x16(s[0]), halved_f32x16(s[1]), halved_f32x16(s[2]), halved_f32x16(s[3])};
    sums4_f32x8(h, sum);
}
static inline void sums8_f32x16(const f32x16 *s, float *sum)
{
    f32x8 h[8] = {halved_f32x16(s[0]), halved_f32x16(s[1]), halved_f32x16(s[2]), halved_f32x16(s[3]),
                  halved_f32x16(s[4]), halved_f32x16(s[5]), halved_f32x16(s[6]), halved_f32x16(s[7])};
    sums8_f32x8(h, sum);
}
static inline void sums4_f64x8(const f64x8 *s, double *sum)
{
    f64x4 h[4] = {halved_f64x8(s[0]), halved_f64x8(s[1]), halved_f64x8(s[2]), halved_f64x8(s[3])};
    sums4_f64x4(h, sum);
}
static inline void sums8_f64x8(const f64x8 *s, double *sum)
{
    sums4_f64x8(s, sum);
    sums4_f64x8(s + 4, sum + 4);
}

#endif
