#include "sparse/reorder/orders.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sparse/csr/csr.h"
#include "sparse/csr/sort.h"

/* Length of the union of two ascending lists; written to `to` unless it is NULL. */
static int64_t merge(const int32_t *a, int64_t n_a, const int32_t *b, int64_t n_b, int32_t *to)
{
    int64_t i = 0, j = 0, n = 0;
    while (i < n_a || j < n_b) {
        int32_t x = i < n_a ? a[i] : INT32_MAX, y = j < n_b ? b[j] : INT32_MAX;
        if (to)
            to[n] = x < y ? x : y;
        i += x <= y;
        j += y <= x;
        n++;
    }
    return n;
}

/* at[n_c + 1] zeroed, col[n_nz]: the pattern of A^T. Threads place entries in any order; the rows
 * come out nearly sorted and are sorted afterwards. */
static void transpose(const struct sp_pattern *a, int64_t *at, int32_t *col, int32_t *scratch)
{
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < a->n_nz; k++)
        __atomic_fetch_add(&at[sp_pattern_col(a, k) + 1], 1, __ATOMIC_RELAXED);
    sp_prefix_sum(at, a->n_c);
#pragma omp parallel for schedule(dynamic, 1024)
    for (int64_t i = 0; i < a->n_r; i++)
        for (int64_t k = a->row_ptr[i]; k < a->row_ptr[i + 1]; k++)
            col[__atomic_fetch_add(&at[sp_pattern_col(a, k)], 1, __ATOMIC_RELAXED)] = (int32_t)i;
    memmove(at + 1, at, (size_t)a->n_c * sizeof *at);
    at[0] = 0;
#pragma omp parallel for schedule(dynamic, 1024)
    for (int64_t j = 0; j < a->n_c; j++)
        sp_sort_i32(col + at[j], at[j + 1] - at[j], scratch + at[j]);
}

static enum sp_status take(int64_t n, int64_t n_nz, struct sp_graph *graph, struct sp_error *err)
{
    void *p;
    graph->pattern.n_r = graph->pattern.n_c = n;
    graph->pattern.n_nz = n_nz;
    enum sp_status status =
        sp_large_alloc(NULL, n + 1, sizeof *graph->own_ptr, "pointers of a graph", &p, err);
    graph->own_ptr = p;
    if (status == SP_OK) {
        status = sp_large_alloc(NULL, n_nz, sizeof *graph->own_col, "the edges of a graph", &p, err);
        graph->own_col = p;
    }
    graph->pattern.row_ptr = graph->own_ptr;
    graph->pattern.col = graph->own_col;
    if (status != SP_OK)
        sp_graph_free(graph);
    return status;
}

enum sp_status sp_graph_transpose(const struct sp_pattern *a, struct sp_graph *graph, struct sp_error *err)
{
    memset(graph, 0, sizeof *graph);
    void *scratch;
    enum sp_status status = sp_large_alloc(NULL, a->n_nz, sizeof(int32_t), "sorting A^T", &scratch, err);
    if (status == SP_OK)
        status = take(a->n_c, a->n_nz, graph, err);
    if (status == SP_OK) {
        graph->pattern.n_c = a->n_r;
        transpose(a, graph->own_ptr, graph->own_col, scratch);
    }
    sp_large_free(NULL, scratch, a->n_nz, sizeof(int32_t));
    return status;
}

static bool same_pattern(const struct sp_pattern *a, const struct sp_pattern *b)
{
    return memcmp(a->row_ptr, b->row_ptr, (size_t)(a->n_r + 1) * sizeof *a->row_ptr) == 0 &&
           memcmp(a->col, b->col, (size_t)a->n_nz * sizeof *a->col) == 0;
}

