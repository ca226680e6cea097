/* The rows that the kernels of format STAGED give to the kernel table. */
#ifndef SP_KERNELS_CPU_STAGED_ROWS_H
#define SP_KERNELS_CPU_STAGED_ROWS_H

#include "kernels/kernel.h"

extern const struct sp_kernel sp_spmm_staged_portable, sp_spmm_staged_avx2, sp_spmm_staged_avx512;
extern const struct sp_kernel sp_sddmm_staged_portable, sp_sddmm_staged_avx2, sp_sddmm_staged_avx512;

#endif
