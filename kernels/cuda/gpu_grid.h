/* Starts a grid whose threads run Body::run(args). nvcc makes a kernel of it, the tests' executor runs it.
 * Returns 0, or the runtime's number of what went wrong. */
#ifndef SP_KERNELS_CUDA_GPU_GRID_H
#define SP_KERNELS_CUDA_GPU_GRID_H

#include <stddef.h>
#include <stdint.h>

#ifdef __CUDACC__

template <class Body, class Args>
__global__ void __launch_bounds__(1024) grid_body(const __grid_constant__ Args args)
{
    Body::run(args);
}

template <class Body, class Args>
int start_grid(int64_t n_blocks, int block_threads, size_t shared_B, const Args *args)
{
    grid_body<Body, Args><<<(unsigned)n_blocks, (unsigned)block_threads, shared_B>>>(*args);
    return (int)cudaGetLastError();
}

#else

/* The executor's: calls body(args) as each thread of the grid. */
int execute_grid(int64_t n_blocks, int block_threads, size_t shared_B, const void *args,
                 void (*body)(const void *args));

template <class Body, class Args>
int start_grid(int64_t n_blocks, int block_threads, size_t shared_B, const Args *args)
{
    return execute_grid(n_blocks, block_threads, shared_B, args,
                        [](const void *a) { Body::run(*(const Args *)a); });
}

#endif

#endif
