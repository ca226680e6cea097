/* Two passes over the matrix: the first finds where blocks end, the second fills them. Blocks grow
 * inside segments of fixed length, so they do not depend on the number of threads. */
#include <omp.h>
#include <stdlib.h>

#include "base/option/option_words.h"
#include "sparse/formats/layout_build.h"

/* Segments are long against blocks: few blocks are cut short at their ends. */
enum { BLOCKS_IN_SEGMENT = 32 };

struct plan {
    const struct sp_csr *a;
    int64_t C, n_chunks;
    int64_t most_chunks, most_columns; /* of a block */
    int32_t *listed; /* [n_chunks] distinct columns of the block that begins here, NONE inside of one */
    int32_t *len;    /* [n_chunks] */
};
enum { NONE = -1 };

/* Where a thread remembers the columns of the block at hand: place[column] is stamp << 16 | place
 * in the list, and an older stamp for columns that are not in it. */
struct columns {
    uint64_t *place; /* [n_c] */
    uint64_t stamp;
    int64_t n;
};

static enum sp_status columns_make(const struct sp_csr *a, struct columns *c)
{
    void *p;
    enum sp_status status = sp_new_array(a->n_c, sizeof *c->place, "places of columns", &p, NULL);
    *c = (struct columns){.place = p};
    return status;
}

static void columns_clear(struct columns *c)
{
    c->stamp++;
    c->n = 0;
}

/* Adds what is new in the rows of a chunk; where `list` is given, to the list too. */
static void columns_add(struct columns *c, const struct plan *plan, int64_t chunk, int32_t *list)
{
    const struct sp_csr *a = plan->a;
    const int64_t first = chunk * plan->C, end = first + plan->C < a->n_r ? first + plan->C : a->n_r;
    for (int64_t j = a->row_ptr[first]; j < a->row_ptr[end]; j++) {
        const int32_t col = sp_csr_col(a, j);
        if (c->place[col] >> 16 == c->stamp)
            continue;
        c->place[col] = c->stamp << 16 | (uint64_t)(c->n & 0xffff);
        if (list)
            list[c->n] = col;
        c->n++;
    }
}

static int32_t longest_row(const struct plan *plan, int64_t chunk)
{
    const struct sp_csr *a = plan->a;
    int64_t longest = 0;
    for (int64_t i = chunk * plan->C; i < (chunk + 1) * plan->C && i < a->n_r; i++)
        if (a->row_ptr[i + 1] - a->row_ptr[i] > longest)
            longest = a->row_ptr[i + 1] - a->row_ptr[i];
    return sp_to_i32(longest);
}

/* The blocks of the chunks [first, end). */
static void plan_segment(const struct plan *plan, struct columns *c, int64_t first, int64_t end)
{
    int64_t begin = first;
    columns_clear(c);
    for (int64_t chunk = first; chunk < end; chunk++) {
        const int64_t before = c->n;
        plan->len[chunk] = longest_row(plan, chunk);
        plan->listed[chunk] = NONE;
        columns_add(c, plan, chunk, NULL);
        if (chunk > begin && (c->n > plan->most_columns || chunk - begin == plan->most_chunks)) {
            plan->listed[begin] = sp_to_i32(before);
            begin = chunk;
            columns_clear(c);
            columns_add(c, plan, chunk, NULL);
        }
    }
    if (begin < end)
        plan->listed[begin] = sp_to_i32(c->n);
}

static enum sp_status plan_blocks(const struct plan *plan, int n_threads, struct sp_error *err)
{
    enum sp_status status = SP_OK;
    const int64_t in_segment = BLOCKS_IN_SEGMENT * plan->most_chunks;
#pragma omp parallel num_threads(n_threads)
    {
        struct columns c;
        bool ready = columns_make(plan->a, &c) == SP_OK;
        if (!ready) {
#pragma omp atomic write
            status = SP_MEMORY;
        }
#pragma omp for schedule(dynamic, 1)
        for (int64_t first = 0; first < plan->n_chunks; first += in_segment)
            if (ready)
                plan_segment(plan, &c, first,
                             first + in_segment < plan->n_chunks ? first + in_segment : plan->n_chunks);
        free(c.place);
    }
    return status == SP_OK
               ? SP_OK
               : sp_fail(err, status, "take " SP_O_FORMAT " crs", "no memory for places of columns");
}

/* Counts blocks and entries, and refuses chunks that 16 bits cannot index. */
static enum sp_status count_blocks(const struct plan *plan, struct sp_layout *l, struct sp_error *err)
{
    for (int64_t k = 0; k < plan->n_chunks; k++) {
        l->n_stored += plan->len[k] * plan->C;
        if (plan->listed[k] == NONE)
            continue;
        l->n_blocks++;
        l->n_list += plan->listed[k];
        if (plan->listed[k] > l->most_listed)
            l->most_listed = plan->listed[k];
        if (plan->listed[k] > SP_STAGED_MOST_COLUMNS)
            return sp_fail(err, SP_ABSENT, "take " SP_O_FORMAT " crs",
                           "rows from %lld on have %d distinct columns, more than the 65536 that the 16-bit "
                           "indices of format staged can name",
                           (long long)(k * plan->C), (int)plan->listed[k]);
    }
    return SP_OK;
}

