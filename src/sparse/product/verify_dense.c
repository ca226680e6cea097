/* Checks of the operations with dense operands of r columns. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "sparse/product/verify.h"

/* Roundings of what is stored and of what is summed. */
struct rounding {
    double u_store, u_sum;
    double smallest; /* number of the storage type */
    double largest;
};

/* Matrix units, which SpMM in BCSR may run on, cut off what they add instead of rounding it: each entry may
 * lose 2^-23 when it is added and once more when the sum is kept. f32 is three products there, of which each
 * does so, and two parts of 11 bits for each factor. */
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
    if (w->op == SP_OP_SPMM && w->format == SP_FORMAT_BCSR && w->precision != SP_F64)
        r.u_sum *= MATRIX_UNIT_ROUNDINGS;
    return r;
}

/* `factors` numbers of a product and the result are stored, m operations sum them. */
static double relative_bound(struct rounding r, double factors, double m)
{
    return sp_gamma(factors + 1, r.u_store) + sp_gamma(m, r.u_sum) + sp_gamma(m, 0x1p-53);
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
    for (int64_t k = 0; k < r; k++)
        out->sum[k] = out->abs_sum[k] = out->abs_factors[k] = 0;
    for (int64_t j = s->row_ptr[i]; j < s->row_ptr[i + 1]; j++) {
        const double a = s->val[j], *x = d->x + s->col[j] * r;
        for (int64_t k = 0; k < r; k++) {
            out->sum[k] += a * x[k];
            out->abs_sum[k] += fabs(a * x[k]);
            out->abs_factors[k] += 1 + fabs(a) + fabs(x[k]);
        }
    }
}

struct dot {
    double sum, abs_sum, abs_factors;
};

static struct dot dot_of(const double *a, const double *b, int64_t r)
{
    struct dot t = {0, 0, 0};
    for (int64_t k = 0; k < r; k++) {
        t.sum += a[k] * b[k];
        t.abs_sum += fabs(a[k] * b[k]);
        t.abs_factors += 1 + fabs(a[k]) + fabs(b[k]);
    }
    return t;
}

static void sampled_row(const struct sp_workload *w, const struct sp_dense *d, int64_t i, struct row *out)
{
    const struct sp_csr *s = w->matrix;
    const int64_t r = sp_workload_width(w), first = s->row_ptr[i];
    out->n = s->row_ptr[i + 1] - first;
    out->factors = 3;
    out->m = (double)r + 3;
    for (int64_t j = 0; j < out->n; j++) {
        struct dot t = dot_of(d->rows + i * r, d->x + s->col[first + j] * r, r);
        double v = s->val[first + j];
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
    for (int64_t k = 0; k < r; k++)
        out->sum[k] = out->abs_sum[k] = out->abs_factors[k] = 0;
    for (int64_t j = s->row_ptr[i]; j < s->row_ptr[i + 1]; j++) {
        struct dot t = dot_of(d->rows + i * r, d->x + s->col[j] * r, r);
        const double *e = d->second + s->col[j] * r;
        for (int64_t k = 0; k < r; k++) {
            out->sum[k] += t.sum * e[k];
            out->abs_sum[k] += t.abs_sum * fabs(e[k]);
            out->abs_factors[k] += t.abs_factors * fabs(e[k]) + t.abs_sum + 1;
        }
    }
}

/* One row against what the kernel made of it. */
static double compare(const struct row *row, struct rounding u, const double *result,
                      struct sp_spmv_check *check)
{
    double worst = 0, bound = relative_bound(u, row->factors, row->m);
    for (int64_t k = 0; k < row->n; k++) {
        bool finite = isfinite(result[k]), finite_ref = isfinite(row->sum[k]);
        bool may_overflow = !(row->abs_sum[k] + row->abs_factors[k] <= u.largest);
        if (!finite && (!finite_ref || may_overflow)) {
            check->n_not_finite++;
            continue;
        }
        double error = fabs(result[k] - row->sum[k]);
        double tolerance = bound * row->abs_sum[k] + u.smallest * row->abs_factors[k];
        double ratio = error == 0 ? 0 : error / tolerance;
        if (finite != finite_ref || isnan(ratio))
            ratio = error = INFINITY;
        if (error > 0)
            check->max_error = fmax(check->max_error, error / row->abs_sum[k]);
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
    double max_error = 0, max_ratio = 0;
    int64_t bad_row = INT64_MAX, n_not_finite = 0;
    bool no_memory = false;
#pragma omp parallel reduction(max : max_error, max_ratio) reduction(min : bad_row)                           \
    reduction(+ : n_not_finite) reduction(|| : no_memory)
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
            double ratio = compare(&row, u, y, &here);
            max_ratio = fmax(max_ratio, ratio);
            if (ratio > 1 && i < bad_row)
                bad_row = i;
        }
        max_error = fmax(max_error, here.max_error);
        n_not_finite += here.n_not_finite;
        free(room);
    }
    if (no_memory)
        return sp_fail(err, SP_MEMORY, "free memory", "no memory for rows of the reference");
    if (bad_row == INT64_MAX)
        bad_row = -1;
    if (check_out)
        *check_out = (struct sp_spmv_check){max_error, max_ratio, bad_row, n_not_finite};
    if (bad_row < 0)
        return SP_OK;
    return sp_fail(err, SP_WRONG, "this is a fault of the kernel; try another one, and report it",
                   "row %lld of the result differs from the reference by %.3g times its tolerance",
                   (long long)bad_row + 1, max_ratio);
}
