#include "sparse/csr/csr.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
const char *sp_field_name(enum sp_field field)
{
    static const char *const names[] = {"real", "integer", "pattern", "complex"};
    return names[field];
}

const char *sp_symmetry_name(enum sp_symmetry symmetry)
{
    static const char *const names[] = {"general", "symmetric", "skew-symmetric", "hermitian"};
    return names[symmetry];
}

static int64_t values_per_entry(enum sp_field field)
{
    return field == SP_FIELD_COMPLEX ? 2 : 1;
}

double sp_csr_bytes(int64_t n_r, int64_t n_nz, enum sp_field field)
{
    return (double)(n_r + 1) * sizeof(int64_t) +
           (double)n_nz * (sizeof(int32_t) + (double)values_per_entry(field) * sizeof(double));
}

enum sp_status sp_csr_alloc(int64_t n_r, int64_t n_c, int64_t n_nz, enum sp_field field,
                            const struct sp_allocator *allocator, struct sp_csr *a, struct sp_error *err)
{
    memset(a, 0, sizeof *a);
    a->n_r = n_r;
    a->n_c = n_c;
    a->n_nz = n_nz;
    a->field = field;
    a->allocator = allocator;
    void *p;
    enum sp_status status = sp_large_alloc(allocator, n_r + 1, sizeof *a->row_ptr, "row pointers", &p, err);
    a->row_ptr = p;
    if (status == SP_OK) {
        status = sp_large_alloc(allocator, n_nz, sizeof *a->col, "column indices", &p, err);
        a->col = p;
    }
    if (status == SP_OK) {
        status = sp_large_alloc(allocator, n_nz * values_per_entry(field), sizeof *a->val, "values", &p, err);
        a->val = p;
    }
    if (status != SP_OK)
        sp_csr_free(a);
    else
        a->row_ptr[0] = 0;
    return status;
}

void sp_csr_free(struct sp_csr *a)
{
    if (!a)
        return;
    sp_large_free(a->allocator, a->row_ptr, a->n_r + 1, sizeof *a->row_ptr);
    sp_large_free(a->allocator, a->col, a->n_nz, sizeof *a->col);
    sp_large_free(a->allocator, a->val, a->n_nz * values_per_entry(a->field), sizeof *a->val);
    memset(a, 0, sizeof *a);
}

enum sp_status sp_csr_check(const struct sp_csr *a, struct sp_error *err)
{
    if (a->n_r < 0 || a->n_c < 0 || a->n_r > SP_MAX_DIMENSION || a->n_c > SP_MAX_DIMENSION || a->n_nz < 0)
        return sp_fail(err, SP_BUG, NULL, "sizes %lld x %lld, %lld entries are out of range",
                       (long long)a->n_r, (long long)a->n_c, (long long)a->n_nz);
    if (a->row_ptr[0] != 0 || a->row_ptr[a->n_r] != a->n_nz)
        return sp_fail(err, SP_BUG, NULL, "row pointers run from %lld to %lld, not from 0 to %lld",
                       (long long)a->row_ptr[0], (long long)a->row_ptr[a->n_r], (long long)a->n_nz);
    int64_t bad_row = INT64_MAX;
#pragma omp parallel for schedule(static) reduction(min : bad_row) if (a->n_nz > 1 << 16)
    for (int64_t i = 0; i < a->n_r; i++) {
        int64_t begin = a->row_ptr[i], end = a->row_ptr[i + 1];
        int64_t last = -1;
        if (begin < 0 || end < begin || end > a->n_nz) {
            bad_row = i < bad_row ? i : bad_row;
            continue;
        }
        for (int64_t j = begin; j < end; j++) {
            if (a->col[j] <= last || a->col[j] >= a->n_c) {
                bad_row = i < bad_row ? i : bad_row;
                break;
            }
            last = a->col[j];
        }
    }
    if (bad_row != INT64_MAX)
        return sp_fail(err, SP_BUG, NULL,
                       "row %lld: pointers descend, or a column is out of range or out of order",
                       (long long)bad_row + 1);
    return SP_OK;
}

static int compare_columns(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

enum sp_status sp_csr_fold(const struct sp_csr *a, int64_t first, int64_t n_rows, int64_t window,
                           struct sp_csr *folded, struct sp_error *err)
{
    int64_t begin = a->row_ptr[first], n = a->row_ptr[first + n_rows] - begin;
    int64_t n_c = a->n_c < window ? a->n_c : window;
    enum sp_status status = sp_csr_alloc(n_rows, n_c, n, a->field, NULL, folded, err);
    if (status != SP_OK)
        return status;
    folded->symmetry = SP_GENERAL;
    for (int64_t i = 0; i < n_rows; i++) {
        int64_t from = a->row_ptr[first + i] - begin, to = a->row_ptr[first + i + 1] - begin;
        folded->row_ptr[i + 1] = to;
        for (int64_t j = from; j < to; j++)
            folded->col[j] = (int32_t)(a->col[begin + j] % n_c);
        if (to > from)
            sp_sort_by(folded->col + from, (to - from), sizeof *folded->col, compare_columns);
    }
    if (n > 0)
        memcpy(folded->val, a->val + begin * values_per_entry(a->field),
               (size_t)(n * values_per_entry(a->field)) * sizeof *a->val);
    return SP_OK;
}

int64_t sp_csr_find(const struct sp_csr *a, int64_t i, int64_t j)
{
    int64_t low = a->row_ptr[i], high = a->row_ptr[i + 1];
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (a->col[middle] < j)
            low = middle + 1;
        else
            high = middle;
    }
    return low < a->row_ptr[i + 1] && a->col[low] == j ? low : -1;
}
