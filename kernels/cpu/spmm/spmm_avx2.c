/* SpMMV and SpMM with AVX2. */
#include "kernels/cpu/halves_avx2.h"
#include "kernels/cpu/spmm/spmm_cpu.h"
#include "kernels/cpu/spmm/spmm_rows.h"
#include "kernels/cpu/spmv/spmv_cpu.h"

#define WIDEST_F64  4
#define WIDEST_F32  8
#define WIDEST_F16  8
#define WIDEST_BF16 8
#define WIDEST_MOST 8
#include "kernels/cpu/spmm/spmm_variant.inc"

const struct sp_kernel sp_spmmv_crs_avx2 = {
    .name = "spmmv/crs/avx2",
    .summary = "SpMMV in CRS, AVX2, a row of Y in registers",
    .op = SP_OP_SPMMV,
    .format = SP_FORMAT_CRS,
    .precisions = 1u << SP_F64 | 1u << SP_F32,
    .rank = 30,
    .available = sp_cpu_has_avx2_f16c,
    .accepts = sp_spmm_accepts,
    .prepare = prepare,
    .run = sp_dense_cpu_run,
    .fetch = sp_dense_cpu_fetch,
    .facts = sp_dense_cpu_facts,
    .release = sp_dense_cpu_release,
};

const struct sp_kernel sp_spmmv_sell_avx2 = {
    .name = "spmmv/sell/avx2",
    .summary = "SpMMV in SELL, AVX2, lane by lane, a row of Y in registers",
    .op = SP_OP_SPMMV,
    .format = SP_FORMAT_SELL,
    .precisions = 1u << SP_F64 | 1u << SP_F32,
    .rank = 30,
    .available = sp_cpu_has_avx2_f16c,
    .accepts = sp_spmm_accepts,
    .prepare = prepare,
    .run = sp_dense_cpu_run,
    .fetch = sp_dense_cpu_fetch,
    .facts = sp_dense_cpu_facts,
    .release = sp_dense_cpu_release,
};

const struct sp_kernel sp_spmm_crs_avx2 = {
    .name = "spmm/crs/avx2",
    .summary = "SpMM in CRS, AVX2, a row of Y in registers, wide ones in tiles",
    .op = SP_OP_SPMM,
    .format = SP_FORMAT_CRS,
    .precisions = 1u << SP_F64 | 1u << SP_F32 | 1u << SP_F16 | 1u << SP_BF16,
    .rank = 30,
    .available = sp_cpu_has_avx2_f16c,
    .accepts = sp_spmm_accepts,
    .prepare = prepare,
    .run = sp_dense_cpu_run,
    .fetch = sp_dense_cpu_fetch,
    .facts = sp_dense_cpu_facts,
    .release = sp_dense_cpu_release,
};
