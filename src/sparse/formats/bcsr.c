#include <omp.h>
#include <stdlib.h>

#include "sparse/csr/csr_build.h"
#include "sparse/formats/blocks.h"
#include "sparse/formats/layout_build.h"

/* running[I]: blocks before block row I, by whichever threads are there. */
static void count_blocks(const struct sp_layout *l, struct sp_block_walk *walks, int n_walks,
                         int64_t *running)
{
#pragma omp parallel for schedule(dynamic, 256) num_threads(n_walks)
    for (int64_t i = 0; i < l->n_ptr - 1; i++)
        running[i + 1] =
            sp_block_walk_rows(&walks[omp_get_thread_num()], i * l->b_h, (i + 1) * l->b_h, l->b_w);
    sp_prefix_sum(running, l->n_ptr - 1);
}

/* All entries of a row in one column. */
static double sum_of_place(const struct sp_csr *a, int64_t row, int64_t column)
{
    double sum = 0;
    for (int64_t k = a->row_ptr[row]; k < a->row_ptr[row + 1]; k++)
        sum += a->col[k] == column ? a->val[k] : 0;
    return sum;
}

/* The entries of a matrix row into the blocks of the block row at hand, of which the first is stored block
 * `first`. Entries of one place are added up: before they are rounded, where 16 bits are stored. */
static void fill_row(struct sp_layout *l, const struct sp_csr *a, const struct sp_block_walk *walk,
                     int64_t row, int64_t first)
{
    for (int64_t k = a->row_ptr[row]; k < a->row_ptr[row + 1]; k++) {
        int64_t block = first + walk->place[a->col[k] / l->b_w] - 1;
        int64_t to = (block * l->b_w + a->col[k] % l->b_w) * l->b_h + row % l->b_h;
        double sum = sp_real_load(l->precision, l->val, to);
        sum = l->s_a == sizeof(uint16_t) && sum != 0 ? sum_of_place(a, row, a->col[k]) : sum + a->val[k];
        sp_real_store(l->precision, l->val, to, sum);
    }
}

static void fill_block_row(struct sp_layout *l, const struct sp_csr *a, struct sp_block_walk *walk,
                           int64_t unit, int64_t first)
{
    sp_layout_set_ptr(l->ptr, l->s_p, unit, first);
    sp_block_walk_rows(walk, unit * l->b_h, (unit + 1) * l->b_h, l->b_w);
    sp_block_walk_sort(walk);
    for (int64_t i = 0; i < walk->n; i++)
        sp_layout_set_col(l, first + i, walk->column[i]);
    for (int64_t row = unit * l->b_h; l->val && row < (unit + 1) * l->b_h && row < l->n_r; row++)
        fill_row(l, a, walk, row, first);
}

static enum sp_status build(const struct sp_workload *w, bool with_values, struct sp_layout *l,
                            struct sp_block_walk *walks, int64_t *running, struct sp_error *err)
{
    count_blocks(l, walks, w->n_threads, running);
    l->n_indices = running[l->n_ptr - 1];
    l->n_stored = l->n_indices * l->b_h * l->b_w;
    l->s_p = sp_layout_pointer_size(l->n_indices);
    int64_t block_units = w->block > 0 ? (w->block + l->b_h - 1) / l->b_h : 1;
    enum sp_status status =
        sp_partition_make(w->schedule, block_units, w->n_threads, l->n_ptr - 1, running, &l->partition, err);
    if (status == SP_OK)
        status = sp_layout_alloc(l, l->n_ptr, l->s_p, "block row pointers", &l->ptr, err);
    if (status == SP_OK)
        status = sp_layout_alloc(l, l->n_indices, l->s_i, "block column indices", &l->col, err);
    if (status == SP_OK && with_values)
        status = sp_layout_alloc(l, l->n_stored, l->s_a, "matrix values", &l->val, err);
    if (status != SP_OK)
        return status;
    const struct sp_partition *p = &l->partition;
#pragma omp parallel num_threads(p->n_threads)
    for (int t = omp_get_thread_num(); t < p->n_threads; t += omp_get_num_threads()) {
        int64_t cursor = 0, first, end;
        while (sp_partition_next(p, t, &cursor, &first, &end))
            for (int64_t i = first; i < end; i++)
                fill_block_row(l, w->matrix, &walks[t], i, running[i]);
    }
    sp_layout_set_ptr(l->ptr, l->s_p, l->n_ptr - 1, l->n_indices);
    return SP_OK;
}

enum sp_status sp_layout_build_bcsr(const struct sp_workload *w, bool with_values, struct sp_layout *l,
                                    struct sp_error *err)
{
    struct sp_pattern pattern = sp_csr_pattern(w->matrix);
    l->n_ptr = (l->n_r + l->b_h - 1) / l->b_h + 1;
    void *running = NULL, *walks = NULL;
    enum sp_status status = sp_new_array(l->n_ptr, sizeof(int64_t), "running blocks", &running, err);
    if (status == SP_OK)
        status =
            sp_new_array(w->n_threads, sizeof(struct sp_block_walk), "the threads that build", &walks, err);
    if (status == SP_OK)
        status = sp_block_walks_make(&pattern, NULL, NULL, l->b_w, w->n_threads, walks, err);
    if (status == SP_OK) {
        status = build(w, with_values, l, walks, running, err);
        sp_block_walks_free(walks, w->n_threads);
    }
    free(walks);
    free(running);
    return status;
}