/* The pattern of a + t, of the same size. */
static enum sp_status add(const struct sp_pattern *a, const struct sp_pattern *t, struct sp_graph *graph,
                          struct sp_error *err)
{
    const int64_t n = a->n_r;
    void *p;
    enum sp_status status =
        sp_large_alloc(NULL, n + 1, sizeof *graph->own_ptr, "pointers of A + A^T", &p, err);
    if (status != SP_OK)
        return status;
    int64_t *sum = graph->own_ptr = p;
#pragma omp parallel for schedule(dynamic, 1024)
    for (int64_t i = 0; i < n; i++)
        sum[i + 1] = merge(a->col + a->row_ptr[i], a->row_ptr[i + 1] - a->row_ptr[i], t->col + t->row_ptr[i],
                           t->row_ptr[i + 1] - t->row_ptr[i], NULL);
    sp_prefix_sum(sum, n);
    graph->pattern = (struct sp_pattern){n, n, sum[n], sum, NULL, NULL};
    status = sp_large_alloc(NULL, sum[n], sizeof *graph->own_col, "the pattern of A + A^T", &p, err);
    graph->pattern.col = graph->own_col = p;
    if (status != SP_OK)
        return status;
#pragma omp parallel for schedule(dynamic, 1024)
    for (int64_t i = 0; i < n; i++)
        merge(a->col + a->row_ptr[i], a->row_ptr[i + 1] - a->row_ptr[i], t->col + t->row_ptr[i],
              t->row_ptr[i + 1] - t->row_ptr[i], graph->own_col + sum[i]);
    return SP_OK;
}

enum sp_status sp_graph_rows(const struct sp_csr *a, struct sp_graph *graph, struct sp_error *err)
{
    *graph = (struct sp_graph){.pattern = sp_csr_pattern(a)};
    if (!a->col_64)
        return SP_OK;
    void *p;
    const enum sp_status status =
        sp_large_alloc(NULL, a->n_nz, sizeof *graph->own_col, "the edges of a graph", &p, err);
    if (status != SP_OK)
        return status;
    graph->pattern.col = graph->own_col = p;
    graph->pattern.col_64 = NULL;
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < a->n_nz; k++)
        graph->own_col[k] = sp_csr_col(a, k);
    return SP_OK;
}

enum sp_status sp_graph_make(const struct sp_csr *a, struct sp_graph *graph, struct sp_error *err)
{
    struct sp_graph rows, transposed;
    memset(graph, 0, sizeof *graph);
    enum sp_status status = sp_graph_rows(a, &rows, err);
    if (status != SP_OK)
        return status;
    if (a->symmetry != SP_GENERAL || a->n_nz == 0) {
        *graph = rows;
        return SP_OK;
    }
    status = sp_graph_transpose(&rows.pattern, &transposed, err);
    const bool same = status == SP_OK && same_pattern(&rows.pattern, &transposed.pattern);
    if (same)
        *graph = rows;
    else if (status == SP_OK)
        status = add(&rows.pattern, &transposed.pattern, graph, err);
    sp_graph_free(&transposed);
    if (!same)
        sp_graph_free(&rows);
    if (status != SP_OK)
        sp_graph_free(graph);
    return status;
}

enum sp_status sp_graph_bipartite(const struct sp_pattern *a, struct sp_graph *graph, struct sp_error *err)
{
    memset(graph, 0, sizeof *graph);
    if (a->n_r + a->n_c > SP_MAX_DIMENSION)
        return sp_fail(err, SP_USAGE, "take a method that orders rows alone, for example gray",
                       "the graph of %lld rows and %lld columns has too many vertices", (long long)a->n_r,
                       (long long)a->n_c);
    struct sp_graph columns;
    enum sp_status status = sp_graph_transpose(a, &columns, err);
    if (status == SP_OK)
        status = take(a->n_r + a->n_c, 2 * a->n_nz, graph, err);
    if (status == SP_OK) {
#pragma omp parallel for schedule(static)
        for (int64_t i = 0; i <= a->n_r; i++)
            graph->own_ptr[i] = a->row_ptr[i];
#pragma omp parallel for schedule(static)
        for (int64_t j = 1; j <= a->n_c; j++)
            graph->own_ptr[a->n_r + j] = a->n_nz + columns.own_ptr[j];
#pragma omp parallel for schedule(static)
        for (int64_t k = 0; k < a->n_nz; k++) {
            graph->own_col[k] = (int32_t)(a->n_r + sp_pattern_col(a, k));
            graph->own_col[a->n_nz + k] = columns.own_col[k];
        }
    }
    sp_graph_free(&columns);
    return status;
}

void sp_graph_free(struct sp_graph *graph)
{
    sp_large_free(NULL, graph->own_ptr, graph->pattern.n_r + 1, sizeof *graph->own_ptr);
    sp_large_free(NULL, graph->own_col, graph->pattern.n_nz, sizeof *graph->own_col);
    memset(graph, 0, sizeof *graph);
}

