/* CRS with AVX2, x by gathers or by scalar loads. */
#include "kernels/cpu/spmv/crs_complex.h"
#include "kernels/cpu/spmv/rows.h"
#include "kernels/cpu/spmv/spmv_cpu.h"
#include "kernels/cpu/vectors_avx2.h"

#define NARROW_F64 4
#define WIDE_F64   4
#define NARROW_F32 4
#define WIDE_F32   8

#define ACCESS  gather
#define SELECT  select_gather
#define PREPARE prepare_gather
#include "kernels/cpu/spmv/crs_variant.inc"

#define ACCESS  loads
#define SELECT  select_loads
#define PREPARE prepare_loads
#include "kernels/cpu/spmv/crs_variant.inc"

const struct sp_kernel sp_spmv_crs_avx2 = {
    .name = "spmv/crs/avx2",
    .summary = "CRS, AVX2, x by gather instructions; width by mean row length",
    .op = SP_OP_SPMV,
    .format = SP_FORMAT_CRS,
    .precisions = 1u << SP_F64 | 1u << SP_F32 | 1u << SP_C128 | 1u << SP_MIXED,
    .rank = 25,
    .available = sp_cpu_has_avx2,
    .prepare = prepare_gather,
    .run = sp_spmv_cpu_run,
    .fetch = sp_spmv_cpu_fetch,
    .facts = sp_spmv_cpu_facts,
    .release = sp_spmv_cpu_release,
};

const struct sp_kernel sp_spmv_crs_avx2_loads = {
    .name = "spmv/crs/avx2-loads",
    .summary = "CRS, AVX2, x by scalar loads; width by mean row length",
    .op = SP_OP_SPMV,
    .format = SP_FORMAT_CRS,
    .precisions = 1u << SP_F64 | 1u << SP_F32 | 1u << SP_C128 | 1u << SP_MIXED,
    .rank = 30,
    .available = sp_cpu_has_avx2,
    .prepare = prepare_loads,
    .run = sp_spmv_cpu_run,
    .fetch = sp_spmv_cpu_fetch,
    .facts = sp_spmv_cpu_facts,
    .release = sp_spmv_cpu_release,
};
