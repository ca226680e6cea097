/* The rows that SDDMM and FusedMM on CPUs give to the kernel table. */
#ifndef SP_KERNELS_CPU_SAMPLED_ROWS_H
#define SP_KERNELS_CPU_SAMPLED_ROWS_H

#include "kernels/kernel.h"

extern const struct sp_kernel sp_sddmm_crs_portable, sp_sddmm_crs_avx2, sp_sddmm_crs_avx512;
extern const struct sp_kernel sp_sddmm_coo_portable, sp_sddmm_coo_avx2, sp_sddmm_coo_avx512;
extern const struct sp_kernel sp_sddmm_tiled_portable, sp_sddmm_tiled_avx2, sp_sddmm_tiled_avx512;
extern const struct sp_kernel sp_fusedmm_crs_portable, sp_fusedmm_crs_avx2, sp_fusedmm_crs_avx512;

#endif
