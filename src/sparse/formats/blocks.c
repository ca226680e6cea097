#include "sparse/formats/blocks.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "sparse/csr/sort.h"

static int64_t ceiling(int64_t n, int64_t b)
{
    return (n + b - 1) / b;
}

enum sp_status sp_block_walks_make(const struct sp_pattern *pattern, const int32_t *row_perm,
                                   const int32_t *new_col, int32_t b_w, int n, struct sp_block_walk *walks,
                                   struct sp_error *err)
{
    memset(walks, 0, (size_t)n * sizeof *walks);
    int64_t n_columns = ceiling(pattern->n_c, b_w);
    enum sp_status status = SP_OK;
    for (int i = 0; i < n && status == SP_OK; i++) {
        void *p;
        status = sp_new_array(3 * n_columns, sizeof(int32_t), "the blocks of a row", &p, err);
        if (status != SP_OK)
            break;
        int32_t *room = p;
        walks[i] = (struct sp_block_walk){.pattern = *pattern,
                                          .row_perm = row_perm,
                                          .new_col = new_col,
                                          .place = room,
                                          .column = room + n_columns,
                                          .scratch = room + 2 * n_columns};
    }
    if (status != SP_OK)
        sp_block_walks_free(walks, n);
    return status;
}

void sp_block_walks_free(struct sp_block_walk *walks, int n)
{
    for (int i = 0; walks && i < n; i++) {
        free(walks[i].place);
        memset(&walks[i], 0, sizeof walks[i]);
    }
}

int64_t sp_block_walk_rows(struct sp_block_walk *w, int64_t first, int64_t end, int32_t b_w)
{
    const struct sp_pattern *a = &w->pattern;
    for (int64_t i = 0; i < w->n; i++)
        w->place[w->column[i]] = 0;
    int64_t n = 0;
    for (int64_t i = first; i < end && i < a->n_r; i++) {
        int64_t row = w->row_perm ? w->row_perm[i] : i;
        int64_t from = 0, to = 0; /* columns of the block of the entry before */
        for (int64_t k = a->row_ptr[row]; k < a->row_ptr[row + 1]; k++) {
            int32_t col = w->new_col ? w->new_col[a->col[k]] : a->col[k];
            if (col >= from && col < to)
                continue;
            int32_t block = col / b_w;
            from = (int64_t)block * b_w;
            to = from + b_w;
            if (w->place[block] == 0) {
                w->column[n++] = block;
                w->place[block] = (int32_t)n;
            }
        }
    }
    w->n = n;
    return n;
}

void sp_block_walk_sort(struct sp_block_walk *w)
{
    sp_sort_i32(w->column, w->n, w->scratch);
    for (int64_t i = 0; i < w->n; i++)
        w->place[w->column[i]] = (int32_t)(i + 1);
}

static void count_rows(struct sp_block_walk *walks, int32_t b_h, int32_t b_w, struct sp_blocks *b)
{
    int64_t n_e = 0, longest = 0;
    double squares = 0; /* of whole numbers: exact whatever the order */
#pragma omp parallel for schedule(dynamic, 256) reduction(+ : n_e, squares) reduction(max : longest)
    for (int64_t i = 0; i < b->n_block_rows; i++) {
        int64_t n = sp_block_walk_rows(&walks[omp_get_thread_num()], i * b_h, (i + 1) * b_h, b_w);
        n_e += n;
        squares += (double)n * (double)n;
        longest = n > longest ? n : longest;
    }
    b->n_e = n_e;
    b->row_max = longest;
    if (b->n_block_rows > 0) {
        b->row_mean = (double)n_e / (double)b->n_block_rows;
        b->row_sd = sqrt(fmax(0, squares / (double)b->n_block_rows - b->row_mean * b->row_mean));
    }
}

static void set_bounds(const struct sp_pattern *a, struct sp_blocks *b)
{
    double area = (double)b->b_h * b->b_w, n_nz = (double)a->n_nz;
    double all = (double)b->n_block_rows * (double)ceiling(a->n_c, b->b_w);
    b->least = ceiling(a->n_nz, (int64_t)b->b_h * b->b_w);
    b->most = all < n_nz ? (int64_t)all : a->n_nz;
    b->fill = b->n_e > 0 ? n_nz / ((double)b->n_e * area) : 1;
    b->density = b->n_e > 0 ? (double)b->n_e * area / ((double)a->n_r * (double)a->n_c) : 0;
}

enum sp_status sp_blocks_count(const struct sp_pattern *pattern, int32_t b_h, int32_t b_w,
                               const struct sp_permutations *order, struct sp_blocks *blocks,
                               struct sp_error *err)
{
    memset(blocks, 0, sizeof *blocks);
    int n_threads = omp_get_max_threads();
    void *p = NULL, *inverse = NULL;
    const int32_t *row_perm = order ? order->row_perm : NULL, *col_perm = order ? order->col_perm : NULL;
    enum sp_status status =
        sp_new_array(n_threads, sizeof(struct sp_block_walk), "the threads that count blocks", &p, err);
    if (status == SP_OK && col_perm)
        status = sp_new_array(pattern->n_c, sizeof(int32_t), "an inverse order", &inverse, err);
    if (status == SP_OK && col_perm)
        sp_permutation_invert(col_perm, pattern->n_c, inverse);
    struct sp_block_walk *walks = p;
    if (status == SP_OK)
        status = sp_block_walks_make(pattern, row_perm, inverse, b_w, n_threads, walks, err);
    if (status == SP_OK) {
        blocks->b_h = b_h;
        blocks->b_w = b_w;
        blocks->n_block_rows = ceiling(pattern->n_r, b_h);
        count_rows(walks, b_h, b_w, blocks);
        set_bounds(pattern, blocks);
        sp_block_walks_free(walks, n_threads);
    }
    free(walks);
    free(inverse);
    return status;
}