static int64_t degree(const struct sp_pattern *a, int64_t i)
{
    return a->row_ptr[i + 1] - a->row_ptr[i];
}

enum sp_status sp_degree_order(const struct sp_pattern *a, uint64_t number, int32_t *perm,
                               struct sp_error *err)
{
    (void)number;
    int64_t most = 0;
    for (int64_t i = 0; i < a->n_r; i++)
        most = degree(a, i) > most ? degree(a, i) : most;
    void *p;
    enum sp_status status = sp_new_array(most + 2, sizeof(int64_t), "vertices of each degree", &p, err);
    if (status != SP_OK)
        return status;
    int64_t *place = p; /* place[most - d]: where the next of degree d goes */
    for (int64_t i = 0; i < a->n_r; i++)
        place[most - degree(a, i) + 1]++;
    for (int64_t k = 0; k < most; k++)
        place[k + 1] += place[k];
    for (int64_t i = 0; i < a->n_r; i++)
        perm[place[most - degree(a, i)]++] = (int32_t)i;
    free(place);
    return SP_OK;
}

enum sp_status sp_hub_order(const struct sp_pattern *a, uint64_t number, int32_t *perm, struct sp_error *err)
{
    (void)number;
    (void)err;
    const double mean = a->n_r > 0 ? (double)a->n_nz / (double)a->n_r : 0;
    int64_t next = 0;
    for (int hubs = 1; hubs >= 0; hubs--)
        for (int64_t i = 0; i < a->n_r; i++)
            if (((double)degree(a, i) > mean) == hubs)
                perm[next++] = (int32_t)i;
    return SP_OK;
}

/* In which of the sections of `width` columns row i has entries, the first in the highest bit. */
static uint32_t occupancy(const struct sp_pattern *a, int64_t i, int64_t width)
{
    uint32_t bits = 0;
    for (int64_t k = a->row_ptr[i]; k < a->row_ptr[i + 1]; k++)
        bits |= UINT32_C(1) << (SP_GRAY_MOST_SECTIONS - 1 - a->col[k] / width);
    return bits;
}

/* The place of a code word in the Gray code. */
static uint32_t rank_of(uint32_t word)
{
    for (int shift = 1; shift < 32; shift *= 2)
        word ^= word >> shift;
    return word;
}

enum sp_status sp_gray_order(const struct sp_pattern *a, uint64_t sections, int32_t *perm,
                             struct sp_error *err)
{
    const int64_t n = sections < 1                       ? 1
                      : sections > SP_GRAY_MOST_SECTIONS ? SP_GRAY_MOST_SECTIONS
                                                         : (int64_t)sections;
    const int64_t width = a->n_c / n + 1;
    void *p;
    enum sp_status status = sp_large_alloc(NULL, 2 * a->n_r, sizeof(uint64_t), "the codes of rows", &p, err);
    if (status != SP_OK)
        return status;
    uint64_t *key = p; /* code, then row */
#pragma omp parallel for schedule(dynamic, 1024)
    for (int64_t i = 0; i < a->n_r; i++)
        key[i] = (uint64_t)rank_of(occupancy(a, i, width)) << 32 | (uint64_t)i;
    sp_sort_u64(key, a->n_r, key + a->n_r);
    for (int64_t i = 0; i < a->n_r; i++)
        perm[i] = (int32_t)(key[i] & UINT32_MAX);
    sp_large_free(NULL, key, 2 * a->n_r, sizeof *key);
    return SP_OK;
}

/* Lists of numbers: list i is item[start[i]] .. item[start[i + 1]]. */
struct lists {
    int64_t n;
    int64_t *start; /* [n + 1] */
    int32_t *item;
};

/* The mark of a row that is in a cluster: the only negative one. */
enum { JOINED = -1 };

struct clusters {
    struct lists columns_of, rows_of; /* of rows: block columns; of block columns: rows, ascending */
    int64_t *head;                    /* [columns] where the list of rows may still have one in no cluster */
    int32_t *shared;                  /* [rows] items that a candidate shares with the pattern; JOINED */
    int32_t *candidate;               /* [rows] those with shared > 0 */
    int32_t *in_pattern;              /* [columns] 1 + number of the cluster whose pattern has it */
    int64_t n_candidates, n_pattern;
};

