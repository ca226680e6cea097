/* SpMMV and SpMM in BCSR with AVX2. */
#include "kernels/cpu/bcsr/dense_bcsr.h"
#include "kernels/cpu/bcsr/dense_bcsr_rows.h"
#include "kernels/cpu/spmv/spmv_cpu.h"
#include "kernels/cpu/vectors_avx2.h"

#define LANES_F64 4
#define LANES_F32 8
#define REGISTERS 8
#include "kernels/cpu/bcsr/dense_bcsr_variant.inc"

const struct sp_kernel sp_spmmv_bcsr_avx2 = {
    .name = "spmmv/bcsr/avx2",
    .summary = "BCSR, AVX2, a tile of Y in registers",
    .op = SP_OP_SPMMV,
    .format = SP_FORMAT_BCSR,
    .precisions = 1u << SP_F64 | 1u << SP_F32,
    .rank = 30,
    .available = sp_cpu_has_avx2,
    .accepts = sp_dense_bcsr_accepts,
    .prepare = prepare,
    .run = sp_dense_cpu_run,
    .fetch = sp_dense_cpu_fetch,
    .facts = sp_dense_cpu_facts,
    .release = sp_dense_cpu_release,
};

const struct sp_kernel sp_spmm_bcsr_avx2 = {
    .name = "spmm/bcsr/avx2",
    .summary = "BCSR, AVX2, a tile of Y in registers",
    .op = SP_OP_SPMM,
    .format = SP_FORMAT_BCSR,
    .precisions = 1u << SP_F64 | 1u << SP_F32,
    .rank = 30,
    .available = sp_cpu_has_avx2,
    .accepts = sp_dense_bcsr_accepts,
    .prepare = prepare,
    .run = sp_dense_cpu_run,
    .fetch = sp_dense_cpu_fetch,
    .facts = sp_dense_cpu_facts,
    .release = sp_dense_cpu_release,
};
