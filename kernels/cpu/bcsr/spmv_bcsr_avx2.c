/* BCSR with AVX2. */
#include "kernels/cpu/spmv/rows.h"
#include "kernels/cpu/spmv/spmv_cpu.h"
#include "kernels/cpu/vectors_avx2.h"

#define LANES_F64 4
#define LANES_F32 8
#include "kernels/cpu/bcsr/spmv_bcsr_variant.inc"

const struct sp_kernel sp_spmv_bcsr_avx2 = {
    .name = "spmv/bcsr/avx2",
    .summary = "BCSR, AVX2",
    .op = SP_OP_SPMV,
    .format = SP_FORMAT_BCSR,
    .precisions = 1u << SP_F64 | 1u << SP_F32,
    .rank = 30,
    .available = sp_cpu_has_avx2,
    .prepare = prepare,
    .run = sp_spmv_cpu_run,
    .fetch = sp_spmv_cpu_fetch,
    .facts = sp_spmv_cpu_facts,
    .release = sp_spmv_cpu_release,
};
