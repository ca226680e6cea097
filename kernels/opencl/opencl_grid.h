/* Grids under OpenCL: the host knows a body by the program and the kernel that a device runs for it
 * (opencl_names.inc). For kernels/cuda/gpu_grid.h alone. */
#ifndef SP_KERNELS_OPENCL_OPENCL_GRID_H
#define SP_KERNELS_OPENCL_OPENCL_GRID_H

#include "kernels/opencl/opencl_arguments.h"
#include "kernels/opencl/opencl_start.h"

namespace gpu
{

/* No program has the bodies that have no row in opencl_kernels.inc. */
template <class Body> struct opencl_body {
    static constexpr const char *program = nullptr, *kernel = nullptr;
};

} // namespace gpu

template <class Body, int most_threads = SP_GPU_BLOCK_THREADS, int least_blocks = 0, class Args>
int start_grid(int64_t n_blocks, int block_threads, size_t shared_B, const Args *args,
               const grid_window & = {})
{
    using body = gpu::opencl_body<Body>;
    const struct sp_opencl_grid grid = {
        body::program, body::kernel, n_blocks,     block_threads,
        shared_B,      args,         sizeof *args, sp_opencl_pointers<Args>::n};
    return sp_opencl_start(&grid);
}

#endif
