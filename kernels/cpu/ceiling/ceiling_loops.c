/* All loops of the ceilings; compiled for each instruction set, without loop distribution, which
 * would turn the copy into a call of memcpy. The vectors are the compiler's own.
 *
 * What there is beside them: STREAM_STORE(address, vector) a non-temporal store, GATHER(x, i) a
 * vector of x[i[0]], x[i[1]], ... by one instruction, FMA_F64(x, y, z) and FMA_F32 fused
 * operations. */
#include <stddef.h>

#include "kernels/cpu/ceiling/ceiling_isa.h"
#include "kernels/cpu/isa.h"

#if SP_LEVEL == 2
#include <immintrin.h>
#define VECTOR_B                      64
#define STREAM_STORE(address, vector) _mm512_stream_si512((__m512i *)(address), (__m512i)(vector))
#define GATHER(x, i)                  (lanes_i64) _mm512_i32gather_pd(_mm256_load_si256((const __m256i *)(i)), x, 8)
#define FMA_F64(x, y, z)              _mm512_fmadd_pd(x, y, z)
#define FMA_F32(x, y, z)              _mm512_fmadd_ps(x, y, z)
#elif SP_LEVEL == 1
#include <immintrin.h>
#define VECTOR_B                      32
#define STREAM_STORE(address, vector) _mm256_stream_si256((__m256i *)(address), (__m256i)(vector))
#define GATHER(x, i)                  (lanes_i64) _mm256_i32gather_pd(x, _mm_load_si128((const __m128i *)(i)), 8)
#define FMA_F64(x, y, z)              _mm256_fmadd_pd(x, y, z)
#define FMA_F32(x, y, z)              _mm256_fmadd_ps(x, y, z)
#else
#define VECTOR_B 16
#if defined(__x86_64__)
#include <emmintrin.h>
#define STREAM_STORE(address, vector) _mm_stream_si128((__m128i *)(address), (__m128i)(vector))
#endif
#endif

typedef uint64_t lanes_i64 __attribute__((vector_size(VECTOR_B), aligned(VECTOR_B), may_alias));
typedef double lanes_f64 __attribute__((vector_size(VECTOR_B), aligned(VECTOR_B), may_alias));
typedef float lanes_f32 __attribute__((vector_size(VECTOR_B), aligned(VECTOR_B), may_alias));

/* The compiler may assume nothing about memory across this point: every repetition reads again. */
#define FORGET() __asm__ volatile("" ::: "memory")

static void load(char *a, char *b, char *c, int64_t n, int64_t repetitions, double *sink)
{
    (void)b, (void)c;
    lanes_i64 sum[8] = {{0}};
    const lanes_i64 *v = (const lanes_i64 *)a, *end = (const lanes_i64 *)(a + n);
    for (int64_t r = 0; r < repetitions; r++) {
        for (const lanes_i64 *p = v; p < end; p += 8) {
#pragma GCC unroll 8
            for (int k = 0; k < 8; k++)
                sum[k] += p[k];
        }
        FORGET();
    }
    for (int k = 1; k < 8; k++)
        sum[0] += sum[k];
    *sink = (double)(sum[0][0] ^ sum[0][1]);
}

static void load_mix(char *a, char *b, char *c, int64_t n, int64_t repetitions, double *sink)
{
    (void)c;
    lanes_i64 sum[12] = {{0}};
    const lanes_i64 *v = (const lanes_i64 *)a, *w = (const lanes_i64 *)b, *end = (const lanes_i64 *)(a + n);
    for (int64_t r = 0; r < repetitions; r++) {
        const lanes_i64 *q = w;
        for (const lanes_i64 *p = v; p < end; p += 8, q += 4) {
#pragma GCC unroll 8
            for (int k = 0; k < 8; k++)
                sum[k] += p[k];
#pragma GCC unroll 4
            for (int k = 0; k < 4; k++)
                sum[8 + k] += q[k];
        }
        FORGET();
    }
    for (int k = 1; k < 12; k++)
        sum[0] += sum[k];
    *sink = (double)(sum[0][0] ^ sum[0][1]);
}

