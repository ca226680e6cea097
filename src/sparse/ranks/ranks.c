#include "sparse/ranks/ranks.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sparse/csr/partition.h"
#include "sparse/reorder/orders.h"

typedef enum sp_status divider(const struct sp_pattern *graph, const int32_t *weight, int n_parts,
                               int32_t *part, struct sp_error *err);

static int32_t weight_of(int64_t n_entries)
{
    return n_entries < 1 ? 1 : n_entries > INT32_MAX ? INT32_MAX : (int32_t)n_entries;
}

static enum sp_status divide(divider *by, const struct sp_csr *a, int n_ranks, int32_t *part,
                             struct sp_error *err)
{
    const struct sp_pattern pattern = sp_csr_pattern(a);
    const bool square = a->n_r == a->n_c;
    const int64_t n = a->n_r + (square ? 0 : a->n_c);
    struct sp_graph graph = {0};
    void *weight = NULL;
    if (n_ranks == 1 || n_ranks >= n || a->n_nz == 0) { /* nothing to find */
        for (int64_t v = 0; v < n; v++)
            part[v] = (int32_t)(v % n_ranks);
        return SP_OK;
    }
    enum sp_status status =
        square ? sp_graph_make(a, &graph, err) : sp_graph_bipartite(&pattern, &graph, err);
    if (status == SP_OK)
        status = sp_large_alloc(NULL, n, sizeof(int32_t), "weights of rows", &weight, err);
    for (int64_t v = 0; status == SP_OK && v < n; v++)
        ((int32_t *)weight)[v] = v < a->n_r ? weight_of(a->row_ptr[v + 1] - a->row_ptr[v]) : 1;
    if (status == SP_OK)
        status = by(&graph.pattern, weight, n_ranks, part, err);
    sp_large_free(NULL, weight, n, sizeof(int32_t));
    sp_graph_free(&graph);
    return status;
}

static enum sp_status divide_by_metis(const struct sp_csr *a, int n_ranks, int32_t *part,
                                      struct sp_error *err)
{
    return divide(sp_metis_divide, a, n_ranks, part, err);
}

static enum sp_status divide_by_scotch(const struct sp_csr *a, int n_ranks, int32_t *part,
                                       struct sp_error *err)
{
    return divide(sp_scotch_divide, a, n_ranks, part, err);
}

void sp_ranks_free(struct sp_ranks *d)
{
    if (!d)
        return;
    if (d->col_begin != d->row_begin)
        free(d->col_begin);
    free(d->row_begin);
    if (d->col_perm != d->row_perm)
        sp_large_free(NULL, d->col_perm, d->n_c, sizeof *d->col_perm);
    sp_large_free(NULL, d->row_perm, d->n_r, sizeof *d->row_perm);
    sp_large_free(NULL, d->col_place, d->n_c, sizeof *d->col_place);
    memset(d, 0, sizeof *d);
}

const struct sp_division sp_division_table[] = {
    {.name = "rows", .summary = "equally many rows that follow each other"},
    {.name = "nnz", .summary = "rows that follow each other, equally many entries", .by_entries = true},
    {.name = "metis",
     .summary = "METIS k-way: few entries between ranks of equally many",
     .absent = sp_metis_absent,
     .make = divide_by_metis},
    {.name = "scotch", .summary = "the same by Scotch", .absent = sp_scotch_absent, .make = divide_by_scotch},
    {0},
};

const struct sp_division *sp_division_of(const char *name)
{
    for (const struct sp_division *d = sp_division_table; d->name; d++)
        if (strcmp(d->name, name) == 0)
            return d;
    return NULL;
}

const char *sp_division_absent(const struct sp_division *division)
{
    return division->absent ? division->absent() : NULL;
}

static enum sp_status new_begins(int n, int64_t **begin, struct sp_error *err)
{
    void *p;
    enum sp_status status = sp_new_array(n + 1, sizeof **begin, "the first row of each rank", &p, err);
    *begin = p;
    return status;
}

static void equal_numbers(int64_t n_items, int n, int64_t *begin)
{
    for (int p = 0; p <= n; p++)
        begin[p] = n_items / n * p + (p < n_items % n ? p : n_items % n);
}

/* Without boundaries of rows; columns of a rectangular matrix in equal numbers. */
static enum sp_status begin_ranks(const struct sp_csr *a, int n, struct sp_ranks *d, struct sp_error *err)
{
    *d = (struct sp_ranks){.n = n, .n_r = a->n_r, .n_c = a->n_c};
    if (n < 1 || n > SP_MAX_RANKS)
        return sp_fail(err, SP_USAGE, NULL, "%d ranks: from 1 to %d are possible", n, SP_MAX_RANKS);
    enum sp_status status = new_begins(n, &d->row_begin, err);
    d->col_begin = d->row_begin;
    if (status != SP_OK || a->n_r == a->n_c)
        return status;
    d->col_begin = NULL;
    status = new_begins(n, &d->col_begin, err);
    if (status == SP_OK)
        equal_numbers(a->n_c, n, d->col_begin);
    return status;
}

static enum sp_status equal_entries(const struct sp_csr *a, int n, int64_t *begin, struct sp_error *err)
{
    struct sp_partition p;
    enum sp_status status = sp_partition_make(SP_SCHEDULE_NNZ, 1, n, a->n_r, a->row_ptr, &p, err);
    if (status == SP_OK)
        memcpy(begin, p.begin, (size_t)(n + 1) * sizeof *begin);
    sp_partition_free(&p);
    return status;
}

