/* For what is compiled once for each instruction set, with SP_ISA its name
 * (kernels/CMakeLists.txt): SP_LEVEL, its vectors, and the names that .inc bodies build of KIND
 * (f64, f32, mixed, f16, bf16: how values are stored, and what they become), W (lanes) and
 * INDEX_NAME (i32, i64, d16). Pasting needs macros.
 *
 * f64x8 is a vector of 8 doubles, f64x8u the same without alignment; of KIND mixed and the 16-bit
 * ones it is a vector of what their sums are. */
#ifndef SP_KERNELS_CPU_VECTORS_H
#define SP_KERNELS_CPU_VECTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernels/cpu/isa.h"

/* Names of the body for KIND and INDEX_NAME, and for W lanes of them. */
#define OF_TYPES(what) SP_PASTE(SP_PASTE3(what, _, KIND), SP_PASTE(_, INDEX_NAME))
#define OF_LANES(what) SP_PASTE(SP_PASTE3(what, _, V), SP_PASTE(_, INDEX_NAME))

/* What a matrix value is stored as, what x and y are, and the kind of sums. */
#define STORED SP_PASTE(stored_, KIND)
#define VALUE  SP_PASTE(value_, KIND)
#define TYPE   SP_PASTE(TYPE_, KIND)
typedef double stored_f64, value_f64, value_mixed;
typedef float stored_f32, value_f32, stored_mixed;
typedef uint16_t stored_f16, value_f16, stored_bf16, value_bf16;
#define TYPE_f64   f64
#define TYPE_f32   f32
#define TYPE_mixed f64
#define TYPE_f16   f32
#define TYPE_bf16  f32

#define INDEX SP_PASTE(index_, INDEX_NAME)
typedef int32_t index_i32;
typedef int64_t index_i64;
typedef uint16_t index_d16;

#define V           SP_PASTE3(KIND, x, W)
#define VU          SP_PASTE(V, u)
#define V_OF_SUMS   SP_PASTE3(TYPE, x, W)
#define LOAD        SP_PASTE(load_, V)
#define WIDEN       SP_PASTE(widen_, KIND)
#define NARROW      SP_PASTE(narrow_, KIND)
#define GATHER      SP_PASTE(SP_PASTE(gather_, V_OF_SUMS), SP_PASTE(_, INDEX_NAME))
#define TAIL_LOAD   SP_PASTE(tail_load_, V)
#define UP_TO_LOAD  SP_PASTE(up_to_load_, V_OF_SUMS)
#define VU_OF_SUMS  SP_PASTE(V_OF_SUMS, u)
#define TAIL_GATHER SP_PASTE(tail_, GATHER)
#define STREAM      SP_PASTE(stream_, V)
#define REDUCE      SP_PASTE(reduce_, V_OF_SUMS)
#define SUMS8       SP_PASTE(sums8_, V_OF_SUMS)
#define LAST        SP_PASTE(last_, V_OF_SUMS)
#define COLUMNS     SP_PASTE(columns_, V)
#define LINE_STREAM SP_PASTE(stream_line_, TYPE)

/* The vector of x[i[0]], x[i[1]], ... by scalar loads; x and i are names. With AVX2 two indices of
 * 32 bits are one load, since loads limit it. */
#define LOADS(x, i) ((V){SP_PASTE(LOADS_, W)(x, i)})
#define LOADS_2(x, i)                                                                                        \
    x[ARE_PAIRS(i) ? (int32_t)two_indices(i) : (i)[0]], x[ARE_PAIRS(i) ? two_indices(i) >> 32 : (i)[1]]
#define LOADS_4(x, i)  LOADS_2(x, i), LOADS_2(x, (i) + 2)
#define LOADS_8(x, i)  LOADS_4(x, i), LOADS_4(x, (i) + 4)
#define LOADS_16(x, i) LOADS_8(x, i), LOADS_8(x, (i) + 8)
#define ARE_PAIRS(i)   (SP_LEVEL == 1 && sizeof *(i) == sizeof(int32_t))
static inline int64_t two_indices(const void *i)
{
    int64_t two;
    memcpy(&two, i, sizeof two);
    return two;
}

#define ALWAYS_INLINE inline __attribute__((always_inline))

/* A short function. */
#define INLINE(type, name, parameters, statement)                                                            \
    static inline type name parameters                                                                       \
    {                                                                                                        \
        statement;                                                                                           \
    }

/* How far ahead of the streams of values and indices the kernels ask for lines: beyond what the
 * hardware prefetchers have under way, short enough to stay in the first-level cache. */
enum { PREFETCH_VALUE_B = 1024, PREFETCH_INDEX_B = 512 };

/* Asks for every line of the `size` bytes (a constant) that lie `ahead` bytes beyond p. A stream of
 * which only some lines are asked for is slower than one left to the hardware. */
static ALWAYS_INLINE void prefetch_lines(const void *p, size_t ahead, size_t size)
{
#pragma GCC unroll 16
    for (size_t line = 0; line < size; line += 64)
        __builtin_prefetch((const char *)p + ahead + line, 0, 3);
}

/* A vector of one lane: the scalar bodies. */
typedef double f64x1;
typedef double f64x1u __attribute__((may_alias));
typedef float f32x1, f16x1, bf16x1;
typedef float f32x1u __attribute__((may_alias));
INLINE(double, reduce_f64x1, (double v), return v)
INLINE(float, reduce_f32x1, (float v), return v)

/* What compilers make of vectors of 16 bytes exists everywhere. */
typedef double f64x2 __attribute__((vector_size(16)));
typedef double f64x2u __attribute__((vector_size(16), aligned(8), may_alias));
typedef float f32x2 __attribute__((vector_size(8)));
typedef float f32x2u __attribute__((vector_size(8), aligned(4), may_alias));
typedef float f32x4 __attribute__((vector_size(16)));
typedef float f32x4u __attribute__((vector_size(16), aligned(4), may_alias));
typedef f32x4 f16x4, bf16x4;

/* Vectors of indices, to be compared. */
#if SP_LEVEL >= 2
enum { INDICES_B = 64 };
#define ARE_ZERO(v) (_mm512_test_epi64_mask((__m512i)(v), (__m512i)(v)) == 0)
#else
enum { INDICES_B = 32 };
#define ARE_ZERO(v) _mm256_testz_si256((__m256i)(v), (__m256i)(v))
#endif

#if SP_LEVEL == 0
INLINE(double, reduce_f64x2, (f64x2 v), return v[0] + v[1])
INLINE(float, reduce_f32x4, (f32x4 v), return v[0] + v[1] + (v[2] + v[3]))
#else
#include "kernels/cpu/vectors_avx2.h"
#if SP_LEVEL == 2
#include "kernels/cpu/vectors_avx512.h"
#endif
#endif

#endif
