#include "sparse/formats/layout_build.h"
#include "sparse/formats/permuted.h"

enum sp_status sp_layout_make_permuted(const struct sp_workload *w, const struct sp_permuted *p,
                                       struct sp_layout *l, struct sp_error *err)
{
    sp_layout_begin(w, NULL, l);
    if (w->op != SP_OP_SPMV || w->format != SP_FORMAT_CRS || w->index == SP_D16)
        return sp_fail(err, SP_ABSENT, "reorder the matrix, and take that",
                       "%s in format %s with indices %s cannot be seen in another order", sp_op_name(w->op),
                       sp_format_name(w->format), sp_index_name(w->index));
    l->permuted = p;
    l->n_stored = l->n_indices = l->n_nz;
    l->s_p = sp_layout_pointer_size(l->n_nz);
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
