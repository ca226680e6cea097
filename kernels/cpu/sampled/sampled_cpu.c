#include "kernels/cpu/sampled/sampled_cpu.h"

size_t sp_sampled_work_B(const struct sp_layout *l)
{
    enum { VECTOR_B = 64 };
    /* FusedMM holds a row of C and one of E. */
    return SAMPLED_BATCH * sizeof(double) + 2 * ((size_t)l->r * sizeof(double) + VECTOR_B);
}

static size_t lines_B(size_t size_B)
{
    enum { LINE_B = 64 };
    return (size_B + LINE_B - 1) / LINE_B * LINE_B;
}

size_t sp_fused_work_B(const struct sp_layout *l, bool panels)
{
    const size_t block_B =
        panels ? SP_FUSED_ROWS * (3 * sizeof(int64_t) + (size_t)(sp_layout_fused_panel(l) + l->r) * l->s_y)
               : (size_t)sp_layout_fused_room(l) * l->s_y;
    return lines_B(sp_sampled_work_B(l)) + block_B;
}

struct sp_fused_block sp_fused_block_of(const struct sp_dense_args *a)
{
    const struct sp_layout *l = a->layout;
    int64_t *from = (int64_t *)((char *)a->work + lines_B(sp_sampled_work_B(l)));
    struct sp_fused_block b = {.from = from,
                               .to = from + SP_FUSED_ROWS,
                               .end = from + 2 * SP_FUSED_ROWS,
                               .product = from + 3 * SP_FUSED_ROWS,
                               .panel = sp_layout_fused_panel(l)};
    b.partial = (char *)b.product + SP_FUSED_ROWS * (size_t)b.panel * l->s_y;
    return b;
}

void sp_fused_block_enter(const struct sp_dense_args *a, struct sp_fused_block *b, int64_t row, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        b->to[i] = sp_dense_pointer(a, row + i);
        b->end[i] = sp_dense_pointer(a, row + i + 1);
    }
}

/* The first entry of [j, end) whose column is not before `limit`; columns ascend. Groups are
 * counted without branches: where a panel ends in a row is not foreseen. */
static int64_t first_past_i32(const int32_t *col, int64_t j, int64_t end, int32_t limit)
{
    enum { GROUP = 8 };
    for (; end - j >= GROUP; j += GROUP) {
        int32_t before = 0;
        for (int u = 0; u < GROUP; u++)
            before += col[j + u] < limit;
        if (before < GROUP)
            return j + before;
    }
    while (j < end && col[j] < limit)
        j++;
    return j;
}

static int64_t first_past_i64(const int64_t *col, int64_t j, int64_t end, int64_t limit)
{
    while (j < end && col[j] < limit)
        j++;
    return j;
}

bool sp_fused_block_take(const struct sp_dense_args *a, struct sp_fused_block *b, int64_t n, int64_t limit)
{
    bool more = false;
    for (int64_t i = 0; i < n; i++) {
        const int64_t from = b->to[i], most = from + b->panel;
        const int64_t to = a->wide_index ? first_past_i64(a->col, from, b->end[i], limit)
                                         : first_past_i32(a->col, from, b->end[i], (int32_t)limit);
        b->from[i] = from;
        b->to[i] = to < most ? to : most;
        more |= to > most;
    }
    return more;
}

/* P past the caches: batches of it, cut where lines are, are made in the scratch and copied. A row
 * that two batches share is walked in two parts. */
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

static struct sp_sddmm_part whole_part(const struct sp_dense_args *a, int64_t first, int64_t end)
{
    return (struct sp_sddmm_part){
        .args = a,
        .held = a->rows,
        .gathered = a->x,
        .begin = a->ptr,
        .end = (const char *)a->ptr + a->layout->s_p,
        .wide_ptr = a->wide_ptr,
        .index = a->col,
        .index_B = a->wide_index ? sizeof(int64_t) : sizeof(int32_t),
        .width = a->r,
        .from = sp_dense_pointer(a, first),
        .to = sp_dense_pointer(a, end),
        .ahead = sp_sampled_ahead(a->layout),
        .scales = true,
        .p = a->y,
    };
}

void sp_sddmm_crs_units(const struct sp_dense_args *a, int64_t first, int64_t end, sp_sddmm_rows *rows,
                        sp_copy_past_cache *copy)
{
    struct sp_sddmm_part part = whole_part(a, first, end);
    if (a->store_nt)
        batches(&part, first, end, rows, copy);
    else
        rows(&part, first, end);
}

void sp_fusedmm_units(const struct sp_dense_args *a, int64_t first, int64_t end, sp_sddmm_rows *rows,
                      sp_dense_units *spmm)
{
    const int64_t room = sp_layout_fused_room(a->layout);
    struct sp_dense_part of_row = {0};
    struct sp_sddmm_part part = whole_part(a, first, end);
    struct sp_dense_args sums = *a;
    sums.val = part.p = (char *)a->work + lines_B(sp_sampled_work_B(a->layout));
    sums.x = a->second ? a->second : part.p; /* without columns nothing is read there */
    part.scales = false;
    for (int64_t row = first, next; row < end; row = next) {
        const int64_t from = sp_dense_pointer(a, row);
        next = sp_layout_fused_end(a->layout, row, end);
        const int64_t to = sp_dense_pointer(a, next);
        of_row.begin = from;
        do { /* one row may have more entries than there is room for */
            of_row.end = to - of_row.begin > room ? of_row.begin + room : to;
            of_row.adds = of_row.begin > from;
            part.from = part.p_first = sums.val_first = of_row.begin;
            part.to = of_row.end;
            sums.part = to - from > room ? &of_row : NULL;
            rows(&part, row, next);
            spmm(&sums, row, next);
            of_row.begin = of_row.end;
        } while (of_row.begin < to);
    }
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
                                 .begin = l->column_ptr,
                                 .end = (const char *)l->column_ptr + l->s_p,
                                 .wide_ptr = a->wide_ptr,
                                 .index = l->row_index,
                                 .index_B = l->s_row,
                                 .p = a->y};
    for (int64_t block = first; block < end; block++)
        tiled_block(&part, block, select);
}
