#include "sparse/formats/layout.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sparse/csr/permute.h"
#include "sparse/formats/format.h"

enum sp_status sp_offsets_count(const struct sp_workload *w, struct sp_offsets *o, struct sp_error *err)
{
    return sp_format_of(w->format)->count_offsets(w, o, err);
}

enum sp_status sp_offsets_check(const struct sp_workload *w, const struct sp_offsets *o, struct sp_error *err)
{
    return sp_format_of(w->format)->check_offsets(w, o, err);
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
        status = sp_large_alloc(l->allocator, l->n_ptr, l->s_p, "row pointers", &l->ptr, err);
    if (status != SP_OK) {
        sp_layout_free(l);
        return status;
    }
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i <= l->n_r; i++)
        sp_layout_set_ptr(l->ptr, l->s_p, i, p->row_ptr[i]);
    return SP_OK;
}

enum sp_status sp_layout_repartition(const struct sp_layout *l, enum sp_schedule schedule, int64_t block,
                                     int n_threads, struct sp_partition *partition, struct sp_error *err)
{
    int64_t n_units = l->n_ptr - 1;
    void *p;
    enum sp_status status = sp_new_array(n_units + 1, sizeof(int64_t), "running entries", &p, err);
    if (status != SP_OK) {
        *partition = (struct sp_partition){0};
        return status;
    }
    int64_t *running = p;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i <= n_units; i++)
        running[i] = sp_layout_ptr(l, i);
    const int64_t unit_rows = sp_layout_unit_rows(l);
    int64_t block_units = block > 0 ? (block + unit_rows - 1) / unit_rows : 1;
    status = sp_partition_make(schedule, block_units, n_threads, n_units, running, partition, err);
    free(running);
    return status;
}

/* Every base becomes 0; offsets reach no further than SP_OFFSET_MAX. */
static void fold_offsets(struct sp_layout *l, int64_t window)
{
    const int64_t reach = window <= SP_OFFSET_MAX ? window : SP_OFFSET_MAX + 1;
    const int64_t n_groups = l->n_bases;
    const bool by_rows = sp_format_of(l->format)->plain_rows;
    uint16_t *col = l->col;
#pragma omp parallel for schedule(static) num_threads(l->partition.n_threads)
    for (int64_t g = 0; g < n_groups; g++) {
        const int64_t first = by_rows ? sp_layout_ptr(l, g) : g * l->C;
        const int64_t end = by_rows ? sp_layout_ptr(l, g + 1) : first + l->C;
        for (int64_t i = first; i < end; i++)
            col[i] = (uint16_t)sp_layout_folded(sp_layout_col_in(l, i, g), reach);
        l->base[g] = 0;
    }
}

static void fold_in_place(struct sp_layout *l, int64_t window)
{
    const struct sp_format_kind *kind = sp_format_of(l->format);
    if (kind->fold) {
        kind->fold(l, window);
        return;
    }
    if (window > l->n_c - l->C) /* a unit-stride slot reads C entries from its base on */
        window = l->n_c - l->C;
    if (kind->in_blocks)
        window = window > l->b_w ? window / l->b_w : 1;
    if (window < 1)
        return;
    if (l->index == SP_D16) {
        fold_offsets(l, window);
        return;
    }
#pragma omp parallel for schedule(static) num_threads(l->partition.n_threads)
    for (int64_t i = 0; i < l->n_indices; i++) {
        if (l->index == SP_I32)
            ((int32_t *)l->col)[i] = (int32_t)sp_layout_folded(((int32_t *)l->col)[i], window);
        else
            ((int64_t *)l->col)[i] = sp_layout_folded(((int64_t *)l->col)[i], window);
    }
}

static enum sp_status copy_array(const struct sp_layout *l, const void *from, int64_t n, size_t size,
                                 const char *what, void *out_pointer, struct sp_error *err)
{
    void *p;
    if (!from)
        return SP_OK;
    enum sp_status status = sp_large_alloc(l->allocator, n, size, what, &p, err);
    if (status != SP_OK)
        return status;
    const int n_threads = l->partition.n_threads > 0 ? l->partition.n_threads : 1;
#pragma omp parallel for schedule(static) num_threads(n_threads)
    for (int t = 0; t < n_threads; t++) {
        const int64_t first = n * t / n_threads, end = n * (t + 1) / n_threads;
        memcpy((char *)p + (size_t)first * size, (const char *)from + (size_t)first * size,
               (size_t)(end - first) * size);
    }
    memcpy(out_pointer, &p, sizeof p);
    return SP_OK;
}

