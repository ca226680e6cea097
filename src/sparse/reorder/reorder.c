#include "sparse/reorder/reorder.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "sparse/csr/partition.h"
#include "sparse/formats/bcsr.h"
#include "sparse/formats/layout.h"
#include "sparse/reorder/metis.h"
#include "sparse/reorder/orders.h"

static enum sp_status make_random(const struct sp_pattern *a, uint64_t seed, int32_t *perm,
                                  struct sp_error *err)
{
    return sp_permutation_random(a->n_r, seed, perm, err);
}

static enum sp_status make_reversed(const struct sp_pattern *a, uint64_t number, int32_t *perm,
                                    struct sp_error *err)
{
    (void)number;
    (void)err;
    for (int64_t i = 0; i < a->n_r; i++)
        perm[i] = (int32_t)(a->n_r - 1 - i);
    return SP_OK;
}

/* Blocks of size x size. */
static enum sp_status make_jaccard(const struct sp_pattern *a, uint64_t size, int32_t *perm,
                                   struct sp_error *err)
{
    int32_t b = size < 1 ? 1 : size > 64 ? 64 : (int32_t)size;
    return sp_jaccard_rows(a, b, b, SP_JACCARD_THRESHOLD, perm, err);
}

const struct sp_reordering sp_reordering_table[] = {
    {.name = "rcm",
     .form = "rcm",
     .summary = "reverse Cuthill-McKee: small bandwidth, for meshes",
     .sight = SP_REORDER_GRAPH,
     .make = sp_rcm},
    {.name = "metis",
     .form = "metis[:K]",
     .summary = "METIS, few entries between K parts (512 KiB of x each)",
     .absent = sp_metis_absent,
     .takes_number = true,
     .sight = SP_REORDER_GRAPH,
     .make = sp_metis_parts},
    {.name = "nd",
     .form = "nd",
     .summary = "METIS nested dissection: halves, then what separates them",
     .absent = sp_metis_absent,
     .sight = SP_REORDER_GRAPH,
     .make = sp_metis_dissection},
    {.name = "degree",
     .form = "degree",
     .summary = "most entries first: the hubs of graphs share lines",
     .sight = SP_REORDER_DEGREES,
     .make = sp_degree_order},
    {.name = "hubs",
     .form = "hubs",
     .summary = "more entries than the mean first, else as it was",
     .sight = SP_REORDER_DEGREES,
     .make = sp_hub_order},
    {.name = "gray",
     .form = "gray[:S]",
     .summary = "Gray code of the S (16) sections with entries; columns stay",
     .takes_number = true,
     .number = SP_GRAY_SECTIONS,
     .side = SP_REORDER_ROWS,
     .make = sp_gray_order},
    {.name = "jaccard",
     .form = "jaccard[:B]",
     .summary = "similar rows together, for B x B blocks (8); columns stay",
     .takes_number = true,
     .number = 8,
     .side = SP_REORDER_ROWS,
     .make = make_jaccard},
    {.name = "jaccard2",
     .form = "jaccard2[:B]",
     .summary = "the same of rows, and of columns by their rows",
     .takes_number = true,
     .number = 8,
     .side = SP_REORDER_BOTH,
     .make = make_jaccard},
    {.name = "random",
     .form = "random[:SEED]",
     .summary = "a random order: what no locality costs",
     .takes_number = true,
     .is_seed = true,
     .number = 1,
     .make = make_random},
    {.name = "reversed", .form = "reversed", .summary = "from last to first", .make = make_reversed},
    {.name = "none", .form = "none", .summary = "the order of the input"},
    {0},
};

const char *sp_reordering_absent(const struct sp_reordering *r)
{
    return r->absent ? r->absent() : NULL;
}

static const char *const side_names[SP_N_REORDER_SIDES] = {"sym", "rows", "cols", "both"};

const char *sp_reorder_side_name(enum sp_reorder_side side)
{
    return side_names[side];
}

