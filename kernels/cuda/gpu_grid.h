/* Starts a grid whose threads run Body::run(args). nvcc makes a kernel of it, the tests' executor
 * runs it, and for OpenCL it is started by its name. most_threads: of a block; registers are given
 * out for as many, and for least_blocks of them on a core. Returns 0, or the runtime's number of
 * what went wrong. */
#ifndef SP_KERNELS_CUDA_GPU_GRID_H
#define SP_KERNELS_CUDA_GPU_GRID_H

#include <stddef.h>
#include <stdint.h>

extern "C" {
#include "sparse/launch/gpu_launch.h"
}

#ifdef __CUDACC__

template <class Body, int most_threads, int least_blocks, class Args>
__global__ void __launch_bounds__(most_threads, least_blocks) grid_body(const __grid_constant__ Args args)
{
    Body::run(args);
}

template <class Body, int most_threads = SP_GPU_BLOCK_THREADS, int least_blocks = 0, class Args>
int start_grid(int64_t n_blocks, int block_threads, size_t shared_B, const Args *args)
{
#ifdef __HIP__
    if (shared_B > SP_HIP_SHARED_B)
        return (int)hipErrorNotSupported;
#else
    if (shared_B > SP_GPU_SHARED_B) { /* has to be asked for, once for each kernel */
        static const cudaError_t allowed =
            cudaFuncSetAttribute(grid_body<Body, most_threads, least_blocks, Args>,
                                 cudaFuncAttributeMaxDynamicSharedMemorySize, SP_GPU_SHARED_MOST_B);
        if (allowed != cudaSuccess)
            return (int)allowed;
    }
#endif
    grid_body<Body, most_threads, least_blocks, Args>
        <<<(unsigned)n_blocks, (unsigned)block_threads, shared_B>>>(*args);
    return (int)cudaGetLastError();
}

#elif defined(SP_OPENCL_HOST)

#include "kernels/opencl/opencl_grid.h"

#else

/* The executor's: calls body(args) as each thread of the grid. */
int execute_grid(int64_t n_blocks, int block_threads, size_t shared_B, const void *args,
                 void (*body)(const void *args));

template <class Body, int most_threads = SP_GPU_BLOCK_THREADS, int least_blocks = 0, class Args>
int start_grid(int64_t n_blocks, int block_threads, size_t shared_B, const Args *args)
{
    return execute_grid(n_blocks, block_threads, shared_B, args,
                        [](const void *a) { Body::run(*(const Args *)a); });
}

#endif

#endif
