/* Half storage with AVX-512. */
#include "kernels/cpu/half/half_cpu.h"
#include "kernels/cpu/spmv/rows.h"
#include "kernels/cpu/vectors_avx512.h"

#define WIDE_F64 8
#define WIDE_F32 8
#include "kernels/cpu/half/half_variant.inc"

const struct sp_kernel sp_spmv_half_avx512 = {
    .name = "spmv/half/avx512",
    .summary = "half storage, AVX-512 where columns follow each other",
    .op = SP_OP_SPMV,
    .format = SP_FORMAT_HALF,
    .precisions = 1u << SP_F64 | 1u << SP_F32,
    .rank = 35,
    .available = sp_cpu_has_avx512,
    .prepare = prepare,
    .run = sp_half_cpu_run,
    .fetch = sp_spmv_cpu_fetch,
    .facts = sp_spmv_cpu_facts,
    .release = sp_half_cpu_release,
};