/* The blocks themselves; running[b] receives the entries before block b. */
static void set_blocks(const struct plan *plan, struct sp_layout *l, int64_t *running)
{
    int64_t b = 0, list = 0, entries = 0;
    for (int64_t k = 0; k < plan->n_chunks; k++) {
        if (plan->listed[k] != NONE) {
            l->block[b] = (struct sp_staged_block){.list = list, .chunk = sp_to_i32(k)};
            running[b++] = entries;
            list += plan->listed[k];
        }
        entries += plan->len[k] * plan->C;
    }
    l->block[b] = (struct sp_staged_block){.list = list, .chunk = sp_to_i32(plan->n_chunks)};
    running[b] = entries;
}

/* Column-major within the chunk; a row that ends early repeats its last column with value 0. */
static void fill_chunk(const struct plan *plan, struct sp_layout *l, const struct columns *c, int64_t chunk,
                       int64_t at)
{
    const struct sp_csr *a = plan->a;
    uint16_t *col = l->col;
    for (int64_t lane = 0; lane < plan->C; lane++) {
        const int64_t row = chunk * plan->C + lane;
        const int64_t from = row < a->n_r ? a->row_ptr[row] : 0;
        const int64_t length = row < a->n_r ? a->row_ptr[row + 1] - from : 0;
        uint16_t place = 0;
        for (int64_t j = 0; j < plan->len[chunk]; j++) {
            const int64_t to = at + j * plan->C + lane;
            if (j < length)
                place = (uint16_t)(c->place[sp_csr_col(a, from + j)] & 0xffff);
            col[to] = place;
            if (l->val && j < length)
                sp_layout_set_val(l, to, a, from + j);
            else if (l->val)
                sp_real_store(l->precision, l->val, to, 0);
        }
    }
}

static void fill_block(const struct plan *plan, struct sp_layout *l, struct columns *c, int64_t b,
                       const int64_t *running)
{
    int64_t at = running[b];
    sp_layout_set_ptr(l->ptr, l->s_p, b, at);
    columns_clear(c);
    for (int64_t k = l->block[b].chunk; k < l->block[b + 1].chunk; k++)
        columns_add(c, plan, k, l->list + l->block[b].list);
    for (int64_t k = l->block[b].chunk; k < l->block[b + 1].chunk; k++) {
        fill_chunk(plan, l, c, k, at);
        l->len[k] = plan->len[k];
        at += l->len[k] * plan->C;
    }
}

static enum sp_status fill(const struct plan *plan, struct sp_layout *l, const int64_t *running,
                           struct sp_error *err)
{
    const struct sp_partition *p = &l->partition;
    enum sp_status status = SP_OK;
#pragma omp parallel num_threads(p->n_threads)
    {
        struct columns c;
        if (columns_make(plan->a, &c) != SP_OK) {
#pragma omp atomic write
            status = SP_MEMORY;
        } else {
            for (int t = omp_get_thread_num(); t < p->n_threads; t += omp_get_num_threads()) {
                int64_t cursor = 0, first, end;
                while (sp_partition_next(p, t, &cursor, &first, &end))
                    for (int64_t b = first; b < end; b++)
                        fill_block(plan, l, &c, b, running);
            }
        }
        free(c.place);
    }
    sp_layout_set_ptr(l->ptr, l->s_p, l->n_blocks, l->n_stored);
    return status == SP_OK
               ? SP_OK
               : sp_fail(err, status, "take " SP_O_FORMAT " crs", "no memory for places of columns");
}

static enum sp_status allocate(struct sp_layout *l, bool with_values, struct sp_error *err)
{
    enum sp_status status = sp_layout_alloc(l, l->n_ptr, l->s_p, "block pointers", &l->ptr, err);
    if (status == SP_OK)
        status = sp_layout_alloc(l, l->n_chunks, sizeof *l->len, "chunk lengths", &l->len, err);
    if (status == SP_OK)
        status = sp_layout_alloc(l, l->n_list, sizeof *l->list, "lists of columns", &l->list, err);
    if (status == SP_OK)
        status = sp_layout_alloc_entries(l, with_values, err);
    return status;
}

static enum sp_status build(const struct sp_workload *w, bool with_values, const struct plan *plan,
                            struct sp_layout *l, struct sp_error *err)
{
    enum sp_status status = plan_blocks(plan, w->n_threads, err);
    if (status == SP_OK)
        status = count_blocks(plan, l, err);
    if (status != SP_OK)
        return status;
    l->n_chunks = plan->n_chunks;
    l->n_indices = l->n_stored;
    l->n_ptr = l->n_blocks + 1;
    l->s_p = sp_layout_pointer_size(w, l->n_stored);
    status = sp_layout_alloc(l, l->n_blocks + 1, sizeof *l->block, "blocks", &l->block, err);
    void *p = NULL;
    if (status == SP_OK)
        status = sp_large_alloc(NULL, l->n_blocks + 1, sizeof(int64_t), "running entries", &p, err);
    if (status != SP_OK)
        return status;
    int64_t *running = p;
    set_blocks(plan, l, running);
    const int64_t block = w->block / l->T_i + (w->block % l->T_i != 0);
    status = sp_partition_make(w->schedule, block, w->n_threads, l->n_blocks, running, &l->partition, err);
    if (status == SP_OK)
        status = allocate(l, with_values, err);
    if (status == SP_OK)
        status = fill(plan, l, running, err);
    sp_large_free(NULL, running, l->n_blocks + 1, sizeof(int64_t));
    return status;
}

