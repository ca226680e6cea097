/* SDDMM in CRS, COO and tiles, and FusedMM in CRS; compiled for each instruction set. The bodies in
 * plain C also take the widths below the smallest vector. */
#include <string.h>

#include "kernels/bodies.h"
#include "kernels/cpu/sampled/sampled_cpu.h"
#include "kernels/cpu/spmm/spmm_cpu.h"
#include "kernels/cpu/vectors.h"
#include "sparse/csr/real.h"

/* Which have COO and FusedMM, and what sums are. */
#define FUSED_f64  1
#define FUSED_f32  1
#define FUSED_f16  0
#define FUSED_bf16 0
typedef double sum_f64;
typedef float sum_f32, sum_f16, sum_bf16;

#if SP_LEVEL == 0
enum { VECTORS = false };

#define widen_f64(v)  (v)
#define narrow_f64(v) (v)
#define widen_f32(v)  (v)
#define narrow_f32(v) (v)
#define widen_f16     sp_f16_to
#define narrow_f16    sp_f16_of
#define widen_bf16    sp_bf16_to
#define narrow_bf16   sp_bf16_of

#define KIND f64
#include "kernels/cpu/sampled/sampled_portable.inc"
#define KIND f32
#include "kernels/cpu/sampled/sampled_portable.inc"
#define KIND f16
#include "kernels/cpu/sampled/sampled_portable.inc"
#define KIND bf16
#include "kernels/cpu/sampled/sampled_portable.inc"

sp_sddmm_rows *sp_sddmm_portable_rows(const struct sp_layout *l, int64_t width)
{
    (void)width;
    static sp_sddmm_rows *const rows[SP_N_PRECISIONS] = {
        [SP_F64] = sddmm_f64, [SP_F32] = sddmm_f32, [SP_F16] = sddmm_f16, [SP_BF16] = sddmm_bf16};
    return rows[l->precision];
}

#define sddmm_rows      sp_sddmm_portable_rows
#define copy_past_cache NULL

static sp_dense_units *panels_of(const struct sp_layout *l)
{
    (void)l;
    return NULL;
}

static sp_dense_units *coo_units(const struct sp_layout *l)
{
    return l->precision == SP_F64 ? coo_f64 : coo_f32;
}
#else
enum { VECTORS = true };

/* The widest vectors, and how many of them a row may hold in registers. */
#if SP_LEVEL >= 2
#define LARGE_f64  8
#define LARGE_f32  16
#define LARGE_f16  16
#define LARGE_bf16 16
#define REGISTERS  16
#else
#define LARGE_f64  4
#define LARGE_f32  8
#define LARGE_f16  8
#define LARGE_bf16 8
#define REGISTERS  4
#endif
/* Lanes of the vectors in which P is stored. */
#define PUT_f64  LARGE_f64
#define PUT_f32  8
#define PUT_f16  8
#define PUT_bf16 8

#define SUM  SP_PASTE(sum_, KIND)
#define KIND f64
#include "kernels/cpu/sampled/sampled_kind.inc"
#define W 4
#include "kernels/cpu/sampled/sampled_sizes.inc"
#define W 8
#include "kernels/cpu/sampled/sampled_sizes.inc"
#define W 16
#include "kernels/cpu/sampled/sampled_sizes.inc"
#undef KIND
#define KIND f32
#include "kernels/cpu/sampled/sampled_kind.inc"
#define W 4
#include "kernels/cpu/sampled/sampled_sizes.inc"
#define W 8
#include "kernels/cpu/sampled/sampled_sizes.inc"
#define W 16
#include "kernels/cpu/sampled/sampled_sizes.inc"
#undef KIND
#define KIND f16
#include "kernels/cpu/sampled/sampled_kind.inc"
#define W 4
#include "kernels/cpu/sampled/sampled_sizes.inc"
#define W 8
#include "kernels/cpu/sampled/sampled_sizes.inc"
#define W 16
#include "kernels/cpu/sampled/sampled_sizes.inc"
#undef KIND
#define KIND bf16
#include "kernels/cpu/sampled/sampled_kind.inc"
#define W 4
#include "kernels/cpu/sampled/sampled_sizes.inc"
#define W 8
#include "kernels/cpu/sampled/sampled_sizes.inc"
#define W 16
#include "kernels/cpu/sampled/sampled_sizes.inc"
#undef KIND

#define BODY "kernels/cpu/sampled/sampled_pairs.inc"
#include "kernels/cpu/types.inc"

/* Both kinds of sums have vectors of this many lanes. */
enum { NARROWEST = 4 };