static enum sp_status new_lists(int64_t n, int64_t n_items, struct lists *lists, struct sp_error *err)
{
    void *start = NULL, *item = NULL;
    enum sp_status status = sp_new_array(n + 1, sizeof(int64_t), "lists of rows and columns", &start, err);
    if (status == SP_OK)
        status = sp_new_array(n_items, sizeof(int32_t), "lists of rows and columns", &item, err);
    *lists = (struct lists){n, start, item};
    return status;
}

static void free_lists(struct lists *lists)
{
    free(lists->start);
    free(lists->item);
}

/* The distinct block columns of each row, ascending. */
static enum sp_status block_columns(const struct sp_pattern *a, int32_t b_w, struct lists *lists,
                                    struct sp_error *err)
{
    enum sp_status status = new_lists(a->n_r, a->n_nz, lists, err);
    int64_t n = 0;
    for (int64_t i = 0; i < a->n_r && status == SP_OK; i++) {
        int32_t before = -1;
        for (int64_t k = a->row_ptr[i]; k < a->row_ptr[i + 1]; k++) {
            int32_t block = a->col[k] / b_w;
            if (block != before)
                lists->item[n++] = block;
            before = block;
        }
        lists->start[i + 1] = n;
    }
    return status;
}

/* For each item below n the lists that have it, ascending. */
static enum sp_status inverted(const struct lists *lists, int64_t n, struct lists *inverse,
                               struct sp_error *err)
{
    const int64_t n_items = lists->start[lists->n];
    enum sp_status status = new_lists(n + 1, n_items, inverse, err);
    if (status != SP_OK)
        return status;
    inverse->n = n;
    for (int64_t k = 0; k < n_items; k++)
        inverse->start[lists->item[k] + 2]++;
    for (int64_t i = 0; i < n; i++)
        inverse->start[i + 2] += inverse->start[i + 1];
    for (int64_t i = 0; i < lists->n; i++) /* start[j + 1] moves from the start of list j to its end */
        for (int64_t k = lists->start[i]; k < lists->start[i + 1]; k++)
            inverse->item[inverse->start[lists->item[k] + 1]++] = (int32_t)i;
    return SP_OK;
}

/* The first rows of a block column that are in no cluster share one item more. */
static void look_at(struct clusters *c, int32_t column)
{
    const struct lists *rows = &c->rows_of;
    const int64_t end = rows->start[column + 1];
    while (c->head[column] < end && c->shared[rows->item[c->head[column]]] == JOINED)
        c->head[column]++;
    int found = 0;
    for (int64_t k = c->head[column]; k < end && found < SP_JACCARD_CANDIDATES; k++) {
        int32_t row = rows->item[k];
        if (c->shared[row] == JOINED)
            continue;
        found++;
        if (c->shared[row]++ == 0)
            c->candidate[c->n_candidates++] = row;
    }
}

static void join(struct clusters *c, int32_t row, int32_t mark)
{
    c->shared[row] = JOINED;
    for (int64_t k = c->columns_of.start[row]; k < c->columns_of.start[row + 1]; k++) {
        int32_t column = c->columns_of.item[k];
        if (c->in_pattern[column] == mark)
            continue;
        c->in_pattern[column] = mark;
        c->n_pattern++;
        look_at(c, column);
    }
}

/* The candidate with the least distance up to the threshold; -1: none. */
static int32_t nearest(const struct clusters *c, double threshold)
{
    int32_t best = -1;
    double least = threshold;
    /* the union is no smaller than the pattern; what joined shares nothing */
    const double enough = fmax(0, (1 - threshold) * (double)c->n_pattern * (1 - 1e-12));
    for (int64_t i = 0; i < c->n_candidates; i++) {
        int32_t row = c->candidate[i];
        if (c->shared[row] < enough)
            continue;
        int64_t length = c->columns_of.start[row + 1] - c->columns_of.start[row];
        double both = c->shared[row], distance = 1 - both / ((double)(length + c->n_pattern) - both);
        if (distance < least || (distance == least && (best < 0 || row < best))) {
            least = distance;
            best = row;
        }
    }
    return best;
}

