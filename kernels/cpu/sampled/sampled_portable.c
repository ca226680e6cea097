/* SDDMM in CRS, COO and tiles, and FusedMM in CRS, in plain C: they run everywhere, and take the widths below
 * the smallest vector. */
#include "kernels/cpu/sampled/sampled_cpu.h"
#include "kernels/cpu/sampled/sampled_rows.h"
#include "sparse/csr/real.h"

static inline int64_t gathered_row(const struct sp_sddmm_part *part, int64_t j)
{
    if (part->line) /* tiles */
        return ((const uint16_t *)part->index)[j];
    return sp_layout_col(part->args->layout, j);
}

#define FUSED
#define NAME(what) what##_f64
#define STORED     double
#define SUM        double
#define WIDEN(v)   (v)
#define NARROW(v)  (v)
#include "kernels/cpu/sampled/sampled_portable.inc"

#define NAME(what) what##_f32
#define STORED     float
#define SUM        float
#define WIDEN(v)   (v)
#define NARROW(v)  (v)
#include "kernels/cpu/sampled/sampled_portable.inc"
#undef FUSED

#define NAME(what) what##_f16
#define STORED     uint16_t
#define SUM        float
#define WIDEN      sp_f16_to
#define NARROW     sp_f16_of
#include "kernels/cpu/sampled/sampled_portable.inc"

#define NAME(what) what##_bf16
#define STORED     uint16_t
#define SUM        float
#define WIDEN      sp_bf16_to
#define NARROW     sp_bf16_of
#include "kernels/cpu/sampled/sampled_portable.inc"

sp_sddmm_rows *sp_sddmm_portable_rows(const struct sp_layout *l, int64_t width)
{
    (void)width;
    static sp_sddmm_rows *const rows[SP_N_PRECISIONS] = {
        [SP_F64] = sddmm_f64, [SP_F32] = sddmm_f32, [SP_F16] = sddmm_f16, [SP_BF16] = sddmm_bf16};
    return rows[l->precision];
}

sp_dense_units *sp_fusedmm_portable_units(const struct sp_layout *l)
{
    return l->precision == SP_F64 ? fusedmm_f64 : fusedmm_f32;
}

static void sddmm_crs(const struct sp_dense_args *a, int64_t first, int64_t end)
{
    sp_sddmm_crs_units(a, first, end, sp_sddmm_portable_rows, NULL);
}

static void sddmm_tiled(const struct sp_dense_args *a, int64_t first, int64_t end)
{
    sp_sddmm_tiled_units(a, first, end, sp_sddmm_portable_rows);
}

static struct sp_dense_body select_sddmm_tiled(const struct sp_layout *l)
{
    return (struct sp_dense_body){sddmm_tiled, 0, false, (void (*)(void))sp_sddmm_portable_rows(l, l->T_k)};
}

static struct sp_dense_body select_sddmm_coo(const struct sp_layout *l)
{
    return (struct sp_dense_body){l->precision == SP_F64 ? coo_f64 : coo_f32, 0, false, NULL};
}

static struct sp_dense_body select_sddmm(const struct sp_layout *l)
{
    return (struct sp_dense_body){sddmm_crs, 0, false, (void (*)(void))sp_sddmm_portable_rows(l, l->r)};
}

static struct sp_dense_body select_fusedmm(const struct sp_layout *l)
{
    return (struct sp_dense_body){sp_fusedmm_portable_units(l), 0, false, NULL};
}

static enum sp_status prepare_sddmm(const struct sp_layout *layout, const struct sp_operands *operands,
                                    void **state, struct sp_error *err)
{
    return sp_dense_cpu_prepare(layout, operands, select_sddmm, state, err);
}

static enum sp_status prepare_sddmm_tiled(const struct sp_layout *layout, const struct sp_operands *operands,
                                          void **state, struct sp_error *err)
{
    return sp_dense_cpu_prepare(layout, operands, select_sddmm_tiled, state, err);
}

static enum sp_status prepare_sddmm_coo(const struct sp_layout *layout, const struct sp_operands *operands,
                                        void **state, struct sp_error *err)
{
    return sp_dense_cpu_prepare(layout, operands, select_sddmm_coo, state, err);
}

static enum sp_status prepare_fusedmm(const struct sp_layout *layout, const struct sp_operands *operands,
                                      void **state, struct sp_error *err)
{
    return sp_dense_cpu_prepare(layout, operands, select_fusedmm, state, err);
}

const struct sp_kernel sp_sddmm_crs_portable = {
    .name = "sddmm/crs/portable",
    .summary = "CRS in plain C",
    .op = SP_OP_SDDMM,
    .format = SP_FORMAT_CRS,
    .precisions = 1u << SP_F64 | 1u << SP_F32 | 1u << SP_F16 | 1u << SP_BF16,
    .rank = 10,
    .available = sp_kernel_everywhere,
    .prepare = prepare_sddmm,
    .run = sp_dense_cpu_run,
    .fetch = sp_dense_cpu_fetch,
    .facts = sp_dense_cpu_facts,
    .release = sp_dense_cpu_release,
};

const struct sp_kernel sp_fusedmm_crs_portable = {
    .name = "fusedmm/crs/portable",
    .summary = "CRS in plain C",
    .op = SP_OP_FUSEDMM,
    .format = SP_FORMAT_CRS,
    .precisions = 1u << SP_F64 | 1u << SP_F32,
    .rank = 10,
    .available = sp_kernel_everywhere,
    .prepare = prepare_fusedmm,
    .run = sp_dense_cpu_run,
    .fetch = sp_dense_cpu_fetch,
    .facts = sp_dense_cpu_facts,
    .release = sp_dense_cpu_release,
};

const struct sp_kernel sp_sddmm_coo_portable = {
    .name = "sddmm/coo/portable",
    .summary = "COO in plain C",
    .op = SP_OP_SDDMM,
    .format = SP_FORMAT_COO,
    .precisions = 1u << SP_F64 | 1u << SP_F32,
    .rank = 10,
    .available = sp_kernel_everywhere,
    .prepare = prepare_sddmm_coo,
    .run = sp_dense_cpu_run,
    .fetch = sp_dense_cpu_fetch,
    .facts = sp_dense_cpu_facts,
    .release = sp_dense_cpu_release,
};

const struct sp_kernel sp_sddmm_tiled_portable = {
    .name = "sddmm/tiled/portable",
    .summary = "TILED in plain C",
    .op = SP_OP_SDDMM,
    .format = SP_FORMAT_TILED,
    .precisions = 1u << SP_F64 | 1u << SP_F32,
    .rank = 10,
    .available = sp_kernel_everywhere,
    .prepare = prepare_sddmm_tiled,
    .run = sp_dense_cpu_run,
    .fetch = sp_dense_cpu_fetch,
    .facts = sp_dense_cpu_facts,
    .release = sp_dense_cpu_release,
};
