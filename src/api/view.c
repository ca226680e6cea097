#include "api/view.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/visible.h"
#include "sparse/csr/builder.h"
#include "sparse/csr/csr.h"

static void *give(void *context, size_t bytes)
{
    const struct sp_lender *l = context;
    return l->inner->alloc(l->inner->context, bytes);
}

static void take_back(void *context, void *p, size_t bytes)
{
    const struct sp_lender *l = context;
    for (int i = 0; i < 3; i++)
        if (p && p == l->lent[i])
            return;
    l->inner->free(l->inner->context, p, bytes);
}

static enum sp_status check_struct(const struct spmodel_matrix *v, struct sp_error *err)
{
    if (!v || v->size < sizeof *v)
        return sp_fail(err, SP_USAGE, "set size to sizeof(struct spmodel_matrix)", "no matrix was given");
    if (v->n_r < 0 || v->n_c < 0 || v->n_nz < 0 || v->n_r > SP_MAX_DIMENSION || v->n_c > SP_MAX_DIMENSION)
        return sp_fail(err, SP_USAGE, NULL,
                       "a matrix of %" PRId64 " rows, %" PRId64 " columns, %" PRId64
                       " nonzeros cannot be used; rows and columns go up to %d",
                       v->n_r, v->n_c, v->n_nz, (int)SP_MAX_DIMENSION);
    if ((v->row_ptr_B != 4 && v->row_ptr_B != 8) || (v->col_B != 4 && v->col_B != 8))
        return sp_fail(err, SP_USAGE, "set row_ptr_B and col_B to 4 or 8",
                       "a row pointer of %d bytes, a column index of %d", (int)v->row_ptr_B, (int)v->col_B);
    if (v->base != 0 && v->base != 1)
        return sp_fail(err, SP_USAGE, "0 or 1", "row_ptr and col begin with %d", (int)v->base);
    if (v->type != SPMODEL_F64 && v->type != SPMODEL_F32 && v->type != SPMODEL_C128)
        return sp_fail(err, SP_USAGE, "take one of enum spmodel_type", "values of type %d are not known",
                       (int)v->type);
    if (!v->row_ptr || (v->n_nz > 0 && !v->col))
        return sp_fail(err, SP_USAGE, NULL, "row_ptr%s NULL", v->row_ptr ? " is there, but col is" : " is");
    return SP_OK;
}

static inline int64_t index_at(const void *array, int width_B, int64_t i)
{
    return width_B == 8 ? ((const int64_t *)array)[i] : ((const int32_t *)array)[i];
}

/* Row pointers ascend from the base to n_nz, columns are there: else nothing may be read. */
static enum sp_status check_arrays(const struct spmodel_matrix *v, bool *is_canonical, struct sp_error *err)
{
    int64_t bad_row = INT64_MAX, bad_entry = INT64_MAX, n_unordered = 0;
#pragma omp parallel for reduction(min : bad_row)
    for (int64_t i = 0; i < v->n_r; i++) {
        const int64_t from = index_at(v->row_ptr, v->row_ptr_B, i) - v->base;
        const int64_t end = index_at(v->row_ptr, v->row_ptr_B, i + 1) - v->base;
        if ((from < 0 || from > end || end > v->n_nz) && i < bad_row)
            bad_row = i;
    }
    const int64_t first = index_at(v->row_ptr, v->row_ptr_B, 0) - v->base;
    const int64_t last = index_at(v->row_ptr, v->row_ptr_B, v->n_r) - v->base;
    if (bad_row < INT64_MAX)
        return sp_fail(
            err, SP_INPUT,
            "row_ptr ascends from the base (0 or 1) to the number of nonzeros; is base right, the width?",
            "row %" PRId64 " begins at entry %" PRId64 " and ends before %" PRId64 " of %" PRId64, bad_row,
            index_at(v->row_ptr, v->row_ptr_B, bad_row) - v->base,
            index_at(v->row_ptr, v->row_ptr_B, bad_row + 1) - v->base, v->n_nz);
    if (first != 0 || last != v->n_nz)
        return sp_fail(err, SP_INPUT, "is the base right (0 or 1), the width (4 or 8)?",
                       "row_ptr goes from %" PRId64 " to %" PRId64 ", and there are %" PRId64 " nonzeros",
                       first + v->base, last + v->base, v->n_nz);
#pragma omp parallel for reduction(min : bad_entry) reduction(+ : n_unordered)
    for (int64_t i = 0; i < v->n_r; i++) {
        const int64_t end = index_at(v->row_ptr, v->row_ptr_B, i + 1) - v->base;
        int64_t before = -1;
        for (int64_t k = index_at(v->row_ptr, v->row_ptr_B, i) - v->base; k < end; k++) {
            const int64_t j = index_at(v->col, v->col_B, k) - v->base;
            if ((j < 0 || j >= v->n_c) && k < bad_entry)
                bad_entry = k;
            n_unordered += j <= before;
            before = j;
        }
    }
    if (bad_entry < INT64_MAX)
        return sp_fail(err, SP_INPUT, "is the base right (0 or 1), the width (4 or 8)?",
                       "entry %" PRId64 " is in column %" PRId64 " of %" PRId64, bad_entry,
                       index_at(v->col, v->col_B, bad_entry), v->n_c);
    *is_canonical = n_unordered == 0;
    return SP_OK;
}