static void make_clusters(struct clusters *c, int32_t b_h, double threshold, int32_t *perm)
{
    const int64_t n = c->columns_of.n;
    int64_t n_full = 0, n_rest = 0; /* the rest grows from the end of `perm` backwards, and is turned round */
    int32_t mark = 0;
    for (int64_t first = 0; first < n; first++) {
        if (c->shared[first] == JOINED || c->columns_of.start[first] == c->columns_of.start[first + 1])
            continue;
        int32_t *cluster = perm + n_full, size = 0;
        c->n_pattern = c->n_candidates = 0;
        mark++;
        for (int32_t row = (int32_t)first; row >= 0; row = size < b_h ? nearest(c, threshold) : -1) {
            join(c, row, mark);
            cluster[size++] = row;
        }
        for (int64_t i = 0; i < c->n_candidates; i++)
            if (c->shared[c->candidate[i]] != JOINED)
                c->shared[c->candidate[i]] = 0;
        if (size == b_h) {
            n_full += size;
            continue;
        }
        for (int32_t i = 0; i < size; i++)
            c->candidate[i] = cluster[i];
        for (int32_t i = 0; i < size; i++)
            perm[n - ++n_rest] = c->candidate[i];
    }
    for (int64_t i = 0; i < n; i++)
        if (c->columns_of.start[i] == c->columns_of.start[i + 1])
            perm[n - ++n_rest] = (int32_t)i;
    for (int64_t i = n_full, j = n - 1; i < j; i++, j--) {
        int32_t swap = perm[i];
        perm[i] = perm[j];
        perm[j] = swap;
    }
}

enum sp_status sp_jaccard_rows(const struct sp_pattern *a, int32_t b_h, int32_t b_w, double threshold,
                               int32_t *perm, struct sp_error *err)
{
    const int64_t n_columns = (a->n_c + b_w - 1) / b_w;
    struct clusters c = {0};
    void *head = NULL, *rows = NULL, *marks = NULL;
    enum sp_status status = block_columns(a, b_w, &c.columns_of, err);
    if (status == SP_OK)
        status = inverted(&c.columns_of, n_columns, &c.rows_of, err);
    if (status == SP_OK)
        status = sp_new_array(n_columns, sizeof(int64_t), "the clusters of rows", &head, err);
    if (status == SP_OK)
        status = sp_new_array(2 * a->n_r + b_h, sizeof(int32_t), "the clusters of rows", &rows, err);
    if (status == SP_OK)
        status = sp_new_array(n_columns, sizeof(int32_t), "the clusters of rows", &marks, err);
    if (status == SP_OK) {
        c.head = head;
        c.shared = rows;
        c.candidate = c.shared + a->n_r;
        c.in_pattern = marks;
        if (n_columns > 0 && c.rows_of.start)
            memcpy(c.head, c.rows_of.start, (size_t)n_columns * sizeof *c.head);
        make_clusters(&c, b_h, threshold, perm);
    }
    free_lists(&c.columns_of);
    free_lists(&c.rows_of);
    free(head);
    free(rows);
    free(marks);
    return status;
}

enum sp_status sp_jaccard_columns(const struct sp_pattern *a, int32_t b_h, int32_t b_w, double threshold,
                                  int32_t *perm, struct sp_error *err)
{
    struct lists columns = {0}, transposed = {0};
    enum sp_status status = block_columns(a, 1, &columns, err);
    if (status == SP_OK)
        status = inverted(&columns, a->n_c, &transposed, err);
    if (status == SP_OK) {
        struct sp_pattern t = {a->n_c,           a->n_r,          columns.start[a->n_r],
                               transposed.start, transposed.item, NULL};
        status = sp_jaccard_rows(&t, b_w, b_h, threshold, perm, err);
    }
    free_lists(&columns);
    free_lists(&transposed);
    return status;
}

/* One bit a vertex, 1.7 MB for 14 million: a random neighbour is asked for in cache. */
struct search {
    struct sp_pattern g;
    uint64_t *seen;  /* [(n + 63) / 64] */
    int32_t *queue;  /* [n] of the search for an end of the graph */
    uint64_t *child; /* [2 longest row] children of one vertex and room for sorting them */
    int64_t longest;
};

static bool is_seen(const uint64_t *seen, int32_t v)
{
    return __atomic_load_n(&seen[v >> 6], __ATOMIC_RELAXED) >> (v & 63) & 1;
}

