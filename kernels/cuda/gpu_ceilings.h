/* The module's ceilings, for its table. */
#ifndef SP_KERNELS_CUDA_GPU_CEILINGS_H
#define SP_KERNELS_CUDA_GPU_CEILINGS_H

#include "kernels/gpu_ceiling.h"

extern const struct sp_gpu_ceilings sp_gpu_ceilings;

#endif
