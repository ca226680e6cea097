/* SELL and SELLU in plain C: runs everywhere. */
#include "kernels/cpu/spmv/rows.h"
#include "kernels/cpu/spmv/spmv_cpu.h"

#define STORED double
#define VALUE  double
#define INDEX  int32_t
#define CHUNKS chunks_f64_i32
#define FN     units_f64_i32
#include "kernels/cpu/spmv/sell_portable.inc"
#undef INDEX
#define INDEX  int64_t
#define CHUNKS chunks_f64_i64
#define FN     units_f64_i64
#include "kernels/cpu/spmv/sell_portable.inc"
#undef INDEX
#define INDEX uint16_t
#define OFFSETS
#define CHUNKS chunks_f64_d16
#define FN     units_f64_d16
#include "kernels/cpu/spmv/sell_portable.inc"
#undef INDEX
#undef OFFSETS
#undef STORED
#undef VALUE

#define STORED float
#define VALUE  float
#define INDEX  int32_t
#define CHUNKS chunks_f32_i32
#define FN     units_f32_i32
#include "kernels/cpu/spmv/sell_portable.inc"
#undef INDEX
#define INDEX  int64_t
#define CHUNKS chunks_f32_i64
#define FN     units_f32_i64
#include "kernels/cpu/spmv/sell_portable.inc"
#undef INDEX
#define INDEX uint16_t
#define OFFSETS
#define CHUNKS chunks_f32_d16
#define FN     units_f32_d16
#include "kernels/cpu/spmv/sell_portable.inc"
#undef INDEX
#undef OFFSETS
#undef STORED
#undef VALUE

#define STORED float
#define VALUE  double
#define INDEX  int32_t
#define CHUNKS chunks_mixed_i32
#define FN     units_mixed_i32
#include "kernels/cpu/spmv/sell_portable.inc"
#undef INDEX
#define INDEX  int64_t
#define CHUNKS chunks_mixed_i64
#define FN     units_mixed_i64
#include "kernels/cpu/spmv/sell_portable.inc"
#undef INDEX
#define INDEX uint16_t
#define OFFSETS
#define CHUNKS chunks_mixed_d16
#define FN     units_mixed_d16
#include "kernels/cpu/spmv/sell_portable.inc"
#undef INDEX
#undef OFFSETS
#undef STORED
#undef VALUE

static struct sp_spmv_body select_body(const struct sp_layout *l)
{
    sp_spmv_units *const units[SP_N_PRECISIONS][SP_N_INDICES] = {
        [SP_F64] = {units_f64_i32, units_f64_i64, units_f64_d16},
        [SP_F32] = {units_f32_i32, units_f32_i64, units_f32_d16},
        [SP_MIXED] = {units_mixed_i32, units_mixed_i64, units_mixed_d16},
    };
    return (struct sp_spmv_body){.units = units[l->precision][l->index]};
}

static enum sp_status prepare(const struct sp_layout *layout, const struct sp_operands *operands,
                              void **state, struct sp_error *err)
{
    return sp_spmv_cpu_prepare(layout, operands, select_body, state, err);
}

const struct sp_kernel sp_spmv_sell_portable = {
    .name = "spmv/sell/portable",
    .summary = "SELL in plain C",
    .op = SP_OP_SPMV,
    .format = SP_FORMAT_SELL,
    .precisions = 1u << SP_F64 | 1u << SP_F32 | 1u << SP_MIXED,
    .rank = 10,
    .available = sp_kernel_everywhere,
    .accepts = sp_spmv_without_prefetch,
    .prepare = prepare,
    .run = sp_spmv_cpu_run,
    .fetch = sp_spmv_cpu_fetch,
    .facts = sp_spmv_cpu_facts,
    .release = sp_spmv_cpu_release,
};

const struct sp_kernel sp_spmv_sellu_portable = {
    .name = "spmv/sellu/portable",
    .summary = "SELL with unit-stride slots in plain C",
    .op = SP_OP_SPMV,
    .format = SP_FORMAT_SELLU,
    .precisions = 1u << SP_F64 | 1u << SP_F32 | 1u << SP_MIXED,
    .rank = 10,
    .available = sp_kernel_everywhere,
    .accepts = sp_spmv_without_prefetch,
    .prepare = prepare,
    .run = sp_spmv_cpu_run,
    .fetch = sp_spmv_cpu_fetch,
    .facts = sp_spmv_cpu_facts,
    .release = sp_spmv_cpu_release,
};
