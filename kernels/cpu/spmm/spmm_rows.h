/* The rows of SpMMV and SpMM that kernels/cpu gives to the kernel table. */
#ifndef SP_KERNELS_CPU_SPMM_ROWS_H
#define SP_KERNELS_CPU_SPMM_ROWS_H

#include "kernels/kernel.h"

extern const struct sp_kernel sp_spmmv_crs_portable, sp_spmmv_crs_avx2, sp_spmmv_crs_avx512;
extern const struct sp_kernel sp_spmmv_sell_portable, sp_spmmv_sell_avx2, sp_spmmv_sell_avx512;
extern const struct sp_kernel sp_spmm_crs_portable, sp_spmm_crs_avx2, sp_spmm_crs_avx512;

#endif
