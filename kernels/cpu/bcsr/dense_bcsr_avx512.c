/* SpMMV and SpMM in BCSR with AVX-512. */
#include "kernels/cpu/bcsr/dense_bcsr.h"
#include "kernels/cpu/bcsr/dense_bcsr_rows.h"
#include "kernels/cpu/spmv/spmv_cpu.h"
#include "kernels/cpu/vectors_avx512.h"

#define LANES_F64 8
#define LANES_F32 16
#define REGISTERS 24
#include "kernels/cpu/bcsr/dense_bcsr_variant.inc"

const struct sp_kernel sp_spmmv_bcsr_avx512 = {
    .name = "spmmv/bcsr/avx512",
    .summary = "BCSR, AVX-512, a tile of Y in registers",
    .op = SP_OP_SPMMV,
    .format = SP_FORMAT_BCSR,
    .precisions = 1u << SP_F64 | 1u << SP_F32,
    .rank = 40,
    .available = sp_cpu_has_avx512,
    .accepts = sp_dense_bcsr_accepts,
    .prepare = prepare,
    .run = sp_dense_cpu_run,
    .fetch = sp_dense_cpu_fetch,
    .facts = sp_dense_cpu_facts,
    .release = sp_dense_cpu_release,
};

const struct sp_kernel sp_spmm_bcsr_avx512 = {
    .name = "spmm/bcsr/avx512",
    .summary = "BCSR, AVX-512, a tile of Y in registers",
    .op = SP_OP_SPMM,
    .format = SP_FORMAT_BCSR,
    .precisions = 1u << SP_F64 | 1u << SP_F32,
    .rank = 40,
    .available = sp_cpu_has_avx512,
    .accepts = sp_dense_bcsr_accepts,
    .prepare = prepare,
    .run = sp_dense_cpu_run,
    .fetch = sp_dense_cpu_fetch,
    .facts = sp_dense_cpu_facts,
    .release = sp_dense_cpu_release,
};
