/* SpMM and SDDMM in STAGED; compiled for each instruction set. */
#include "kernels/cpu/spmm/staged.h"

#include "kernels/bodies.h"
#include "kernels/cpu/spmv/spmv_cpu.h"
#include "kernels/cpu/vectors.h"

/* Lanes of a vector, columns of a register tile in vectors (a power of two up to 4), entries at a
 * time. */
#if SP_LEVEL >= 2
#define W_f64   8
#define W_f32   16
#define VECTORS 4
#elif SP_LEVEL == 1
#define W_f64   4
#define W_f32   8
#define VECTORS 2
#else
#define W_f64   2
#define W_f32   4
#define VECTORS 2
#endif
#define ENTRIES 4

/* Listed rows between the copy and the request for a row. */
enum { STAGE_AHEAD = 8 };

#define KIND f64
#include "kernels/cpu/spmm/staged.inc"
#undef KIND
#define KIND f32
#include "kernels/cpu/spmm/staged.inc"
#undef KIND

struct sp_dense_body OF_ISA(sp_staged_select)(const struct sp_layout *l)
{
    const bool wide = l->precision == SP_F64;
    struct sp_dense_body body = {.work_B = sp_staged_work_bytes(l)};
    if (l->op == SP_OP_SDDMM) {
        body.units = wide ? sddmm_f64 : sddmm_f32;
        return body;
    }
    body.units = wide ? spmm_f64 : spmm_f32;
#ifdef STORE_FENCE
    body.can_store_nt =
        l->r * (int64_t)l->s_y % 64 == 0 && sp_layout_stage_tile(l) * (int64_t)l->s_y % 64 == 0;
#endif
    return body;
}

enum sp_status OF_ISA(sp_staged)(SP_PREPARE)
{
    return sp_dense_cpu_prepare(layout, operands, OF_ISA(sp_staged_select), state, err);
}

#if SP_LEVEL == 0
struct sp_dense_body sp_staged_body(const struct sp_layout *l)
{
#if SP_X86
    if (sp_cpu_has_avx512(NULL) == SP_OK)
        return sp_staged_select_avx512(l);
    if (sp_cpu_has_avx2(NULL) == SP_OK)
        return sp_staged_select_avx2(l);
#endif
    return sp_staged_select_portable(l);
}
#endif
