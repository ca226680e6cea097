#include "sparse/formats/layout.h"

#include <stdlib.h>
#include <string.h>

#include "sparse/formats/layout_build.h"
#include "sparse/formats/permuted.h"

enum sp_status sp_layout_alloc(const struct sp_layout *layout, int64_t n, size_t size, const char *what,
                               void *out_pointer, struct sp_error *err)
{
    void *p;
    enum sp_status status = sp_large_alloc(layout->allocator, n, size, what, &p, err);
    memcpy(out_pointer, &p, sizeof p);
    return status;
}

enum sp_status sp_layout_alloc_entries(struct sp_layout *l, bool with_values, struct sp_error *err)
{
    enum sp_status status =
        l->lent_col ? SP_OK : sp_layout_alloc(l, l->n_indices, l->s_i, "column indices", &l->col, err);
    if (status == SP_OK && with_values && !l->lent_val)
        status = sp_layout_alloc(l, l->n_stored, l->s_a, "matrix values", &l->val, err);
    return status;
}

static int64_t rows_with_entries(const struct sp_csr *a)
{
    int64_t n = 0;
    for (int64_t i = 0; i < a->n_r; i++)
        n += a->row_ptr[i + 1] > a->row_ptr[i];
    return n;
}

/* n elements rounded up to lines of 64 bytes, an odd number of them: columns that are a power of
 * two apart would fall into the same sets of a cache. */
static int64_t whole_lines(int64_t n, size_t size)
{
    int64_t in_line = 64 / (int64_t)size, lines = (n + in_line - 1) / in_line;
    return (lines | 1) * in_line;
}

/* Zeroes the layout and sets what does not depend on the entries. */
static void begin(const struct sp_workload *w, const struct sp_allocator *allocator, struct sp_layout *layout)
{
    memset(layout, 0, sizeof *layout);
    layout->op = w->op;
    layout->format = w->format;
    layout->r = sp_workload_width(w);
    layout->n_r_used = w->matrix->n_r;
    if (w->op == SP_OP_SDDMM || w->op == SP_OP_FUSEDMM)
        layout->n_r_used = rows_with_entries(w->matrix);
    layout->order = w->order;
    layout->b_h = w->b_h;
    layout->b_w = w->b_w;
    layout->T_i = w->T_i;
    layout->T_k = w->T_k;
    layout->W = w->W;
    layout->precision = w->precision;
    layout->index = w->index;
    layout->prefetch = w->prefetch;
    layout->n_r = w->matrix->n_r;
    layout->n_c = w->matrix->n_c;
    layout->n_nz = w->matrix->n_nz;
    const struct sp_format_kind *kind = sp_format_of(w->format);
    layout->C = kind->in_chunks ? w->C : 1;
    layout->sigma = kind->in_chunks ? w->sigma : 1;
    layout->unit_rows = kind->unit_rows ? kind->unit_rows(w) : 0;
    layout->ptr_entries = kind->ptr_entries ? kind->ptr_entries(w) : 0;
    layout->s_a = sp_value_size(w->precision);
    layout->s_x = layout->s_y = sp_precision_size(w->precision);
    layout->s_i = layout->s_row = sp_index_size(w->index);
    layout->ld_x = layout->ld_y = layout->r;
    if (w->order == SP_COLUMN_MAJOR) {
        layout->ld_x = whole_lines(layout->n_c, layout->s_x);
        layout->ld_y = whole_lines(layout->n_r, layout->s_y);
    }
    layout->allocator = allocator;
}

static bool lends(const struct sp_workload *w, const struct sp_allocator *allocator)
{
    return sp_format_of(w->format)->plain_rows && w->matrix->allocator == allocator && w->matrix->n_nz > 0;
}

static bool lends_columns(const struct sp_workload *w)
{
    return w->matrix->col ? w->index == SP_I32 : w->index == SP_I64;
}

static bool lends_values(const struct sp_workload *w)
{
    const enum sp_precision of = sp_precision_of_values(w->precision);
    return w->op != SP_OP_FUSEDMM && (w->matrix->val ? of == SP_F64 : of == SP_F32);
}

