#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "sparse/csr/sort.h"
#include "sparse/formats/layout_build.h"

/* What a thread needs while it sorts blocks by columns. */
struct scratch {
    int64_t *next;  /* [n_c] entries of a column in the block at hand, then where its next one goes; else 0 */
    int32_t *list;  /* [n_c] columns of the block */
    int32_t *spare; /* [n_c] for sorting them */
};

/* Of a thread. */
static double scratch_B(int64_t n_c)
{
    return (double)n_c * (sizeof(int64_t) + 2 * sizeof(int32_t));
}

static void scratch_free(struct scratch *s, int n_threads)
{
    for (int t = 0; s && t < n_threads; t++) {
        free(s[t].next);
        free(s[t].list);
        free(s[t].spare);
    }
    free(s);
}

static enum sp_status scratch_make(int n_threads, int64_t n_c, struct scratch **out, struct sp_error *err)
{
    static const char what[] = "columns while tiles are built";
    void *p;
    enum sp_status status = sp_new_array(n_threads, sizeof(struct scratch), what, &p, err);
    struct scratch *s = *out = p;
    for (int t = 0; status == SP_OK && t < n_threads; t++) {
        status = sp_new_array(n_c, sizeof *s[t].next, what, (void **)&s[t].next, err);
        if (status == SP_OK)
            status = sp_new_array(n_c, sizeof *s[t].list, what, (void **)&s[t].list, err);
        if (status == SP_OK)
            status = sp_new_array(n_c, sizeof *s[t].spare, what, (void **)&s[t].spare, err);
    }
    return status;
}

/* Entries in front of block b, and rows. */
static int64_t first_row(const struct sp_layout *l, int64_t b)
{
    return b * l->T_i < l->n_r ? b * l->T_i : l->n_r;
}

/* The columns of block b into s->list, in the order in which they come, and how many entries each
 * has into s->next; returns how many columns there are. */
static int64_t count_columns(const struct sp_layout *l, const struct sp_csr *a, int64_t b, struct scratch *s)
{
    int64_t n = 0;
    for (int64_t j = a->row_ptr[first_row(l, b)]; j < a->row_ptr[first_row(l, b + 1)]; j++)
        if (s->next[sp_csr_col(a, j)]++ == 0)
            s->list[n++] = sp_csr_col(a, j);
    return n;
}

/* Block b, whose column list begins at item `item`. */
static void fill_block(struct sp_layout *l, const struct sp_csr *a, int64_t b, int64_t item,
                       struct scratch *s)
{
    const int64_t first = first_row(l, b), end = first_row(l, b + 1), n = count_columns(l, a, b, s);
    sp_sort_i32(s->list, n, s->spare);
    int64_t at = a->row_ptr[first];
    for (int64_t c = 0; c < n; c++) {
        const int64_t entries = s->next[s->list[c]];
        sp_layout_set_col(l, item + c, s->list[c]);
        sp_layout_set_ptr(l->column_ptr, l->s_p, item + c, at);
        s->next[s->list[c]] = at;
        at += entries;
    }
    for (int64_t i = first; i < end; i++)
        for (int64_t j = a->row_ptr[i]; j < a->row_ptr[i + 1]; j++) {
            const int64_t to = s->next[sp_csr_col(a, j)]++;
            ((uint16_t *)l->row_index)[to] = (uint16_t)(i - first);
            if (l->val)
                sp_layout_set_val(l, to, a, j);
        }
    for (int64_t c = 0; c < n; c++)
        s->next[s->list[c]] = 0;
}

/* index_ptr and n_indices from the numbers of columns of the blocks. */
static enum sp_status list_columns(struct sp_layout *l, const struct sp_csr *a, struct scratch *scratch,
                                   struct sp_error *err)
{
    void *p;
    enum sp_status status = sp_new_array(l->n_chunks, sizeof(int64_t), "columns of blocks", &p, err);
    if (status != SP_OK)
        return status;
    int64_t *n = p;
#pragma omp parallel for num_threads(l->partition.n_threads) schedule(dynamic, 1)
    for (int64_t b = 0; b < l->n_chunks; b++) {
        struct scratch *s = &scratch[omp_get_thread_num()];
        n[b] = count_columns(l, a, b, s);
        for (int64_t c = 0; c < n[b]; c++)
            s->next[s->list[c]] = 0;
    }
    for (int64_t b = 0; b < l->n_chunks; b++) {
        sp_layout_set_ptr(l->index_ptr, l->s_p, b, l->n_indices);
        l->n_indices += n[b];
    }
    sp_layout_set_ptr(l->index_ptr, l->s_p, l->n_chunks, l->n_indices);
    free(n);
    return SP_OK;
}

