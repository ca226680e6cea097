/* Which body runs for a ceiling. */
#include "kernels/cuda/ceiling_bodies.h"
#include "kernels/cuda/gpu_grid.h"

int sp_gpu_ceiling_execute(enum sp_gpu_ceiling kind, const struct sp_gpu_ceiling_args *a, int threads,
                           size_t shared_B)
{
    switch (kind) {
    case SP_GPU_CEILING_LOAD:
        return start_grid<gpu::ceiling_load>(a->n_blocks, threads, shared_B, a);
    case SP_GPU_CEILING_COPY:
        return start_grid<gpu::ceiling_copy>(a->n_blocks, threads, shared_B, a);
    case SP_GPU_CEILING_TRIAD:
        return start_grid<gpu::ceiling_triad>(a->n_blocks, threads, shared_B, a);
    case SP_GPU_CEILING_FMA_F64:
        return start_grid<gpu::ceiling_fma<double>>(a->n_blocks, threads, shared_B, a);
    case SP_GPU_CEILING_FMA_F32:
        return start_grid<gpu::ceiling_fma<float>>(a->n_blocks, threads, shared_B, a);
    case SP_GPU_CEILING_LATENCY:
        return start_grid<gpu::ceiling_chase>(1, threads, shared_B, a);
    case SP_GPU_CEILING_SECTORS:
        return a->access_B > 8   ? start_grid<gpu::ceiling_sectors<4>>(1, threads, shared_B, a)
               : a->access_B > 4 ? start_grid<gpu::ceiling_sectors<2>>(1, threads, shared_B, a)
                                 : start_grid<gpu::ceiling_sectors<1>>(1, threads, shared_B, a);
    default:
        return start_grid<gpu::ceiling_nothing>(1, threads, shared_B, a);
    }
}