/* Items by part, each part's in their order: begin[n + 1] and the items at the places. */
static enum sp_status group(const int32_t *part, int64_t n_items, int n, int64_t *begin, int32_t **perm,
                            struct sp_error *err)
{
    void *p;
    enum sp_status status = sp_large_alloc(NULL, n_items, sizeof **perm, "the order of ranks", &p, err);
    if (status != SP_OK)
        return status;
    *perm = p;
    memset(begin, 0, (size_t)(n + 1) * sizeof *begin);
    for (int64_t i = 0; i < n_items; i++)
        begin[part[i] + 1]++;
    for (int k = 0; k < n; k++)
        begin[k + 1] += begin[k];
    for (int64_t i = 0; i < n_items; i++)
        (*perm)[begin[part[i]]++] = (int32_t)i;
    for (int k = n; k > 0; k--)
        begin[k] = begin[k - 1];
    begin[0] = 0;
    return SP_OK;
}

static enum sp_status invert(struct sp_ranks *d, struct sp_error *err)
{
    void *p;
    enum sp_status status = sp_large_alloc(NULL, d->n_c, sizeof *d->col_place, "places of columns", &p, err);
    d->col_place = p;
    if (status == SP_OK)
        sp_permutation_invert(d->col_perm, d->n_c, d->col_place);
    return status;
}

static enum sp_status by_graph(const struct sp_division *division, const struct sp_csr *a, int n,
                               struct sp_ranks *d, struct sp_error *err)
{
    const bool square = a->n_r == a->n_c;
    const int64_t n_items = a->n_r + (square ? 0 : a->n_c);
    void *part;
    enum sp_status status =
        sp_large_alloc(NULL, n_items, sizeof(int32_t), "the rank of each row", &part, err);
    if (status == SP_OK)
        status = division->make(a, n, part, err);
    if (status == SP_OK)
        status = group(part, a->n_r, n, d->row_begin, &d->row_perm, err);
    if (square)
        d->col_perm = d->row_perm;
    else if (status == SP_OK)
        status = group((const int32_t *)part + a->n_r, a->n_c, n, d->col_begin, &d->col_perm, err);
    sp_large_free(NULL, part, n_items, sizeof(int32_t));
    return status == SP_OK ? invert(d, err) : status;
}

enum sp_status sp_ranks_make(const struct sp_division *division, const struct sp_csr *a, int n_ranks,
                             struct sp_ranks *d, struct sp_error *err)
{
    enum sp_status status = begin_ranks(a, n_ranks, d, err);
    if (status == SP_OK && sp_division_absent(division))
        status = sp_fail(err, SP_ABSENT, "take rows or nnz, or build with what is missing", "no %s: %s",
                         division->name, sp_division_absent(division));
    if (status == SP_OK && division->make)
        status = by_graph(division, a, n_ranks, d, err);
    else if (status == SP_OK && division->by_entries)
        status = equal_entries(a, n_ranks, d->row_begin, err);
    else if (status == SP_OK)
        equal_numbers(a->n_r, n_ranks, d->row_begin);
    if (status != SP_OK)
        sp_ranks_free(d);
    return status;
}

enum sp_status sp_ranks_of_parts(const struct sp_csr *a, const int32_t *part, int n_ranks, struct sp_ranks *d,
                                 struct sp_error *err)
{
    enum sp_status status = begin_ranks(a, n_ranks, d, err);
    for (int64_t i = 0; status == SP_OK && i < a->n_r; i++)
        if (part[i] < 0 || part[i] >= n_ranks)
            status = sp_fail(err, SP_INPUT, "parts count from 0; ask for as many ranks as there are parts",
                             "row %lld has part %d of %d", (long long)i + 1, (int)part[i], n_ranks);
    if (status == SP_OK)
        status = group(part, a->n_r, n_ranks, d->row_begin, &d->row_perm, err);
    if (a->n_r == a->n_c) {
        d->col_perm = d->row_perm;
        status = status == SP_OK ? invert(d, err) : status;
    }
    if (status != SP_OK)
        sp_ranks_free(d);
    return status;
}

enum sp_status sp_ranks_of_order(const struct sp_csr *a, const int32_t *order, int n_ranks,
                                 struct sp_ranks *d, struct sp_error *err)
{
    void *ptr = NULL, *perm;
    struct sp_partition p = {0};
    enum sp_status status = begin_ranks(a, n_ranks, d, err);
    if (status == SP_OK)
        status = sp_large_alloc(NULL, a->n_r + 1, sizeof(int64_t), "row lengths", &ptr, err);
    int64_t *lengths = ptr;
    for (int64_t i = 0; status == SP_OK && i < a->n_r; i++)
        lengths[i + 1] = a->row_ptr[order[i] + 1] - a->row_ptr[order[i]];
    if (status == SP_OK) {
        sp_prefix_sum(lengths, a->n_r);
        status = sp_partition_make(SP_SCHEDULE_NNZ, 1, n_ranks, a->n_r, lengths, &p, err);
    }
    sp_large_free(NULL, ptr, a->n_r + 1, sizeof(int64_t));
    if (status == SP_OK) {
        memcpy(d->row_begin, p.begin, (size_t)(n_ranks + 1) * sizeof *d->row_begin);
        status = sp_large_alloc(NULL, a->n_r, sizeof *d->row_perm, "the order of ranks", &perm, err);
        d->row_perm = d->col_perm = perm;
    }
    sp_partition_free(&p);
    if (status == SP_OK) {
        memcpy(d->row_perm, order, (size_t)a->n_r * sizeof *order);
        status = invert(d, err);
    }
    if (status != SP_OK)
        sp_ranks_free(d);
    return status;
}

void sp_ranks_parts(const struct sp_ranks *d, int32_t *part)
{
    for (int p = 0; p < d->n; p++)
        for (int64_t i = d->row_begin[p]; i < d->row_begin[p + 1]; i++)
            part[d->row_perm ? d->row_perm[i] : i] = p;
}