/* The bodies for a width that has at least one small vector. */
static const struct sp_sampled_bodies *bodies_of(const struct sp_layout *l, int64_t width)
{
    /* By the lanes 4, 8, 16. */
    static const struct sp_sampled_bodies *const bodies[SP_N_PRECISIONS][3] = {
#if SP_LEVEL >= 2
        [SP_F64] = {bodies_f64x4, bodies_f64x8},
        [SP_F32] = {bodies_f32x4, bodies_f32x8, bodies_f32x16},
        [SP_F16] = {bodies_f16x4, bodies_f16x8, bodies_f16x16},
        [SP_BF16] = {bodies_bf16x4, bodies_bf16x8, bodies_bf16x16},
#else
        [SP_F64] = {bodies_f64x4},
        [SP_F32] = {bodies_f32x4, bodies_f32x8},
        [SP_F16] = {bodies_f16x4, bodies_f16x8},
        [SP_BF16] = {bodies_bf16x4, bodies_bf16x8},
#endif
    };
    int lanes = l->precision == SP_F64 ? LARGE_f64 : LARGE_f32,
        at = l->precision == SP_F64 ? SP_LEVEL - 1 : SP_LEVEL;
    for (; lanes > width; lanes /= 2)
        at--;
    return sp_sampled_case_of(bodies[l->precision][at], width, lanes);
}

static sp_sddmm_rows *sddmm_rows(const struct sp_layout *l, int64_t width)
{
    return width < NARROWEST ? sp_sddmm_portable_rows(l, width) : bodies_of(l, width)->sddmm;
}

static sp_dense_units *panels_of(const struct sp_layout *l)
{
    return l->r < NARROWEST || sp_layout_fused_panel(l) == l->n_c ? NULL : bodies_of(l, l->r)->fusedmm_panels;
}

static sp_dense_units *coo_units(const struct sp_layout *l)
{
    static sp_dense_units *const units[2][SP_N_INDICES] = {{pairs_f64_i32, pairs_f64_i64},
                                                           {pairs_f32_i32, pairs_f32_i64}};
    return units[l->precision == SP_F32][l->index];
}

static void copy_past_cache(void *to, const void *from, int64_t n)
{
    enum { LINE_B = 64 };
    char *y = to;
    const char *x = from;
    int64_t head = -(intptr_t)y & (LINE_B - 1), done = head < n ? head : n;
    memcpy(y, x, (size_t)done);
    for (; done + LINE_B <= n; done += LINE_B)
        stream_line_f64((double *)(y + done), (const double *)(x + done));
    memcpy(y + done, x + done, (size_t)(n - done));
}
#endif

static void sddmm_crs(const struct sp_dense_args *a, int64_t first, int64_t end)
{
    sp_sddmm_crs_units(a, first, end, sddmm_rows(a->layout, a->r), copy_past_cache);
#if SP_LEVEL > 0
    if (a->store_nt)
        STORE_FENCE();
#endif
}

static void fusedmm(const struct sp_dense_args *a, int64_t first, int64_t end)
{
    sp_fusedmm_units(a, first, end, sddmm_rows(a->layout, a->r), OF_ISA(sp_spmm_body_of)(a->layout).units);
}

static void sddmm_tiled(const struct sp_dense_args *a, int64_t first, int64_t end)
{
    sp_sddmm_tiled_units(a, first, end, sddmm_rows);
}

static struct sp_dense_body select_sddmm(const struct sp_layout *l)
{
    void (*rows)(void) = (void (*)(void))sddmm_rows(l, l->r);
    return (struct sp_dense_body){sddmm_crs, VECTORS ? sp_sampled_work_B(l) : 0, VECTORS, rows};
}

static struct sp_dense_body select_sddmm_tiled(const struct sp_layout *l)
{
    void (*rows)(void) = (void (*)(void))sddmm_rows(l, l->T_k);
    return (struct sp_dense_body){sddmm_tiled, VECTORS ? sp_sampled_work_B(l) : 0, false, rows};
}

static struct sp_dense_body select_sddmm_coo(const struct sp_layout *l)
{
    return (struct sp_dense_body){coo_units(l), 0, false, NULL};
}

static struct sp_dense_body select_fusedmm(const struct sp_layout *l)
{
    const bool whole_lines = l->r * (int64_t)l->s_y % 64 == 0;
    const struct sp_dense_body spmm = OF_ISA(sp_spmm_body_of)(l);
    sp_dense_units *panels = panels_of(l);
    if (panels)
        return (struct sp_dense_body){panels, sp_fused_work_B(l, true), whole_lines, NULL};
    return (struct sp_dense_body){fusedmm, sp_fused_work_B(l, false), spmm.can_store_nt,
                                  (void (*)(void))spmm.units};
}

enum sp_status OF_ISA(sp_sddmm)(SP_PREPARE)
{
    return sp_dense_cpu_prepare(layout, operands, select_sddmm, state, err);
}
enum sp_status OF_ISA(sp_fusedmm)(SP_PREPARE)
{
    return sp_dense_cpu_prepare(layout, operands, select_fusedmm, state, err);
}
enum sp_status OF_ISA(sp_sddmm_tiled)(SP_PREPARE)
{
    return sp_dense_cpu_prepare(layout, operands, select_sddmm_tiled, state, err);
}
enum sp_status OF_ISA(sp_sddmm_coo)(SP_PREPARE)
{
    return sp_dense_cpu_prepare(layout, operands, select_sddmm_coo, state, err);
}
