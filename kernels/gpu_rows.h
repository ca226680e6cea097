/* The rows whose code is in the GPU module. */
#ifndef SP_KERNELS_GPU_ROWS_H
#define SP_KERNELS_GPU_ROWS_H

#include "kernels/kernel.h"

extern const struct sp_kernel sp_spmv_crs_cuda_thread, sp_spmv_crs_cuda_lanes, sp_spmv_crs_cuda_merge,
    sp_spmv_sell_cuda_chunk;

#endif
