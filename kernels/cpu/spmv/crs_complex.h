/* The complex bodies of the file that includes this: complex_bodies[index]. Needs AVX2. */
#ifndef SP_KERNELS_CPU_SPMV_CRS_COMPLEX_H
#define SP_KERNELS_CPU_SPMV_CRS_COMPLEX_H

#include "kernels/cpu/spmv/spmv_cpu.h"
#include "kernels/cpu/vectors_avx2.h"

#define ROW     complex_row_i32
#define FN      complex_rows_i32
#define PARTIAL complex_partial_i32
#define INDEX   int32_t
#include "kernels/cpu/spmv/crs_complex.inc"
#define ROW     complex_row_i64
#define FN      complex_rows_i64
#define PARTIAL complex_partial_i64
#define INDEX   int64_t
#include "kernels/cpu/spmv/crs_complex.inc"

static const struct sp_spmv_body complex_bodies[] = {
    {complex_rows_i32, complex_partial_i32, NULL, true},
    {complex_rows_i64, complex_partial_i64, NULL, true},
};

#endif