/* Each array is lent, or made. */
static enum sp_status take_arrays(const struct spmodel_matrix *v, bool copy, struct sp_lender *l,
                                  struct sp_csr *a, struct sp_error *err)
{
    const struct sp_allocator *own = &l->allocator;
    const int parts = v->values && v->type == SPMODEL_C128 ? 2 : 1;
    const bool lend_ptr = !copy && v->row_ptr_B == 8 && v->base == 0,
               lend_col = !copy && v->base == 0 && v->n_nz > 0, wide = lend_col && v->col_B == 8,
               narrow = !copy && v->values && v->type == SPMODEL_F32 && v->n_nz > 0,
               lend_val = !copy && v->values && v->n_nz > 0;
    enum sp_status status = SP_OK;
    void *p[3] = {(void *)v->row_ptr, (void *)v->col, (void *)v->values};
    l->lent[0] = lend_ptr ? v->row_ptr : NULL;
    l->lent[1] = lend_col ? v->col : NULL;
    l->lent[2] = lend_val ? v->values : NULL;
    if (!lend_ptr)
        status = sp_large_alloc(own, v->n_r + 1, sizeof *a->row_ptr, "row pointers", &p[0], err);
    a->row_ptr = status == SP_OK ? p[0] : NULL;
    if (status == SP_OK && !lend_col)
        status = sp_large_alloc(own, v->n_nz, sizeof *a->col, "column indices", &p[1], err);
    a->col = status == SP_OK && !wide ? p[1] : NULL;
    a->col_64 = wide ? v->col : NULL;
    if (status == SP_OK && !lend_val)
        status = sp_large_alloc(own, parts * v->n_nz, sizeof *a->val, "values", &p[2], err);
    a->val = status == SP_OK && !narrow ? p[2] : NULL;
    a->val_f32 = narrow ? v->values : NULL;
    if (status != SP_OK) {
        sp_large_free(own, a->col, v->n_nz, sizeof *a->col);
        sp_large_free(own, a->row_ptr, v->n_r + 1, sizeof *a->row_ptr);
        memset(a, 0, sizeof *a);
        return status;
    }
    if (!lend_ptr)
#pragma omp parallel for
        for (int64_t i = 0; i <= v->n_r; i++)
            a->row_ptr[i] = index_at(v->row_ptr, v->row_ptr_B, i) - v->base;
    if (!lend_col)
#pragma omp parallel for
        for (int64_t k = 0; k < v->n_nz; k++)
            a->col[k] = (int32_t)(index_at(v->col, v->col_B, k) - v->base);
    if (!lend_val)
#pragma omp parallel for
        for (int64_t k = 0; k < parts * v->n_nz; k++)
            a->val[k] = !v->values               ? 1
                        : v->type == SPMODEL_F32 ? (double)((const float *)v->values)[k]
                                                 : ((const double *)v->values)[k];
    return SP_OK;
}