double sp_layout_lent_bytes(const struct sp_workload *w, const struct sp_allocator *allocator)
{
    const double item_B = (double)(lends_columns(w) ? sp_index_size(w->index) : 0) +
                          (double)(lends_values(w) ? sp_value_size(w->precision) : 0);
    return lends(w, allocator) ? item_B * (double)w->matrix->n_nz : 0;
}

static void lend(const struct sp_workload *w, struct sp_layout *l)
{
    l->lent_col = lends(w, l->allocator) && lends_columns(w);
    l->lent_val = lends(w, l->allocator) && lends_values(w);
    const struct sp_csr *a = w->matrix;
    if (l->lent_col)
        l->col = a->col ? a->col : (void *)a->col_64;
    if (l->lent_val)
        l->val = a->val ? a->val : (void *)a->val_f32;
}

static enum sp_status make(const struct sp_workload *w, bool with_values, bool lent,
                           const struct sp_allocator *allocator, struct sp_layout *layout,
                           struct sp_error *err)
{
    begin(w, allocator, layout);
    if (lent)
        lend(w, layout);
    if (w->op == SP_OP_FUSEDMM) /* pattern(S) is all that it takes from the matrix */
        with_values = false;
    enum sp_status status = sp_format_of(w->format)->build(w, with_values, layout, err);
    if (status != SP_OK)
        sp_layout_free(layout);
    return status;
}

enum sp_status sp_layout_make(const struct sp_workload *w, bool with_values,
                              const struct sp_allocator *allocator, struct sp_layout *layout,
                              struct sp_error *err)
{
    return make(w, with_values, false, allocator, layout, err);
}

enum sp_status sp_layout_make_lent(const struct sp_workload *w, const struct sp_allocator *allocator,
                                   struct sp_layout *layout, struct sp_error *err)
{
    return make(w, true, true, allocator, layout, err);
}

void sp_layout_free(struct sp_layout *l)
{
    if (!l)
        return;
    if (sp_format_of(l->format)->free)
        sp_format_of(l->format)->free(l);
    if (!l->lent_val)
        sp_large_free(l->allocator, l->val, l->n_stored, l->s_a);
    if (!l->lent_col)
        sp_large_free(l->allocator, l->col, l->n_indices, l->s_i);
    sp_large_free(l->allocator, l->ptr, l->n_ptr, l->s_p);
    sp_large_free(l->allocator, l->len, l->n_chunks, sizeof *l->len);
    sp_large_free(l->allocator, l->perm, l->n_chunks * l->C, sizeof *l->perm);
    sp_large_free(l->allocator, l->n_unit, l->n_chunks, sizeof *l->n_unit);
    sp_large_free(l->allocator, l->index_ptr, l->n_chunks + 1, l->s_p);
    sp_large_free(l->allocator, l->block, l->n_blocks + 1, sizeof *l->block);
    sp_large_free(l->allocator, l->list, l->n_list, sizeof *l->list);
    sp_large_free(l->allocator, l->base, l->n_bases, sizeof *l->base);
    sp_large_free(l->allocator, l->row_index, l->n_stored, l->s_row);
    sp_large_free(l->allocator, l->column_ptr, l->n_indices + 1, l->s_p);
    sp_partition_free(&l->partition);
    memset(l, 0, sizeof *l);
}

double sp_layout_bytes_bound(const struct sp_workload *w, bool with_values)
{
    const double partition_B = 2.0 * sizeof(int64_t) * (w->n_threads + 1.0);
    return sp_format_of(w->format)->bytes_bound(w, with_values) + partition_B;
}

