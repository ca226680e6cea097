/* Column blocking in plain C: what is gathered and where it is added to differ from entry to entry, so that
 * vectors have nothing to give. */
#include <string.h>

#include "kernels/cpu/spmv/rows.h"
#include "kernels/cpu/spmv/spmv_cpu.h"

#define FN    f64_i32
#define VALUE double
#define SUM   double
#define INDEX int32_t
#include "kernels/cpu/spmv/striped.inc"
#undef FN
#undef INDEX
#define FN    f64_i64
#define INDEX int64_t
#include "kernels/cpu/spmv/striped.inc"
#undef FN
#undef VALUE
#define FN    mixed_i64
#define VALUE float
#include "kernels/cpu/spmv/striped.inc"
#undef FN
#undef INDEX
#define FN    mixed_i32
#define INDEX int32_t
#include "kernels/cpu/spmv/striped.inc"
#undef FN
#undef SUM
#define FN  f32_i32
#define SUM float
#include "kernels/cpu/spmv/striped.inc"
#undef FN
#undef INDEX
#define FN    f32_i64
#define INDEX int64_t
#include "kernels/cpu/spmv/striped.inc"
#undef FN

static struct sp_spmv_body select_body(const struct sp_layout *l)
{
    const bool wide = l->index == SP_I64;
    sp_spmv_units *units = l->precision == SP_F32     ? (wide ? f32_i64 : f32_i32)
                           : l->precision == SP_MIXED ? (wide ? mixed_i64 : mixed_i32)
                                                      : (wide ? f64_i64 : f64_i32);
    return (struct sp_spmv_body){.units = units};
}

static enum sp_status prepare(const struct sp_layout *layout, const struct sp_operands *operands,
                              void **state, struct sp_error *err)
{
    return sp_spmv_cpu_prepare(layout, operands, select_body, state, err);
}

const struct sp_kernel sp_spmv_striped_portable = {
    .name = "spmv/striped/portable",
    .summary = "stripes of columns in plain C",
    .op = SP_OP_SPMV,
    .format = SP_FORMAT_STRIPED,
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