/* True for the one caller that was first. */
static bool mark(uint64_t *seen, int32_t v)
{
    uint64_t bit = UINT64_C(1) << (v & 63);
    return !(__atomic_fetch_or(&seen[v >> 6], bit, __ATOMIC_RELAXED) & bit);
}

/* The rows of vertices further down a queue are known early: have them ready. */
static void prefetch(const struct sp_pattern *g, const int32_t *queue, int64_t k, int64_t end)
{
    enum { FAR = 24, NEAR = 8 };
    if (k + FAR < end)
        __builtin_prefetch(&g->row_ptr[queue[k + FAR]]);
    if (k + NEAR < end)
        __builtin_prefetch(&g->col[g->row_ptr[queue[k + NEAR]]]);
}

/* Appends the unseen neighbours of queue[begin, end) at queue + *tail, in no particular order. */
static void expand(struct search *s, int64_t begin, int64_t end, int64_t *tail)
{
    enum {
        ROOM = 2048,
        SERIAL = 1 << 14 /* about a millisecond of work: less is not worth waking threads */
    };
#pragma omp parallel if (end - begin > SERIAL)
    {
        int32_t found[ROOM];
        int64_t n_found = 0;
#pragma omp for schedule(dynamic, 1024)
        for (int64_t k = begin; k < end; k++) {
            int32_t v = s->queue[k];
            prefetch(&s->g, s->queue, k, end);
            for (int64_t e = s->g.row_ptr[v]; e < s->g.row_ptr[v + 1]; e++) {
                int32_t u = s->g.col[e];
                if (is_seen(s->seen, u) || !mark(s->seen, u))
                    continue;
                found[n_found++] = u;
                if (n_found == ROOM) {
                    int64_t to = __atomic_fetch_add(tail, n_found, __ATOMIC_RELAXED);
                    memcpy(s->queue + to, found, sizeof found);
                    n_found = 0;
                }
            }
        }
        int64_t to = __atomic_fetch_add(tail, n_found, __ATOMIC_RELAXED);
        memcpy(s->queue + to, found, (size_t)n_found * sizeof *found);
    }
}

/* The levels around a root: number, widest, the vertex of least degree in the last one. */
struct levels {
    int64_t height, width;
    int32_t far;
};

/* Of the vertices of a last level the one of least degree, of equal ones the first. */
static int32_t far_end(const struct sp_pattern *g, const int32_t *vertex, int64_t n)
{
    int32_t far = vertex[0];
    for (int64_t k = 1; k < n; k++) {
        int64_t less = degree(g, vertex[k]) - degree(g, far);
        if (less < 0 || (less == 0 && vertex[k] < far))
            far = vertex[k];
    }
    return far;
}

static void unmark(struct search *s, const int32_t *vertex, int64_t n)
{
#pragma omp parallel for schedule(static) if (n > 100000)
    for (int64_t k = 0; k < n; k++)
        __atomic_fetch_and(&s->seen[vertex[k] >> 6], ~(UINT64_C(1) << (vertex[k] & 63)), __ATOMIC_RELAXED);
}

/* Leaves no marks. */
static struct levels explore(struct search *s, int32_t root)
{
    struct levels levels = {0, 0, root};
    int64_t begin = 0, end = 1, tail = 1;
    s->queue[0] = root;
    mark(s->seen, root);
    for (;;) {
        levels.height++;
        levels.width = end - begin > levels.width ? end - begin : levels.width;
        expand(s, begin, end, &tail);
        if (tail == end)
            break;
        begin = end;
        end = tail;
    }
    levels.far = far_end(&s->g, s->queue + begin, end - begin);
    unmark(s, s->queue, end);
    return levels;
}