int sp_reorder_side_from_name(const char *name)
{
    for (int i = 0; i < SP_N_REORDER_SIDES; i++)
        if (strcmp(side_names[i], name) == 0)
            return i;
    return -1;
}

/* ---- understanding a method ---- */

static enum sp_status no_such_method(const char *method, struct sp_error *err)
{
    char remedy[256] = "say ";
    for (const struct sp_reordering *r = sp_reordering_table; r->name; r++) {
        size_t used = strlen(remedy);
        snprintf(remedy + used, sizeof remedy - used, "%s%s", r == sp_reordering_table ? "" : ", ", r->form);
    }
    return sp_fail(err, SP_USAGE, remedy, "no reordering '%s'", method);
}

/* ":NUMBER" into *number: `text` up to `end`. */
static bool read_number(const struct sp_reordering *r, const char *text, const char *end, uint64_t *number)
{
    char digits[24];
    int64_t n = r->number;
    size_t length = (size_t)(end - text);
    if (length > 0) {
        if (!r->takes_number || length > sizeof digits)
            return false;
        memcpy(digits, text + 1, length - 1);
        digits[length - 1] = '\0';
        if (sp_parse_count(digits, &n) || n < 0)
            return false;
    }
    *number = (uint64_t)n;
    return true;
}

enum sp_status sp_reorder_parse(const char *method, int64_t n_r, int64_t n_c,
                                struct sp_reorder_choice *choice, struct sp_error *err)
{
    memset(choice, 0, sizeof *choice);
    const size_t length = strcspn(method, ":+");
    const char *plus = strchr(method, '+'), *end = plus ? plus : method + strlen(method);
    const struct sp_reordering *r = sp_reordering_table;
    while (r->name && !(strlen(r->name) == length && strncmp(r->name, method, length) == 0))
        r++;
    if (!r->name)
        return no_such_method(method, err);
    int side = plus ? sp_reorder_side_from_name(plus + 1) : (int)r->side;
    if (side < 0)
        return sp_fail(err, SP_USAGE, "say +sym, +rows, +cols or +both", "no side '%s' to reorder", plus + 1);
    uint64_t number;
    if (!read_number(r, method + length, end, &number))
        return sp_fail(err, SP_USAGE, NULL, "the reordering is written %s, not '%s'", r->form, method);
    if (!plus && side == SP_REORDER_SYMMETRIC && n_r != n_c)
        side = SP_REORDER_BOTH;
    if (side == SP_REORDER_SYMMETRIC && n_r != n_c)
        return sp_fail(err, SP_USAGE, "leave +sym out, or say +rows, +cols or +both",
                       "rows and columns of a matrix that is not square, %lld x %lld, cannot take one order",
                       (long long)n_r, (long long)n_c);
    if (sp_reordering_absent(r))
        return sp_fail(err, SP_ABSENT, "take another method, or build with what is missing", "no %s: %s",
                       r->name, sp_reordering_absent(r));
    *choice = (struct sp_reorder_choice){r, number, (enum sp_reorder_side)side};
    return SP_OK;
}

/* ---- finding an order ---- */

static enum sp_status new_perm(int64_t n, int32_t **perm, struct sp_error *err)
{
    void *p;
    enum sp_status status = sp_large_alloc(NULL, n, sizeof **perm, "a permutation", &p, err);
    *perm = p;
    return status;
}

static enum sp_status one_order(const struct sp_reorder_choice *c, const struct sp_csr *a,
                                struct sp_permutations *order, struct sp_error *err)
{
    struct sp_graph graph = {0};
    enum sp_status status =
        c->row->sight == SP_REORDER_LISTS ? sp_graph_rows(a, &graph, err) : sp_graph_make(a, &graph, err);
    if (status == SP_OK)
        status = new_perm(a->n_r, &order->row_perm, err);
    if (status == SP_OK)
        status = c->row->make(&graph.pattern, c->number, order->row_perm, err);
    order->col_perm = order->row_perm;
    sp_graph_free(&graph);
    return status;
}

