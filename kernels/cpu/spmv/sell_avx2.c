/* SELL and SELLU with AVX2, x by gathers or by scalar loads. */
#include "kernels/cpu/spmv/rows.h"
#include "kernels/cpu/spmv/spmv_cpu.h"
#include "kernels/cpu/vectors_avx2.h"

#define WIDE_F64 4
#define WIDE_F32 8

#define ACCESS  gather
#define SELECT  select_gather
#define PREPARE prepare_gather
#include "kernels/cpu/spmv/sell_variant.inc"

#define ACCESS  loads
#define SELECT  select_loads
#define PREPARE prepare_loads
#include "kernels/cpu/spmv/sell_variant.inc"

const struct sp_kernel sp_spmv_sell_avx2 = {
    .name = "spmv/sell/avx2",
    .summary = "SELL, AVX2, x by gather instructions",
    .op = SP_OP_SPMV,
    .format = SP_FORMAT_SELL,
    .precisions = 1u << SP_F64 | 1u << SP_F32 | 1u << SP_MIXED,
    .rank = 25,
    .available = sp_cpu_has_avx2,
    .accepts = sp_spmv_sell_prefetch,
    .prepare = prepare_gather,
    .run = sp_spmv_cpu_run,
    .fetch = sp_spmv_cpu_fetch,
    .facts = sp_spmv_cpu_facts,
    .release = sp_spmv_cpu_release,
};

const struct sp_kernel sp_spmv_sell_avx2_loads = {
    .name = "spmv/sell/avx2-loads",
    .summary = "SELL, AVX2, x by scalar loads",
    .op = SP_OP_SPMV,
    .format = SP_FORMAT_SELL,
    .precisions = 1u << SP_F64 | 1u << SP_F32 | 1u << SP_MIXED,
    .rank = 30,
    .available = sp_cpu_has_avx2,
    .accepts = sp_spmv_sell_prefetch,
    .prepare = prepare_loads,
    .run = sp_spmv_cpu_run,
    .fetch = sp_spmv_cpu_fetch,
    .facts = sp_spmv_cpu_facts,
    .release = sp_spmv_cpu_release,
};

const struct sp_kernel sp_spmv_sellu_avx2 = {
    .name = "spmv/sellu/avx2",
    .summary = "SELL with unit-stride slots, AVX2, the rest of x by gather instructions",
    .op = SP_OP_SPMV,
    .format = SP_FORMAT_SELLU,
    .precisions = 1u << SP_F64 | 1u << SP_F32 | 1u << SP_MIXED,
    .rank = 25,
    .available = sp_cpu_has_avx2,
    .accepts = sp_spmv_sell_prefetch,
    .prepare = prepare_gather,
    .run = sp_spmv_cpu_run,
    .fetch = sp_spmv_cpu_fetch,
    .facts = sp_spmv_cpu_facts,
    .release = sp_spmv_cpu_release,
};

const struct sp_kernel sp_spmv_sellu_avx2_loads = {
    .name = "spmv/sellu/avx2-loads",
    .summary = "SELL with unit-stride slots, AVX2, the rest of x by scalar loads",
    .op = SP_OP_SPMV,
    .format = SP_FORMAT_SELLU,
    .precisions = 1u << SP_F64 | 1u << SP_F32 | 1u << SP_MIXED,
    .rank = 30,
    .available = sp_cpu_has_avx2,
    .accepts = sp_spmv_sell_prefetch,
    .prepare = prepare_loads,
    .run = sp_spmv_cpu_run,
    .fetch = sp_spmv_cpu_fetch,
    .facts = sp_spmv_cpu_facts,
    .release = sp_spmv_cpu_release,
};
