/* Vectors of 64 bytes, and masks for the shorter ones; see vectors.h, which includes this. The
 * 16-bit tails are there for files that are compiled with -mavx512bw. */
#ifndef SP_KERNELS_CPU_VECTORS_AVX512_H
#define SP_KERNELS_CPU_VECTORS_AVX512_H

typedef double f64x8 __attribute__((vector_size(64)));
typedef double f64x8u __attribute__((vector_size(64), aligned(8), may_alias));
typedef float f32x16 __attribute__((vector_size(64)));
typedef float f32x16u __attribute__((vector_size(64), aligned(4), may_alias));
typedef f64x8 mixedx8;
typedef f64x8u mixedx8u;
typedef f32x16 f16x16;
typedef f32x16 bf16x16;

INLINE(f64x8, load_f64x8, (const double *val), return *(const f64x8u *)val)
INLINE(f32x16, load_f32x16, (const float *val), return *(const f32x16u *)val)
INLINE(f64x8, load_mixedx8, (const float *val), return _mm512_cvtps_pd(_mm256_loadu_ps(val)))
#ifdef __F16C__
INLINE(f32x16, load_f16x16, (const uint16_t *p),
       return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)p)))
#endif
static inline f32x16 load_bf16x16(const uint16_t *p)
{
    __m512i wide = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)p));
    return _mm512_castsi512_ps(_mm512_slli_epi32(wide, 16));
}

INLINE(void, save_f64x8, (double *p, f64x8 v), *(f64x8u *)p = v)

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
INLINE(void, save_bf16x16, (uint16_t * p, bf16x16 v), _mm256_storeu_si256((__m256i *)p, round_bf16x16(v)))
INLINE(void, stream_bf16x16, (uint16_t * p, bf16x16 v), _mm256_stream_si256((__m256i *)p, round_bf16x16(v)))
INLINE(bf16x16, scale_bf16x16, (const uint16_t *p), return _mm512_set1_ps(sp_bf16_to(*p)))

/* The masked forms start from a zeroed register: the plain ones depend on what it held before. */
INLINE(f64x8, gather_f64x8_i32, (const double *x, const int32_t *i),
       return _mm512_mask_i32gather_pd(_mm512_setzero_pd(), 0xff, _mm256_loadu_si256((const __m256i *)i), x,
                                       8))
INLINE(f64x8, gather_f64x8_i64, (const double *x, const int64_t *i),
       return _mm512_mask_i64gather_pd(_mm512_setzero_pd(), 0xff, _mm512_loadu_si512(i), x, 8))
INLINE(f32x16, gather_f32x16_i32, (const float *x, const int32_t *i),
       return _mm512_mask_i32gather_ps(_mm512_setzero_ps(), 0xffff, _mm512_loadu_si512(i), x, 4))
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

INLINE(void, stream_f64x8, (double *y, f64x8 v), _mm512_stream_pd(y, v))
INLINE(void, stream_f32x16, (float *y, f32x16 v), _mm512_stream_ps(y, v))
#define stream_mixedx8 stream_f64x8

INLINE(double, reduce_f64x8, (f64x8 v),
       return reduce_f64x4(_mm256_add_pd(_mm512_castpd512_pd256(v), _mm512_extractf64x4_pd(v, 1))))
static inline float reduce_f32x16(f32x16 v)
{
    __m256 high = _mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(v), 1));
    return reduce_f32x8(_mm256_add_ps(_mm512_castps512_ps256(v), high));
}

static inline f32x8 halved_f32x16(f32x16 v)
{
    __m256 high = _mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(v), 1));
    return _mm256_add_ps(_mm512_castps512_ps256(v), high);
}
INLINE(f64x4, halved_f64x8, (f64x8 v),
       return _mm256_add_pd(_mm512_castpd512_pd256(v), _mm512_extractf64x4_pd(v, 1)))
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

