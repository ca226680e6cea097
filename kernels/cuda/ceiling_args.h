/* Arguments of the ceilings' kernels; C, and C++ where they are compiled. */
#ifndef SP_KERNELS_CUDA_CEILING_ARGS_H
#define SP_KERNELS_CUDA_CEILING_ARGS_H

#ifdef __cplusplus
extern "C" {
#endif

#include <stddef.h>
#include <stdint.h>

#ifndef __OPENCL_CPP_VERSION__
#include "kernels/gpu_ceiling.h"
#endif

enum { SP_GPU_CHAINS = 8 };

struct sp_gpu_ceiling_args {
    const double *a, *b; /* [n] */
    double *c;           /* [n], one element where a kernel writes nothing */
    int64_t n, repetitions, n_blocks;
    int64_t row_B; /* SECTORS */
    int32_t access_B, together;
};

#ifndef __OPENCL_CPP_VERSION__
/* Queues one grid. 0, or the runtime's number of what went wrong. */
int sp_gpu_ceiling_execute(enum sp_gpu_ceiling kind, const struct sp_gpu_ceiling_args *args,
                           int block_threads, size_t shared_B);
#endif

#ifdef __cplusplus
}
#endif

#endif
