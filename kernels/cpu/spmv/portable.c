/* SpMV in plain C: runs everywhere. */
#include "kernels/bodies.h"
#include "kernels/cpu/spmv/spmv_cpu.h"
#include "kernels/cpu/vectors.h"

#define WITH_MIXED
#define WITH_D16
#define BODY "kernels/cpu/spmv/portable.inc"
#include "kernels/cpu/types.inc"

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

static struct sp_spmv_body select_crs(const struct sp_layout *l)
{
    static const struct sp_spmv_body complex = {complex_rows, complex_partial, NULL, false};
    static const struct sp_spmv_body *const bodies[SP_N_PRECISIONS][SP_N_INDICES] = {
        [SP_F64] = {&crs_body_f64_i32, &crs_body_f64_i64, &crs_body_f64_d16},
        [SP_F32] = {&crs_body_f32_i32, &crs_body_f32_i64, &crs_body_f32_d16},
        [SP_MIXED] = {&crs_body_mixed_i32, &crs_body_mixed_i64, &crs_body_mixed_d16},
        [SP_C128] = {&complex, &complex},
    };
    return *bodies[l->precision][l->index];
}

enum sp_status sp_crs_portable(SP_PREPARE)
{
    return sp_spmv_cpu_prepare(layout, operands, select_crs, state, err);
}

static struct sp_spmv_body select_sell(const struct sp_layout *l)
{
    sp_spmv_units *const units[SP_N_PRECISIONS][SP_N_INDICES] = {
        [SP_F64] = {sell_f64_i32, sell_f64_i64, sell_f64_d16},
        [SP_F32] = {sell_f32_i32, sell_f32_i64, sell_f32_d16},
        [SP_MIXED] = {sell_mixed_i32, sell_mixed_i64, sell_mixed_d16},
    };
    return (struct sp_spmv_body){.units = units[l->precision][l->index]};
}

enum sp_status sp_sell_portable(SP_PREPARE)
{
    return sp_spmv_cpu_prepare(layout, operands, select_sell, state, err);
}
