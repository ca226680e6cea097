#include "sparse/reorder/jaccard.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
        struct sp_pattern t = {a->n_c, a->n_r, columns.start[a->n_r], transposed.start, transposed.item};
        status = sp_jaccard_rows(&t, b_w, b_h, threshold, perm, err);
    }
    free_lists(&columns);
    free_lists(&transposed);
    return status;
}
