#include <omp.h>
#include <stdlib.h>

#include "base/text.h"
#include "sparse/formats/layout_build.h"
#include "sparse/formats/striped.h"

/* Rows are visited once for each stripe, at most so many times for an entry. */
enum { LINE_B = 64, MOST_VISITS = 512 };

static int64_t stripes_of(int64_t n_c, int64_t W)
{
    return n_c > 0 ? (n_c - 1) / W + 1 : 1;
}

/* Rows of a cell. */
static int64_t rows_in(int64_t stripe)
{
    return stripe == 0 ? SP_FIRST_ROWS : SP_CELL_ROWS;
}

static int64_t cells_of(int64_t n_rows, int64_t n_stripes)
{
    const int64_t in_first = (n_rows + SP_FIRST_ROWS - 1) / SP_FIRST_ROWS;
    return in_first + (n_stripes - 1) * ((n_rows + SP_CELL_ROWS - 1) / SP_CELL_ROWS);
}

static int64_t cells_bound(const struct sp_workload *w)
{
    const int64_t n_stripes = stripes_of(w->matrix->n_c, w->W);
    return cells_of(w->matrix->n_r, n_stripes) + n_stripes * w->n_threads + 1;
}

/* Where a thread is while it stores its rows, one stripe after the other. */
struct filler {
    struct sp_layout *layout;
    const struct sp_csr *matrix;
    int64_t begin, *next;            /* next[i - begin]: first entry of row i that is not stored yet */
    int64_t place;                   /* of the next entry to be stored */
    int64_t stripe_end;              /* column */
    int64_t n_updated, updated_line; /* of y, this one last */
};

static void store(struct filler *f, int64_t from, int64_t row_in_cell)
{
    struct sp_layout *l = f->layout;
    sp_layout_set_col(l, f->place, sp_csr_col(f->matrix, from));
    ((uint16_t *)l->row_index)[f->place] = (uint16_t)row_in_cell;
    if (l->val)
        sp_layout_set_val(l, f->place, f->matrix, from);
    f->place++;
}

/* The entries of the rows [first, end), a group, that are in the stripe at hand: the first ones of
 * all rows, then the second ones, and so on. */
static void fill_group(struct filler *f, int64_t first, int64_t end, int64_t cell_row)
{
    const struct sp_csr *a = f->matrix;
    int64_t from[SP_GROUP_ROWS], stop[SP_GROUP_ROWS], row[SP_GROUP_ROWS], n = 0;
    const int64_t in_line = LINE_B / (int64_t)f->layout->s_y;
    for (int64_t i = first; i < end; i++) {
        int64_t *next = &f->next[i - f->begin], k = *next;
        while (k < a->row_ptr[i + 1] && sp_csr_col(a, k) < f->stripe_end)
            k++;
        if (k == *next)
            continue;
        from[n] = *next;
        stop[n] = k;
        row[n++] = i - cell_row;
        *next = k;
        f->n_updated += i / in_line != f->updated_line;
        f->updated_line = i / in_line;
    }
    while (n > 0) {
        int64_t kept = 0;
        for (int64_t k = 0; k < n; k++) {
            store(f, from[k], row[k]);
            if (from[k] + 1 == stop[k])
                continue;
            from[kept] = from[k] + 1;
            stop[kept] = stop[k];
            row[kept++] = row[k];
        }
        n = kept;
    }
}

/* All cells of a thread, from `cell` on; next[] is room for its rows. Returns the lines that
 * stripes after the first one update. */
static int64_t fill_thread(struct sp_layout *l, const struct sp_csr *a, int t, int64_t *next)
{
    const int64_t begin = l->partition.begin[t], end = l->partition.begin[t + 1];
    struct filler f = {l, a, begin, next, a->row_ptr[begin], 0, 0, -1};
    const struct sp_stripes *stripes = sp_stripes_of(l);
    struct sp_cell *cell = stripes->cell + stripes->cell_begin[t];
    const int64_t n_stripes = stripes_of(l->n_c, l->W);
    int64_t in_first = 0;
    for (int64_t i = begin; i < end; i++)
        next[i - begin] = a->row_ptr[i];
    for (int64_t s = 0; s < n_stripes; s++) {
        f.stripe_end = (s + 1) * l->W;
        f.updated_line = -1;
        for (int64_t row = begin; row < end; row += rows_in(s), cell++) {
            const int64_t stop = end - row < rows_in(s) ? end : row + rows_in(s);
            *cell = (struct sp_cell){f.place, (int32_t)row, s == 0 ? (int32_t)(stop - row) : 0};
            for (int64_t group = row; group < stop; group += SP_GROUP_ROWS)
                fill_group(&f, group, stop - group < SP_GROUP_ROWS ? stop : group + SP_GROUP_ROWS, row);
        }
        if (s == 0)
            in_first = f.n_updated;
    }
    return f.n_updated - in_first;
}

