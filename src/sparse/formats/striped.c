#include <omp.h>
#include <stdlib.h>

#include "sparse/formats/layout_build.h"

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

int64_t sp_striped_cells_bound(const struct sp_workload *w)
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
    sp_layout_set_col(l, f->place, f->matrix->col[from]);
    ((uint16_t *)l->row_index)[f->place] = (uint16_t)row_in_cell;
    if (l->val)
        sp_layout_set_val(l, f->place, f->matrix, from);
    f->place++;
}

/* The entries of the rows [first, end), a group, that are in the stripe at hand: the first ones of all rows,
 * then the second ones, and so on. */
static void fill_group(struct filler *f, int64_t first, int64_t end, int64_t cell_row)
{
    const struct sp_csr *a = f->matrix;
    int64_t from[SP_GROUP_ROWS], stop[SP_GROUP_ROWS], row[SP_GROUP_ROWS], n = 0;
    const int64_t in_line = LINE_B / (int64_t)f->layout->s_y;
    for (int64_t i = first; i < end; i++) {
        int64_t *next = &f->next[i - f->begin], k = *next;
        while (k < a->row_ptr[i + 1] && a->col[k] < f->stripe_end)
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

/* All cells of a thread, from `cell` on; next[] is room for its rows. Returns the lines that stripes after
 * the first one update. */
static int64_t fill_thread(struct sp_layout *l, const struct sp_csr *a, int t, int64_t *next)
{
    const int64_t begin = l->partition.begin[t], end = l->partition.begin[t + 1];
    struct filler f = {l, a, begin, next, a->row_ptr[begin], 0, 0, -1};
    struct sp_cell *cell = l->cell + l->cell_begin[t];
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
    enum sp_status status =
        sp_new_array(p->n_threads + 1, sizeof *l->cell_begin, "cells of threads", &memory, err);
    if (status != SP_OK)
        return status;
    l->cell_begin = memory;
    l->cell_begin[0] = 0;
    for (int t = 0; t < p->n_threads; t++)
        l->cell_begin[t + 1] =
            l->cell_begin[t] + cells_of(p->begin[t + 1] - p->begin[t], stripes_of(l->n_c, l->W));
    const int64_t n_cells = l->cell_begin[p->n_threads];
    status = sp_layout_alloc(l, n_cells + 1, sizeof *l->cell, "the cells of stripes", &l->cell, err);
    if (status != SP_OK)
        return status;
    l->n_cells = n_cells;
    l->cell[n_cells] = (struct sp_cell){l->n_nz, (int32_t)l->n_r, 0};
    return SP_OK;
}

enum sp_status sp_layout_build_striped(const struct sp_workload *w, bool with_values, struct sp_layout *l,
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
    l->n_updated = n_updated;
    free(next);
    return SP_OK;
}
