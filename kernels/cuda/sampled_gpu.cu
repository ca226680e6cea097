/* Which body runs for a launch of SDDMM or FusedMM. */
#include "kernels/cuda/gpu_grid.h"
#include "kernels/cuda/sampled_bodies.h"

namespace
{

template <class Body> int start(const struct sp_gpu_launch *g, const struct sp_gpu_arrays *a)
{
    return start_grid<Body, SP_GPU_DENSE_THREADS>(g->n_blocks, g->block_threads, g->shared_B, a);
}

template <class V, class I, int n>
int start_columns(const struct sp_gpu_launch *g, const struct sp_gpu_arrays *a)
{
    switch (g->map) {
    case SP_GPU_SAMPLE:
        return start<gpu::sddmm_crs<V, I, n>>(g, a);
    case SP_GPU_EQUAL:
        return start<gpu::sddmm_coo<V, I, n>>(g, a);
    case SP_GPU_TILE:
        return start<gpu::sddmm_tiled<V, I, n>>(g, a);
    default:
        return g->vectors > 0 ? start<gpu::fused_narrow<V, I, n>>(g, a)
                              : start<gpu::fused_wide<V, I, n>>(g, a);
    }
}

template <class V, class I> int start_map(const struct sp_gpu_launch *g, const struct sp_gpu_arrays *a)
{
    constexpr int in_load = 16 / (int)sizeof(V);
    return g->vector == 1 ? start_columns<V, I, 1>(g, a) : start_columns<V, I, in_load>(g, a);
}

/* SDDMM in CRS is all that they have. */
template <class V, class I> int start_halves(const struct sp_gpu_launch *g, const struct sp_gpu_arrays *a)
{
    constexpr int in_load = 16 / (int)sizeof(V);
    return g->vector == 1 ? start<gpu::sddmm_crs<V, I, 1>>(g, a) : start<gpu::sddmm_crs<V, I, in_load>>(g, a);
}

template <class I>
int start_precision(const struct sp_gpu_launch *g, const struct sp_gpu_arrays *a, enum sp_precision precision)
{
    switch (precision) {
    case SP_F32:
        return start_map<float, I>(g, a);
    case SP_F16:
        return start_halves<gpu::f16, I>(g, a);
    case SP_BF16:
        return start_halves<gpu::bf16, I>(g, a);
    default:
        return start_map<double, I>(g, a);
    }
}

} // namespace

int sp_gpu_sampled_execute(const struct sp_gpu_launch *g, const struct sp_gpu_arrays *a,
                           enum sp_precision precision, enum sp_index index)
{
    return index == SP_I32 ? start_precision<int32_t>(g, a, precision)
                           : start_precision<int64_t>(g, a, precision);
}
