/* The matrix units as the kernel of BCSR uses them: D += A B with A of 16 columns of X^T and B of 8
 * rows of the block, both transposed, so that a number of either lies in shared memory as it does
 * outside: row k of the stage has neighbouring columns of X, or neighbouring rows of a column of
 * the block. A unit has
 *
 *   value        what is stored
 *   M, K         columns of one A, and stored columns, that one product takes
 *   left, right  the fragments of A and of B; left_of, right_of load them from row 0 of the stage
 *                at hand, whose rows are `ld` numbers apart
 *   sums         the fragment of D, sums of rows with columns as mma_row and mma_column place them
 *   stored       a sum as a value
 */
#ifndef SP_KERNELS_CUDA_MMA_UNITS_H
#define SP_KERNELS_CUDA_MMA_UNITS_H

#include "kernels/cuda/gpu_halves.h"
#include "kernels/cuda/gpu_mma.h"
#include "sparse/launch/gpu_launch.h"

namespace gpu
{

SP_GPU int lane_of_warp()
{
    return thread() % SP_WARP;
}

/* f16 and bf16, sums in f32. */
template <class V> struct unit_16bit {
    typedef V value;
    enum { M = 16, K = 16 };
    struct left {
        uint32_t part[4];
    };
    struct right {
        uint32_t part[2];
    };
    typedef float sums[4];

    /* Matrices of 8 x 8: columns 0 to 7 and 8 to 15 for k < 8, then the same for k >= 8. */
    static SP_GPU left left_of(const value *p, int ld)
    {
        const int l = lane_of_warp();
        left a;
        matrices_transposed(a.part, p + (l / 16 * 8 + l % 8) * ld + l / 8 % 2 * 8);
        return a;
    }
    static SP_GPU right right_of(const value *p, int ld)
    {
        right b;
        matrices_transposed(b.part, p + lane_of_warp() % 16 * ld);
        return b;
    }
    static SP_GPU void multiply(sums &d, const left &a, const right &b)
    {
        mma_16bit<V>(d, a.part, b.part);
    }
    static SP_GPU value stored(float sum)
    {
        return rounded<V>(sum);
    }
};

/* f32 as the sum of two numbers of tf32, which keep all but its last bit: three products of units
 * that round their operands to 11 bits. The product of the smaller parts is left out, below 2^-22
 * of the whole. */
struct unit_tf32 {
    typedef float value;
    enum { M = 16, K = 8 };
    struct left {
        uint32_t big[4], small[4];
    };
    struct right {
        uint32_t big[2], small[2];
    };
    typedef float sums[4];

    static SP_GPU void split(float v, uint32_t *big, uint32_t *small)
    {
        /* The low 13 bits of a register with a tf32 mean nothing. */
        const uint32_t rounded = tf32_of(v) & ~UINT32_C(0x1fff);
        const float rest = v - float_of(rounded);
        *big = rounded;
        *small = rest == rest ? tf32_of(rest) : 0;
    }
    static SP_GPU left left_of(const value *p, int ld)
    {
        const int g = lane_of_warp() / 4, t = lane_of_warp() % 4;
        left a;
        for (int i = 0; i < 4; i++) {
            const float v = get(p + (t + 4 * (i / 2)) * ld + g + 8 * (i % 2));
            split(v, &a.big[i], &a.small[i]);
        }
        return a;
    }
    static SP_GPU right right_of(const value *p, int ld)
    {
        const int g = lane_of_warp() / 4, t = lane_of_warp() % 4;
        right b;
        for (int i = 0; i < 2; i++) {
            const float v = get(p + (t + 4 * i) * ld + g);
            split(v, &b.big[i], &b.small[i]);
        }
        return b;
    }
    static SP_GPU void multiply(sums &d, const left &a, const right &b)
    {
        mma_tf32(d, a.small, b.big);
        mma_tf32(d, a.big, b.small);
        mma_tf32(d, a.big, b.big);
    }
    static SP_GPU value stored(float sum)
    {
        return sum;
    }
};

struct unit_f64 {
    typedef double value;
    enum { M = 8, K = 4 };
    typedef double left;
    typedef double right;
    typedef double sums[2];

    static SP_GPU left left_of(const value *p, int ld)
    {
        return get(p + lane_of_warp() % 4 * ld + lane_of_warp() / 4);
    }
    static SP_GPU right right_of(const value *p, int ld)
    {
        return get(p + lane_of_warp() % 4 * ld + lane_of_warp() / 4);
    }
    static SP_GPU void multiply(sums &d, left a, right b)
    {
        mma_f64(d, a, b);
    }
    static SP_GPU value stored(double sum)
    {
        return sum;
    }
};

} // namespace gpu

#endif
