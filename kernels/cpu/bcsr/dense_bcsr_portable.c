/* SpMMV and SpMM in BCSR in plain C: runs everywhere. */
#include "kernels/cpu/bcsr/dense_bcsr.h"
#include "kernels/cpu/bcsr/dense_bcsr_rows.h"
#include "kernels/cpu/vectors.h"

#define LANES_F64 2
#define LANES_F32 4
#define REGISTERS 8
#include "kernels/cpu/bcsr/dense_bcsr_variant.inc"

const struct sp_kernel sp_spmmv_bcsr_portable = {
    .name = "spmmv/bcsr/portable",
    .summary = "BCSR in plain C, a tile of Y in registers",
    .op = SP_OP_SPMMV,
    .format = SP_FORMAT_BCSR,
    .precisions = 1u << SP_F64 | 1u << SP_F32,
    .rank = 10,
    .available = sp_kernel_everywhere,
    .accepts = sp_dense_bcsr_accepts,
    .prepare = prepare,
    .run = sp_dense_cpu_run,
    .fetch = sp_dense_cpu_fetch,
    .facts = sp_dense_cpu_facts,
    .release = sp_dense_cpu_release,
};

const struct sp_kernel sp_spmm_bcsr_portable = {
    .name = "spmm/bcsr/portable",
    .summary = "BCSR in plain C, a tile of Y in registers",
    .op = SP_OP_SPMM,
    .format = SP_FORMAT_BCSR,
    .precisions = 1u << SP_F64 | 1u << SP_F32,
    .rank = 10,
    .available = sp_kernel_everywhere,
    .accepts = sp_dense_bcsr_accepts,
    .prepare = prepare,
    .run = sp_dense_cpu_run,
    .fetch = sp_dense_cpu_fetch,
    .facts = sp_dense_cpu_facts,
    .release = sp_dense_cpu_release,
};
