#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sparse/csr/csr.h"
#include "sparse/csr/sort.h"
#include "sparse/generate/family.h"

/* K distinct numbers below n, ascending, every set equally likely: draw until K are distinct. Above
 * n/2 the ones to leave out are drawn. out[] and scratch[] hold n items at most, K at least. */
static void draw_distinct(struct sp_random *random, int64_t n, int64_t k, int32_t *out, int32_t *scratch)
{
    int64_t wanted = 2 * k <= n ? k : n - k, have = 0;
    int32_t *drawn = wanted == k ? out : scratch;
    int32_t *spare = wanted == k ? scratch : scratch + wanted;
    while (have < wanted) {
        for (int64_t i = have; i < wanted; i++)
            drawn[i] = (int32_t)sp_random_below(random, n);
        sp_sort_i32(drawn, wanted, spare);
        have = 0;
        for (int64_t i = 0; i < wanted; i++)
            if (have == 0 || drawn[i] != drawn[have - 1])
                drawn[have++] = drawn[i];
    }
    if (drawn == out)
        return;
    int64_t next = 0, to = 0;
    for (int64_t j = 0; j < n; j++) {
        if (next < wanted && drawn[next] == j)
            next++;
        else
            out[to++] = (int32_t)j;
    }
}

/* random: arguments NxM, K, SEED */
static enum sp_status uniform_shape(const struct sp_generator *g, const struct sp_generator_argument *arg,
                                    struct sp_generator_shape *shape, struct sp_error *err)
{
    (void)g;
    shape->n_r = arg[0].size[0];
    shape->n_c = arg[0].size[1];
    if (arg[1].count > shape->n_c)
        return sp_fail(err, SP_USAGE, "take K up to the number of columns",
                       "%lld distinct columns a row of %lld", (long long)arg[1].count, (long long)shape->n_c);
    if (__builtin_mul_overflow(shape->n_r, arg[1].count, &shape->n_nz))
        return sp_fail(err, SP_USAGE, "take smaller parameters", "too many entries to count");
    shape->symmetry = SP_GENERAL;
    return SP_OK;
}

static void uniform_lengths(const struct sp_generator *g, const struct sp_generator_argument *arg,
                            int64_t first, int64_t end, int64_t *length)
{
    (void)g;
    for (int64_t i = first; i < end; i++)
        length[i - first] = arg[1].count;
}

static int64_t uniform_scratch(const struct sp_generator_argument *arg)
{
    return 2 * arg[1].count + 2;
}

static void uniform_rows(const struct sp_generator *g, const struct sp_generator_argument *arg, int64_t first,
                         int64_t end, int32_t *scratch, struct sp_csr *a)
{
    (void)g;
    uint64_t seed = (uint64_t)arg[2].count;
    for (int64_t i = first; i < end; i++) {
        struct sp_random random = {sp_random_at(seed, (uint64_t)i)};
        draw_distinct(&random, arg[0].size[1], arg[1].count, a->col + a->row_ptr[i], scratch);
        for (int64_t k = a->row_ptr[i]; k < a->row_ptr[i + 1]; k++)
            a->val[k] = sp_generator_value(seed, i, a->col[k]);
    }
}

const struct sp_generator_way sp_uniform_way = {.shape = uniform_shape,
                                                .lengths = uniform_lengths,
                                                .rows = uniform_rows,
                                                .scratch_items = uniform_scratch};

/* block: arguments NxM, B, K, SEED, FILL */
enum { FILL = 4 };

/* Is place `at` of the B K ones that the blocks give to row i taken? Where the blocks are does not
 * matter, so that lengths are known before columns. */
static bool is_filled(const struct sp_generator_argument *arg, int64_t i, int64_t at)
{
    if (arg[FILL].real >= 1)
        return true;
    struct sp_random coin = {
        sp_random_at((uint64_t)arg[3].count + (uint64_t)i * UINT64_C(0x9fb21c651e98df25), (uint64_t)at)};
    return sp_random_unit(&coin) < arg[FILL].real;
}

