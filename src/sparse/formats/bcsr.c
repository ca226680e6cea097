#include "sparse/formats/bcsr.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "sparse/csr/csr.h"
#include "sparse/csr/sort.h"
#include "sparse/formats/layout_build.h"

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
            int32_t col = w->new_col ? w->new_col[sp_pattern_col(a, k)] : sp_pattern_col(a, k);
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

/* Puts `column` into ascending order. */
static void sort_walk(struct sp_block_walk *w)
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
        sum += sp_csr_col(a, k) == column ? sp_csr_number(a, k) : 0;
    return sum;
}

/* The entries of a matrix row into the blocks of the block row at hand, of which the first is
 * stored block `first`. Entries of one place are added up: before they are rounded, where 16 bits
 * are stored. */
static void fill_row(struct sp_layout *l, const struct sp_csr *a, const struct sp_block_walk *walk,
                     int64_t row, int64_t first)
{
    for (int64_t k = a->row_ptr[row]; k < a->row_ptr[row + 1]; k++) {
        const int32_t column = sp_csr_col(a, k);
        int64_t block = first + walk->place[column / l->b_w] - 1;
        int64_t to = (block * l->b_w + column % l->b_w) * l->b_h + row % l->b_h;
        double sum = sp_real_load(l->precision, l->val, to);
        sum =
            l->s_a == sizeof(uint16_t) && sum != 0 ? sum_of_place(a, row, column) : sum + sp_csr_number(a, k);
        sp_real_store(l->precision, l->val, to, sum);
    }
}

static void fill_block_row(struct sp_layout *l, const struct sp_csr *a, struct sp_block_walk *walk,
                           int64_t unit, int64_t first)
{
    sp_layout_set_ptr(l->ptr, l->s_p, unit, first);
    sp_block_walk_rows(walk, unit * l->b_h, (unit + 1) * l->b_h, l->b_w);
    sort_walk(walk);
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
    l->s_p = sp_layout_pointer_size(w, l->n_indices);
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

static enum sp_status build_all(const struct sp_workload *w, bool with_values, struct sp_layout *l,
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

static enum sp_status set(struct sp_workload *w, const char *text, const char *numbers, struct sp_error *err)
{
    int64_t b_h = 4, b_w = 4;
    int n = sp_format_read_pair(numbers, 'x', &b_h, &b_w);
    if (n < 0 || n == 1 || b_h < 1 || b_w < 1 || b_h > 64 || b_w > 64)
        return sp_fail(err, SP_USAGE,
                       "say bcsr:RxC with rows and columns of a block, 1 to 64, such as bcsr:4x4",
                       "format '%s' has no valid block", text);
    w->b_h = (int32_t)b_h;
    w->b_w = (int32_t)b_w;
    return SP_OK;
}

static int numbers_of(const struct sp_workload *w, int64_t number[2])
{
    number[0] = w->b_h;
    number[1] = w->b_w;
    return 2;
}

static enum sp_status check(const struct sp_workload *w, struct sp_error *err)
{
    if (w->b_h < 1 || w->b_w < 1)
        return sp_fail(err, SP_USAGE, "say bcsr:RxC, for example bcsr:4x4", "blocks of %d x %d entries",
                       (int)w->b_h, (int)w->b_w);
    return SP_OK;
}

static double bytes_bound(const struct sp_workload *w, bool with_values)
{
    const double s_a = with_values ? (double)sp_value_size(w->precision) : 0.0;
    const double n_nz = (double)w->matrix->n_nz, n_r = (double)w->matrix->n_r;
    double area = (double)w->b_h * w->b_w, n_block_rows = ceil(n_r / w->b_h);
    double n_columns = ceil((double)w->matrix->n_c / w->b_w), n_e = fmin(n_nz, n_block_rows * n_columns);
    struct sp_pattern pattern = sp_csr_pattern(w->matrix);
    struct sp_blocks blocks;
    if (sp_blocks_count(&pattern, w->b_h, w->b_w, NULL, &blocks, NULL) == SP_OK)
        n_e = (double)blocks.n_e;
    double walk_B = 3 * sizeof(int32_t) * n_columns * w->n_threads; /* while building */
    return (s_a * area + (double)sp_index_size(w->index)) * n_e + 2 * sizeof(int64_t) * (n_block_rows + 1) +
           walk_B;
}

static double fill_indices_B(const struct sp_layout *l)
{
    return (double)(l->n_stored - l->n_nz) / ((double)l->b_h * l->b_w) * (double)l->s_i;
}

static int64_t unit_rows(const struct sp_workload *w)
{
    return w->b_h;
}

static int64_t ptr_entries(const struct sp_workload *w)
{
    return (int64_t)w->b_h * w->b_w;
}

static enum sp_status beta_of(const struct sp_workload *w, double *beta, struct sp_error *err)
{
    struct sp_pattern pattern = sp_csr_pattern(w->matrix);
    struct sp_blocks blocks;
    enum sp_status status = sp_blocks_count(&pattern, w->b_h, w->b_w, NULL, &blocks, err);
    *beta = blocks.fill;
    return status;
}

static int64_t fold_multiple(const struct sp_workload *w)
{
    return w->b_w;
}

static void each_entry(const struct sp_layout *l, sp_entry_visitor *visit, void *to)
{
    const int64_t b_h = l->b_h, b_w = l->b_w;
    for (int64_t unit = 0; unit < l->n_ptr - 1; unit++)
        for (int64_t b = sp_layout_ptr(l, unit); b < sp_layout_ptr(l, unit + 1); b++)
            for (int64_t i = 0; i < b_h * b_w; i++) {
                int64_t row = unit * b_h + i % b_h;
                visit(to, row < l->n_r ? row : -1, sp_layout_col(l, b) * b_w + i / b_h, b * b_h * b_w + i, 1);
            }
}

const struct sp_format_kind sp_format_bcsr = {
    .name = "bcsr",
    .title = "BCSR",
    .form = "bcsr:RxC",
    .ops = 1u << SP_OP_SPMV | 1u << SP_OP_SPMMV | 1u << SP_OP_SPMM,
    .set = set,
    .numbers = numbers_of,
    .between = 'x',
    .check = check,
    .build = build_all,
    .bytes_bound = bytes_bound,
    .fill_indices_B = fill_indices_B,
    .unit_rows = unit_rows,
    .ptr_entries = ptr_entries,
    .beta = beta_of,
    .each_entry = each_entry,
    .fold_multiple = fold_multiple,
    .in_blocks = true,
    .order_bound = true,
    .halves = 1u << SP_OP_SPMM,
};