static void copy_ptr(struct sp_layout *l, const struct sp_csr *a)
{
#pragma omp parallel for schedule(static) num_threads(l->partition.n_threads)
    for (int64_t i = 0; i <= a->n_r; i++)
        sp_layout_set_ptr(l->ptr, l->s_p, i, a->row_ptr[i]);
}

/* Numbers of cells, thread by thread, and their room. */
static enum sp_status make_cells(struct sp_layout *l, struct sp_error *err)
{
    const struct sp_partition *p = &l->partition;
    void *memory;
    enum sp_status status = sp_new_array(1, sizeof(struct sp_stripes), "stripes", &l->own, err);
    if (status == SP_OK)
        status = sp_new_array(p->n_threads + 1, sizeof(int64_t), "cells of threads", &memory, err);
    if (status != SP_OK)
        return status;
    struct sp_stripes *s = l->own;
    s->cell_begin = memory;
    s->cell_begin[0] = 0;
    for (int t = 0; t < p->n_threads; t++)
        s->cell_begin[t + 1] =
            s->cell_begin[t] + cells_of(p->begin[t + 1] - p->begin[t], stripes_of(l->n_c, l->W));
    const int64_t n_cells = s->cell_begin[p->n_threads];
    status = sp_layout_alloc(l, n_cells + 1, sizeof *s->cell, "the cells of stripes", &s->cell, err);
    if (status != SP_OK)
        return status;
    s->n_cells = n_cells;
    s->cell[n_cells] = (struct sp_cell){l->n_nz, (int32_t)l->n_r, 0};
    return SP_OK;
}

static enum sp_status build(const struct sp_workload *w, bool with_values, struct sp_layout *l,
                            struct sp_error *err)
{
    const struct sp_csr *a = w->matrix;
    if (stripes_of(a->n_c, w->W) > MOST_VISITS * (1 + a->n_nz / (a->n_r > 0 ? a->n_r : 1)))
        return sp_fail(err, SP_USAGE,
                       "take wider stripes, whose part of x fills half of the last-level cache",
                       "stripes of %d columns are %lld, for rows of %lld entries", (int)w->W,
                       (long long)stripes_of(a->n_c, w->W), (long long)(a->n_r > 0 ? a->n_nz / a->n_r : 0));
    l->n_stored = l->n_indices = a->n_nz;
    l->s_p = sp_layout_pointer_size(w, a->n_nz);
    l->n_ptr = a->n_r + 1;
    enum sp_status status =
        sp_partition_make(w->schedule, w->block, w->n_threads, a->n_r, a->row_ptr, &l->partition, err);
    if (status == SP_OK)
        status = make_cells(l, err);
    if (status == SP_OK)
        status = sp_layout_alloc(l, l->n_ptr, l->s_p, "row pointers", &l->ptr, err);
    if (status == SP_OK)
        status = sp_layout_alloc(l, l->n_stored, sizeof(uint16_t), "row indices", &l->row_index, err);
    l->s_row = sizeof(uint16_t);
    if (status == SP_OK)
        status = sp_layout_alloc_entries(l, with_values, err);
    void *next = NULL;
    if (status == SP_OK)
        status = sp_new_array(a->n_r, sizeof(int64_t), "places in rows", &next, err);
    if (status != SP_OK)
        return status;
    copy_ptr(l, a);
    const struct sp_partition *p = &l->partition;
    int64_t n_updated = 0;
#pragma omp parallel num_threads(p->n_threads) reduction(+ : n_updated)
    for (int t = omp_get_thread_num(); t < p->n_threads; t += omp_get_num_threads())
        n_updated += fill_thread(l, a, t, (int64_t *)next + p->begin[t]);
    ((struct sp_stripes *)l->own)->n_updated = n_updated;
    free(next);
    return SP_OK;
}