/* Cuthill-McKee numbering of the component of `root` from order[begin] on; returns its end. */
static int64_t number_component(struct search *s, int32_t root, int32_t *order, int64_t begin,
                                struct levels *levels)
{
    const struct sp_pattern *g = &s->g;
    int64_t tail = begin, level = begin, level_end = begin; /* of the vertex at hand */
    *levels = (struct levels){0, 0, root};
    order[tail++] = root;
    mark(s->seen, root);
    for (int64_t k = begin; k < tail; k++) {
        if (k == level_end) {
            level = k;
            level_end = tail;
            levels->height++;
            levels->width = level_end - level > levels->width ? level_end - level : levels->width;
        }
        int32_t v = order[k];
        prefetch(g, order, k, tail);
        int64_t n = 0;
        for (int64_t e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) {
            int32_t u = g->col[e];
            uint64_t bit = UINT64_C(1) << (u & 63);
            if (s->seen[u >> 6] & bit)
                continue;
            s->seen[u >> 6] |= bit;
            s->child[n++] = (uint64_t)(uint32_t)u;
        }
        if (n > 1)
            for (int64_t c = 0; c < n; c++)
                s->child[c] |= (uint64_t)degree(g, (int64_t)s->child[c]) << 32;
        sp_sort_u64(s->child, n, s->child + s->longest);
        for (int64_t c = 0; c < n; c++)
            order[tail++] = (int32_t)(s->child[c] & UINT32_MAX);
    }
    levels->far = far_end(g, order + level, tail - level);
    return tail;
}

/* Numbers the component from a pseudo-peripheral vertex (George and Liu: go to the far end while
 * that gives more levels, or as many and narrower ones). The search from a far end is the numbering
 * itself, nearly always the last one. */
static int64_t number_from_end(struct search *s, int32_t root, int32_t *order, int64_t begin)
{
    enum { MAX_TRIPS = 8 };
    struct levels here = {0, 0, root}, there;
    if (degree(&s->g, root) > 0)
        here = explore(s, root);
    for (int trip = 1; here.far != root; trip++) {
        int64_t end = number_component(s, here.far, order, begin, &there);
        bool worse = there.height < here.height || (there.height == here.height && there.width > here.width);
        if (!worse && (there.height == here.height || trip == MAX_TRIPS))
            return end;
        unmark(s, order + begin, end - begin);
        if (worse)
            break;
        root = here.far;
        here = there;
    }
    return number_component(s, root, order, begin, &there);
}

/* start[n]: vertices by ascending degree, then number. `count`: longest + 2 zeroed items. */
static void sort_by_degree(const struct sp_pattern *g, int64_t longest, int64_t *count, int32_t *start)
{
    for (int64_t v = 0; v < g->n_r; v++)
        count[degree(g, v) + 1]++;
    for (int64_t d = 0; d < longest; d++)
        count[d + 1] += count[d];
    for (int64_t v = 0; v < g->n_r; v++)
        start[count[degree(g, v)]++] = (int32_t)v;
}

enum sp_status sp_rcm(const struct sp_pattern *graph, uint64_t number, int32_t *perm, struct sp_error *err)
{
    (void)number;
    const int64_t n = graph->n_r;
    struct search s = {.g = *graph};
    int64_t *count = NULL;
    int32_t *start = NULL;
    void *p;
    for (int64_t v = 0; v < n; v++)
        s.longest = degree(&s.g, v) > s.longest ? degree(&s.g, v) : s.longest;
    enum sp_status status = sp_new_array((n + 63) / 64, sizeof *s.seen, "vertex marks", &p, err);
    s.seen = p;
    if (status == SP_OK) {
        status = sp_large_alloc(NULL, n, sizeof *s.queue, "a queue of vertices", &p, err);
        s.queue = p;
    }
    if (status == SP_OK) {
        status = sp_new_array(2 * s.longest, sizeof *s.child, "children of a vertex", &p, err);
        s.child = p;
    }
    if (status == SP_OK) {
        status = sp_new_array(s.longest + 2, sizeof *count, "vertices of each degree", &p, err);
        count = p;
    }
    if (status == SP_OK) {
        status = sp_large_alloc(NULL, n, sizeof *start, "vertices by degree", &p, err);
        start = p;
    }
    if (status != SP_OK)
        goto done;
    sort_by_degree(&s.g, s.longest, count, start);
    for (int64_t k = 0, next = 0; k < n; k++)
        if (!is_seen(s.seen, start[k]))
            next = number_from_end(&s, start[k], perm, next);
    for (int64_t i = 0; i < n / 2; i++) {
        int32_t swap = perm[i];
        perm[i] = perm[n - 1 - i];
        perm[n - 1 - i] = swap;
    }
done:
    free(s.seen);
    free(s.child);
    free(count);
    sp_large_free(NULL, s.queue, n, sizeof *s.queue);
    sp_large_free(NULL, start, n, sizeof *start);
    return status;
}