/* Of an order of the vertices of both kinds, the vertices [first, first + n). */
static enum sp_status keep_part(const int32_t *vertex, int64_t n_vertices, int64_t first, int64_t n,
                                int32_t **perm, struct sp_error *err)
{
    enum sp_status status = new_perm(n, perm, err);
    int64_t kept = 0;
    for (int64_t k = 0; k < n_vertices && status == SP_OK; k++)
        if (vertex[k] >= first && vertex[k] < first + n)
            (*perm)[kept++] = (int32_t)(vertex[k] - first);
    return status;
}

static enum sp_status by_bipartite_graph(const struct sp_reorder_choice *c, const struct sp_csr *a,
                                         struct sp_permutations *order, struct sp_error *err)
{
    const struct sp_pattern pattern = sp_csr_pattern(a);
    const int64_t n = a->n_r + a->n_c;
    struct sp_graph graph;
    int32_t *vertex = NULL;
    enum sp_status status = sp_graph_bipartite(&pattern, &graph, err);
    if (status == SP_OK)
        status = new_perm(n, &vertex, err);
    if (status == SP_OK)
        status = c->row->make(&graph.pattern, c->number, vertex, err);
    sp_graph_free(&graph);
    if (status == SP_OK && c->side != SP_REORDER_COLUMNS)
        status = keep_part(vertex, n, 0, a->n_r, &order->row_perm, err);
    if (status == SP_OK && c->side != SP_REORDER_ROWS)
        status = keep_part(vertex, n, a->n_r, a->n_c, &order->col_perm, err);
    sp_large_free(NULL, vertex, n, sizeof *vertex);
    return status;
}

static enum sp_status by_lists(const struct sp_reorder_choice *c, const struct sp_csr *a,
                               struct sp_permutations *order, struct sp_error *err)
{
    struct sp_graph rows, columns = {0};
    enum sp_status status = sp_graph_rows(a, &rows, err);
    if (status == SP_OK && c->side != SP_REORDER_COLUMNS) {
        status = new_perm(a->n_r, &order->row_perm, err);
        if (status == SP_OK)
            status = c->row->make(&rows.pattern, c->number, order->row_perm, err);
    }
    if (status == SP_OK && c->side != SP_REORDER_ROWS)
        status = sp_graph_transpose(&rows.pattern, &columns, err);
    sp_graph_free(&rows);
    if (status != SP_OK || c->side == SP_REORDER_ROWS)
        return status;
    status = new_perm(a->n_c, &order->col_perm, err);
    if (status == SP_OK)
        status = c->row->make(&columns.pattern, c->number + c->row->is_seed, order->col_perm, err);
    sp_graph_free(&columns);
    return status;
}

enum sp_status sp_reorder_find(const char *method, const struct sp_csr *a, struct sp_permutations *order,
                               struct sp_error *err)
{
    struct sp_reorder_choice c;
    *order = (struct sp_permutations){.n_r = a->n_r, .n_c = a->n_c};
    enum sp_status status = sp_reorder_parse(method, a->n_r, a->n_c, &c, err);
    if (status != SP_OK || !c.row->make)
        return status;
    if (c.side == SP_REORDER_SYMMETRIC)
        status = one_order(&c, a, order, err);
    else if (c.row->sight == SP_REORDER_GRAPH)
        status = by_bipartite_graph(&c, a, order, err);
    else
        status = by_lists(&c, a, order, err);
    if (status != SP_OK)
        sp_permutations_free(order);
    return status;
}

