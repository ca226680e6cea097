/* From the precision and index width of a launch to the types of its body. Kernels has two
 * templates: whole<V, I>(launch, arrays) for double and float, half<V, I>(launch, arrays) for
 * storage in 16 bits, which has 32-bit indices alone. */
#ifndef SP_KERNELS_CUDA_GPU_TYPES_H
#define SP_KERNELS_CUDA_GPU_TYPES_H

#include "kernels/cuda/gpu_arrays.h"
#include "kernels/cuda/gpu_grid.h"
#include "kernels/cuda/gpu_halves.h"

template <class Body, int least_blocks = 1>
int start_dense(const struct sp_gpu_launch *g, const struct sp_gpu_arrays *a)
{
    return start_grid<Body, SP_GPU_DENSE_THREADS, least_blocks>(g->n_blocks, g->block_threads, g->shared_B,
                                                                a);
}

template <class Kernels, class I>
int start_precision(const struct sp_gpu_launch *g, const struct sp_gpu_arrays *a, enum sp_precision precision)
{
    switch (precision) {
    case SP_F32:
        return Kernels::template whole<float, I>(g, a);
    case SP_F16:
        return Kernels::template half<gpu::f16, I>(g, a);
    case SP_BF16:
        return Kernels::template half<gpu::bf16, I>(g, a);
    default:
        return Kernels::template whole<double, I>(g, a);
    }
}

template <class Kernels>
int start_types(const struct sp_gpu_launch *g, const struct sp_gpu_arrays *a, enum sp_precision precision,
                enum sp_index index)
{
    if (index == SP_I32)
        return start_precision<Kernels, int32_t>(g, a, precision);
    return precision == SP_F32 ? Kernels::template whole<float, int64_t>(g, a)
                               : Kernels::template whole<double, int64_t>(g, a);
}

#endif