static enum sp_status block_shape(const struct sp_generator *g, const struct sp_generator_argument *arg,
                                  struct sp_generator_shape *shape, struct sp_error *err)
{
    (void)g;
    int64_t b = arg[1].count, k = arg[2].count;
    shape->n_r = arg[0].size[0];
    shape->n_c = arg[0].size[1];
    if (shape->n_r % b || shape->n_c % b)
        return sp_fail(err, SP_USAGE, "take multiples of B",
                       "%lld x %lld cannot be cut into blocks of %lld x %lld", (long long)shape->n_r,
                       (long long)shape->n_c, (long long)b, (long long)b);
    if (k > shape->n_c / b)
        return sp_fail(err, SP_USAGE, "take fewer blocks a row", "%lld distinct blocks in a row of %lld",
                       (long long)k, (long long)(shape->n_c / b));
    int64_t length;
    if (__builtin_mul_overflow(b, k, &length) || __builtin_mul_overflow(shape->n_r, length, &shape->n_nz))
        return sp_fail(err, SP_USAGE, "take smaller parameters", "too many entries to count");
    /* binomial: nine standard deviations, and room for small numbers */
    double all = (double)shape->n_nz, fill = arg[FILL].real;
    double bound = all * fill + 9 * sqrt(all * fill * (1 - fill)) + 40;
    shape->n_nz = bound < all ? (int64_t)bound : shape->n_nz;
    shape->symmetry = SP_GENERAL;
    return SP_OK;
}

static void block_lengths(const struct sp_generator *g, const struct sp_generator_argument *arg,
                          int64_t first, int64_t end, int64_t *length)
{
    (void)g;
    const int64_t room = arg[1].count * arg[2].count;
    for (int64_t i = first; i < end; i++) {
        length[i - first] = room;
        if (arg[FILL].real < 1) {
            length[i - first] = 0;
            for (int64_t at = 0; at < room; at++)
                length[i - first] += is_filled(arg, i, at);
        }
    }
}

static int64_t block_scratch(const struct sp_generator_argument *arg)
{
    return 3 * arg[2].count + 2;
}

static void block_rows(const struct sp_generator *g, const struct sp_generator_argument *arg, int64_t first,
                       int64_t end, int32_t *scratch, struct sp_csr *a)
{
    (void)g;
    int64_t b = arg[1].count, k = arg[2].count, drawn_for = -1;
    uint64_t seed = (uint64_t)arg[3].count;
    for (int64_t i = first; i < end; i++) {
        if (i / b != drawn_for) {
            drawn_for = i / b;
            struct sp_random random = {sp_random_at(seed, (uint64_t)drawn_for)};
            draw_distinct(&random, arg[0].size[1] / b, k, scratch, scratch + k);
        }
        int64_t to = a->row_ptr[i];
        for (int64_t block = 0; block < k; block++)
            for (int64_t j = scratch[block] * b; j < (scratch[block] + 1) * b; j++) {
                if (!is_filled(arg, i, block * b + j % b))
                    continue;
                a->col[to] = (int32_t)j;
                a->val[to++] = sp_generator_value(seed, i, j);
            }
    }
}

const struct sp_generator_way sp_block_way = {
    .shape = block_shape, .lengths = block_lengths, .rows = block_rows, .scratch_items = block_scratch};

/* R-MAT (Chakrabarti, Zhan, Faloutsos 2004) with the Graph500 probabilities: every edge descends
 * `scale` times into one of four quadrants. Arguments: SCALE, EDGEFACTOR, SEED. */
enum { SCALE, EDGEFACTOR, SEED };

static enum sp_status powerlaw_shape(const struct sp_generator *g, const struct sp_generator_argument *arg,
                                     struct sp_generator_shape *shape, struct sp_error *err)
{
    (void)g;
    (void)err;
    shape->n_r = shape->n_c = INT64_C(1) << arg[SCALE].count;
    shape->n_nz = shape->n_r * arg[EDGEFACTOR].count;
    shape->work_bytes = (double)shape->n_nz * 12 + (double)shape->n_r * 8;
    shape->symmetry = SP_GENERAL;
    return SP_OK;
}

/* 16 random bits decide a level, so the probabilities are exact to 2^-17. */
static uint64_t draw_edge(uint64_t seed, int64_t edge, int64_t scale)
{
    enum { A = 37356, AB = 37356 + 12452, ABC = 37356 + 2 * 12452 }; /* 0.57, 0.19, 0.19 of 65536 */
    struct sp_random random = {sp_random_at(seed, (uint64_t)edge)};
    uint64_t row = 0, col = 0, bits = 0;
    for (int64_t level = 0; level < scale; level++) {
        bits = level % 4 ? bits >> 16 : sp_random_next(&random);
        uint32_t r = (uint32_t)(bits & 0xffff);
        row = row << 1 | (r >= AB);
        col = col << 1 | ((r >= A && r < AB) || r >= ABC);
    }
    return row << 32 | col;
}

