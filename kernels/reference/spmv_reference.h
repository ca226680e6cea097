/* The rows of the readable kernels: y by the definition of each format, serial, sums in double. */
#ifndef SP_KERNELS_REFERENCE_SPMV_REFERENCE_H
#define SP_KERNELS_REFERENCE_SPMV_REFERENCE_H

#include "kernels/kernel.h"

extern const struct sp_kernel sp_spmv_crs_reference, sp_spmv_sell_reference, sp_spmv_sellu_reference;

#endif
