/* Numbers stored in 16 bits and summed in f32: f16x8 is a vector of 8 sums. For files that are compiled with
 * -mavx2 -mf16c. */
#ifndef SP_KERNELS_CPU_HALVES_AVX2_H
#define SP_KERNELS_CPU_HALVES_AVX2_H

#include "kernels/cpu/vectors_avx2.h"
#include "sparse/csr/real.h"

typedef float f16x1;
typedef float bf16x1;
typedef f32x8 f16x8;
typedef f32x8 bf16x8;

static inline f16x1 load_f16x1(const uint16_t *p)
{
    return _cvtsh_ss(*p);
}
static inline void save_f16x1(uint16_t *p, f16x1 v)
{
    *p = _cvtss_sh(v, _MM_FROUND_TO_NEAREST_INT);
}
static inline f16x1 scale_f16x1(const uint16_t *p)
{
    return _cvtsh_ss(*p);
}
static inline bf16x1 load_bf16x1(const uint16_t *p)
{
    return sp_bf16_to(*p);
}
static inline void save_bf16x1(uint16_t *p, bf16x1 v)
{
    *p = sp_bf16_of(v);
}
static inline bf16x1 scale_bf16x1(const uint16_t *p)
{
    return sp_bf16_to(*p);
}

static inline f16x8 load_f16x8(const uint16_t *p)
{
    return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)p));
}
static inline void save_f16x8(uint16_t *p, f16x8 v)
{
    _mm_storeu_si128((__m128i *)p, _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT));
}
static inline void stream_f16x8(uint16_t *p, f16x8 v)
{
    _mm_stream_si128((__m128i *)p, _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT));
}
static inline f16x8 scale_f16x8(const uint16_t *p)
{
    return _mm256_cvtph_ps(_mm_set1_epi16((short)*p));
}

static inline bf16x8 load_bf16x8(const uint16_t *p)
{
    __m256i wide = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)p));
    return _mm256_castsi256_ps(_mm256_slli_epi32(wide, 16));
}
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
static inline void save_bf16x8(uint16_t *p, bf16x8 v)
{
    _mm_storeu_si128((__m128i *)p, round_bf16x8(v));
}
static inline void stream_bf16x8(uint16_t *p, bf16x8 v)
{
    _mm_stream_si128((__m128i *)p, round_bf16x8(v));
}
static inline bf16x8 scale_bf16x8(const uint16_t *p)
{
    return _mm256_set1_ps(sp_bf16_to(*p));
}

#endif
