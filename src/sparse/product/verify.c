#include "sparse/product/verify.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"
#include "sparse/formats/format.h"

/* One row of y = A x in double. */
struct row_sum {
    double real, imaginary;
    double abs_sum;     /* sum |a| |x| */
    double abs_factors; /* sum of 1 + |a| + |x|: what underflow is scaled by */
    bool rounded;       /* some value is not an f32 number */
};

static struct row_sum sum_row_complex(const struct sp_csr *a, int64_t i, const double *x, bool complex_x)
{
    struct row_sum s = {0};
    bool complex_a = sp_csr_is_complex(a);
    for (int64_t j = a->row_ptr[i]; j < a->row_ptr[i + 1]; j++) {
        int64_t c = sp_csr_col(a, j);
        double a_r = complex_a ? a->val[2 * j] : sp_csr_number(a, j), a_i = complex_a ? a->val[2 * j + 1] : 0;
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

static inline struct row_sum sum_row(const struct sp_csr *a, int64_t i, const double *x, bool complex_x)
{
    struct row_sum s = {0};
    if (complex_x || sp_csr_is_complex(a))
        return sum_row_complex(a, i, x, complex_x);
    for (int64_t j = a->row_ptr[i]; j < a->row_ptr[i + 1]; j++) {
        const double a_r = sp_csr_number(a, j), x_r = x[sp_csr_col(a, j)];
        s.real += a_r * x_r;
        s.abs_sum += fabs(a_r) * fabs(x_r);
        s.abs_factors += 1 + fabs(a_r) + fabs(x_r);
        s.rounded |= (double)(float)a_r != a_r;
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

/* What m roundings of size u can do to a sum [Higham, Accuracy and Stability, 3.1]. */
static double gamma_m(double m, double u)
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
        values = gamma_m(1, 0x1p-24) * s->abs_sum + FLT_TRUE_MIN * s->abs_factors;
    return values + (gamma_m(m + 4, u) + gamma_m(m, 0x1p-53)) * s->abs_sum + smallest * s->abs_factors;
}

/* A row that is wrong, into what all threads have found so far. */
static void add_bad(struct sp_spmv_check *found, int64_t row, double ratio, double got, double expected)
{
#pragma omp critical(sp_verify_bad)
    {
        const bool worse = found->n_bad == 0 || ratio > found->max_ratio ||
                           (ratio == found->max_ratio && row < found->worst_row);
        found->n_bad++;
        found->bad_row = row < found->bad_row ? row : found->bad_row;
        if (worse) {
            found->max_ratio = ratio;
            found->worst_row = row;
            found->got = got;
            found->expected = expected;
        }
    }
}

/* found.bad_row INT64_MAX: none. `check` may be NULL. */
static enum sp_status report(struct sp_spmv_check found, struct sp_spmv_check *check, struct sp_error *err)
{
    if (found.bad_row == INT64_MAX)
        found.bad_row = found.worst_row = -1;
    if (check)
        *check = found;
    if (found.bad_row < 0)
        return SP_OK;
    return sp_fail(err, SP_WRONG, "this is a fault of the kernel; try another one, and report it",
                   "row %lld of the result differs from the reference by %.3g times its tolerance",
                   (long long)found.bad_row + 1, found.max_ratio);
}

enum sp_status sp_spmv_verify(const struct sp_csr *a, enum sp_precision precision, const double *x,
                              const double *y, struct sp_spmv_check *check, struct sp_error *err)
{
    bool is_complex = precision == SP_C128;
    struct sp_spmv_check found = {.bad_row = INT64_MAX};
    double max_error = 0, max_ratio = 0;
    int64_t n_not_finite = 0;
#pragma omp parallel for schedule(dynamic, 4096) reduction(max : max_error, max_ratio)                        \
    reduction(+ : n_not_finite)
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
        if (ratio > 1)
            add_bad(&found, i, ratio, y_r, s.real);
    }
    found.max_error = max_error;
    found.max_ratio = max_ratio;
    found.n_not_finite = n_not_finite;
    return report(found, check, err);
}

/* Checks of the operations with dense operands of r columns. */

/* Roundings of what is stored and of what is summed. */
struct rounding {
    double u_store, u_sum;
    double smallest; /* number of the storage type */
    double largest;
};

/* Matrix units, which SpMM in BCSR may run on, cut off what they add instead of rounding it: each
 * entry may lose 2^-23 when it is added and once more when the sum is kept. f32 is three products
 * there, of which each does so, and two parts of 11 bits for each factor. */
enum { MATRIX_UNIT_ROUNDINGS = 8 };

static struct rounding rounding_of_storage(enum sp_precision precision)
{
    switch (precision) {
    case SP_F32:
        return (struct rounding){0x1p-24, 0x1p-24, FLT_TRUE_MIN, FLT_MAX};
    case SP_F16:
        return (struct rounding){0x1p-11, 0x1p-24, 0x1p-24, 65504};
    case SP_BF16:
        return (struct rounding){0x1p-8, 0x1p-24, 0x1p-133, FLT_MAX};
    default:
        return (struct rounding){0x1p-53, 0x1p-53, DBL_TRUE_MIN, DBL_MAX};
    }
}

static struct rounding rounding_of(const struct sp_workload *w)
{
    struct rounding r = rounding_of_storage(w->precision);
    if (w->op == SP_OP_SPMM && sp_format_of(w->format)->in_blocks && w->precision != SP_F64)
        r.u_sum *= MATRIX_UNIT_ROUNDINGS;
    return r;
}

/* `factors` numbers of a product and the result are stored, m operations sum them. */
static double relative_bound(struct rounding r, double factors, double m)
{
    return gamma_m(factors + 1, r.u_store) + gamma_m(m, r.u_sum) + gamma_m(m, 0x1p-53);
}

/* Results of one row of the matrix: r of them, or one for each entry (SDDMM), in double. */
struct row {
    double *sum, *abs_sum, *abs_factors; /* what the result is, and what its errors scale with */
    double factors, m;
    int64_t n; /* results */
};

static void multiply_row(const struct sp_workload *w, const struct sp_dense *d, int64_t i, struct row *out)
{
    const struct sp_csr *s = w->matrix;
    const int64_t r = sp_workload_width(w);
    out->n = r;
    out->factors = 2;
    out->m = (double)(s->row_ptr[i + 1] - s->row_ptr[i]) + 2;
    double *restrict sum = out->sum, *restrict abs_sum = out->abs_sum,
                     *restrict abs_factors = out->abs_factors;
    for (int64_t k = 0; k < r; k++)
        sum[k] = abs_sum[k] = abs_factors[k] = 0;
    for (int64_t j = s->row_ptr[i]; j < s->row_ptr[i + 1]; j++) {
        const double a = sp_csr_number(s, j), *x = d->x + sp_csr_col(s, j) * r;
#pragma omp simd
        for (int64_t k = 0; k < r; k++) {
            sum[k] += a * x[k];
            abs_sum[k] += fabs(a * x[k]);
            abs_factors[k] += 1 + fabs(a) + fabs(x[k]);
        }
    }
}

struct dot {
    double sum, abs_sum, abs_factors;
};

static struct dot dot_of(const double *a, const double *b, int64_t r)
{
    double sum = 0, abs_sum = 0, abs_factors = 0;
#pragma omp simd reduction(+ : sum, abs_sum, abs_factors)
    for (int64_t k = 0; k < r; k++) {
        sum += a[k] * b[k];
        abs_sum += fabs(a[k] * b[k]);
        abs_factors += 1 + fabs(a[k]) + fabs(b[k]);
    }
    return (struct dot){sum, abs_sum, abs_factors};
}

static void sampled_row(const struct sp_workload *w, const struct sp_dense *d, int64_t i, struct row *out)
{
    const struct sp_csr *s = w->matrix;
    const int64_t r = sp_workload_width(w), first = s->row_ptr[i];
    out->n = s->row_ptr[i + 1] - first;
    out->factors = 3;
    out->m = (double)r + 3;
    for (int64_t j = 0; j < out->n; j++) {
        struct dot t = dot_of(d->rows + i * r, d->x + sp_csr_col(s, first + j) * r, r);
        double v = sp_csr_number(s, first + j);
        out->sum[j] = v * t.sum;
        out->abs_sum[j] = fabs(v) * t.abs_sum;
        out->abs_factors[j] = fabs(v) * t.abs_factors + t.abs_sum + 1;
    }
}

static void fused_row(const struct sp_workload *w, const struct sp_dense *d, int64_t i, struct row *out)
{
    const struct sp_csr *s = w->matrix;
    const int64_t r = sp_workload_width(w);
    out->n = r;
    out->factors = 3;
    out->m = (double)(s->row_ptr[i + 1] - s->row_ptr[i]) + (double)r + 4;
    double *restrict sum = out->sum, *restrict abs_sum = out->abs_sum,
                     *restrict abs_factors = out->abs_factors;
    for (int64_t k = 0; k < r; k++)
        sum[k] = abs_sum[k] = abs_factors[k] = 0;
    for (int64_t j = s->row_ptr[i]; j < s->row_ptr[i + 1]; j++) {
        struct dot t = dot_of(d->rows + i * r, d->x + sp_csr_col(s, j) * r, r);
        const double *e = d->second + sp_csr_col(s, j) * r;
#pragma omp simd
        for (int64_t k = 0; k < r; k++) {
            sum[k] += t.sum * e[k];
            abs_sum[k] += t.abs_sum * fabs(e[k]);
            abs_factors[k] += t.abs_factors * fabs(e[k]) + t.abs_sum + 1;
        }
    }
}

/* One row against what the kernel made of it; *at: the column that differs most. */
static double compare(const struct row *row, struct rounding u, const double *result, int64_t *at,
                      struct sp_spmv_check *check)
{
    double worst = 0, bound = relative_bound(u, row->factors, row->m);
    *at = 0;
    for (int64_t k = 0; k < row->n; k++) {
        double error = fabs(result[k] - row->sum[k]);
        if (error == 0) /* and both finite */
            continue;
        bool finite = isfinite(result[k]), finite_ref = isfinite(row->sum[k]);
        bool may_overflow = !(row->abs_sum[k] + row->abs_factors[k] <= u.largest);
        if (!finite && (!finite_ref || may_overflow)) {
            check->n_not_finite++;
            continue;
        }
        double tolerance = bound * row->abs_sum[k] + u.smallest * row->abs_factors[k];
        double ratio = error / tolerance;
        if (finite != finite_ref || isnan(ratio))
            ratio = error = INFINITY;
        check->max_error = fmax(check->max_error, error / row->abs_sum[k]);
        if (ratio > worst)
            *at = k;
        worst = fmax(worst, ratio);
    }
    return worst;
}

enum sp_status sp_verify(const struct sp_workload *w, const struct sp_dense *d, const double *result,
                         struct sp_spmv_check *check_out, struct sp_error *err)
{
    if (w->op == SP_OP_SPMV)
        return sp_spmv_verify(w->matrix, w->precision, d->x, result, check_out, err);
    const struct sp_csr *s = w->matrix;
    const int64_t r = sp_workload_width(w);
    const struct rounding u = rounding_of(w);
    int64_t most = r;
    for (int64_t i = 0; w->op == SP_OP_SDDMM && i < s->n_r; i++)
        most = s->row_ptr[i + 1] - s->row_ptr[i] > most ? s->row_ptr[i + 1] - s->row_ptr[i] : most;
    struct sp_spmv_check found = {.bad_row = INT64_MAX};
    double max_error = 0, max_ratio = 0;
    int64_t n_not_finite = 0;
    bool no_memory = false;
#pragma omp parallel reduction(max : max_error, max_ratio) reduction(+ : n_not_finite)                        \
    reduction(|| : no_memory)
    {
        void *p;
        no_memory = sp_new_array(3 * most, sizeof(double), "a row of the reference", &p, NULL) != SP_OK;
        double *room = p;
        struct row row = {.sum = room, .abs_sum = room + most, .abs_factors = room + 2 * most};
        struct sp_spmv_check here = {0};
#pragma omp for schedule(dynamic, 256)
        for (int64_t i = 0; i < s->n_r; i++) {
            if (!room)
                continue;
            if (w->op == SP_OP_SDDMM)
                sampled_row(w, d, i, &row);
            else if (w->op == SP_OP_FUSEDMM)
                fused_row(w, d, i, &row);
            else
                multiply_row(w, d, i, &row);
            const double *y = result + (w->op == SP_OP_SDDMM ? s->row_ptr[i] : i * r);
            int64_t at;
            double ratio = compare(&row, u, y, &at, &here);
            max_ratio = fmax(max_ratio, ratio);
            if (ratio > 1)
                add_bad(&found, i, ratio, y[at], row.sum[at]);
        }
        max_error = fmax(max_error, here.max_error);
        n_not_finite += here.n_not_finite;
        free(room);
    }
    if (no_memory)
        return sp_fail(err, SP_MEMORY, "free memory", "no memory for rows of the reference");
    found.max_error = max_error;
    found.max_ratio = max_ratio;
    found.n_not_finite = n_not_finite;
    return report(found, check_out, err);
}
