/* The rows of the readable kernels: each operation by the definition of its format, serial, sums in double.
 */
#ifndef SP_KERNELS_REFERENCE_REFERENCE_ROWS_H
#define SP_KERNELS_REFERENCE_REFERENCE_ROWS_H

#include "kernels/kernel.h"

extern const struct sp_kernel sp_spmv_crs_reference, sp_spmv_sell_reference, sp_spmv_sellu_reference,
    sp_spmv_bcsr_reference, sp_spmv_half_reference, sp_spmv_striped_reference;
extern const struct sp_kernel sp_spmmv_crs_reference, sp_spmmv_sell_reference, sp_spmm_crs_reference,
    sp_sddmm_crs_reference, sp_fusedmm_crs_reference, sp_spmm_staged_reference, sp_sddmm_staged_reference,
    sp_spmmv_bcsr_reference, sp_spmm_bcsr_reference;

#endif