static void free_cells(struct sp_layout *l)
{
    struct sp_stripes *s = l->own;
    if (!s)
        return;
    sp_large_free(l->allocator, s->cell, s->n_cells + 1, sizeof *s->cell);
    free(s->cell_begin);
    free(s);
}

/* ---- the row of the table ---- */

static enum sp_status set(struct sp_workload *w, const char *text, const char *numbers, struct sp_error *err)
{
    int64_t W = SP_DEFAULT_STRIPE;
    if (*numbers && (sp_parse_count(numbers + 1, &W) || W < SP_MIN_STRIPE || W > INT32_MAX))
        return sp_fail(
            err, SP_USAGE,
            "give the columns of a stripe, 64 or more, whose part of x stays in the last-level cache, "
            "for example striped:262144",
            "format '%s' has no valid width of a stripe", text);
    w->W = (int32_t)W;
    return SP_OK;
}

static int numbers_of(const struct sp_workload *w, int64_t number[2])
{
    number[0] = w->W;
    return 1;
}

static enum sp_status check(const struct sp_workload *w, struct sp_error *err)
{
    if (w->W < SP_MIN_STRIPE)
        return sp_fail(err, SP_USAGE, "say striped:W, for example striped:262144", "stripes of %d columns",
                       (int)w->W);
    return SP_OK;
}

static double bytes_bound(const struct sp_workload *w, bool with_values)
{
    const double s_a = with_values ? (double)sp_value_size(w->precision) : 0.0;
    return (s_a + (double)sp_index_size(w->index) + sizeof(uint16_t)) * (double)w->matrix->n_nz +
           2 * sizeof(int64_t) * ((double)w->matrix->n_r + 1) +
           (double)cells_bound(w) * sizeof(struct sp_cell);
}

static double pointers_B(const struct sp_layout *l)
{
    return (double)(sp_stripes_of(l)->n_cells + 1) * sizeof(struct sp_cell);
}

static void each_entry(const struct sp_layout *l, sp_entry_visitor *visit, void *to)
{
    const struct sp_stripes *s = sp_stripes_of(l);
    for (int64_t c = 0; c < s->n_cells; c++)
        for (int64_t j = s->cell[c].entry; j < s->cell[c + 1].entry; j++)
            visit(to, s->cell[c].row + sp_layout_row(l, j), sp_layout_col(l, j), j, 1);
}

/* As many stripes as all columns have. */
static void for_columns(struct sp_workload *w, int64_t n_c, int64_t columns)
{
    const double share = (double)columns / (double)(n_c > 0 ? n_c : 1);
    const int32_t W = (int32_t)((double)w->W * (share < 1 ? share : 1));
    w->W = W > SP_MIN_STRIPE ? W : SP_MIN_STRIPE;
}

static void facts(const struct sp_layout *l, struct sp_layout_fact fact[SP_LAYOUT_FACTS])
{
    fact[0] = (struct sp_layout_fact){"cells", sp_stripes_of(l)->n_cells, false};
    fact[1] = (struct sp_layout_fact){"updated_lines", sp_stripes_of(l)->n_updated, false};
}

static bool is_swept(const struct sp_csr *matrix, bool symmetric)
{
    (void)symmetric;
    return matrix->n_c > 2 * SP_DEFAULT_STRIPE;
}

const struct sp_format_kind sp_format_striped = {
    .name = "striped",
    .title = "STRIPED",
    .form = "striped:W",
    .ops = 1u << SP_OP_SPMV,
    .set = set,
    .numbers = numbers_of,
    .check = check,
    .build = build,
    .free = free_cells,
    .bytes_bound = bytes_bound,
    .pointers_B = pointers_B,
    .each_entry = each_entry,
    .for_columns = for_columns,
    .facts = facts,
    .is_swept = is_swept,
    .updates_y = true,
    .own_alpha = true,
    .order_bound = true,
    .takes_mixed = true,
    .nnz_only = "stripes are stored thread by thread, for equal nonzeros per thread only",
};