enum sp_status sp_reorder(const char *method, const struct sp_csr *a, const struct sp_allocator *allocator,
                          int32_t *perm, struct sp_csr *b, struct sp_error *err)
{
    struct sp_permutations order;
    memset(b, 0, sizeof *b);
    enum sp_status status = sp_reorder_find(method, a, &order, err);
    if (status != SP_OK)
        return status;
    for (int64_t i = 0; perm && i < a->n_r; i++)
        perm[i] = order.row_perm ? order.row_perm[i] : (int32_t)i;
    status = sp_csr_permute(a, order.row_perm, order.col_perm, allocator, b, err);
    sp_permutations_free(&order);
    return status;
}

/* ---- places ---- */

struct places {
    int64_t lower, upper, profile;
    double distance;
};

/* A row of the matrix as it stands, in whose order memory is read fastest. */
static void add_row(const struct sp_permuted *p, int64_t row, struct places *sum)
{
    const int64_t i = sp_permuted_place(p, row), *row_ptr = p->pattern.row_ptr;
    if (row_ptr[row] == row_ptr[row + 1])
        return;
    int64_t first = INT64_MAX, last = -1, distance = 0;
    for (int64_t k = row_ptr[row]; k < row_ptr[row + 1]; k++) {
        int64_t j = sp_permuted_column(p, sp_pattern_col(&p->pattern, k));
        first = j < first ? j : first;
        last = j > last ? j : last;
        distance += j > i ? j - i : i - j;
    }
    sum->lower = i - first > sum->lower ? i - first : sum->lower;
    sum->upper = last - i > sum->upper ? last - i : sum->upper;
    sum->profile += i > first ? i - first : 0;
    sum->distance += (double)distance;
}

static void find_places(const struct sp_permuted *p, struct sp_preview *out)
{
    struct places all = {0};
#pragma omp parallel
    {
        struct places own = {0};
#pragma omp for schedule(dynamic, 1024) nowait
        for (int64_t row = 0; row < p->pattern.n_r; row++)
            add_row(p, row, &own);
#pragma omp critical
        {
            all.lower = own.lower > all.lower ? own.lower : all.lower;
            all.upper = own.upper > all.upper ? own.upper : all.upper;
            all.profile += own.profile;
            all.distance += own.distance;
        }
    }
    out->lower_bandwidth = all.lower;
    out->upper_bandwidth = all.upper;
    out->profile = all.profile;
    out->mean_distance = p->pattern.n_nz > 0 ? all.distance / (double)p->pattern.n_nz : 0;
}

/* ---- threads ---- */

static int64_t entries_of(const struct sp_partition *partition, const int64_t *row_ptr, int thread)
{
    if (partition->schedule == SP_SCHEDULE_MERGE)
        return partition->entry_begin[thread + 1] - partition->entry_begin[thread];
    int64_t n = 0, cursor = 0, first, end;
    while (sp_partition_next(partition, thread, &cursor, &first, &end))
        n += row_ptr[end] - row_ptr[first];
    return n;
}

static enum sp_status find_lambda(const struct sp_permuted *p, const struct sp_preview_options *o,
                                  struct sp_preview *out, struct sp_error *err)
{
    struct sp_partition partition;
    out->lambda = 1;
    enum sp_status status =
        sp_partition_make(o->schedule, o->block, o->n_threads, p->pattern.n_r, p->row_ptr, &partition, err);
    if (status != SP_OK)
        return status;
    int64_t most = 0;
    for (int t = 0; t < o->n_threads; t++) {
        int64_t n = entries_of(&partition, p->row_ptr, t);
        most = n > most ? n : most;
    }
    if (p->pattern.n_nz > 0)
        out->lambda = (double)most * o->n_threads / (double)p->pattern.n_nz;
    sp_partition_free(&partition);
    return SP_OK;
}

/* ---- blocks ---- */

/* Of one stratum of block rows one, with its entries; sums for a ratio. */
struct ratio_sums {
    double y, yy, yx, x, xx;
};

