/* The rows that SpMMV and SpMM in BCSR give to the kernel table. */
#ifndef SP_KERNELS_CPU_DENSE_BCSR_ROWS_H
#define SP_KERNELS_CPU_DENSE_BCSR_ROWS_H

#include "kernels/kernel.h"

extern const struct sp_kernel sp_spmmv_bcsr_portable, sp_spmmv_bcsr_avx2, sp_spmmv_bcsr_avx512;
extern const struct sp_kernel sp_spmm_bcsr_portable, sp_spmm_bcsr_avx2, sp_spmm_bcsr_avx512;

#endif
