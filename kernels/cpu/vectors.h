/* Names that the .inc bodies build from TYPE (f64, f32), W (lanes), INDEX_NAME (i32, i64, d16), ACCESS
 * (gather, loads) and KIND (f64, f32, mixed: what matrix values are stored as and become); f64x8 is a vector
 * of 8 doubles, f64x8u the same without alignment. Pasting needs macros. */
#ifndef SP_KERNELS_CPU_VECTORS_H
#define SP_KERNELS_CPU_VECTORS_H

#include <stddef.h>
#include <stdint.h>

#define SP_PASTE_(a, b)    a##b
#define SP_PASTE(a, b)     SP_PASTE_(a, b)
#define SP_PASTE3(a, b, c) SP_PASTE(SP_PASTE(a, b), c)

#define V           SP_PASTE3(TYPE, x, W)
#define VU          SP_PASTE(V, u)
#define VALUES      SP_PASTE(SP_PASTE3(values_, KIND, x), W)
#define GATHER      SP_PASTE(SP_PASTE3(ACCESS, _, V), SP_PASTE(_, INDEX_NAME))
#define STREAM      SP_PASTE(stream_, V)
#define REDUCE      SP_PASTE(reduce_, V)
#define LINE_STREAM SP_PASTE(stream_line_, TYPE)

#define ALWAYS_INLINE inline __attribute__((always_inline))

/* How far ahead of the streams of values and indices the kernels ask for lines: beyond what the hardware
 * prefetchers have under way, short enough to stay in the first-level cache. */
enum { PREFETCH_VALUE_B = 1024, PREFETCH_INDEX_B = 512 };

/* Asks for every line of the `size` bytes (a constant) that lie `ahead` bytes beyond p. A stream of which
 * only some lines are asked for is slower than one left to the hardware. */
static ALWAYS_INLINE void prefetch_lines(const void *p, size_t ahead, size_t size)
{
#pragma GCC unroll 16
    for (size_t line = 0; line < size; line += 64)
        __builtin_prefetch((const char *)p + ahead + line, 0, 3);
}

/* A vector of one lane: the scalar bodies. */
typedef double f64x1;
typedef double f64x1u __attribute__((may_alias));
typedef float f32x1;
typedef float f32x1u __attribute__((may_alias));
static inline double reduce_f64x1(double v)
{
    return v;
}
static inline float reduce_f32x1(float v)
{
    return v;
}
static inline double loads_f64x1_i32(const double *x, const int32_t *i)
{
    return x[*i];
}
static inline double loads_f64x1_i64(const double *x, const int64_t *i)
{
    return x[*i];
}
static inline float loads_f32x1_i32(const float *x, const int32_t *i)
{
    return x[*i];
}
static inline float loads_f32x1_i64(const float *x, const int64_t *i)
{
    return x[*i];
}

#endif