double sp_layout_array_bytes(const struct sp_layout *l, enum sp_array array)
{
    const struct sp_format_kind *kind = sp_format_of(l->format);
    const bool stored = array == SP_ARRAY_VALUES || array == SP_ARRAY_INDICES || array == SP_ARRAY_POINTERS;
    if (l->own_B && stored)
        return l->own_B[array];
    switch (array) {
    case SP_ARRAY_VALUES:
        return l->op == SP_OP_FUSEDMM ? 0 : (double)l->n_stored * (double)l->s_a;
    case SP_ARRAY_INDICES:
        return (double)l->n_indices * (double)l->s_i + (double)l->n_list * sizeof *l->list +
               (double)l->n_bases * sizeof *l->base +
               (l->row_index ? (double)l->n_stored * (double)l->s_row : 0.0);
    case SP_ARRAY_POINTERS:
        return kind->pointers_B ? kind->pointers_B(l) : (double)l->n_ptr * (double)l->s_p;
    case SP_ARRAY_PERM:
        return l->perm ? (double)l->n_r * sizeof *l->perm : 0.0;
    case SP_ARRAY_X:
        return (l->op == SP_OP_FUSEDMM ? 2.0 : 1.0) * (double)l->n_c * l->r * (double)l->s_x;
    case SP_ARRAY_ROWS:
        return l->op == SP_OP_SDDMM || l->op == SP_OP_FUSEDMM ? (double)l->n_r_used * l->r * (double)l->s_x
                                                              : 0.0;
    case SP_ARRAY_Y:
        return (l->op == SP_OP_SDDMM ? (double)l->n_nz : (double)l->n_r * l->r) * (double)l->s_y;
    case SP_ARRAY_OTHER: /* buffers and partial results */
        return kind->other_B ? kind->other_B(l) : 0.0;
    case SP_N_ARRAYS:
        break;
    }
    return 0.0;
}

double sp_layout_matrix_bytes(const struct sp_layout *l)
{
    return sp_layout_array_bytes(l, SP_ARRAY_VALUES) + sp_layout_array_bytes(l, SP_ARRAY_INDICES) +
           sp_layout_array_bytes(l, SP_ARRAY_POINTERS) + sp_layout_array_bytes(l, SP_ARRAY_PERM);
}

double sp_layout_fill_bytes(const struct sp_layout *l)
{
    const struct sp_format_kind *kind = sp_format_of(l->format);
    const double fill = kind->mirrored ? 0 : (double)(l->n_stored - l->n_nz);
    return fill * (double)l->s_a + (kind->fill_indices_B ? kind->fill_indices_B(l) : 0);
}

double sp_layout_gather_bytes(const struct sp_layout *l)
{
    if (sp_format_of(l->format)->mirrored)
        return (double)l->n_stored * (double)l->s_x;
    return (l->op == SP_OP_FUSEDMM ? 2.0 : 1.0) * (double)l->n_nz * l->r * (double)l->s_x;
}

double sp_layout_beta(const struct sp_layout *l)
{
    return l->n_stored > 0 && !sp_format_of(l->format)->mirrored ? (double)l->n_nz / (double)l->n_stored : 1;
}

int64_t sp_layout_thread_entries(const struct sp_layout *l, int thread)
{
    const struct sp_partition *p = &l->partition;
    if (p->schedule == SP_SCHEDULE_MERGE)
        return p->entry_begin[thread + 1] - p->entry_begin[thread];
    int64_t n = 0, cursor = 0, first, end;
    while (sp_partition_next(p, thread, &cursor, &first, &end))
        n += sp_layout_ptr(l, end) - sp_layout_ptr(l, first);
    return l->ptr_entries > 0 ? n * l->ptr_entries : n;
}

enum sp_status sp_layout_make_permuted(const struct sp_workload *w, const struct sp_permuted *p,
                                       struct sp_layout *l, struct sp_error *err)
{
    begin(w, NULL, l);
    if (w->op != SP_OP_SPMV || !sp_format_of(w->format)->plain_rows || w->index == SP_D16)
        return sp_fail(err, SP_ABSENT, "reorder the matrix, and take that",
                       "%s in format %s with indices %s cannot be seen in another order", sp_op_name(w->op),
                       sp_format_name(w->format), sp_index_name(w->index));
    l->permuted = p;
    l->n_stored = l->n_indices = l->n_nz;
    l->s_p = sp_layout_pointer_size(w, l->n_nz);
    l->n_ptr = l->n_r + 1;
    enum sp_status status =
        sp_partition_make(w->schedule, w->block, w->n_threads, l->n_r, p->row_ptr, &l->partition, err);
    if (status == SP_OK)
        status = sp_layout_alloc(l, l->n_ptr, l->s_p, "row pointers", &l->ptr, err);
    if (status != SP_OK) {
        sp_layout_free(l);
        return status;
    }
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i <= l->n_r; i++)
        sp_layout_set_ptr(l->ptr, l->s_p, i, p->row_ptr[i]);
    return SP_OK;
}
