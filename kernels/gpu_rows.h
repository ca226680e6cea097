/* The rows whose code is in the GPU module. */
#ifndef SP_KERNELS_GPU_ROWS_H
#define SP_KERNELS_GPU_ROWS_H

#include "kernels/kernel.h"

extern const struct sp_kernel sp_spmv_crs_cuda_thread, sp_spmv_crs_cuda_lanes, sp_spmv_crs_cuda_merge,
    sp_spmv_sell_cuda_chunk, sp_spmmv_crs_cuda_group, sp_spmmv_sell_cuda_slot, sp_spmm_crs_cuda_output,
    sp_spmm_crs_cuda_row, sp_spmm_crs_cuda_share, sp_spmm_staged_cuda_stage, sp_sddmm_crs_cuda_sample,
    sp_sddmm_coo_cuda_equal, sp_sddmm_tiled_cuda_tile, sp_fusedmm_crs_cuda_fused, sp_spmm_bcsr_cuda_mma;

#endif