static inline void columns_f64x8(const double *val, int64_t n, f64x8 *t)
{
    /* Rows 0 and 2 in a vector, 1 and 3, 4 and 6, 5 and 7: then two steps bring them in order. */
    __m512d r[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        const double *row = val + ((i & 1) + (i & 2) * 2) * n;
        r[i] =
            _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_loadu_pd(row)), _mm256_loadu_pd(row + 2 * n), 1);
    }
    __m512d a = _mm512_unpacklo_pd(r[0], r[1]), b = _mm512_unpackhi_pd(r[0], r[1]);
    __m512d c = _mm512_unpacklo_pd(r[2], r[3]), d = _mm512_unpackhi_pd(r[2], r[3]);
    t[0] = _mm512_shuffle_f64x2(a, c, 0x88);
    t[1] = _mm512_shuffle_f64x2(b, d, 0x88);
    t[2] = _mm512_shuffle_f64x2(a, c, 0xdd);
    t[3] = _mm512_shuffle_f64x2(b, d, 0xdd);
}
static inline void columns_mixedx8(const float *val, int64_t n, mixedx8 *t)
{
    f32x8 narrow[4];
    columns_f32x8(val, n, narrow);
#pragma GCC unroll 4
    for (int k = 0; k < 4; k++)
        t[k] = _mm512_cvtps_pd(narrow[k]);
}
static inline void columns_f32x16(const float *val, int64_t n, f32x16 *t)
{
    __m512 r[4]; /* rows i, i + 4, i + 8 and i + 12 */
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++)
        r[i] = _mm512_castpd_ps(
            _mm512_insertf64x4(_mm512_castps_pd(_mm512_castps256_ps512(two_rows(val + i * n, n))),
                               _mm256_castps_pd(two_rows(val + (i + 8) * n, n)), 1));
    __m512 a = _mm512_unpacklo_ps(r[0], r[1]), b = _mm512_unpacklo_ps(r[2], r[3]);
    __m512 c = _mm512_unpackhi_ps(r[0], r[1]), d = _mm512_unpackhi_ps(r[2], r[3]);
    t[0] = _mm512_shuffle_ps(a, b, 0x44);
    t[1] = _mm512_shuffle_ps(a, b, 0xee);
    t[2] = _mm512_shuffle_ps(c, d, 0x44);
    t[3] = _mm512_shuffle_ps(c, d, 0xee);
}

/* The first n values, from none to as many as there are lanes, and 0; the array is not read beyond
 * them. */
static const uint16_t first_lanes[17] = {0,     0x1,   0x3,   0x7,   0xf,    0x1f,   0x3f,   0x7f,  0xff,
                                         0x1ff, 0x3ff, 0x7ff, 0xfff, 0x1fff, 0x3fff, 0x7fff, 0xffff};
INLINE(f64x4, up_to_load_f64x4, (const double *p, int32_t n),
       return _mm256_maskz_loadu_pd((__mmask8)first_lanes[n], p))
INLINE(f64x8, up_to_load_f64x8, (const double *p, int32_t n),
       return _mm512_maskz_loadu_pd((__mmask8)first_lanes[n], p))
INLINE(f32x8, up_to_load_f32x8, (const float *p, int32_t n),
       return _mm256_maskz_loadu_ps((__mmask8)first_lanes[n], p))
INLINE(f32x16, up_to_load_f32x16, (const float *p, int32_t n),
       return _mm512_maskz_loadu_ps(first_lanes[n], p))

/* The last n lanes, and 0 before them. */
INLINE(f64x8, last_f64x8, (f64x8 v, int64_t n), return _mm512_maskz_mov_pd((__mmask8)(0xff << (8 - n)), v))
INLINE(f32x16, last_f32x16, (f32x16 v, int64_t n),
       return _mm512_maskz_mov_ps((__mmask16)(0xffff << (16 - n)), v))

/* Values and gathers of n entries, fewer than a vector has lanes, and 0; neither arrays nor x are
 * read beyond them. */
INLINE(f64x4, tail_load_f64x4, (const double *val, int64_t n),
       return _mm256_maskz_loadu_pd((__mmask8)((1u << n) - 1), val))
INLINE(f64x8, tail_load_f64x8, (const double *val, int64_t n),
       return _mm512_maskz_loadu_pd((__mmask8)((1u << n) - 1), val))
INLINE(f32x8, tail_load_f32x8, (const float *val, int64_t n),
       return _mm256_maskz_loadu_ps((__mmask8)((1u << n) - 1), val))
INLINE(f32x16, tail_load_f32x16, (const float *val, int64_t n),
       return _mm512_maskz_loadu_ps((__mmask16)((1u << n) - 1), val))
INLINE(f64x4, tail_load_mixedx4, (const float *val, int64_t n),
       return _mm256_cvtps_pd(_mm_maskz_loadu_ps((__mmask8)((1u << n) - 1), val)))
INLINE(f64x8, tail_load_mixedx8, (const float *val, int64_t n),
       return _mm512_cvtps_pd(_mm256_maskz_loadu_ps((__mmask8)((1u << n) - 1), val)))
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
