/* Ceilings of an OpenCL device whose work-items follow each other on cores: each has a part of its
 * own, one after the other in memory, where on a GPU neighbours share each line. */
#ifndef SP_KERNELS_OPENCL_PART_BODIES_H
#define SP_KERNELS_OPENCL_PART_BODIES_H

#include "kernels/cuda/ceiling_bodies.h"

namespace gpu
{

/* The elements of a work-item, a multiple of IN_FLIGHT but for the last one's. */
struct part {
    int64_t begin, end;
};
SP_GPU part part_of(const struct sp_gpu_ceiling_args &a)
{
    const int64_t n_items = a.n_blocks * block_threads();
    const int64_t each = (a.n / n_items + IN_FLIGHT) / IN_FLIGHT * IN_FLIGHT, begin = grid_thread() * each;
    return {begin < a.n ? begin : a.n, begin + each < a.n ? begin + each : a.n};
}

struct part_load {
    static SP_GPU void run(const struct sp_gpu_ceiling_args &a)
    {
        const part mine = part_of(a);
        int64_t i = mine.begin;
        double sum[4 * IN_FLIGHT] = {}, all = 0;
        for (; i + 4 * IN_FLIGHT <= mine.end; i += 4 * IN_FLIGHT)
#pragma unroll
            for (int k = 0; k < 4 * IN_FLIGHT; k++)
                sum[k] += stream(a.a + i + k);
        for (; i < mine.end; i++)
            sum[0] += stream(a.a + i);
#pragma unroll
        for (int k = 0; k < 4 * IN_FLIGHT; k++)
            all += sum[k];
        if (all == NEVER)
            store(a.c, all);
    }
};

template <class Stream> struct part_stores {
    static SP_GPU void run(const struct sp_gpu_ceiling_args &a)
    {
        const part mine = part_of(a);
        for (int64_t i = mine.begin; i < mine.end; i++) {
            Stream element;
            element.read(a, i);
            store(a.c + i, element.value());
        }
    }
};
typedef part_stores<copy_stream> part_copy;
typedef part_stores<triad_stream> part_triad;

} // namespace gpu

#endif
