/* SDDMM and FusedMM in CRS with AVX2. */
#include <string.h>

#include "kernels/cpu/sampled_cpu.h"
#include "kernels/cpu/sampled_rows.h"
#include "kernels/cpu/spmv_cpu.h"
#include "kernels/cpu/vectors_sums_avx2.h"

#define REGISTERS 4

#define FUSED
#define STORED_NAME f64
#define STORED      double
#define TYPE        f64
#define SUM         double
#define SMALL       4
#define MIDDLE      0
#define LARGE       4
#include "kernels/cpu/sampled_type.inc"

#define STORED_NAME f32
#define STORED      float
#define TYPE        f32
#define SUM         float
#define SMALL       4
#define MIDDLE      0
#define LARGE       8
#include "kernels/cpu/sampled_type.inc"
#undef FUSED

#define STORED_NAME f16
#define STORED      uint16_t
#define TYPE        f32
#define SUM         float
#define SMALL       4
#define MIDDLE      0
#define LARGE       8
#include "kernels/cpu/sampled_type.inc"

#define STORED_NAME bf16
#define STORED      uint16_t
#define TYPE        f32
#define SUM         float
#define SMALL       4
#define MIDDLE      0
#define LARGE       8
#include "kernels/cpu/sampled_type.inc"

#include "kernels/cpu/sampled_kernels.inc"

const struct sp_kernel sp_sddmm_crs_avx2 = {
    .name = "sddmm/crs/avx2",
    .summary = "CRS, AVX2, sums of eight entries reduced together",
    .op = SP_OP_SDDMM,
    .format = SP_FORMAT_CRS,
    .precisions = 1u << SP_F64 | 1u << SP_F32 | 1u << SP_F16 | 1u << SP_BF16,
    .rank = 30,
    .available = sp_cpu_has_avx2,
    .prepare = prepare_sddmm,
    .run = sp_dense_cpu_run,
    .fetch = sp_dense_cpu_fetch,
    .facts = sp_dense_cpu_facts,
    .release = sp_dense_cpu_release,
};

const struct sp_kernel sp_fusedmm_crs_avx2 = {
    .name = "fusedmm/crs/avx2",
    .summary = "CRS, AVX2",
    .op = SP_OP_FUSEDMM,
    .format = SP_FORMAT_CRS,
    .precisions = 1u << SP_F64 | 1u << SP_F32,
    .rank = 30,
    .available = sp_cpu_has_avx2,
    .prepare = prepare_fusedmm,
    .run = sp_dense_cpu_run,
    .fetch = sp_dense_cpu_fetch,
    .facts = sp_dense_cpu_facts,
    .release = sp_dense_cpu_release,
};
