/* Half storage in plain C: runs everywhere. */
#include "kernels/cpu/half/half_cpu.h"
#include "kernels/cpu/spmv/rows.h"
#include "kernels/cpu/vectors.h"

#define WIDE_F64 1
#define WIDE_F32 1
#include "kernels/cpu/half/half_variant.inc"

const struct sp_kernel sp_spmv_half_portable = {
    .name = "spmv/half/portable",
    .summary = "half storage in plain C",
    .op = SP_OP_SPMV,
    .format = SP_FORMAT_HALF,
    .precisions = 1u << SP_F64 | 1u << SP_F32,
    .rank = 10,
    .available = sp_kernel_everywhere,
    .prepare = prepare,
    .run = sp_half_cpu_run,
    .fetch = sp_spmv_cpu_fetch,
    .facts = sp_spmv_cpu_facts,
    .release = sp_half_cpu_release,
};