static int64_t count_zeros(const struct sp_csr *a)
{
    const int parts = sp_csr_is_complex(a) ? 2 : 1;
    int64_t n = 0;
#pragma omp parallel for reduction(+ : n)
    for (int64_t k = 0; k < a->n_nz; k++)
        n += sp_csr_number(a, parts * k) == 0 && sp_csr_number(a, parts * k + parts - 1) == 0;
    return n;
}

/* What a file's header would say: the symmetry, where its entries have it. */
static enum sp_status find_symmetry(struct sp_csr *a, struct sp_error *err)
{
    bool holds = false;
    if (a->n_r != a->n_c)
        return SP_OK;
    a->symmetry = SP_SYMMETRIC;
    const enum sp_status status = sp_csr_symmetry_holds(a, &holds, err);
    if (!holds)
        a->symmetry = SP_GENERAL;
    return status;
}

static const char *type_name(const struct spmodel_matrix *v)
{
    return !v->values ? "pattern" : v->type == SPMODEL_F32 ? "f32" : v->type == SPMODEL_C128 ? "c128" : "f64";
}

enum sp_status sp_view_open(const struct spmodel_matrix *v, const struct sp_load_options *load,
                            struct sp_lender *l, struct sp_csr *a, struct sp_load_facts *facts,
                            struct sp_error *err)
{
    const double start = sp_now();
    bool is_canonical = true;
    memset(a, 0, sizeof *a);
    memset(facts, 0, sizeof *facts);
    *l = (struct sp_lender){.inner = load->allocator ? load->allocator : &sp_allocator_plain};
    l->allocator = (struct sp_allocator){give, take_back, l};
    enum sp_status status = check_struct(v, err);
    if (status == SP_OK)
        status = check_arrays(v, &is_canonical, err);
    if (status != SP_OK)
        return status;
    const enum sp_field field = !v->values                ? SP_FIELD_PATTERN
                                : v->type == SPMODEL_C128 ? SP_FIELD_COMPLEX
                                                          : SP_FIELD_REAL;
    const struct sp_load_size size = {.n_r = v->n_r, .n_c = v->n_c, .n_nz = v->n_nz, .field = field};
    const char *name = v->name && *v->name ? v->name : "matrix";
    status = sp_load_check_memory(name, load, &size, 0, "the matrix", err);
    if (status == SP_OK)
        status = take_arrays(v, !is_canonical, l, a, err);
    if (status != SP_OK)
        return status;
    a->n_r = v->n_r;
    a->n_c = v->n_c;
    a->n_nz = v->n_nz;
    a->field = field;
    a->allocator = &l->allocator;
    if (!is_canonical)
        status = sp_csr_make_canonical(a, load->n_threads, err);
    if (status == SP_OK && a->n_duplicates > 0 && field == SP_FIELD_PATTERN)
        a->field = sp_csr_plainest_field(a);
    a->n_zeros = status == SP_OK ? count_zeros(a) : 0;
    facts->n_entries = v->n_nz;
    facts->n_duplicates = a->n_duplicates;
    facts->n_zeros = a->n_zeros;
    if (status == SP_OK && load->drop_zeros)
        status = sp_csr_drop_zeros(a, &facts->n_dropped, err);
    if (status == SP_OK)
        status = find_symmetry(a, err);
    if (status == SP_OK)
        status = sp_csr_digest(a, load->n_threads, facts->sha256, err);
    if (status != SP_OK) {
        sp_csr_free(a);
        return status;
    }
    sp_visible(name, facts->name, sizeof facts->name);
    snprintf(facts->format, sizeof facts->format, "in memory: row pointers of %d bytes, columns of %d, %s",
             (int)v->row_ptr_B, (int)v->col_B, type_name(v));
    facts->n_threads = load->n_threads;
    facts->total_s = sp_now() - start;
    return SP_OK;
}
