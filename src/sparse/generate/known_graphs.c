/* Graphs of which many collections have an instance, every edge a 1. */
#include "sparse/generate/family.h"

static void put(struct sp_csr *a, int64_t row, const int32_t *col, int64_t n)
{
    for (int64_t k = 0; k < n; k++) {
        a->col[a->row_ptr[row] + k] = col[k];
        a->val[a->row_ptr[row] + k] = 1;
    }
}

/* ---- binary De Bruijn graph: i -> 2 i and 2 i + 1 modulo n, both ways, without loops ---- */

/* The neighbours of i in ascending order; returns how many. */
static int neighbours(int64_t n, int64_t i, int32_t col[4])
{
    const int64_t next[] = {2 * i % n, (2 * i + 1) % n, i / 2, i / 2 + n / 2};
    int n_col = 0;
    for (int k = 0; k < 4; k++) {
        int at = 0;
        while (at < n_col && col[at] < next[k])
            at++;
        if (next[k] == i || (at < n_col && col[at] == next[k]))
            continue;
        for (int j = n_col++; j > at; j--)
            col[j] = col[j - 1];
        col[at] = (int32_t)next[k];
    }
    return n_col;
}

static enum sp_status debruijn_shape(const struct sp_generator *g, const struct sp_generator_argument *arg,
                                     struct sp_generator_shape *shape, struct sp_error *err)
{
    (void)g;
    (void)err;
    const int64_t n = INT64_C(1) << arg[0].count;
    shape->n_r = shape->n_c = n;
    shape->n_nz = n > 2 ? 4 * n - 6 : 2; /* two loops fall away, and 0101... and 1010... are joined twice */
    shape->symmetry = SP_SYMMETRIC;
    return SP_OK;
}

static void debruijn_lengths(const struct sp_generator *g, const struct sp_generator_argument *arg,
                             int64_t first, int64_t end, int64_t *length)
{
    (void)g;
    int32_t col[4];
    for (int64_t i = first; i < end; i++)
        length[i - first] = neighbours(INT64_C(1) << arg[0].count, i, col);
}

static void debruijn_rows(const struct sp_generator *g, const struct sp_generator_argument *arg,
                          int64_t first, int64_t end, int32_t *scratch, struct sp_csr *a)
{
    (void)g;
    (void)scratch;
    int32_t col[4];
    for (int64_t i = first; i < end; i++)
        put(a, i, col, neighbours(INT64_C(1) << arg[0].count, i, col));
}

const struct sp_generator_way sp_debruijn_way = {
    .shape = debruijn_shape, .lengths = debruijn_lengths, .rows = debruijn_rows};

/* ---- Mycielski's construction: M_2 is one edge; M_{k+1} has a copy u of every node v of M_k,
 * joined to the neighbours of v, and one node w joined to all copies: v at 0 ... n-1, u at n ...
 * 2n-1, w at 2n ---- */

static int64_t nodes(int64_t k)
{
    return 3 * (INT64_C(1) << (k - 2)) - 1;
}

static int64_t degree(int64_t k, int64_t i)
{
    int64_t factor = 1, more = 0;
    while (k > 2) {
        const int64_t n = nodes(--k);
        if (i == 2 * n)
            return factor * n + more;
        if (i >= n) {
            more += factor;
            i -= n;
        } else {
            factor *= 2;
        }
    }
    return factor + more;
}

static int64_t neighbours_of(int64_t k, int64_t i, int32_t *col)
{
    if (k == 2) {
        col[0] = (int32_t)(1 - i);
        return 1;
    }
    const int64_t n = nodes(k - 1);
    if (i == 2 * n) {
        for (int64_t j = 0; j < n; j++)
            col[j] = (int32_t)(n + j);
        return n;
    }
    int64_t n_col = neighbours_of(k - 1, i < n ? i : i - n, col);
    if (i >= n) {
        col[n_col] = (int32_t)(2 * n);
        return n_col + 1;
    }
    for (int64_t j = 0; j < n_col; j++)
        col[n_col + j] = (int32_t)(n + col[j]);
    return 2 * n_col;
}

static enum sp_status mycielskian_shape(const struct sp_generator *g, const struct sp_generator_argument *arg,
                                        struct sp_generator_shape *shape, struct sp_error *err)
{
    (void)g;
    (void)err;
    shape->n_r = shape->n_c = nodes(arg[0].count);
    shape->n_nz = 2;
    for (int64_t k = 2; k < arg[0].count; k++)
        shape->n_nz = 3 * shape->n_nz + 2 * nodes(k);
    shape->symmetry = SP_SYMMETRIC;
    return SP_OK;
}

static void mycielskian_lengths(const struct sp_generator *g, const struct sp_generator_argument *arg,
                                int64_t first, int64_t end, int64_t *length)
{
    (void)g;
    for (int64_t i = first; i < end; i++)
        length[i - first] = degree(arg[0].count, i);
}

static int64_t mycielskian_scratch(const struct sp_generator_argument *arg)
{
    return nodes(arg[0].count); /* no row is longer */
}

static void mycielskian_rows(const struct sp_generator *g, const struct sp_generator_argument *arg,
                             int64_t first, int64_t end, int32_t *scratch, struct sp_csr *a)
{
    (void)g;
    for (int64_t i = first; i < end; i++)
        put(a, i, scratch, neighbours_of(arg[0].count, i, scratch));
}

const struct sp_generator_way sp_mycielskian_way = {.shape = mycielskian_shape,
                                                    .lengths = mycielskian_lengths,
                                                    .rows = mycielskian_rows,
                                                    .scratch_items = mycielskian_scratch};
