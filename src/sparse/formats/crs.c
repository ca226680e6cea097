#include <omp.h>

#include "base/option/option_words.h"
#include "sparse/formats/layout_build.h"

/* The base of row i, and its offsets. */
static void fill_offsets(struct sp_layout *l, const struct sp_csr *a, int64_t i)
{
    const int64_t first = a->row_ptr[i], end = a->row_ptr[i + 1];
    l->base[i] = end > first ? sp_csr_col(a, first) : 0;
    for (int64_t j = first; j < end; j++)
        ((uint16_t *)l->col)[j] = (uint16_t)(sp_csr_col(a, j) - l->base[i]);
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
    for (int64_t j = first; !l->base && !l->lent_col && j < end; j++)
        sp_layout_set_col(l, j, sp_csr_col(a, j));
    if (l->val && !l->lent_val)
        for (int64_t j = first; j < end; j++)
            sp_layout_set_val(l, j, a, j);
}

static enum sp_status count_offsets(const struct sp_workload *w, struct sp_offsets *o, struct sp_error *err)
{
    (void)err;
    const struct sp_csr *a = w->matrix;
    int64_t n_broken = 0;
#pragma omp parallel for schedule(static) reduction(+ : n_broken)
    for (int64_t i = 0; i < a->n_r; i++) {
        const int64_t first = a->row_ptr[i], end = a->row_ptr[i + 1];
        n_broken += end > first && sp_csr_col(a, end - 1) - sp_csr_col(a, first) > SP_OFFSET_MAX;
    }
    *o = (struct sp_offsets){a->n_nz, a->n_r, a->n_nz, n_broken};
    return SP_OK;
}

static enum sp_status check_offsets(const struct sp_workload *w, const struct sp_offsets *o,
                                    struct sp_error *err)
{
    if (o->n_broken_rows == 0)
        return SP_OK;
    return sp_fail(err, SP_USAGE,
                   "take " SP_O_FORMAT " sell, another " SP_O_REORDER ", or " SP_O_INDEX " i32",
                   "%lld of %lld rows span more than %d columns, too many for one base a row with 16-bit "
                   "offsets",
                   (long long)o->n_broken_rows, (long long)w->matrix->n_r, (int)SP_OFFSET_MAX);
}

static enum sp_status take_bases(const struct sp_workload *w, struct sp_layout *l, struct sp_error *err)
{
    struct sp_offsets offsets;
    enum sp_status status = count_offsets(w, &offsets, err);
    if (status == SP_OK)
        status = check_offsets(w, &offsets, err);
    if (status != SP_OK)
        return status;
    l->n_bases = offsets.n_bases;
    return sp_layout_alloc(l, l->n_bases, sizeof *l->base, "bases of rows", &l->base, err);
}

static enum sp_status build(const struct sp_workload *w, bool with_values, struct sp_layout *l,
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

static double bytes_bound(const struct sp_workload *w, bool with_values)
{
    const double s_a = with_values ? (double)sp_value_size(w->precision) : 0.0;
    return (s_a + (double)sp_index_size(w->index)) * (double)w->matrix->n_nz +
           (sizeof(int64_t) + (double)sp_base_size(w->index)) * ((double)w->matrix->n_r + 1);
}

static void each_entry(const struct sp_layout *l, sp_entry_visitor *visit, void *to)
{
    for (int64_t i = 0; i < l->n_r; i++)
        for (int64_t j = sp_layout_ptr(l, i); j < sp_layout_ptr(l, i + 1); j++)
            visit(to, i, sp_layout_col_in(l, j, i), j, 1);
}

const struct sp_format_kind sp_format_crs = {
    .name = "crs",
    .title = "CRS",
    .form = "crs",
    .ops = 1u << SP_OP_SPMV | 1u << SP_OP_SPMMV | 1u << SP_OP_SPMM | 1u << SP_OP_SDDMM | 1u << SP_OP_FUSEDMM,
    .build = build,
    .bytes_bound = bytes_bound,
    .count_offsets = count_offsets,
    .check_offsets = check_offsets,
    .each_entry = each_entry,
    .plain_rows = true,
    .by_lengths = true,
    .takes_prefetch = true,
    .takes_merge = true,
    .takes_complex = true,
    .takes_mixed = true,
    .halves = 1u << SP_OP_SPMM | 1u << SP_OP_SDDMM,
};
