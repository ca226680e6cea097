/* SpMV in BCSR; compiled for each instruction set. */
#include "kernels/bodies.h"
#include "kernels/cpu/spmv/spmv_cpu.h"
#include "kernels/cpu/vectors.h"

/* Lanes of the widest vector, and of those of 32 bytes, which are stored past the cache; 0: none
 * are. */
#if SP_LEVEL >= 2
#define LANES_f64       8
#define LANES_f32       16
#define STREAM_FROM_f64 4
#define STREAM_FROM_f32 8
#elif SP_LEVEL == 1
#define LANES_f64       4
#define LANES_f32       8
#define STREAM_FROM_f64 4
#define STREAM_FROM_f32 8
#else
#define LANES_f64       2
#define LANES_f32       4
#define STREAM_FROM_f64 0
#define STREAM_FROM_f32 0
#endif

struct bcsr_shape {
    int32_t b_h, b_w; /* 0: any, the last one */
    sp_spmv_units *units;
};

#define KIND       f64
#define INDEX_NAME i32
#include "kernels/cpu/bcsr/bcsr.inc"
#undef INDEX_NAME
#define INDEX_NAME i64
#include "kernels/cpu/bcsr/bcsr.inc"
#undef INDEX_NAME
#undef KIND
#define KIND       f32
#define INDEX_NAME i32
#include "kernels/cpu/bcsr/bcsr.inc"
#undef INDEX_NAME
#define INDEX_NAME i64
#include "kernels/cpu/bcsr/bcsr.inc"

static struct sp_spmv_body select_body(const struct sp_layout *l)
{
    const struct bcsr_shape *const shapes[2][2] = {{shapes_f64_i32, shapes_f64_i64},
                                                   {shapes_f32_i32, shapes_f32_i64}};
    const struct bcsr_shape *shape = shapes[l->precision == SP_F32][l->index];
    while (shape->b_h > 0 && (shape->b_h != l->b_h || shape->b_w != l->b_w))
        shape++;
    const bool whole = (size_t)l->b_h * l->s_y % 32 == 0 && shape->b_h > 0;
    return (struct sp_spmv_body){.units = shape->units, .can_store_nt = STREAM_FROM_f64 > 0 && whole};
}

enum sp_status OF_ISA(sp_bcsr)(SP_PREPARE)
{
    return sp_spmv_cpu_prepare(layout, operands, select_body, state, err);
}
