/* Types that values are stored in and computed with: 16-bit ones are for storage, sums float. */
#ifndef SP_KERNELS_CUDA_GPU_HALVES_H
#define SP_KERNELS_CUDA_GPU_HALVES_H

#include "kernels/cuda/gpu_body.h"

#ifndef __CUDACC__
extern "C" {
#include "sparse/csr/real.h"
}
#endif

namespace gpu
{

/* IEEE binary16, and the upper half of binary32. */
struct f16 {
    uint16_t bits;
};
struct bf16 {
    uint16_t bits;
};

template <class V> struct computing {
    using type = V;
};
template <> struct computing<f16> {
    using type = float;
};
template <> struct computing<bf16> {
    using type = float;
};
/* What V is computed with. */
template <class V> using number = typename computing<V>::type;
/* Is V for storage alone, so that a sum loses digits where it is stored? */
template <class V> constexpr bool is_storage = sizeof(V) < sizeof(number<V>);

SP_GPU double number_of(double v)
{
    return v;
}
SP_GPU float number_of(float v)
{
    return v;
}

/* The nearest V, ties to even. */
template <class V> SP_GPU V rounded(number<V> v)
{
    return v;
}

#ifdef __HIP__

SP_GPU float number_of(f16 v)
{
    _Float16 half;
    memcpy(&half, &v.bits, sizeof half);
    return (float)half;
}
SP_GPU float number_of(bf16 v)
{
    return __uint_as_float((unsigned)v.bits << 16);
}
template <> SP_GPU f16 rounded<f16>(float v)
{
    const _Float16 half = (_Float16)v;
    f16 narrow;
    memcpy(&narrow.bits, &half, sizeof half);
    return narrow;
}
template <> SP_GPU bf16 rounded<bf16>(float v)
{
    const unsigned bits = __float_as_uint(v);
    if (v != v)
        return {(uint16_t)(bits >> 16 | 0x40)};
    return {(uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16)};
}

#elif defined(__CUDACC__)

SP_GPU float number_of(f16 v)
{
    float wide;
    asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(v.bits));
    return wide;
}
/* The compiler moves a shift before loops, where it costs registers; this stays. */
SP_GPU float number_of(bf16 v)
{
    float wide;
    asm("mov.b32 %0, {0, %1};" : "=f"(wide) : "h"(v.bits));
    return wide;
}
template <> SP_GPU f16 rounded<f16>(float v)
{
    f16 narrow;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(narrow.bits) : "f"(v));
    return narrow;
}
template <> SP_GPU bf16 rounded<bf16>(float v)
{
    bf16 narrow;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(narrow.bits) : "f"(v));
    return narrow;
}

#else

SP_GPU float number_of(f16 v)
{
    return sp_f16_to(v.bits);
}
SP_GPU float number_of(bf16 v)
{
    return sp_bf16_to(v.bits);
}
template <> SP_GPU f16 rounded<f16>(float v)
{
    return {sp_f16_of(v)};
}
template <> SP_GPU bf16 rounded<bf16>(float v)
{
    return {sp_bf16_of(v)};
}

#endif

} // namespace gpu

#endif