/* Sorts the columns of one row and drops repeated ones; returns how many are left. */
static int64_t unique(int32_t *col, int64_t n, int32_t *scratch)
{
    sp_sort_i32(col, n, scratch);
    int64_t left = 0;
    for (int64_t k = 0; k < n; k++)
        if (left == 0 || col[k] != col[left - 1])
            col[left++] = col[k];
    return left;
}

struct work {
    int64_t n_edges;
    uint64_t *edge; /* [n_edges] row, column */
    int64_t *begin; /* [n_r + 1] */
    int32_t *col;   /* [n_edges] columns by row, unsorted and with repetitions, then unique in front */
};

static enum sp_status take_work(const struct sp_generator_shape *shape, struct work *w, struct sp_error *err)
{
    void *p = NULL;
    enum sp_status status = sp_large_alloc(NULL, shape->n_nz, sizeof *w->edge, "edges", &p, err);
    w->edge = p;
    if (status == SP_OK) {
        status = sp_large_alloc(NULL, shape->n_r + 1, sizeof *w->begin, "edge counts", &p, err);
        w->begin = p;
    }
    if (status == SP_OK) {
        status = sp_large_alloc(NULL, shape->n_nz, sizeof *w->col, "sorted edges", &p, err);
        w->col = p;
    }
    return status;
}

/* Threads place the edges of a row in any order; sorting undoes that. */
static void place_edges(uint64_t seed, int64_t scale, int64_t n_r, struct work *w)
{
#pragma omp parallel for schedule(static)
    for (int64_t e = 0; e < w->n_edges; e++) {
        w->edge[e] = draw_edge(seed, e, scale);
        __atomic_fetch_add(&w->begin[(w->edge[e] >> 32) + 1], 1, __ATOMIC_RELAXED);
    }
    sp_prefix_sum(w->begin, n_r);
#pragma omp parallel for schedule(static)
    for (int64_t e = 0; e < w->n_edges; e++) {
        int64_t to = __atomic_fetch_add(&w->begin[w->edge[e] >> 32], 1, __ATOMIC_RELAXED);
        w->col[to] = (int32_t)(w->edge[e] & UINT32_MAX);
    }
    /* begin[i] has moved to the start of row i + 1 */
    memmove(w->begin + 1, w->begin, (size_t)n_r * sizeof *w->begin);
    w->begin[0] = 0;
}

static enum sp_status powerlaw_make(const struct sp_generator *g, const struct sp_generator_argument *arg,
                                    const struct sp_generator_shape *shape,
                                    const struct sp_allocator *allocator, struct sp_csr *a,
                                    struct sp_error *err)
{
    (void)g;
    uint64_t seed = (uint64_t)arg[SEED].count;
    struct work w = {.n_edges = shape->n_nz};
    enum sp_status status = take_work(shape, &w, err);
    if (status != SP_OK)
        goto done;
    place_edges(seed, arg[SCALE].count, shape->n_r, &w);
    status = sp_csr_take_rows(shape->n_r, shape->n_c, SP_FIELD_REAL, allocator, a, err);
    if (status != SP_OK)
        goto done;
    /* the edges have been read; their room now serves sorting, each row the part that it filled */
    int32_t *scratch = (int32_t *)w.edge;
#pragma omp parallel for schedule(dynamic, 256)
    for (int64_t i = 0; i < shape->n_r; i++)
        a->row_ptr[i + 1] = unique(w.col + w.begin[i], w.begin[i + 1] - w.begin[i], scratch + 2 * w.begin[i]);
    status = sp_csr_take_entries(a, err);
    if (status != SP_OK)
        goto done;
#pragma omp parallel for schedule(dynamic, 256)
    for (int64_t i = 0; i < shape->n_r; i++) {
        int64_t to = a->row_ptr[i], n = a->row_ptr[i + 1] - to;
        for (int64_t k = 0; k < n; k++) {
            a->col[to + k] = w.col[w.begin[i] + k];
            a->val[to + k] = sp_generator_value(seed, i, a->col[to + k]);
        }
    }
done:
    sp_large_free(NULL, w.edge, shape->n_nz, sizeof *w.edge);
    sp_large_free(NULL, w.begin, shape->n_r + 1, sizeof *w.begin);
    sp_large_free(NULL, w.col, shape->n_nz, sizeof *w.col);
    return status;
}

const struct sp_generator_way sp_powerlaw_way = {.shape = powerlaw_shape, .make = powerlaw_make};
