/* Which body runs for a launch of SpMMV or SpMM. */
#include "kernels/cuda/dense_bodies.h"
#include "kernels/cuda/gpu_types.h"

namespace
{

/* Blocks of a core for which registers are given out: so many that the loads of a batch leave
 * together and none is spilled (tests/gpu/machine_code.sh says what came of it). */
enum { BLOCKS = 4, TWO_PACKS_BLOCKS = 3, NARROW_BLOCKS = 5 };

/* Of a body whose thread has n columns. */
template <class V, int n>
constexpr int blocks_of = n == 1 || sizeof(V) == sizeof(float) ? NARROW_BLOCKS : BLOCKS;

/* Only some ways of sharing have 64-bit indices (gpu_launch.c). */
template <class I> constexpr bool is_narrow = sizeof(I) == sizeof(int32_t);

template <class V, class I, int n>
int start_teams(const struct sp_gpu_launch *g, const struct sp_gpu_arrays *a)
{
    return g->vectors == 1 ? start_dense<gpu::crs_columns<V, I, n, 1>, blocks_of<V, n>>(g, a)
                           : start_dense<gpu::crs_columns<V, I, n, 2>, TWO_PACKS_BLOCKS>(g, a);
}

template <class V, class I> int start_crs(const struct sp_gpu_launch *g, const struct sp_gpu_arrays *a)
{
    constexpr int in_load = 16 / (int)sizeof(V);
    if (is_narrow<I> && g->map == SP_GPU_OUTPUT)
        return start_dense<gpu::crs_output<V, int32_t>, NARROW_BLOCKS>(g, a);
    return g->vector == 1 ? start_teams<V, I, 1>(g, a) : start_teams<V, I, in_load>(g, a);
}

/* Two grids: the second one adds what the teams of the first carried. */
template <class V> int start_share(const struct sp_gpu_launch *g, const struct sp_gpu_arrays *a)
{
    constexpr int in_load = 16 / (int)sizeof(V);
    constexpr int of_thread = gpu::is_storage<V> ? 1 : SP_GPU_CARRY_SHARES;
    const int64_t carries = sp_gpu_ratio_up(a->n_shares, of_thread) * a->r;
    const int64_t n_blocks = sp_gpu_ratio_up(carries, SP_GPU_CARRY_THREADS);
    const int failed = g->vector == 1
                           ? start_dense<gpu::crs_share<V, int32_t, 1>, BLOCKS>(g, a)
                           : start_dense<gpu::crs_share<V, int32_t, in_load>, TWO_PACKS_BLOCKS>(g, a);
    if (failed)
        return failed;
    if constexpr (gpu::is_storage<V>)
        return start_grid<gpu::share_parts<V>, SP_GPU_CARRY_THREADS, BLOCKS>(n_blocks, SP_GPU_CARRY_THREADS,
                                                                             0, a);
    else
        return start_grid<gpu::share_carries<V>>(n_blocks, SP_GPU_CARRY_THREADS, 0, a);
}

template <class V, class I> int start_map(const struct sp_gpu_launch *g, const struct sp_gpu_arrays *a)
{
    constexpr int in_load = 16 / (int)sizeof(V);
    switch (g->map) {
    case SP_GPU_SLOT:
        return g->vector == 1
                   ? start_dense<gpu::sell_columns<V, int32_t, 1>, NARROW_BLOCKS>(g, a)
                   : start_dense<gpu::sell_columns<V, int32_t, in_load>, blocks_of<V, in_load>>(g, a);
    case SP_GPU_SHARE:
        return start_share<V>(g, a);
    case SP_GPU_STAGE:
        return g->vector == 1 ? start_dense<gpu::staged_columns<V, 1>>(g, a)
                              : start_dense<gpu::staged_columns<V, in_load>>(g, a);
    default:
        return start_crs<V, I>(g, a);
    }
}

struct kernels {
    template <class V, class I> static int whole(const struct sp_gpu_launch *g, const struct sp_gpu_arrays *a)
    {
        return start_map<V, I>(g, a);
    }
    template <class V, class I> static int half(const struct sp_gpu_launch *g, const struct sp_gpu_arrays *a)
    {
        return g->map == SP_GPU_SHARE ? start_share<V>(g, a) : start_crs<V, I>(g, a);
    }
};

} // namespace

int sp_gpu_spmm_execute(const struct sp_gpu_launch *g, const struct sp_gpu_arrays *a,
                        enum sp_precision precision, enum sp_index index)
{
    return start_types<kernels>(g, a, precision, index);
}
