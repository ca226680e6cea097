/* SpMMV and SpMM in plain C, with the vectors of 16 bytes that the compiler makes of what there is. */
#include "kernels/cpu/spmm/spmm_cpu.h"
#include "kernels/cpu/spmm/spmm_rows.h"
#include "sparse/csr/real.h"

typedef double f64x2 __attribute__((vector_size(16)));
typedef double f64x2u __attribute__((vector_size(16), aligned(8), may_alias));
typedef float f32x4 __attribute__((vector_size(16)));
typedef float f32x4u __attribute__((vector_size(16), aligned(4), may_alias));
typedef float f32x2 __attribute__((vector_size(8)));
typedef float f32x2u __attribute__((vector_size(8), aligned(4), may_alias));
typedef float f16x1;
typedef float bf16x1;
typedef f32x4 f16x4;
typedef f32x4 bf16x4;

/* One conversion for all bodies: they are long, and there are many. */
static __attribute__((noinline)) float load_f16x1(const uint16_t *p)
{
    return sp_f16_to(*p);
}
static __attribute__((noinline)) void save_f16x1(uint16_t *p, float v)
{
    *p = sp_f16_of(v);
}
static inline float scale_f16x1(const uint16_t *p)
{
    return load_f16x1(p);
}
static inline float load_bf16x1(const uint16_t *p)
{
    return sp_bf16_to(*p);
}
static inline void save_bf16x1(uint16_t *p, float v)
{
    *p = sp_bf16_of(v);
}
static inline float scale_bf16x1(const uint16_t *p)
{
    return sp_bf16_to(*p);
}

static __attribute__((noinline)) f16x4 load_f16x4(const uint16_t *p)
{
    return (f16x4){sp_f16_to(p[0]), sp_f16_to(p[1]), sp_f16_to(p[2]), sp_f16_to(p[3])};
}
static __attribute__((noinline)) void save_f16x4(uint16_t *p, f16x4 v)
{
    for (int i = 0; i < 4; i++)
        p[i] = sp_f16_of(v[i]);
}
static inline float scale_f16x4(const uint16_t *p)
{
    return load_f16x1(p);
}
static inline bf16x4 load_bf16x4(const uint16_t *p)
{
    return (bf16x4){sp_bf16_to(p[0]), sp_bf16_to(p[1]), sp_bf16_to(p[2]), sp_bf16_to(p[3])};
}
static __attribute__((noinline)) void save_bf16x4(uint16_t *p, bf16x4 v)
{
    for (int i = 0; i < 4; i++)
        p[i] = sp_bf16_of(v[i]);
}
static inline float scale_bf16x4(const uint16_t *p)
{
    return sp_bf16_to(*p);
}

#define WIDEST_F64  2
#define WIDEST_F32  4
#define WIDEST_F16  4
#define WIDEST_BF16 4
#define WIDEST_MOST 4
#include "kernels/cpu/spmm/spmm_variant.inc"

const struct sp_kernel sp_spmmv_crs_portable = {
    .name = "spmmv/crs/portable",
    .summary = "SpMMV in CRS, plain C, a row of Y in registers",
    .op = SP_OP_SPMMV,
    .format = SP_FORMAT_CRS,
    .precisions = 1u << SP_F64 | 1u << SP_F32,
    .rank = 10,
    .available = sp_kernel_everywhere,
    .accepts = sp_spmm_accepts,
    .prepare = prepare,
    .run = sp_dense_cpu_run,
    .fetch = sp_dense_cpu_fetch,
    .facts = sp_dense_cpu_facts,
    .release = sp_dense_cpu_release,
};

const struct sp_kernel sp_spmmv_sell_portable = {
    .name = "spmmv/sell/portable",
    .summary = "SpMMV in SELL, plain C, lane by lane, a row of Y in registers",
    .op = SP_OP_SPMMV,
    .format = SP_FORMAT_SELL,
    .precisions = 1u << SP_F64 | 1u << SP_F32,
    .rank = 10,
    .available = sp_kernel_everywhere,
    .accepts = sp_spmm_accepts,
    .prepare = prepare,
    .run = sp_dense_cpu_run,
    .fetch = sp_dense_cpu_fetch,
    .facts = sp_dense_cpu_facts,
    .release = sp_dense_cpu_release,
};

const struct sp_kernel sp_spmm_crs_portable = {
    .name = "spmm/crs/portable",
    .summary = "SpMM in CRS, plain C, a row of Y in registers, wide ones in tiles",
    .op = SP_OP_SPMM,
    .format = SP_FORMAT_CRS,
    .precisions = 1u << SP_F64 | 1u << SP_F32 | 1u << SP_F16 | 1u << SP_BF16,
    .rank = 10,
    .available = sp_kernel_everywhere,
    .accepts = sp_spmm_accepts,
    .prepare = prepare,
    .run = sp_dense_cpu_run,
    .fetch = sp_dense_cpu_fetch,
    .facts = sp_dense_cpu_facts,
    .release = sp_dense_cpu_release,
};
