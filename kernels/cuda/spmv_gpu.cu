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

/* A body of a launch's number of lanes: Kind has the template `body` of them. */
template <class Kind, int lanes> int start_body(const struct sp_gpu_launch *g, const struct sp_gpu_arrays *a)
{
    return start_grid<typename Kind::template body<lanes>, ROW_THREADS, Kind::blocks>(
        g->n_blocks, g->block_threads, g->shared_B, a, {a->x, (size_t)a->window_B, a->window_hits});
}
template <class Kind> int start_lanes(const struct sp_gpu_launch *g, const struct sp_gpu_arrays *a)
{
    switch (g->lanes) {
    case 2:
        return start_body<Kind, 2>(g, a);
    case 4:
        return start_body<Kind, 4>(g, a);
    case 8:
        return start_body<Kind, 8>(g, a);
    case 16:
        return start_body<Kind, 16>(g, a);
    default:
        return start_body<Kind, 32>(g, a);
    }
}
/* Of kinds that are rarely chosen: 4 or 16 lanes. */
template <class Kind> int start_few_lanes(const struct sp_gpu_launch *g, const struct sp_gpu_arrays *a)
{
    return g->lanes <= 4 ? start_body<Kind, 4>(g, a) : start_body<Kind, 16>(g, a);
}
template <class V, class I> struct kind_rows {
    template <int lanes> using body = gpu::crs_rows<V, I, lanes>;
    static constexpr int blocks = row_blocks<V>;
};
template <class V> struct kind_keep {
    template <int lanes> using body = gpu::crs_rows<V, int32_t, lanes, gpu::loads_keeping_x>;
    static constexpr int blocks = row_blocks<V>;
};
template <class V> struct kind_bins {
    template <int lanes> using body = gpu::crs_bins<V, int32_t, lanes>;
    static constexpr int blocks = row_blocks<V>;
};

template <class V> int start_merge(const struct sp_gpu_launch *g, const struct sp_gpu_arrays *a)
{
    const int threads = SP_GPU_CARRY_THREADS;
    int failed = start_grid<gpu::crs_merge<V, int32_t>, SP_GPU_MERGE_THREADS, merge_blocks<V>>(
        g->n_blocks, g->block_threads, g->shared_B, a);
    if (failed)
        return failed;
    return start_grid<gpu::merge_carries<V>, SP_GPU_CARRY_THREADS>(
        (g->n_blocks + threads - 1) / threads, threads, threads * (sizeof(V) + sizeof(int64_t)), a);
}

/* With 64-bit indices, which threads, lanes and chunks take alone. */
template <class V> int start_wide_crs(const struct sp_gpu_launch *g, const struct sp_gpu_arrays *a)
{
    using kind = kind_rows<V, int64_t>;
    return g->map == SP_GPU_THREAD ? start_body<kind, 1>(g, a) : start_few_lanes<kind>(g, a);
}

/* With 32-bit indices. */
template <class V> int start_crs(const struct sp_gpu_launch *g, const struct sp_gpu_arrays *a)
{
    switch (g->map) {
    case SP_GPU_LANES:
        if constexpr (sizeof(V) > sizeof(double))
            return start_few_lanes<kind_rows<V, int32_t>>(g, a);
        else
            return start_lanes<kind_rows<V, int32_t>>(g, a);
    case SP_GPU_MERGE:
        return start_merge<V>(g, a);
    default:
        return start_body<kind_rows<V, int32_t>, 1>(g, a);
    }
}

template <class V, class I> int start_chunk(const struct sp_gpu_launch *g, const struct sp_gpu_arrays *a)
{
    return start_grid<gpu::sell_chunk<V, I>, CHUNK_THREADS, CHUNK_BLOCKS>(g->n_blocks, g->block_threads,
                                                                          g->shared_B, a);
}

template <class V>
int start_real(const struct sp_gpu_launch *g, const struct sp_gpu_arrays *a, enum sp_index index)
{
    const bool narrow = index == SP_I32;
    switch (g->map) {
    case SP_GPU_CHUNK:
        return narrow ? start_chunk<V, int32_t>(g, a) : start_chunk<V, int64_t>(g, a);
    case SP_GPU_KEEP:
        return start_lanes<kind_keep<V>>(g, a);
    case SP_GPU_BINS:
        return start_lanes<kind_bins<V>>(g, a);
    default:
        return narrow ? start_crs<V>(g, a) : start_wide_crs<V>(g, a);
    }
}

} // namespace

int sp_gpu_spmv_execute(const struct sp_gpu_launch *g, const struct sp_gpu_arrays *a,
                        enum sp_precision precision, enum sp_index index)
{
    switch (precision) {
    case SP_C128:
        return index == SP_I32 ? start_crs<gpu::complex>(g, a) : start_wide_crs<gpu::complex>(g, a);
    case SP_F32:
        return start_real<float>(g, a, index);
    default:
        return start_real<double>(g, a, index);
    }
}
