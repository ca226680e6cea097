/* CRS in plain C: runs everywhere, and takes the rows that are too short for vectors. */
#include "kernels/cpu/spmv/rows.h"
#include "kernels/cpu/spmv/spmv_cpu.h"

#define STORED  double
#define VALUE   double
#define INDEX   int32_t
#define ROW     row_f64_i32
#define FN      rows_f64_i32
#define PARTIAL partial_f64_i32
#include "kernels/cpu/spmv/crs_portable.inc"
#undef INDEX
#define INDEX   int64_t
#define ROW     row_f64_i64
#define FN      rows_f64_i64
#define PARTIAL partial_f64_i64
#include "kernels/cpu/spmv/crs_portable.inc"
#undef INDEX
#define INDEX uint16_t
#define OFFSETS
#define ROW     row_f64_d16
#define FN      rows_f64_d16
#define PARTIAL partial_f64_d16
#include "kernels/cpu/spmv/crs_portable.inc"
#undef INDEX
#undef OFFSETS
#undef STORED
#undef VALUE

#define STORED  float
#define VALUE   float
#define INDEX   int32_t
#define ROW     row_f32_i32
#define FN      rows_f32_i32
#define PARTIAL partial_f32_i32
#include "kernels/cpu/spmv/crs_portable.inc"
#undef INDEX
#define INDEX   int64_t
#define ROW     row_f32_i64
#define FN      rows_f32_i64
#define PARTIAL partial_f32_i64
#include "kernels/cpu/spmv/crs_portable.inc"
#undef INDEX
#define INDEX uint16_t
#define OFFSETS
#define ROW     row_f32_d16
#define FN      rows_f32_d16
#define PARTIAL partial_f32_d16
#include "kernels/cpu/spmv/crs_portable.inc"
#undef INDEX
#undef OFFSETS
#undef STORED
#undef VALUE

#define STORED  float
#define VALUE   double
#define INDEX   int32_t
#define ROW     row_mixed_i32
#define FN      rows_mixed_i32
#define PARTIAL partial_mixed_i32
#include "kernels/cpu/spmv/crs_portable.inc"
#undef INDEX
#define INDEX   int64_t
#define ROW     row_mixed_i64
#define FN      rows_mixed_i64
#define PARTIAL partial_mixed_i64
#include "kernels/cpu/spmv/crs_portable.inc"
#undef INDEX
#define INDEX uint16_t
#define OFFSETS
#define ROW     row_mixed_d16
#define FN      rows_mixed_d16
#define PARTIAL partial_mixed_d16
#include "kernels/cpu/spmv/crs_portable.inc"
#undef INDEX
#undef OFFSETS
#undef STORED
#undef VALUE

struct complex_value {
    double real, imaginary;
};

static struct complex_value complex_row(const struct sp_spmv_args *a, int64_t from, int64_t to)
{
    const struct complex_value *val = a->val, *x = a->x;
    struct complex_value sum = {0, 0};
    bool wide_index = a->wide_index;
    for (int64_t j = from; j < to; j++) {
        struct complex_value v = val[j];
        struct complex_value w = x[wide_index ? ((const int64_t *)a->col)[j] : ((const int32_t *)a->col)[j]];
        sum.real += v.real * w.real - v.imaginary * w.imaginary;
        sum.imaginary += v.real * w.imaginary + v.imaginary * w.real;
    }
    return sum;
}

static void complex_rows(const struct sp_spmv_args *a, int64_t first, int64_t end, int64_t from)
{
    struct complex_value *y = a->y;
    for (int64_t i = first; i < end; i++) {
        int64_t next = sp_spmv_pointer(a, a->ptr, i + 1);
        y[i] = complex_row(a, from, next);
        from = next;
    }
}

static void complex_partial(const struct sp_spmv_args *a, int64_t from, int64_t to, void *sum)
{
    *(struct complex_value *)sum = complex_row(a, from, to);
}

struct sp_spmv_body sp_spmv_crs_portable(const struct sp_layout *l)
{
    static const struct sp_spmv_body bodies[SP_N_PRECISIONS][SP_N_INDICES] = {
        [SP_F64] = {{rows_f64_i32, partial_f64_i32, NULL, false},
                    {rows_f64_i64, partial_f64_i64, NULL, false},
                    {rows_f64_d16, NULL, NULL, false}},
        [SP_F32] = {{rows_f32_i32, partial_f32_i32, NULL, false},
                    {rows_f32_i64, partial_f32_i64, NULL, false},
                    {rows_f32_d16, NULL, NULL, false}},
        [SP_MIXED] = {{rows_mixed_i32, partial_mixed_i32, NULL, false},
                      {rows_mixed_i64, partial_mixed_i64, NULL, false},
                      {rows_mixed_d16, NULL, NULL, false}},
        [SP_C128] = {{complex_rows, complex_partial, NULL, false},
                     {complex_rows, complex_partial, NULL, false}},
    };
    return bodies[l->precision][l->index];
}

static enum sp_status prepare(const struct sp_layout *layout, const struct sp_operands *operands,
                              void **state, struct sp_error *err)
{
    return sp_spmv_cpu_prepare(layout, operands, sp_spmv_crs_portable, state, err);
}

const struct sp_kernel sp_spmv_crs_portable_row = {
    .name = "spmv/crs/portable",
    .summary = "CRS in plain C",
    .op = SP_OP_SPMV,
    .format = SP_FORMAT_CRS,
    .precisions = 1u << SP_F64 | 1u << SP_F32 | 1u << SP_C128 | 1u << SP_MIXED,
    .rank = 10,
    .available = sp_kernel_everywhere,
    .accepts = sp_spmv_without_prefetch,
    .prepare = prepare,
    .run = sp_spmv_cpu_run,
    .fetch = sp_spmv_cpu_fetch,
    .facts = sp_spmv_cpu_facts,
    .release = sp_spmv_cpu_release,
};
