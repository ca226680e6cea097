/* Which body runs for a ceiling: on a GPU those of CUDA; on a device whose work-items follow each
 * other those that have parts, once for each pass, because a part is small enough for a cache. */
#include "kernels/cuda/ceiling_bodies.h"
#include "kernels/cuda/gpu_grid.h"
#include "kernels/opencl/part_bodies.h"

#define SP_OPENCL_CEILING
#define SP_OPENCL_FAMILY "ceiling"
#include "kernels/opencl/opencl_names.inc"

#define sp_gpu_ceiling_execute on_a_gpu
#include "kernels/cuda/ceiling_gpu.cu"
#undef sp_gpu_ceiling_execute

template <class Body>
static int in_passes(const struct sp_gpu_ceiling_args *args, int threads, size_t shared_B)
{
    int failed = 0;
    for (int64_t i = 0; i < args->repetitions && !failed; i++)
        failed = start_grid<Body>(args->n_blocks, threads, shared_B, args);
    return failed;
}

int sp_gpu_ceiling_execute(enum sp_gpu_ceiling kind, const struct sp_gpu_ceiling_args *args, int threads,
                           size_t shared_B)
{
    if (!sp_opencl_is_cpu())
        return on_a_gpu(kind, args, threads, shared_B);
    switch (kind) {
    case SP_GPU_CEILING_LOAD:
        return in_passes<gpu::part_load>(args, threads, shared_B);
    case SP_GPU_CEILING_COPY:
        return in_passes<gpu::part_copy>(args, threads, shared_B);
    case SP_GPU_CEILING_TRIAD:
        return in_passes<gpu::part_triad>(args, threads, shared_B);
    case SP_GPU_CEILING_LATENCY: /* each work-item would follow the chain once more */
        return on_a_gpu(kind, args, 1, shared_B);
    default:
        return on_a_gpu(kind, args, threads, shared_B);
    }
}
