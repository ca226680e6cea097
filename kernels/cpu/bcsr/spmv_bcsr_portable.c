/* BCSR in plain C: runs everywhere. */
#include "kernels/cpu/spmv/rows.h"
#include "kernels/cpu/spmv/spmv_cpu.h"
#include "kernels/cpu/vectors.h"

#define LANES_F64 2
#define LANES_F32 4
#include "kernels/cpu/bcsr/spmv_bcsr_variant.inc"

const struct sp_kernel sp_spmv_bcsr_portable = {
    .name = "spmv/bcsr/portable",
    .summary = "BCSR in plain C",
    .op = SP_OP_SPMV,
    .format = SP_FORMAT_BCSR,
    .precisions = 1u << SP_F64 | 1u << SP_F32,
    .rank = 10,
    .available = sp_kernel_everywhere,
    .prepare = prepare,
    .run = sp_spmv_cpu_run,
    .fetch = sp_spmv_cpu_fetch,
    .facts = sp_spmv_cpu_facts,
    .release = sp_spmv_cpu_release,
};