static void copy(char *a, char *b, char *c, int64_t n, int64_t repetitions, double *sink)
{
    (void)b;
    for (int64_t r = 0; r < repetitions; r++) {
        const lanes_i64 *from = (const lanes_i64 *)a;
        for (lanes_i64 *to = (lanes_i64 *)c, *end = (lanes_i64 *)(c + n); to < end; to += 4, from += 4) {
#pragma GCC unroll 4
            for (int k = 0; k < 4; k++)
                to[k] = from[k];
        }
        FORGET();
    }
    *sink = (double)((lanes_i64 *)c)[0][0];
}

static void triad(char *a, char *b, char *c, int64_t n, int64_t repetitions, double *sink)
{
    const lanes_f64 s = (lanes_f64){0} + 3.0;
    for (int64_t r = 0; r < repetitions; r++) {
        const lanes_f64 *p = (const lanes_f64 *)a, *q = (const lanes_f64 *)b;
        for (lanes_f64 *to = (lanes_f64 *)c, *end = (lanes_f64 *)(c + n); to < end; to += 4, p += 4, q += 4) {
#pragma GCC unroll 4
            for (int k = 0; k < 4; k++)
                to[k] = p[k] + s * q[k];
        }
        FORGET();
    }
    *sink = ((lanes_f64 *)c)[0][0];
}

#ifdef STREAM_STORE
static void copy_nt(char *a, char *b, char *c, int64_t n, int64_t repetitions, double *sink)
{
    (void)b;
    for (int64_t r = 0; r < repetitions; r++) {
        const lanes_i64 *from = (const lanes_i64 *)a;
        for (lanes_i64 *to = (lanes_i64 *)c, *end = (lanes_i64 *)(c + n); to < end; to += 4, from += 4) {
#pragma GCC unroll 4
            for (int k = 0; k < 4; k++)
                STREAM_STORE(to + k, from[k]);
        }
        _mm_sfence();
        FORGET();
    }
    *sink = (double)((lanes_i64 *)c)[0][0];
}

static void triad_nt(char *a, char *b, char *c, int64_t n, int64_t repetitions, double *sink)
{
    const lanes_f64 s = (lanes_f64){0} + 3.0;
    for (int64_t r = 0; r < repetitions; r++) {
        const lanes_f64 *p = (const lanes_f64 *)a, *q = (const lanes_f64 *)b;
        for (lanes_f64 *to = (lanes_f64 *)c, *end = (lanes_f64 *)(c + n); to < end; to += 4, p += 4, q += 4) {
#pragma GCC unroll 4
            for (int k = 0; k < 4; k++) {
                lanes_f64 value = p[k] + s * q[k];
                STREAM_STORE(to + k, (lanes_i64)value);
            }
        }
        _mm_sfence();
        FORGET();
    }
    *sink = ((lanes_f64 *)c)[0][0];
}
#else
#define copy_nt  NULL
#define triad_nt NULL
#endif

/* ---- gathers: elements are added as whole numbers, so that what the arena holds takes no part in
 * the time ---- */

typedef uint32_t lanes_u32 __attribute__((vector_size(VECTOR_B), aligned(VECTOR_B), may_alias));

/* The indices of one list (ceiling_isa.h). */
static inline void make_indices(const char *b, int64_t list, int64_t n, uint32_t *index)
{
    const uint32_t mask = (uint32_t)(n / 8 - 1), shift = (uint32_t)list * SP_CEILING_GATHER_STEP;
    const lanes_u32 *from = (const lanes_u32 *)b;
    lanes_u32 *to = (lanes_u32 *)index;
    for (int k = 0; k < SP_CEILING_GATHER_LIST * 4 / VECTOR_B; k++)
        to[k] = (from[k] + shift) & mask;
}

/* Does one list visit all lines of x? */
static inline bool is_covered(int64_t n)
{
    return n <= 64 * (int64_t)SP_CEILING_GATHER_LIST;
}

#ifdef GATHER
static void gather(char *a, char *b, char *c, int64_t n, int64_t repetitions, double *sink)
{
    enum { LANES_F64 = VECTOR_B / 8 };
    uint32_t index[SP_CEILING_GATHER_LIST] __attribute__((aligned(64)));
    const int64_t first = *(const int64_t *)c;
    const double *x = (const double *)a;
    lanes_i64 s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0}; /* four of their own stay in registers */
    for (int64_t r = 0; r < repetitions; r++) {
        if (r == 0 || !is_covered(n))
            make_indices(b, first + r, n, index);
        for (const uint32_t *i = index; i < index + SP_CEILING_GATHER_LIST; i += 4 * LANES_F64) {
            s0 += GATHER(x, i);
            s1 += GATHER(x, i + LANES_F64);
            s2 += GATHER(x, i + 2 * LANES_F64);
            s3 += GATHER(x, i + 3 * LANES_F64);
        }
        FORGET();
    }
    s0 += s1 + s2 + s3;
    uint64_t all = 0;
    for (int lane = 0; lane < LANES_F64; lane++)
        all += s0[lane];
    *sink = (double)all;
}
#endif

