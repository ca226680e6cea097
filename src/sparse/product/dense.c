#include "sparse/product/dense.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"

static int64_t numbers_of(const struct sp_workload *w, int64_t n)
{
    return w->precision == SP_C128 ? 2 * n : n * sp_workload_width(w);
}

static bool has_rows(const struct sp_workload *w)
{
    return w->op == SP_OP_SDDMM || w->op == SP_OP_FUSEDMM;
}

int64_t sp_dense_n_x(const struct sp_workload *w)
{
    return numbers_of(w, w->matrix->n_c);
}

int64_t sp_dense_n_rows(const struct sp_workload *w)
{
    return has_rows(w) ? numbers_of(w, w->matrix->n_r) : 0;
}

int64_t sp_dense_n_second(const struct sp_workload *w)
{
    return w->op == SP_OP_FUSEDMM ? numbers_of(w, w->matrix->n_c) : 0;
}

int64_t sp_dense_n_result(const struct sp_workload *w)
{
    return w->op == SP_OP_SDDMM ? w->matrix->n_nz : numbers_of(w, w->matrix->n_r);
}

static enum sp_status fill(int64_t n, uint64_t seed, bool either_sign, const char *what, double **out,
                           struct sp_error *err)
{
    void *p;
    enum sp_status status = sp_new_array(n, sizeof **out, what, &p, err);
    double *v = *out = p;
    if (status != SP_OK)
        return status;
#pragma omp parallel for schedule(static) if (n > 100000)
    for (int64_t i = 0; i < n; i++) {
        uint64_t bits = sp_random_at(seed, (uint64_t)i);
        double size = 0.5 + (double)(bits >> 11) * 0x1p-53;
        v[i] = !either_sign ? size : bits & 1 ? 0.25 + size / 2 : -0.25 - size / 2;
    }
    return SP_OK;
}

enum sp_status sp_dense_make(const struct sp_workload *w, uint64_t seed, struct sp_dense_arrays *a,
                             struct sp_error *err)
{
    memset(a, 0, sizeof *a);
    bool signs = w->op != SP_OP_SPMV;
    enum sp_status status = fill(sp_dense_n_x(w), seed, signs, "the gathered operand", &a->x, err);
    if (status == SP_OK && sp_dense_n_rows(w) > 0)
        status = fill(sp_dense_n_rows(w), seed + 1, signs, "the row operand", &a->rows, err);
    if (status == SP_OK && sp_dense_n_second(w) > 0)
        status = fill(sp_dense_n_second(w), seed + 2, signs, "the second gathered operand", &a->second, err);
    if (status != SP_OK)
        sp_dense_free(a);
    return status;
}

void sp_dense_free(struct sp_dense_arrays *a)
{
    if (!a)
        return;
    free(a->x);
    free(a->rows);
    free(a->second);
    memset(a, 0, sizeof *a);
}
