#include <omp.h>

#include "sparse/csr/csr.h"
#include "sparse/formats/layout_build.h"

/* The entries [first, end), of which the first one is in row `row`. */
static void fill(struct sp_layout *l, const struct sp_csr *a, int64_t row, int64_t first, int64_t end)
{
    for (int64_t j = first; j < end; j++) {
        while (a->row_ptr[row + 1] <= j)
            row++;
        sp_layout_set_col(l, j, sp_csr_col(a, j));
        if (l->index == SP_I32)
            ((int32_t *)l->row_index)[j] = (int32_t)row;
        else
            ((int64_t *)l->row_index)[j] = row;
        if (l->val)
            sp_layout_set_val(l, j, a, j);
    }
}

static enum sp_status build(const struct sp_workload *w, bool with_values, struct sp_layout *l,
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

static double bytes_bound(const struct sp_workload *w, bool with_values)
{
    const double s_a = with_values ? (double)sp_value_size(w->precision) : 0.0;
    return (s_a + 2 * (double)sp_index_size(w->index)) * (double)w->matrix->n_nz;
}

static double no_pointers(const struct sp_layout *l)
{
    (void)l;
    return 0;
}

const struct sp_format_kind sp_format_coo = {
    .name = "coo",
    .title = "COO",
    .form = "coo",
    .ops = 1u << SP_OP_SDDMM,
    .build = build,
    .bytes_bound = bytes_bound,
    .pointers_B = no_pointers,
    .not_cyclic = "coo deals equal entries, not rows in turn",
};
