/* Half storage; compiled for each instruction set. */
#include "kernels/bodies.h"
#include "kernels/cpu/spmv/spmv_cpu.h"
#include "kernels/cpu/vectors.h"

#if SP_LEVEL >= 2
#define WIDE_f64 8
#define WIDE_f32 8
#elif SP_LEVEL == 1
#define WIDE_f64 4
#define WIDE_f32 4
#else
#define WIDE_f64 1
#define WIDE_f32 1
#endif

#define BODY "kernels/cpu/half/half.inc"
#define W    1
#include "kernels/cpu/types.inc"
#undef W
#if WIDE_f64 > 1
#define W WIDE_f64
#include "kernels/cpu/types.inc"
#undef W
#endif

#define UNITS(kind, width, index) SP_PASTE3(SP_PASTE3(units_, kind, x), width, _##index)

static sp_half_units *select_units(const struct sp_layout *l)
{
    sp_half_units *const widths[2][2][2] = {
        {{UNITS(f64, 1, i32), UNITS(f64, WIDE_f64, i32)}, {UNITS(f64, 1, i64), UNITS(f64, WIDE_f64, i64)}},
        {{UNITS(f32, 1, i32), UNITS(f32, WIDE_f32, i32)}, {UNITS(f32, 1, i64), UNITS(f32, WIDE_f32, i64)}},
    };
    const int lanes = l->precision == SP_F32 ? WIDE_f32 : WIDE_f64;
    return widths[l->precision == SP_F32][l->index][lanes > 1 && sp_half_has_runs(l, lanes)];
}

enum sp_status OF_ISA(sp_half)(SP_PREPARE)
{
    return sp_half_cpu_prepare(layout, operands, select_units, state, err);
}
