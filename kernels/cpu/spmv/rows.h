/* The rows that kernels/cpu gives to the kernel table. */
#ifndef SP_KERNELS_CPU_SPMV_ROWS_H
#define SP_KERNELS_CPU_SPMV_ROWS_H

#include "kernels/kernel.h"

extern const struct sp_kernel sp_spmv_crs_portable_row, sp_spmv_crs_avx2, sp_spmv_crs_avx2_loads,
    sp_spmv_crs_avx512, sp_spmv_crs_avx512_loads;
extern const struct sp_kernel sp_spmv_sell_portable, sp_spmv_sell_avx2, sp_spmv_sell_avx2_loads,
    sp_spmv_sell_avx512, sp_spmv_sell_avx512_loads;
extern const struct sp_kernel sp_spmv_sellu_portable, sp_spmv_sellu_avx2, sp_spmv_sellu_avx2_loads,
    sp_spmv_sellu_avx512, sp_spmv_sellu_avx512_loads;
extern const struct sp_kernel sp_spmv_bcsr_portable, sp_spmv_bcsr_avx2, sp_spmv_bcsr_avx512;
extern const struct sp_kernel sp_spmv_half_portable, sp_spmv_half_avx2, sp_spmv_half_avx512;
extern const struct sp_kernel sp_spmv_striped_portable;

#endif