/* Adds one element; no vectors are made of several. */
static inline uint64_t add_element(uint64_t sum, const int64_t *x, uint32_t i)
{
    sum += (uint64_t)x[i];
    __asm__("" : "+r"(sum));
    return sum;
}

static void gather_loads(char *a, char *b, char *c, int64_t n, int64_t repetitions, double *sink)
{
    uint32_t index[SP_CEILING_GATHER_LIST] __attribute__((aligned(64)));
    const int64_t first = *(const int64_t *)c;
    const int64_t *x = (const int64_t *)a;
    uint64_t s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (int64_t r = 0; r < repetitions; r++) {
        if (r == 0 || !is_covered(n))
            make_indices(b, first + r, n, index);
        for (const uint32_t *i = index; i < index + SP_CEILING_GATHER_LIST; i += 8) {
            s0 = add_element(s0, x, i[0]);
            s1 = add_element(s1, x, i[1]);
            s2 = add_element(s2, x, i[2]);
            s3 = add_element(s3, x, i[3]);
            s0 = add_element(s0, x, i[4]);
            s1 = add_element(s1, x, i[5]);
            s2 = add_element(s2, x, i[6]);
            s3 = add_element(s3, x, i[7]);
        }
        FORGET();
    }
    *sink = (double)(s0 + s1 + s2 + s3);
}

/* ---- operations ---- */

#define WORD(x)    #x
#define WORD_OF(x) WORD(x)

#define LOOP_NAME scalar_f64
#define LANES     double
#define NUMBER    double
#define ROUND(x)  ((x)*scale + shift)
#define FIRST(x)  (x)
#include "kernels/cpu/ceiling/ceiling_flops.inc"

#define LOOP_NAME scalar_f32
#define LANES     float
#define NUMBER    float
#define ROUND(x)  ((x)*scale + shift)
#define FIRST(x)  (x)
#include "kernels/cpu/ceiling/ceiling_flops.inc"

#define LOOP_NAME simd_f64
#define LANES     lanes_f64
#define NUMBER    double
#define ROUND(x)  ((x)*scale + shift)
#define FIRST(x)  ((x)[0])
#include "kernels/cpu/ceiling/ceiling_flops.inc"

#define LOOP_NAME simd_f32
#define LANES     lanes_f32
#define NUMBER    float
#define ROUND(x)  ((x)*scale + shift)
#define FIRST(x)  ((x)[0])
#include "kernels/cpu/ceiling/ceiling_flops.inc"

#ifdef FMA_F64
#define LOOP_NAME fma_f64
#define LANES     lanes_f64
#define NUMBER    double
#define ROUND(x)  FMA_F64(x, scale, shift)
#define FIRST(x)  ((x)[0])
#include "kernels/cpu/ceiling/ceiling_flops.inc"

#define LOOP_NAME fma_f32
#define LANES     lanes_f32
#define NUMBER    float
#define ROUND(x)  FMA_F32(x, scale, shift)
#define FIRST(x)  ((x)[0])
#include "kernels/cpu/ceiling/ceiling_flops.inc"
#endif

const struct sp_ceiling_isa OF_ISA(sp_ceiling) = {
    .name = WORD_OF(SP_ISA),
    .vector_B = VECTOR_B,
    .load = load,
    .load_mix = load_mix,
    .copy = copy,
    .triad = triad,
#ifdef STREAM_STORE
    .copy_nt = copy_nt,
    .triad_nt = triad_nt,
#endif
#ifdef GATHER
    .gather = gather,
#endif
    .gather_loads = gather_loads,
    .scalar_f64 = scalar_f64,
    .simd_f64 = simd_f64,
    .scalar_f32 = scalar_f32,
    .simd_f32 = simd_f32,
#ifdef FMA_F64
    .fma_f64 = fma_f64,
    .fma_f32 = fma_f32,
#endif
};
