#include "sparse/csr/zeros.h"

#include <string.h>

#include "sparse/csr/csr_build.h"

static bool is_zero(const struct sp_csr *a, int64_t j)
{
    return sp_csr_is_complex(a) ? a->val[2 * j] == 0 && a->val[2 * j + 1] == 0 : a->val[j] == 0;
}

static int64_t count_zeros(const struct sp_csr *a)
{
    int64_t n = 0;
#pragma omp parallel for schedule(static) reduction(+ : n)
    for (int64_t j = 0; j < a->n_nz; j++)
        n += is_zero(a, j);
    return n;
}

static void copy_row(const struct sp_csr *a, int64_t i, struct sp_csr *to)
{
    const size_t per_entry = sp_csr_is_complex(a) ? 2 : 1;
    size_t at = (size_t)to->row_ptr[i];
    for (int64_t j = a->row_ptr[i]; j < a->row_ptr[i + 1]; j++) {
        if (is_zero(a, j))
            continue;
        to->col[at] = a->col[j];
        memcpy(to->val + per_entry * at, a->val + per_entry * (size_t)j, per_entry * sizeof *a->val);
        at++;
    }
}

enum sp_status sp_csr_drop_zeros(struct sp_csr *a, int64_t *n_dropped, struct sp_error *err)
{
    struct sp_csr kept;
    *n_dropped = count_zeros(a);
    if (*n_dropped == 0)
        return SP_OK;
    enum sp_status status = sp_csr_take_rows(a->n_r, a->n_c, a->field, a->allocator, &kept, err);
    if (status != SP_OK)
        return status;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < a->n_r; i++) {
        int64_t n = 0;
        for (int64_t j = a->row_ptr[i]; j < a->row_ptr[i + 1]; j++)
            n += !is_zero(a, j);
        kept.row_ptr[i + 1] = n;
    }
    status = sp_csr_take_entries(&kept, err);
    if (status != SP_OK)
        return status;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < a->n_r; i++)
        copy_row(a, i, &kept);
    kept.symmetry = a->symmetry;
    kept.n_duplicates = a->n_duplicates;
    sp_csr_free(a);
    *a = kept;
    return SP_OK;
}
