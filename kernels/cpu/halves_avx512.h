/* bf16 with 16 sums in a vector; of f16 8 are enough. For files that are compiled with
 * -mavx512f -mf16c. */
#ifndef SP_KERNELS_CPU_HALVES_AVX512_H
#define SP_KERNELS_CPU_HALVES_AVX512_H

#include "kernels/cpu/halves_avx2.h"
#include "kernels/cpu/vectors_avx512.h"

typedef f32x16 bf16x16;

static inline bf16x16 load_bf16x16(const uint16_t *p)
{
    __m512i wide = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)p));
    return _mm512_castsi512_ps(_mm512_slli_epi32(wide, 16));
}
/* sp_bf16_of() in each lane. */
static inline __m256i round_bf16x16(bf16x16 v)
{
    __m512i bits = _mm512_castps_si512(v), upper = _mm512_srli_epi32(bits, 16);
    __m512i odd = _mm512_and_si512(upper, _mm512_set1_epi32(1));
    __m512i sum = _mm512_add_epi32(_mm512_add_epi32(bits, odd), _mm512_set1_epi32(0x7fff));
    __mmask16 nan = _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q);
    __m512i rounded = _mm512_srli_epi32(sum, 16);
    return _mm512_cvtepi32_epi16(_mm512_mask_or_epi32(rounded, nan, upper, _mm512_set1_epi32(0x40)));
}
static inline void save_bf16x16(uint16_t *p, bf16x16 v)
{
    _mm256_storeu_si256((__m256i *)p, round_bf16x16(v));
}
static inline void stream_bf16x16(uint16_t *p, bf16x16 v)
{
    _mm256_stream_si256((__m256i *)p, round_bf16x16(v));
}
static inline bf16x16 scale_bf16x16(const uint16_t *p)
{
    return _mm512_set1_ps(sp_bf16_to(*p));
}

#endif
