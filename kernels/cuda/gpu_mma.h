/* Products of small matrices on the matrix units of a warp: D += A B, where each lane holds some
 * elements of the three (fragments). On the device it is one instruction; elsewhere a plain
 * product, put together from what the lanes hold. Lane l has, with g = l div 4 and t = l mod 4 [PTX
 * ISA, matrix fragments for mma]:
 *
 *   16 bits, m16n8k16  A: 4 parts of two numbers, number i is (g + 8 (i div 2 mod 2), 2t + i mod 2 +
 *                      8 (i div 4)); B: 2 parts, number i is (2t + i mod 2 + 8 (i div 2), g)
 *   tf32, m16n8k8      A: 4 numbers, i is (g + 8 (i mod 2), t + 4 (i div 2)); B: 2, i is (t + 4 i, g)
 *   f64, m8n8k4        A: (g, t); B: (t, g)
 *   D of all           4 numbers, f64 2: i is (g + 8 (i div 2), 2t + i mod 2)
 */
#ifndef SP_KERNELS_CUDA_GPU_MMA_H
#define SP_KERNELS_CUDA_GPU_MMA_H

#include <type_traits>

#include "kernels/cuda/gpu_async.h"
#include "kernels/cuda/gpu_halves.h"
#ifndef __CUDACC__
#include <math.h>
#endif

namespace gpu
{

/* Row and column of element i of D in this lane. */
SP_GPU int mma_row(int lane_of_warp, int i)
{
    return lane_of_warp / 4 + 8 * (i / 2);
}
SP_GPU int mma_column(int lane_of_warp, int i)
{
    return 2 * (lane_of_warp % 4) + i % 2;
}

#ifdef __CUDACC__

/* The nearest number with 11 significant bits, as a float has it. */
SP_GPU uint32_t tf32_of(float v)
{
    uint32_t bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(v));
    return bits;
}
SP_GPU float float_of(uint32_t bits)
{
    return __uint_as_float(bits);
}

/* V: f16 or bf16, two of them in a part. */
template <class V> SP_GPU void mma_16bit(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2])
{
    if constexpr (std::is_same<V, bf16>::value)
        asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
            "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    else
        asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
            "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
SP_GPU void mma_tf32(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2])
{
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
SP_GPU void mma_f64(double (&d)[2], double a, double b)
{
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+d"(d[0]), "+d"(d[1])
        : "d"(a), "d"(b));
}

#else

inline uint32_t tf32_of(float v)
{
    const uint32_t bits = sp_float_bits(v);
    return (bits & 0x7f800000u) == 0x7f800000u ? bits : (bits + 0x1000u) & ~0x1fffu;
}
inline float float_of(uint32_t bits)
{
    return sp_float_of_bits(bits);
}

/* What the lanes of a warp hold of A and B, and where. Parts are as wide as the registers. */
template <class V> struct mma_16bit_fragment {
    enum { K = 16 };
    uint32_t a[4], b[2];

    static double number(uint32_t both, int upper)
    {
        return (double)number_of(V{(uint16_t)(upper ? both >> 16 : both)});
    }
    void put(int l, double (*A)[K], double (*B)[8]) const
    {
        const int g = l / 4, t = l % 4;
        for (int i = 0; i < 8; i++)
            A[g + 8 * (i / 2 % 2)][2 * t + i % 2 + 8 * (i / 4)] = number(a[i / 2], i % 2);
        for (int i = 0; i < 4; i++)
            B[2 * t + i % 2 + 8 * (i / 2)][g] = number(b[i / 2], i % 2);
    }
};

struct mma_tf32_fragment {
    enum { K = 8 };
    uint32_t a[4], b[2];

    /* The unit does not see the lowest 13 bits. */
    static double number(uint32_t bits)
    {
        return (double)sp_float_of_bits(bits & ~0x1fffu);
    }
    void put(int l, double (*A)[K], double (*B)[8]) const
    {
        const int g = l / 4, t = l % 4;
        for (int i = 0; i < 4; i++)
            A[g + 8 * (i % 2)][t + 4 * (i / 2)] = number(a[i]);
        for (int i = 0; i < 2; i++)
            B[t + 4 * i][g] = number(b[i]);
    }
};

struct mma_f64_fragment {
    enum { K = 4 };
    double a, b;

    void put(int l, double (*A)[K], double (*B)[8]) const
    {
        A[l / 4][l % 4] = a;
        B[l % 4][l / 4] = b;
    }
};

/* Sums in double in the order of k, rounded once to the type of D. Products of two numbers of 24
 * bits or less are exact. */
template <class Fragment, class Sum, int n> void mma_together(Sum (&d)[n], const Fragment &mine, int site)
{
    enum { K = Fragment::K };
    const int self = lane(), row = mma_row(self, 0), column = mma_column(self, 0);
    double A[16][K] = {}, B[K][8] = {};
    const void *of[32];
    show(&mine, of, site);
    for (int l = 0; l < 32; l++) /* those that hold what this lane needs: its rows, its columns */
        if (l / 4 == row || l / 4 == column || l / 4 == column + 1)
            ((const Fragment *)of[l])->put(l, A, B);
    part(site);
    for (int i = 0; i < n; i++) {
        double sum = (double)d[i];
        for (int k = 0; k < K; k++)
            if constexpr (std::is_same<Sum, double>::value)
                sum = fma(A[mma_row(self, i)][k], B[k][mma_column(self, i)], sum);
            else
                sum += A[mma_row(self, i)][k] * B[k][mma_column(self, i)];
        d[i] = (Sum)sum;
    }
}

template <class V>
void mma_16bit(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2], int site = __builtin_LINE())
{
    mma_together(d, mma_16bit_fragment<V>{{a[0], a[1], a[2], a[3]}, {b[0], b[1]}}, site);
}
inline void mma_tf32(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2],
                     int site = __builtin_LINE())
{
    mma_together(d, mma_tf32_fragment{{a[0], a[1], a[2], a[3]}, {b[0], b[1]}}, site);
}
inline void mma_f64(double (&d)[2], double a, double b, int site = __builtin_LINE())
{
    mma_together(d, mma_f64_fragment{a, b}, site);
}

#endif

} // namespace gpu

#endif
