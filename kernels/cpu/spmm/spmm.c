/* SpMMV and SpMM; compiled for each instruction set. */
#include "kernels/bodies.h"
#include "kernels/cpu/spmm/spmm_cpu.h"
#include "kernels/cpu/vectors.h"
#include "sparse/csr/real.h"
#include "sparse/formats/format_ids.h"

/* Lanes of the widest vectors, and how many of them a row has in registers. Converting f16 to 16
 * lanes at once is slower than twice to 8, and AVX-512 still has twice the registers. */
#if SP_LEVEL >= 2
#define WIDEST_f64  8
#define WIDEST_f32  16
#define WIDEST_f16  8
#define WIDEST_bf16 16
#define WIDEST_MOST 16
#elif SP_LEVEL == 1
#define WIDEST_f64  4
#define WIDEST_f32  8
#define WIDEST_f16  8
#define WIDEST_bf16 8
#define WIDEST_MOST 8
#else
#define WIDEST_f64  2
#define WIDEST_f32  4
#define WIDEST_f16  4
#define WIDEST_bf16 4
#define WIDEST_MOST 4
#endif
#define SHORT_f64    0
#define SHORT_f32    0
#define SHORT_f16    1
#define SHORT_bf16   1
#define VALUE_B_f64  8
#define VALUE_B_f32  4
#define VALUE_B_f16  2
#define VALUE_B_bf16 2
#define WIDE_i32     0
#define WIDE_i64     1

#if SP_LEVEL == 0
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
#else
static inline f16x1 load_f16x1(const uint16_t *p)
{
    return widen_f16(*p);
}
static inline void save_f16x1(uint16_t *p, f16x1 v)
{
    *p = narrow_f16(v);
}
static inline f16x1 scale_f16x1(const uint16_t *p)
{
    return widen_f16(*p);
}
static inline bf16x1 load_bf16x1(const uint16_t *p)
{
    return widen_bf16(*p);
}
static inline void save_bf16x1(uint16_t *p, bf16x1 v)
{
    *p = narrow_bf16(v);
}
static inline bf16x1 scale_bf16x1(const uint16_t *p)
{
    return widen_bf16(*p);
}
#endif

#define WITH_HALVES
#define BODY "kernels/cpu/spmm/spmm.inc"
#define W    16
#include "kernels/cpu/types.inc"
#undef W
#define W 8
#include "kernels/cpu/types.inc"
#undef W
#define W 4
#include "kernels/cpu/types.inc"
#undef W
#define W 2
#include "kernels/cpu/types.inc"
#undef W
#define W 1
#include "kernels/cpu/types.inc"
#undef W
#undef BODY
#define BODY "kernels/cpu/spmm/spmm_columns.inc"
#include "kernels/cpu/types.inc"

struct sp_dense_body OF_ISA(sp_spmm_body_of)(const struct sp_layout *l)
{
    static const struct sp_spmm_family *const families[SP_N_PRECISIONS][SP_N_INDICES] = {
        [SP_F64] = {&family_f64_i32, &family_f64_i64},
        [SP_F32] = {&family_f32_i32, &family_f32_i64},
        [SP_F16] = {&family_f16_i32, &family_f16_i64},
        [SP_BF16] = {&family_bf16_i32, &family_bf16_i64},
    };
    return sp_spmm_body(families[l->precision][l->index], l);
}

#if SP_LEVEL == 0
#define PREPARE sp_spmm_portable
#else
#define PREPARE SP_PASTE(OF_ISA(sp_spmm), _f16c)
#endif
enum sp_status PREPARE(SP_PREPARE)
{
    return sp_dense_cpu_prepare(layout, operands, OF_ISA(sp_spmm_body_of), state, err);
}

#if SP_LEVEL == 0
/* ---- for all instruction sets ---- */

struct sp_dense_body sp_spmm_body(const struct sp_spmm_family *family, const struct sp_layout *l)
{
    bool sell = l->format == SP_FORMAT_SELL;
    if (l->order == SP_COLUMN_MAJOR)
        return (struct sp_dense_body){.units = sell ? family->column_chunks : family->columns};
    int at = SP_SPMM_WIDTHS - 1;
    while (at > 0 && (!family->rows[at] || 1 << at > l->r))
        at--;
    /* Stores past the cache: whole vectors, and lines that are filled one after the other. */
    size_t vector_B = l->s_y << at, row_B = l->s_y * (size_t)l->r;
    return (struct sp_dense_body){
        .units = sell ? family->chunks[at] : family->rows[at],
        .can_store_nt = vector_B >= 16 && row_B % vector_B == 0 && (!l->perm || row_B % 64 == 0),
    };
}

enum sp_status sp_spmm_accepts(const struct sp_layout *l, struct sp_error *err)
{
    if (l->op == SP_OP_SPMMV && l->r == 1)
        return sp_fail(err, SP_ABSENT, "use a kernel of SpMV", "one vector is SpMV");
    return SP_OK;
}
#endif
