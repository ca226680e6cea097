/* SpMMV and SpMM with AVX-512. */
#include "kernels/cpu/halves_avx512.h"
#include "kernels/cpu/spmm/spmm_cpu.h"
#include "kernels/cpu/spmm/spmm_rows.h"
#include "kernels/cpu/spmv/spmv_cpu.h"

/* Converting f16 to 16 lanes at once is slower than twice to 8, and AVX-512 still has twice the registers. */
#define WIDEST_F64  8
#define WIDEST_F32  16
#define WIDEST_F16  8
#define WIDEST_BF16 16
#define WIDEST_MOST 16
#include "kernels/cpu/spmm/spmm_variant.inc"

const struct sp_kernel sp_spmmv_crs_avx512 = {
    .name = "spmmv/crs/avx512",
    .summary = "SpMMV in CRS, AVX-512, a row of Y in registers",
    .op = SP_OP_SPMMV,
    .format = SP_FORMAT_CRS,
    .precisions = 1u << SP_F64 | 1u << SP_F32,
    .rank = 40,
    .available = sp_cpu_has_avx512_f16c,
    .accepts = sp_spmm_accepts,
    .prepare = prepare,
    .run = sp_dense_cpu_run,
    .fetch = sp_dense_cpu_fetch,
    .facts = sp_dense_cpu_facts,
    .release = sp_dense_cpu_release,
};

const struct sp_kernel sp_spmmv_sell_avx512 = {
    .name = "spmmv/sell/avx512",
    .summary = "SpMMV in SELL, AVX-512, lane by lane, a row of Y in registers",
    .op = SP_OP_SPMMV,
    .format = SP_FORMAT_SELL,
    .precisions = 1u << SP_F64 | 1u << SP_F32,
    .rank = 40,
    .available = sp_cpu_has_avx512_f16c,
    .accepts = sp_spmm_accepts,
    .prepare = prepare,
    .run = sp_dense_cpu_run,
    .fetch = sp_dense_cpu_fetch,
    .facts = sp_dense_cpu_facts,
    .release = sp_dense_cpu_release,
};

const struct sp_kernel sp_spmm_crs_avx512 = {
    .name = "spmm/crs/avx512",
    .summary = "SpMM in CRS, AVX-512, a row of Y in registers, wide ones in tiles",
    .op = SP_OP_SPMM,
    .format = SP_FORMAT_CRS,
    .precisions = 1u << SP_F64 | 1u << SP_F32 | 1u << SP_F16 | 1u << SP_BF16,
    .rank = 40,
    .available = sp_cpu_has_avx512_f16c,
    .accepts = sp_spmm_accepts,
    .prepare = prepare,
    .run = sp_dense_cpu_run,
    .fetch = sp_dense_cpu_fetch,
    .facts = sp_dense_cpu_facts,
    .release = sp_dense_cpu_release,
};
