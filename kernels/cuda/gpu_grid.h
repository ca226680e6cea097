/* Starts a grid whose threads run Body::run(arrays). nvcc makes a kernel of it, the tests' executor runs it.
 * Returns 0, or the runtime's number of what went wrong. */
#ifndef SP_KERNELS_CUDA_GPU_GRID_H
#define SP_KERNELS_CUDA_GPU_GRID_H

#include "kernels/cuda/gpu_arrays.h"

#ifdef __CUDACC__

template <class Body>
__global__ void __launch_bounds__(SP_GPU_BLOCK_THREADS)
    grid_body(const __grid_constant__ struct sp_gpu_arrays a)
{
    Body::run(a);
}

template <class Body>
int start_grid(int64_t n_blocks, int block_threads, size_t shared_B, const struct sp_gpu_arrays *a)
{
    grid_body<Body><<<(unsigned)n_blocks, (unsigned)block_threads, shared_B>>>(*a);
    return (int)cudaGetLastError();
}

#else

/* The executor's: calls body(arrays) as each thread of the grid. */
int execute_grid(int64_t n_blocks, int block_threads, size_t shared_B, const struct sp_gpu_arrays *a,
                 void (*body)(const struct sp_gpu_arrays &));

template <class Body>
int start_grid(int64_t n_blocks, int block_threads, size_t shared_B, const struct sp_gpu_arrays *a)
{
    return execute_grid(n_blocks, block_threads, shared_B, a, Body::run);
}

#endif

#endif
