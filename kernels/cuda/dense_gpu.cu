/* Which body runs for a launch of SpMMV or SpMM. */
#include "kernels/cuda/dense_bodies.h"
#include "kernels/cuda/gpu_grid.h"

namespace
{

template <class Body> int start(const struct sp_gpu_launch *g, const struct sp_gpu_arrays *a)
{
    return start_grid<Body, SP_GPU_DENSE_THREADS>(g->n_blocks, g->block_threads, g->shared_B, a);
}

template <class V, class I, int n>
int start_teams(const struct sp_gpu_launch *g, const struct sp_gpu_arrays *a)
{
    return g->vectors == 1 ? start<gpu::crs_columns<V, I, n, 1>>(g, a)
                           : start<gpu::crs_columns<V, I, n, 2>>(g, a);
}

template <class V, class I> int start_crs(const struct sp_gpu_launch *g, const struct sp_gpu_arrays *a)
{
    constexpr int in_load = 16 / (int)sizeof(V);
    if (g->map == SP_GPU_OUTPUT)
        return start<gpu::crs_output<V, I>>(g, a);
    return g->vector == 1 ? start_teams<V, I, 1>(g, a) : start_teams<V, I, in_load>(g, a);
}

template <class V, class I> int start_map(const struct sp_gpu_launch *g, const struct sp_gpu_arrays *a)
{
    constexpr int in_load = 16 / (int)sizeof(V);
    switch (g->map) {
    case SP_GPU_SLOT:
        return g->vector == 1 ? start<gpu::sell_columns<V, I, 1>>(g, a)
                              : start<gpu::sell_columns<V, I, in_load>>(g, a);
    case SP_GPU_STAGE:
        return g->vector == 1 ? start<gpu::staged_columns<V, 1>>(g, a)
                              : start<gpu::staged_columns<V, in_load>>(g, a);
    default:
        return start_crs<V, I>(g, a);
    }
}

template <class I>
int start_precision(const struct sp_gpu_launch *g, const struct sp_gpu_arrays *a, enum sp_precision precision)
{
    switch (precision) {
    case SP_F32:
        return start_map<float, I>(g, a);
    case SP_F16:
        return start_crs<gpu::f16, I>(g, a);
    case SP_BF16:
        return start_crs<gpu::bf16, I>(g, a);
    default:
        return start_map<double, I>(g, a);
    }
}

} // namespace

int sp_gpu_spmm_execute(const struct sp_gpu_launch *g, const struct sp_gpu_arrays *a,
                        enum sp_precision precision, enum sp_index index)
{
    return index == SP_I32 ? start_precision<int32_t>(g, a, precision)
                           : start_precision<int64_t>(g, a, precision);
}
