/* Complex values, as SpMV has them: 16 bytes that are loaded and stored as one. */
#ifndef SP_KERNELS_CUDA_GPU_COMPLEX_H
#define SP_KERNELS_CUDA_GPU_COMPLEX_H

#include "kernels/cuda/gpu_body.h"

namespace gpu
{

struct alignas(16) complex {
    double re, im;

    complex() = default;
    SP_GPU complex(double real, double imaginary = 0) : re(real), im(imaginary)
    {
    }
    SP_GPU complex &operator+=(complex b)
    {
        re += b.re;
        im += b.im;
        return *this;
    }
};

SP_GPU complex operator+(complex a, complex b)
{
    return a += b;
}
SP_GPU complex operator*(complex a, complex b)
{
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

#ifdef __CUDACC__

SP_GPU complex from_above(complex value, int by, int width)
{
    return {from_above(value.re, by, width), from_above(value.im, by, width)};
}
SP_GPU complex from_below(complex value, int by, int width)
{
    return {from_below(value.re, by, width), from_below(value.im, by, width)};
}
/* Each part is added as one. */
SP_GPU void add(complex *p, complex value)
{
    atomicAdd(&p->re, value.re);
    atomicAdd(&p->im, value.im);
}

#else

inline complex from_above(complex value, int by, int width, int site = __builtin_LINE())
{
    const double re = from_above(value.re, by, width, site);
    return {re, from_above(value.im, by, width, site)};
}
inline complex from_below(complex value, int by, int width, int site = __builtin_LINE())
{
    const double re = from_below(value.re, by, width, site);
    return {re, from_below(value.im, by, width, site)};
}
inline void add(complex *p, complex value, int site = __builtin_LINE())
{
    add(&p->re, value.re, site);
    add(&p->im, value.im, site);
}

#endif

} // namespace gpu

#endif
