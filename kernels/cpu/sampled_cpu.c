#include "kernels/cpu/sampled_cpu.h"

size_t sp_sampled_work_B(const struct sp_layout *l)
{
    enum { VECTOR_B = 64 };
    /* FusedMM holds a row of C and one of E. */
    return SAMPLED_BATCH * sizeof(double) + 2 * ((size_t)l->r * sizeof(double) + VECTOR_B);
}

/* P past the caches: batches of it, cut where lines are, are made in the scratch and copied. A row that two
 * batches share is walked in two parts. */
static void batches(struct sp_sddmm_part *part, int64_t first, int64_t end, sp_sddmm_rows *rows,
                    sp_copy_past_cache *copy)
{
    const struct sp_dense_args *a = part->args;
    const int64_t s = (int64_t)a->layout->s_y, stop = part->to;
    part->p = a->work;
    for (int64_t row = first; part->from < stop; part->from = part->to) {
        part->p_first = part->from / SAMPLED_BATCH * SAMPLED_BATCH;
        int64_t to = part->p_first + SAMPLED_BATCH;
        part->to = to < stop ? to : stop;
        while (sp_dense_pointer(a, row + 1) <= part->from)
            row++;
        int64_t last = row;
        while (last + 1 < end && sp_dense_pointer(a, last + 1) < part->to)
            last++;
        rows(part, row, last + 1);
        copy((char *)a->y + part->from * s, (char *)a->work + (part->from - part->p_first) * s,
             (part->to - part->from) * s);
        row = last;
    }
}

void sp_sddmm_crs_units(const struct sp_dense_args *a, int64_t first, int64_t end,
                        sp_sddmm_select_rows *select, sp_copy_past_cache *copy)
{
    struct sp_sddmm_part part = {
        .args = a,
        .width = a->r,
        .from = sp_dense_pointer(a, first),
        .to = sp_dense_pointer(a, end),
        .ahead = sp_sampled_ahead(a->layout),
        .scales = true,
        .p = a->y,
    };
    sp_sddmm_rows *rows = select(a->layout, a->r);
    if (a->store_nt)
        batches(&part, first, end, rows, copy);
    else
        rows(&part, first, end);
}
