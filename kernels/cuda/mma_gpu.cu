/* Which body runs for a launch of SpMM on matrix units. */
#include "kernels/cuda/gpu_arrays.h"
#include "kernels/cuda/gpu_grid.h"
#include "kernels/cuda/mma_bodies.h"

namespace
{

typedef const struct sp_gpu_launch *launch_of;
typedef const struct sp_gpu_arrays *arrays_of;

/* Blocks of a core for which registers are given out: as many as hold the sums, or what is brought
 * without copies, so that none is spilled. */
template <class U, int row_units, bool whole>
constexpr int blocks_of = whole ? 4 - (sizeof(typename U::value) == 8 ? row_units / 2 : row_units / 4) : 2;

template <class U, int row_units, unsigned switches, bool whole> int start(launch_of g, arrays_of a)
{
    return start_grid<gpu::bcsr_mma<U, row_units, switches, whole>, SP_GPU_DENSE_THREADS,
                      blocks_of<U, row_units, whole>>(g->n_blocks, g->block_threads, g->shared_B, a);
}

template <class U, unsigned switches, bool whole> int start_units(launch_of g, arrays_of a)
{
    const int units = a->b_h / 8;
    if (units % 4 == 0)
        return start<U, 4, switches, whole>(g, a);
    if (units % 2 == 0)
        return start<U, 2, switches, whole>(g, a);
    return start<U, 1, switches, whole>(g, a);
}

template <class U> int start_all(launch_of g, arrays_of a)
{
    return g->vector > 1 ? start_units<U, SP_GPU_MMA_ALL, true>(g, a)
                         : start_units<U, SP_GPU_MMA_ALL, false>(g, a);
}

typedef gpu::unit_16bit<gpu::f16> unit_f16;
typedef gpu::unit_16bit<gpu::bf16> unit_bf16;

/* Parts switched off one by one: f16 only. */
int start_switched(launch_of g, arrays_of a)
{
    switch (g->switches) {
    case 0:
        return start_units<unit_f16, 0, true>(g, a);
    case 1:
        return start_units<unit_f16, 1, true>(g, a);
    case 2:
        return start_units<unit_f16, 2, true>(g, a);
    case 3:
        return start_units<unit_f16, 3, true>(g, a);
    case 4:
        return start_units<unit_f16, 4, true>(g, a);
    case 5:
        return start_units<unit_f16, 5, true>(g, a);
    default:
        return start_units<unit_f16, 6, true>(g, a);
    }
}

} // namespace

int sp_gpu_mma_execute(const struct sp_gpu_launch *g, const struct sp_gpu_arrays *a,
                       enum sp_precision precision, enum sp_index)
{
    if (g->switches != SP_GPU_MMA_ALL)
        return start_switched(g, a);
    switch (precision) {
    case SP_F16:
        return start_all<unit_f16>(g, a);
    case SP_BF16:
        return start_all<unit_bf16>(g, a);
    case SP_F32:
        return start_all<gpu::unit_tf32>(g, a);
    default:
        return start_all<gpu::unit_f64>(g, a);
    }
}