static enum sp_status build_all(const struct sp_workload *w, bool with_values, struct sp_layout *l,
                                struct sp_error *err)
{
    const struct sp_csr *a = w->matrix;
    l->C = w->op == SP_OP_SDDMM ? 1 : SP_STAGED_C;
    l->s_i = sizeof(uint16_t);
    const int64_t fitting = SP_STAGE_B / (sp_layout_stage_ld(l) * (int64_t)l->s_x);
    struct plan plan = {
        .a = a,
        .C = l->C,
        .n_chunks = (a->n_r + l->C - 1) / l->C,
        .most_chunks = (w->T_i + l->C - 1) / l->C,
        .most_columns = fitting < SP_STAGED_MOST_COLUMNS ? fitting : SP_STAGED_MOST_COLUMNS,
    };
    void *listed = NULL, *len = NULL;
    enum sp_status status =
        sp_large_alloc(NULL, plan.n_chunks, sizeof(int32_t), "lengths of lists", &listed, err);
    if (status == SP_OK)
        status = sp_large_alloc(NULL, plan.n_chunks, sizeof(int32_t), "lengths of chunks", &len, err);
    plan.listed = listed;
    plan.len = len;
    if (status == SP_OK)
        status = build(w, with_values, &plan, l, err);
    sp_large_free(NULL, listed, plan.n_chunks, sizeof(int32_t));
    sp_large_free(NULL, len, plan.n_chunks, sizeof(int32_t));
    return status;
}

static double bytes_bound(const struct sp_workload *w, bool with_values)
{
    const int32_t C = w->op == SP_OP_SDDMM ? 1 : SP_STAGED_C;
    const struct sp_pattern pattern = sp_csr_pattern(w->matrix);
    const double n_nz = (double)w->matrix->n_nz, n_stored = n_nz / sp_sell_beta(&pattern, C, 1);
    const int64_t n_chunks = (w->matrix->n_r + C - 1) / C;
    const double s_a = with_values ? (double)sp_precision_size(w->precision) : 0.0;
    /* Blocks of one chunk each, no column twice; entries run on, lengths twice meanwhile. */
    const double per_block_B = sizeof(struct sp_staged_block) + 2 * sizeof(int64_t) + 3 * sizeof(int32_t);
    const double places_B = (double)w->n_threads * (double)w->matrix->n_c * sizeof(uint64_t);
    return (s_a + sizeof(uint16_t)) * n_stored + sizeof(int32_t) * n_nz +
           per_block_B * (double)(n_chunks + 1) + places_B;
}

static enum sp_status set(struct sp_workload *w, const char *text, const char *numbers, struct sp_error *err)
{
    return sp_tiles_set(w, 256, 64, text, numbers, err);
}

static double pointers_B(const struct sp_layout *l)
{
    return (double)(l->n_blocks + 1) * (double)(l->s_p + sizeof *l->block) +
           (double)l->n_chunks * sizeof *l->len;
}

/* The buffers that the threads stage rows in. */
static double other_B(const struct sp_layout *l)
{
    return (double)l->partition.n_threads * (double)l->most_listed * (double)sp_layout_stage_tile(l) *
           (double)l->s_x;
}

/* Places in a list stay, the columns of the list are folded. */
static void fold(struct sp_layout *l, int64_t window)
{
    if (window > l->n_c - l->C)
        window = l->n_c - l->C;
    for (int64_t i = 0; i < l->n_list && window >= 1; i++)
        l->list[i] = (int32_t)sp_layout_folded(l->list[i], window);
}

static void facts(const struct sp_layout *l, struct sp_layout_fact fact[SP_LAYOUT_FACTS])
{
    fact[0] = (struct sp_layout_fact){"blocks", l->n_blocks, false};
    fact[1] = (struct sp_layout_fact){"chunks", l->n_chunks, false};
    fact[2] = (struct sp_layout_fact){"listed", l->n_list, false};
    fact[3] = (struct sp_layout_fact){"most_listed", l->most_listed, false};
}

const struct sp_format_kind sp_format_staged = {
    .name = "staged",
    .title = "STAGED",
    .form = "staged:T_I,T_K",
    .ops = 1u << SP_OP_SPMM | 1u << SP_OP_SDDMM,
    .set = set,
    .numbers = sp_tiles_numbers,
    .between = ',',
    .check = sp_tiles_check,
    .build = build_all,
    .bytes_bound = bytes_bound,
    .pointers_B = pointers_B,
    .other_B = other_B,
    .unit_rows = sp_tiles_unit_rows,
    .fold = fold,
    .facts = facts,
    .order_bound = true,
};
