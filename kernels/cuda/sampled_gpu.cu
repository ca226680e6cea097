/* Which body runs for a launch of SDDMM or FusedMM. */
#include "kernels/cuda/gpu_types.h"
#include "kernels/cuda/sampled_bodies.h"

namespace
{

/* Blocks of a core for which registers are given out: none is spilled. */
template <int n> constexpr int tile_blocks = n == 4 ? 3 : 4;

template <class V, class I, int n>
int start_columns(const struct sp_gpu_launch *g, const struct sp_gpu_arrays *a)
{
    switch (g->map) {
    case SP_GPU_SAMPLE:
        return start_dense<gpu::sddmm_crs<V, I, n>>(g, a);
    case SP_GPU_EQUAL: /* with 32-bit indices alone, as TILE */
        return start_dense<gpu::sddmm_coo<V, int32_t, n>>(g, a);
    case SP_GPU_TILE:
        return start_dense<gpu::sddmm_tiled<V, int32_t, n>, tile_blocks<n>>(g, a);
    default:
        return g->vectors > 0 ? start_dense<gpu::fused_narrow<V, I, n>>(g, a)
                              : start_dense<gpu::fused_wide<V, I, n>>(g, a);
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
    return g->vector == 1 ? start_dense<gpu::sddmm_crs<V, I, 1>>(g, a)
                          : start_dense<gpu::sddmm_crs<V, I, in_load>>(g, a);
}

struct kernels {
    template <class V, class I> static int whole(const struct sp_gpu_launch *g, const struct sp_gpu_arrays *a)
    {
        return start_map<V, I>(g, a);
    }
    template <class V, class I> static int half(const struct sp_gpu_launch *g, const struct sp_gpu_arrays *a)
    {
        return start_halves<V, I>(g, a);
    }
};

} // namespace

int sp_gpu_sampled_execute(const struct sp_gpu_launch *g, const struct sp_gpu_arrays *a,
                           enum sp_precision precision, enum sp_index index)
{
    return start_types<kernels>(g, a, precision, index);
}
