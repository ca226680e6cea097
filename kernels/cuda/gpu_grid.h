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

/* Accesses of a grid to these bytes stay in the L2's part that is set aside, this share of them. */
struct grid_window {
    const void *base;
    size_t bytes; /* 0: none do */
    double hits;
};

#ifdef __CUDACC__

template <class Body, int most_threads, int least_blocks, class Args>
__global__ void __launch_bounds__(most_threads, least_blocks) grid_body(const __grid_constant__ Args args)
{
    Body::run(args);
}

#ifndef __HIP__
/* The window is an attribute of this launch: others have none. */
template <class Args>
int start_in_window(void (*kernel)(Args), int64_t n_blocks, int block_threads, size_t shared_B,
                    const Args *args, const grid_window &window)
{
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeAccessPolicyWindow;
    attribute.val.accessPolicyWindow.base_ptr = const_cast<void *>(window.base);
    attribute.val.accessPolicyWindow.num_bytes = window.bytes;
    attribute.val.accessPolicyWindow.hitRatio = (float)window.hits;
    attribute.val.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    attribute.val.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned)n_blocks);
    config.blockDim = dim3((unsigned)block_threads);
    config.dynamicSmemBytes = shared_B;
    config.attrs = &attribute;
    config.numAttrs = 1;
    return (int)cudaLaunchKernelEx(&config, kernel, *args);
}
#endif

template <class Body, int most_threads = SP_GPU_BLOCK_THREADS, int least_blocks = 0, class Args>
int start_grid(int64_t n_blocks, int block_threads, size_t shared_B, const Args *args,
               const grid_window &window = {})
{
#ifdef __HIP__
    (void)window; /* no part of the L2 can be set aside: sp_gpu_L2_limits() */
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
    if (window.bytes > 0)
        return start_in_window(grid_body<Body, most_threads, least_blocks, Args>, n_blocks, block_threads,
                               shared_B, args, window);
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
                 void (*body)(const void *args), const grid_window &window);

template <class Body, int most_threads = SP_GPU_BLOCK_THREADS, int least_blocks = 0, class Args>
int start_grid(int64_t n_blocks, int block_threads, size_t shared_B, const Args *args,
               const grid_window &window = {})
{
    return execute_grid(
        n_blocks, block_threads, shared_B, args, [](const void *a) { Body::run(*(const Args *)a); }, window);
}

#endif

#endif