enum sp_status sp_layout_fold(const struct sp_layout *l, int64_t window, struct sp_layout *view,
                              struct sp_error *err)
{
    *view = *l;
    if (!l->col)
        return sp_fail(err, SP_ABSENT, NULL, "a layout without indices of its own cannot be folded");
    view->col = NULL;
    view->list = view->base = NULL;
    enum sp_status status =
        copy_array(l, l->col, l->n_indices, l->s_i, "the folded column indices", &view->col, err);
    if (status == SP_OK)
        status = copy_array(l, l->list, l->n_list, sizeof *l->list, "the folded lists", &view->list, err);
    if (status == SP_OK)
        status = copy_array(l, l->base, l->n_bases, sizeof *l->base, "the folded bases", &view->base, err);
    if (status == SP_OK)
        fold_in_place(view, window);
    else
        sp_layout_unfold(view);
    return status;
}

/* Rows first .. end - 1 by length, at their place in ptr; count[longest + 1] is scratch. */
static void sort_share(const struct sp_layout *l, int64_t first, int64_t end, int64_t *count, void *ptr)
{
    int64_t longest = 0, at = sp_layout_ptr(l, first), row = first;
    for (int64_t i = first; i < end; i++) {
        const int64_t length = sp_layout_ptr(l, i + 1) - sp_layout_ptr(l, i);
        longest = length > longest ? length : longest;
        count[length]++;
    }
    for (int64_t length = 0; length <= longest; length++)
        for (; count[length] > 0; count[length]--) {
            at += length;
            sp_layout_set_ptr(ptr, l->s_p, ++row, at);
        }
}

enum sp_status sp_layout_sorted_ptr(const struct sp_layout *l, void **ptr, struct sp_error *err)
{
    int64_t longest = 0;
    void *count = NULL;
    *ptr = NULL;
    if (!sp_format_of(l->format)->plain_rows || l->index == SP_D16 ||
        l->partition.schedule == SP_SCHEDULE_MERGE)
        return sp_fail(err, SP_ABSENT, NULL, "only whole rows of CRS are put in the order of their lengths");
    for (int64_t i = 0; i < l->n_r; i++) {
        const int64_t length = sp_layout_ptr(l, i + 1) - sp_layout_ptr(l, i);
        longest = length > longest ? length : longest;
    }
    enum sp_status status = sp_large_alloc(l->allocator, l->n_ptr, l->s_p, "sorted row pointers", ptr, err);
    if (status == SP_OK)
        status = sp_new_array(longest + 1, sizeof(int64_t), "rows of each length", &count, err);
    if (status == SP_OK)
        sp_layout_set_ptr(*ptr, l->s_p, 0, 0);
    for (int t = 0; t < l->partition.n_threads && status == SP_OK; t++) {
        int64_t cursor = 0, first, end;
        while (sp_partition_next(&l->partition, t, &cursor, &first, &end))
            sort_share(l, first, end, count, *ptr);
    }
    free(count);
    if (status == SP_OK && memcmp(*ptr, l->ptr, (size_t)l->n_ptr * l->s_p) == 0)
        status = sp_fail(err, SP_ABSENT, NULL, "the rows are in the order of their lengths");
    if (status != SP_OK) {
        sp_large_free(l->allocator, *ptr, l->n_ptr, l->s_p);
        *ptr = NULL;
    }
    return status;
}

void sp_layout_unfold(struct sp_layout *view)
{
    sp_large_free(view->allocator, view->col, view->n_indices, view->s_i);
    sp_large_free(view->allocator, view->list, view->n_list, sizeof *view->list);
    sp_large_free(view->allocator, view->base, view->n_bases, sizeof *view->base);
    memset(view, 0, sizeof *view);
}
