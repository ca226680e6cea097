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
int start_columns(const struct sp_gpu_launch *g, const struct sp_gpu_arrays *a)
{
    switch (g->map) {
    case SP_GPU_SLOT:
        return start<gpu::sell_columns<V, I, n>>(g, a);
    case SP_GPU_STAGE:
        return start<gpu::staged_columns<V, n>>(g, a);
    default:
        return g->vectors == 1 ? start<gpu::crs_columns<V, I, n, 1>>(g, a)
                               : start<gpu::crs_columns<V, I, n, 2>>(g, a);
    }
}

template <class V, class I> int start_map(const struct sp_gpu_launch *g, const struct sp_gpu_arrays *a)
{
    constexpr int in_load = 16 / (int)sizeof(V);
    if (g->map == SP_GPU_OUTPUT)
        return start<gpu::crs_output<V, I>>(g, a);
    return g->vector == 1 ? start_columns<V, I, 1>(g, a) : start_columns<V, I, in_load>(g, a);
}

} // namespace

int sp_gpu_spmm_execute(const struct sp_gpu_launch *g, const struct sp_gpu_arrays *a,
                        enum sp_precision precision, enum sp_index index)
{
    if (precision == SP_F64)
        return index == SP_I32 ? start_map<double, int32_t>(g, a) : start_map<double, int64_t>(g, a);
    return index == SP_I32 ? start_map<float, int32_t>(g, a) : start_map<float, int64_t>(g, a);
}
