#include "sparse/product/verify.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

/* One row of y = A x in double. */
struct row_sum {
    double real, imaginary;
    double abs_sum;     /* sum |a| |x| */
    double abs_factors; /* sum of 1 + |a| + |x|: what underflow is scaled by */
    bool rounded;       /* some value is not an f32 number */
};

static struct row_sum sum_row(const struct sp_csr *a, int64_t i, const double *x, bool complex_x)
{
    struct row_sum s = {0};
    bool complex_a = sp_csr_is_complex(a);
    for (int64_t j = a->row_ptr[i]; j < a->row_ptr[i + 1]; j++) {
        int64_t c = a->col[j];
        double a_r = complex_a ? a->val[2 * j] : a->val[j], a_i = complex_a ? a->val[2 * j + 1] : 0;
        double x_r = complex_x ? x[2 * c] : x[c], x_i = complex_x ? x[2 * c + 1] : 0;
        double abs_a = fabs(a_r) + fabs(a_i), abs_x = fabs(x_r) + fabs(x_i);
        s.real += a_r * x_r - a_i * x_i;
        s.imaginary += a_r * x_i + a_i * x_r;
        s.abs_sum += abs_a * abs_x;
        s.abs_factors += 1 + abs_a + abs_x;
        s.rounded = s.rounded || (double)(float)a_r != a_r;
    }
    return s;
}

void sp_spmv_reference(const struct sp_csr *a, const double *x, double *y, double *abs_sum)
{
    bool is_complex = sp_csr_is_complex(a);
#pragma omp parallel for schedule(dynamic, 4096)
    for (int64_t i = 0; i < a->n_r; i++) {
        struct row_sum s = sum_row(a, i, x, is_complex);
        if (is_complex) {
            y[2 * i] = s.real;
            y[2 * i + 1] = s.imaginary;
        } else {
            y[i] = s.real;
        }
        if (abs_sum)
            abs_sum[i] = s.abs_sum;
    }
}

double sp_gamma(double m, double u)
{
    return m * u < 1 ? m * u / (1 - m * u) : INFINITY;
}

static double tolerance(const struct row_sum *s, int64_t n, enum sp_precision precision)
{
    double u = precision == SP_F32 ? 0x1p-24 : 0x1p-53;
    double smallest = precision == SP_F32 ? FLT_TRUE_MIN : DBL_TRUE_MIN;
    double m = (precision == SP_C128 ? 2.0 : 1.0) * (double)n;
    double values = 0; /* what rounding of the values alone does */
    if (precision == SP_MIXED && s->rounded)
        values = sp_gamma(1, 0x1p-24) * s->abs_sum + FLT_TRUE_MIN * s->abs_factors;
    return values + (sp_gamma(m + 4, u) + sp_gamma(m, 0x1p-53)) * s->abs_sum + smallest * s->abs_factors;
}

enum sp_status sp_spmv_verify(const struct sp_csr *a, enum sp_precision precision, const double *x,
                              const double *y, struct sp_spmv_check *check, struct sp_error *err)
{
    bool is_complex = precision == SP_C128;
    double max_error = 0, max_ratio = 0;
    int64_t bad_row = INT64_MAX, n_not_finite = 0;
#pragma omp parallel for schedule(dynamic, 4096) reduction(max : max_error, max_ratio)                        \
    reduction(min : bad_row) reduction(+ : n_not_finite)
    for (int64_t i = 0; i < a->n_r; i++) {
        struct row_sum s = sum_row(a, i, x, is_complex);
        double y_r = is_complex ? y[2 * i] : y[i], y_i = is_complex ? y[2 * i + 1] : 0;
        bool finite = isfinite(y_r) && isfinite(y_i), finite_ref = isfinite(s.real) && isfinite(s.imaginary);
        bool f32 = precision == SP_F32 || (precision == SP_MIXED && s.rounded);
        bool may_overflow = f32 && !(s.abs_sum + s.abs_factors <= FLT_MAX);
        if (!finite && (!finite_ref || may_overflow)) {
            n_not_finite++;
            continue;
        }
        double error = fmax(fabs(y_r - s.real), fabs(y_i - s.imaginary));
        double ratio = error == 0 ? 0 : error / tolerance(&s, a->row_ptr[i + 1] - a->row_ptr[i], precision);
        if (finite != finite_ref || isnan(ratio))
            ratio = error = INFINITY;
        max_error = fmax(max_error, error == 0 ? 0 : error / s.abs_sum);
        max_ratio = fmax(max_ratio, ratio);
        if (ratio > 1 && i < bad_row)
            bad_row = i;
    }
    if (bad_row == INT64_MAX)
        bad_row = -1;
    if (check)
        *check = (struct sp_spmv_check){max_error, max_ratio, bad_row, n_not_finite};
    if (bad_row < 0)
        return SP_OK;
    return sp_fail(err, SP_WRONG, "this is a fault of the kernel; try another one, and report it",
                   "row %lld of the result differs from the reference by %.3g times its tolerance",
                   (long long)bad_row + 1, max_ratio);
}