/* The blocks, their entries, and their shares. */
static enum sp_status deal(const struct sp_workload *w, struct sp_layout *l, struct sp_error *err)
{
    const struct sp_csr *a = w->matrix;
    void *p;
    enum sp_status status = sp_new_array(l->n_ptr, sizeof(int64_t), "entries of blocks", &p, err);
    if (status != SP_OK)
        return status;
    int64_t *running = p, blocks = w->block > 0 ? (w->block + l->T_i - 1) / l->T_i : 1;
    for (int64_t b = 0; b < l->n_ptr; b++)
        running[b] = a->row_ptr[first_row(l, b)];
    status = sp_partition_make(w->schedule, blocks, w->n_threads, l->n_chunks, running, &l->partition, err);
    if (status == SP_OK)
        status = sp_layout_alloc(l, l->n_ptr, l->s_p, "block pointers", &l->ptr, err);
    for (int64_t b = 0; status == SP_OK && b < l->n_ptr; b++)
        sp_layout_set_ptr(l->ptr, l->s_p, b, running[b]);
    free(running);
    return status;
}

static enum sp_status allocate(struct sp_layout *l, bool with_values, struct sp_error *err)
{
    enum sp_status status = sp_layout_alloc(l, l->n_indices, l->s_i, "columns of blocks", &l->col, err);
    if (status == SP_OK)
        status = sp_layout_alloc(l, l->n_indices + 1, l->s_p, "column pointers", &l->column_ptr, err);
    if (status == SP_OK)
        status = sp_layout_alloc(l, l->n_stored, sizeof(uint16_t), "row indices", &l->row_index, err);
    l->s_row = sizeof(uint16_t);
    if (status == SP_OK && with_values)
        status = sp_layout_alloc(l, l->n_stored, l->s_a, "matrix values", &l->val, err);
    return status;
}

static void fill(struct sp_layout *l, const struct sp_csr *a, struct scratch *scratch)
{
    const struct sp_partition *p = &l->partition;
#pragma omp parallel num_threads(p->n_threads)
    for (int t = omp_get_thread_num(); t < p->n_threads; t += omp_get_num_threads()) {
        int64_t cursor = 0, first, end;
        while (sp_partition_next(p, t, &cursor, &first, &end))
            for (int64_t b = first; b < end; b++)
                fill_block(l, a, b, sp_layout_index_ptr(l, b), &scratch[t]);
    }
    sp_layout_set_ptr(l->column_ptr, l->s_p, l->n_indices, l->n_stored);
}

static enum sp_status build(const struct sp_workload *w, bool with_values, struct sp_layout *l,
                            struct sp_error *err)
{
    const struct sp_csr *a = w->matrix;
    struct scratch *scratch = NULL;
    l->n_stored = a->n_nz;
    l->s_p = sp_layout_pointer_size(w, a->n_nz);
    l->n_chunks = (a->n_r + l->T_i - 1) / l->T_i;
    l->n_ptr = l->n_chunks + 1;
    enum sp_status status = deal(w, l, err);
    if (status == SP_OK)
        status = sp_layout_alloc(l, l->n_ptr, l->s_p, "list pointers", &l->index_ptr, err);
    if (status == SP_OK)
        status = scratch_make(w->n_threads, a->n_c, &scratch, err);
    if (status == SP_OK)
        status = list_columns(l, a, scratch, err);
    if (status == SP_OK)
        status = allocate(l, with_values, err);
    if (status == SP_OK)
        fill(l, a, scratch);
    scratch_free(scratch, w->n_threads);
    return status;
}