static void add_block_row(const struct sp_permuted *p, const struct sp_preview_options *o,
                          struct sp_block_walk *walk, int64_t block_row, struct ratio_sums *sum)
{
    const int64_t first = block_row * o->b_h;
    const int64_t end = first + o->b_h < p->pattern.n_r ? first + o->b_h : p->pattern.n_r;
    const double y = (double)sp_block_walk_rows(walk, first, end, o->b_w);
    const double x = (double)(p->row_ptr[end] - p->row_ptr[first]);
    sum->y += y;
    sum->yy += y * y;
    sum->yx += y * x;
    sum->x += x;
    sum->xx += x * x;
}

static struct ratio_sums count_blocks(const struct sp_permuted *p, const struct sp_preview_options *o,
                                      struct sp_block_walk *walks, int64_t n_block_rows, int64_t stride)
{
    const int64_t n_strata = (n_block_rows + stride - 1) / stride;
    struct ratio_sums all = {0}; /* of whole numbers: exact whatever the order */
#pragma omp parallel
    {
        struct ratio_sums own = {0};
#pragma omp for schedule(dynamic, 64) nowait
        for (int64_t stratum = 0; stratum < n_strata; stratum++) {
            struct sp_random random = {sp_random_at(3, (uint64_t)stratum)};
            int64_t first = stratum * stride;
            int64_t n = first + stride < n_block_rows ? stride : n_block_rows - first;
            add_block_row(p, o, &walks[omp_get_thread_num()], first + sp_random_below(&random, n), &own);
        }
#pragma omp critical
        {
            all.y += own.y;
            all.yy += own.yy;
            all.yx += own.yx;
            all.x += own.x;
            all.xx += own.xx;
        }
    }
    return all;
}

static enum sp_status find_blocks(const struct sp_permuted *p, const struct sp_preview_options *o,
                                  struct sp_preview *out, struct sp_error *err)
{
    const int n_threads = omp_get_max_threads();
    const int64_t n_block_rows = (p->pattern.n_r + o->b_h - 1) / o->b_h;
    int64_t stride = o->exact ? 1 : p->pattern.n_nz / SP_STRUCTURE_SAMPLE + 1;
    if (stride > n_block_rows / 64) /* few long rows: all of them */
        stride = 1;
    void *walks;
    enum sp_status status =
        sp_new_array(n_threads, sizeof(struct sp_block_walk), "the threads that count blocks", &walks, err);
    if (status == SP_OK)
        status = sp_block_walks_make(&p->pattern, p->row_perm, p->new_col, o->b_w, n_threads, walks, err);
    if (status == SP_OK) {
        struct ratio_sums s = count_blocks(p, o, walks, n_block_rows, stride);
        double ratio = s.x > 0 ? s.y / s.x : 0, scale = stride > 1 ? (double)p->pattern.n_nz : s.x;
        double residual = s.yy - 2 * ratio * s.yx + ratio * ratio * s.xx;
        double error = stride > 1 && residual > 0 && s.x > 0 ? 1.96 * sqrt(residual) / s.x : 0;
        out->n_e = (struct sp_estimate){stride > 1 ? ratio * scale : s.y, error * scale, p->pattern.n_nz > 0};
        sp_block_walks_free(walks, n_threads);
    }
    free(walks);
    return status;
}

enum sp_status sp_preview_order(const struct sp_permuted *p, const struct sp_preview_options *o,
                                struct sp_preview *out, struct sp_error *err)
{
    memset(out, 0, sizeof *out);
    const struct sp_pattern lengths = {p->pattern.n_r, p->pattern.n_c, p->pattern.n_nz,
                                       p->row_ptr,     NULL,           NULL};
    find_places(p, out);
    out->beta = sp_sell_beta(&lengths, o->C, o->sigma);
    enum sp_status status = find_lambda(p, o, out, err);
    if (status == SP_OK)
        status = find_blocks(p, o, out, err);
    if (status != SP_OK)
        memset(out, 0, sizeof *out);
    return status;
}
