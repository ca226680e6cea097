/* Which body runs for a launch of SpMV. */
#include "kernels/cuda/gpu_arrays.h"
#include "kernels/cuda/gpu_grid.h"
#include "kernels/cuda/spmv_bodies.h"

namespace
{

/* Threads of a block, and blocks of a core for which registers are given out: so many that the
 * loads of a batch leave together, and no more (tests/gpu/machine_code.py says what came of it). */
enum { ROW_THREADS = 256, CHUNK_THREADS = 128, CHUNK_BLOCKS = 12 };
template <class V> constexpr int row_blocks = sizeof(V) == 16 ? 4 : 6;
template <class V> constexpr int merge_blocks = sizeof(V) == 4 ? 8 : 6;

template <class V, class I, int lanes>
int start_rows(const struct sp_gpu_launch *g, const struct sp_gpu_arrays *a)
{
    return start_grid<gpu::crs_rows<V, I, lanes>, ROW_THREADS, row_blocks<V>>(g->n_blocks, g->block_threads,
                                                                              g->shared_B, a);
}

template <class V, class I> int start_lanes(const struct sp_gpu_launch *g, const struct sp_gpu_arrays *a)
{
    switch (g->lanes) {
    case 2:
        return start_rows<V, I, 2>(g, a);
    case 4:
        return start_rows<V, I, 4>(g, a);
    case 8:
        return start_rows<V, I, 8>(g, a);
    case 16:
        return start_rows<V, I, 16>(g, a);
    default:
        return start_rows<V, I, 32>(g, a);
    }
}

template <class V, class I> int start_merge(const struct sp_gpu_launch *g, const struct sp_gpu_arrays *a)
{
    const int threads = SP_GPU_CARRY_THREADS;
    int failed = start_grid<gpu::crs_merge<V, I>, SP_GPU_MERGE_THREADS, merge_blocks<V>>(
        g->n_blocks, g->block_threads, g->shared_B, a);
    if (failed)
        return failed;
    return start_grid<gpu::merge_carries<V>, SP_GPU_CARRY_THREADS>(
        (g->n_blocks + threads - 1) / threads, threads, threads * (sizeof(V) + sizeof(int64_t)), a);
}

template <class V, class I> int start_crs(const struct sp_gpu_launch *g, const struct sp_gpu_arrays *a)
{
    switch (g->map) {
    case SP_GPU_LANES:
        return start_lanes<V, I>(g, a);
    case SP_GPU_MERGE:
        return start_merge<V, I>(g, a);
    default:
        return start_rows<V, I, 1>(g, a);
    }
}

template <class V, class I> int start_chunk(const struct sp_gpu_launch *g, const struct sp_gpu_arrays *a)
{
    return start_grid<gpu::sell_chunk<V, I>, CHUNK_THREADS, CHUNK_BLOCKS>(g->n_blocks, g->block_threads,
                                                                          g->shared_B, a);
}

template <class I>
int start_precision(const struct sp_gpu_launch *g, const struct sp_gpu_arrays *a, enum sp_precision precision)
{
    const bool is_sell = g->map == SP_GPU_CHUNK;
    switch (precision) {
    case SP_C128:
        return start_crs<gpu::complex, I>(g, a);
    case SP_F32:
        return is_sell ? start_chunk<float, I>(g, a) : start_crs<float, I>(g, a);
    default:
        return is_sell ? start_chunk<double, I>(g, a) : start_crs<double, I>(g, a);
    }
}

} // namespace

int sp_gpu_spmv_execute(const struct sp_gpu_launch *g, const struct sp_gpu_arrays *a,
                        enum sp_precision precision, enum sp_index index)
{
    return index == SP_I32 ? start_precision<int32_t>(g, a, precision)
                           : start_precision<int64_t>(g, a, precision);
}
