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
        .held = a->rows,
        .gathered = a->x,
        .ptr = a->ptr,
        .index = a->col,
        .index_B = a->wide_index ? sizeof(int64_t) : sizeof(int32_t),
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

/* A block, once for each tile of the width. */
static void tiled_block(struct sp_sddmm_part *part, int64_t block, sp_sddmm_select_rows *select)
{
    const struct sp_dense_args *a = part->args;
    const struct sp_layout *l = a->layout;
    const int64_t first = sp_layout_index_ptr(l, block), end = sp_layout_index_ptr(l, block + 1);
    part->gathered = (const char *)a->rows + block * l->T_i * a->r * (int64_t)l->s_x;
    part->from = sp_layout_column_ptr(l, first);
    part->to = sp_layout_column_ptr(l, end);
    for (part->k = 0; part->k < a->r; part->k += l->T_k) {
        part->width = a->r - part->k < l->T_k ? a->r - part->k : l->T_k;
        part->adds = part->k > 0;
        part->scales = part->k + part->width == a->r;
        select(l, part->width)(part, first, end);
    }
}

void sp_sddmm_tiled_units(const struct sp_dense_args *a, int64_t first, int64_t end,
                          sp_sddmm_select_rows *select)
{
    const struct sp_layout *l = a->layout;
    struct sp_sddmm_part part = {.args = a,
                                 .held = a->x,
                                 .line = a->col,
                                 .ptr = l->column_ptr,
                                 .index = l->row_index,
                                 .index_B = sp_layout_row_index_size(l),
                                 .p = a->y};
    for (int64_t block = first; block < end; block++)
        tiled_block(&part, block, select);
}
