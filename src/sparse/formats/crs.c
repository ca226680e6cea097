#include <omp.h>

#include "sparse/csr/csr_content.h"
#include "sparse/formats/layout_build.h"
#include "sparse/formats/offsets.h"

/* The base of row i, and its offsets. */
static void fill_offsets(struct sp_layout *l, const struct sp_csr *a, int64_t i)
{
    const int64_t first = a->row_ptr[i], end = a->row_ptr[i + 1];
    l->base[i] = end > first ? a->col[first] : 0;
    for (int64_t j = first; j < end; j++)
        ((uint16_t *)l->col)[j] = (uint16_t)(a->col[j] - l->base[i]);
}

/* Pointers of the rows [first, end), and bases with what they are for. */
static void fill_rows(struct sp_layout *l, const struct sp_csr *a, int64_t first, int64_t end)
{
    for (int64_t i = first; i < end; i++)
        sp_layout_set_ptr(l->ptr, l->s_p, i, a->row_ptr[i]);
    for (int64_t i = first; l->base && i < end; i++)
        fill_offsets(l, a, i);
}

static void fill_entries(struct sp_layout *l, const struct sp_csr *a, int64_t first, int64_t end)
{
    for (int64_t j = first; !l->base && j < end; j++)
        sp_layout_set_col(l, j, a->col[j]);
    if (l->val)
        for (int64_t j = first; j < end; j++)
            sp_layout_set_val(l, j, a, j);
}

static enum sp_status take_bases(const struct sp_workload *w, struct sp_layout *l, struct sp_error *err)
{
    struct sp_offsets offsets;
    enum sp_status status = sp_offsets_count(w, &offsets, err);
    if (status == SP_OK)
        status = sp_offsets_check(w, &offsets, err);
    if (status != SP_OK)
        return status;
    l->n_bases = offsets.n_bases;
    return sp_layout_alloc(l, l->n_bases, sizeof *l->base, "bases of rows", &l->base, err);
}

enum sp_status sp_layout_build_crs(const struct sp_workload *w, bool with_values, struct sp_layout *l,
                                   struct sp_error *err)
{
    const struct sp_csr *a = w->matrix;
    l->n_stored = l->n_indices = a->n_nz;
    l->s_p = sp_layout_pointer_size(w, a->n_nz);
    l->n_ptr = a->n_r + 1;
    enum sp_status status = w->index == SP_D16 ? take_bases(w, l, err) : SP_OK;
    if (status == SP_OK)
        status =
            sp_partition_make(w->schedule, w->block, w->n_threads, a->n_r, a->row_ptr, &l->partition, err);
    if (status == SP_OK)
        status = sp_layout_alloc(l, l->n_ptr, l->s_p, "row pointers", &l->ptr, err);
    if (status == SP_OK)
        status = sp_layout_alloc_entries(l, with_values, err);
    if (status != SP_OK)
        return status;

    const struct sp_partition *p = &l->partition;
#pragma omp parallel num_threads(p->n_threads)
    for (int t = omp_get_thread_num(); t < p->n_threads; t += omp_get_num_threads()) {
        int64_t cursor = 0, first, end;
        while (sp_partition_next(p, t, &cursor, &first, &end)) {
            fill_rows(l, a, first, end);
            if (p->schedule != SP_SCHEDULE_MERGE)
                fill_entries(l, a, a->row_ptr[first], a->row_ptr[end]);
        }
        if (p->schedule == SP_SCHEDULE_MERGE)
            fill_entries(l, a, p->entry_begin[t], p->entry_begin[t + 1]);
    }
    sp_layout_set_ptr(l->ptr, l->s_p, a->n_r, a->n_nz);
    return SP_OK;
}

/* The entries [first, end), of which the first one is in row `row`. */
static void fill(struct sp_layout *l, const struct sp_csr *a, int64_t row, int64_t first, int64_t end)
{
    for (int64_t j = first; j < end; j++) {
        while (a->row_ptr[row + 1] <= j)
            row++;
        sp_layout_set_col(l, j, a->col[j]);
        if (l->index == SP_I32)
            ((int32_t *)l->row_index)[j] = (int32_t)row;
        else
            ((int64_t *)l->row_index)[j] = row;
        if (l->val)
            sp_layout_set_val(l, j, a, j);
    }
}

enum sp_status sp_layout_build_coo(const struct sp_workload *w, bool with_values, struct sp_layout *l,
                                   struct sp_error *err)
{
    const struct sp_csr *a = w->matrix;
    l->n_stored = l->n_indices = a->n_nz;
    l->s_p = sp_layout_pointer_size(w, a->n_nz);
    l->n_ptr = a->n_nz + 1;
    enum sp_status status =
        sp_partition_make(w->schedule, w->block, w->n_threads, a->n_nz, NULL, &l->partition, err);
    if (status == SP_OK)
        status = sp_layout_alloc(l, l->n_stored, l->s_i, "row indices", &l->row_index, err);
    if (status == SP_OK)
        status = sp_layout_alloc_entries(l, with_values, err);
    if (status != SP_OK)
        return status;
    const struct sp_partition *p = &l->partition;
#pragma omp parallel num_threads(p->n_threads)
    for (int t = omp_get_thread_num(); t < p->n_threads; t += omp_get_num_threads()) {
        int64_t cursor = 0, first, end;
        while (sp_partition_next(p, t, &cursor, &first, &end))
            if (first < end)
                fill(l, a, sp_csr_row_of(a, first), first, end);
    }
    return SP_OK;
}
