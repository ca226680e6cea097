/* CRS with AVX-512, x by gathers or by scalar loads. */
#include "kernels/cpu/spmv/crs_complex.h"
#include "kernels/cpu/spmv/rows.h"
#include "kernels/cpu/spmv/spmv_cpu.h"
#include "kernels/cpu/vectors_avx512.h"

#define NARROW_F64 4
#define WIDE_F64   8
#define NARROW_F32 8
#define WIDE_F32   16

#define MASKED
#define ACCESS  gather
#define SELECT  select_gather
#define PREPARE prepare_gather
#include "kernels/cpu/spmv/crs_variant.inc"
#undef MASKED

#define ACCESS  loads
#define SELECT  select_loads
#define PREPARE prepare_loads
#include "kernels/cpu/spmv/crs_variant.inc"

const struct sp_kernel sp_spmv_crs_avx512 = {
    .name = "spmv/crs/avx512",
    .summary = "CRS, AVX-512, x by gather instructions; width by mean row length",
    .op = SP_OP_SPMV,
    .format = SP_FORMAT_CRS,
    .precisions = 1u << SP_F64 | 1u << SP_F32 | 1u << SP_C128 | 1u << SP_MIXED,
    .rank = 35,
    .available = sp_cpu_has_avx512,
    .prepare = prepare_gather,
    .run = sp_spmv_cpu_run,
    .fetch = sp_spmv_cpu_fetch,
    .facts = sp_spmv_cpu_facts,
    .release = sp_spmv_cpu_release,
};

const struct sp_kernel sp_spmv_crs_avx512_loads = {
    .name = "spmv/crs/avx512-loads",
    .summary = "CRS, AVX-512, x by scalar loads; width by mean row length",
    .op = SP_OP_SPMV,
    .format = SP_FORMAT_CRS,
    .precisions = 1u << SP_F64 | 1u << SP_F32 | 1u << SP_C128 | 1u << SP_MIXED,
    .rank = 40,
    .available = sp_cpu_has_avx512,
    .prepare = prepare_loads,
    .run = sp_spmv_cpu_run,
    .fetch = sp_spmv_cpu_fetch,
    .facts = sp_spmv_cpu_facts,
    .release = sp_spmv_cpu_release,
};
