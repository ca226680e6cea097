/* SELL and SELLU with vectors, x by gather instructions or by scalar loads; compiled for each
 * instruction set that has them. */
#include "kernels/bodies.h"
#include "kernels/cpu/spmv/spmv_cpu.h"
#include "kernels/cpu/vectors.h"

#if SP_LEVEL >= 2
#define WIDE_f64 8
#define WIDE_f32 16
#else
#define WIDE_f64 4
#define WIDE_f32 8
#endif

#define WITH_MIXED
#define WITH_D16
#define BODY "kernels/cpu/spmv/sell.inc"
#define W    4
#include "kernels/cpu/types.inc"
#undef W
#define W 8
#include "kernels/cpu/types.inc"
#undef W
#if SP_LEVEL >= 2
#define W 16
#include "kernels/cpu/types.inc"
#undef W
#endif

#define INDICES(lanes)                                                                                       \
    {                                                                                                        \
        bodies_##lanes##_i32, bodies_##lanes##_i64, bodies_##lanes##_d16                                     \
    }

static ALWAYS_INLINE struct sp_spmv_body select_body(const struct sp_layout *l, const bool gather)
{
    enum { N_WIDTHS = 3, ANY = 4 };
    typedef const struct sp_spmv_body(*bodies)[5];
    /* By lanes: 4, 8, 16. */
    static const bodies of[SP_N_PRECISIONS][N_WIDTHS][SP_N_INDICES] = {
#if SP_LEVEL >= 2
        [SP_F64] = {INDICES(f64x4), INDICES(f64x8)},
        [SP_F32] = {INDICES(f32x4), INDICES(f32x8), INDICES(f32x16)},
        [SP_MIXED] = {INDICES(mixedx4), INDICES(mixedx8)},
#else
        [SP_F64] = {INDICES(f64x4)},
        [SP_F32] = {INDICES(f32x4), INDICES(f32x8)},
        [SP_MIXED] = {INDICES(mixedx4)},
#endif
    };
    const int wide = l->precision == SP_F32 ? WIDE_f32 : WIDE_f64;
    const bool any = sp_spmv_sell_case(l->C) == SELL_ANY;
    const int lanes = any || l->C > wide ? wide : l->C, nv = any ? 1 : l->C / lanes;
    return of[l->precision][__builtin_ctz((unsigned)lanes) - 2][l->index][gather]
             [any ? ANY : __builtin_ctz((unsigned)nv)];
}

static struct sp_spmv_body select_gather(const struct sp_layout *l)
{
    return select_body(l, true);
}
static struct sp_spmv_body select_loads(const struct sp_layout *l)
{
    return select_body(l, false);
}

enum sp_status OF_ISA(sp_sell_gather)(SP_PREPARE)
{
    return sp_spmv_cpu_prepare(layout, operands, select_gather, state, err);
}
enum sp_status OF_ISA(sp_sell_loads)(SP_PREPARE)
{
    return sp_spmv_cpu_prepare(layout, operands, select_loads, state, err);
}
