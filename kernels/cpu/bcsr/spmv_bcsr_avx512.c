/* BCSR with AVX-512. */
#include "kernels/cpu/spmv/rows.h"
#include "kernels/cpu/spmv/spmv_cpu.h"
#include "kernels/cpu/vectors_avx512.h"

#define LANES_F64 8
#define LANES_F32 16
#include "kernels/cpu/bcsr/spmv_bcsr_variant.inc"

const struct sp_kernel sp_spmv_bcsr_avx512 = {
    .name = "spmv/bcsr/avx512",
    .summary = "BCSR, AVX-512",
    .op = SP_OP_SPMV,
    .format = SP_FORMAT_BCSR,
    .precisions = 1u << SP_F64 | 1u << SP_F32,
    .rank = 40,
    .available = sp_cpu_has_avx512,
    .prepare = prepare,
    .run = sp_spmv_cpu_run,
    .fetch = sp_spmv_cpu_fetch,
    .facts = sp_spmv_cpu_facts,
    .release = sp_spmv_cpu_release,
};