/* Inside a row entries keep their order: the next in the layout is the row's next one. */
enum sp_status sp_layout_tiled_places(const struct sp_layout *l, int64_t *place, struct sp_error *err)
{
    void *p;
    enum sp_status status = sp_new_array(l->T_i + 1, sizeof(int64_t), "rows of a block", &p, err);
    if (status != SP_OK)
        return status;
    int64_t *next = p;
    for (int64_t b = 0; b < l->n_chunks; b++) {
        const int64_t first = sp_layout_ptr(l, b), end = sp_layout_ptr(l, b + 1);
        memset(next, 0, (size_t)(l->T_i + 1) * sizeof *next);
        for (int64_t j = first; j < end; j++)
            next[sp_layout_row(l, j) + 1]++;
        next[0] = first;
        for (int32_t i = 0; i < l->T_i; i++)
            next[i + 1] += next[i];
        for (int64_t j = first; j < end; j++)
            place[j] = next[sp_layout_row(l, j)]++;
    }
    free(next);
    return SP_OK;
}

/* ---- the row of the table ---- */

enum sp_status sp_tiles_set(struct sp_workload *w, int64_t T_i, int64_t T_k, const char *text,
                            const char *numbers, struct sp_error *err)
{
    int n = sp_format_read_pair(numbers, ',', &T_i, &T_k);
    if (n < 0 || T_i < 1 || T_k < 1 || T_i > 65536 || T_k > 65536)
        return sp_fail(err, SP_USAGE,
                       "give rows of a block and columns of a tile, for example tiled:64,32 or staged:256,64",
                       "format '%s' has no valid tile", text);
    w->T_i = (int32_t)T_i;
    w->T_k = (int32_t)T_k;
    return SP_OK;
}

static enum sp_status set(struct sp_workload *w, const char *text, const char *numbers, struct sp_error *err)
{
    return sp_tiles_set(w, 64, 32, text, numbers, err);
}

int sp_tiles_numbers(const struct sp_workload *w, int64_t number[2])
{
    number[0] = w->T_i;
    number[1] = w->T_k;
    return 2;
}

enum sp_status sp_tiles_check(const struct sp_workload *w, struct sp_error *err)
{
    if (w->T_i < 1 || w->T_k < 1)
        return sp_fail(err, SP_USAGE, "say tiled:T_I,T_K, for example tiled:64,32", "tiles of %d x %d",
                       (int)w->T_i, (int)w->T_k);
    return SP_OK;
}

int64_t sp_tiles_unit_rows(const struct sp_workload *w)
{
    return w->T_i;
}

static double bytes_bound(const struct sp_workload *w, bool with_values)
{
    const double s_a = with_values ? (double)sp_value_size(w->precision) : 0.0;
    const double s_i = (double)sp_index_size(w->index), n_nz = (double)w->matrix->n_nz;
    double columns = (double)w->matrix->n_c, blocks = (double)w->matrix->n_r / w->T_i + 1;
    double items = blocks * columns, listed = items < n_nz ? items : n_nz; /* columns of all lists, at most */
    return (s_a + sizeof(uint16_t)) * n_nz + (s_i + sizeof(int64_t)) * (listed + 1) +
           2 * sizeof(int64_t) * (blocks + 1) + scratch_B(w->matrix->n_c) * w->n_threads; /* while building */
}

static double pointers_B(const struct sp_layout *l)
{
    return (double)(l->n_chunks + 1 + l->n_indices + 1) * (double)l->s_p;
}

static void facts(const struct sp_layout *l, struct sp_layout_fact fact[SP_LAYOUT_FACTS])
{
    fact[0] = (struct sp_layout_fact){"blocks", l->n_chunks, false};
    fact[1] = (struct sp_layout_fact){"listed", l->n_indices, false};
}

const struct sp_format_kind sp_format_tiled = {
    .name = "tiled",
    .title = "TILED",
    .form = "tiled:T_I,T_K",
    .ops = 1u << SP_OP_SDDMM,
    .set = set,
    .numbers = sp_tiles_numbers,
    .between = ',',
    .check = sp_tiles_check,
    .build = build,
    .bytes_bound = bytes_bound,
    .pointers_B = pointers_B,
    .unit_rows = sp_tiles_unit_rows,
    .facts = facts,
    .order_bound = true,
};
