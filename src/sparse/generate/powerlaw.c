#include <stdlib.h>
#include <string.h>

#include "sparse/csr/csr_build.h"
#include "sparse/csr/sort.h"
#include "sparse/generate/families.h"

/* R-MAT (Chakrabarti, Zhan, Faloutsos 2004) with the Graph500 probabilities: every edge descends `scale`
 * times into one of four quadrants. Arguments: SCALE, EDGEFACTOR, SEED. */
enum { SCALE, EDGEFACTOR, SEED };

enum sp_status sp_powerlaw_shape(const struct sp_generator *g, const struct sp_generator_argument *arg,
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

/* The order in which threads place the edges of a row differs from run to run; sorting undoes that. */
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

enum sp_status sp_powerlaw_make(const struct sp_generator *g, const struct sp_generator_argument *arg,
                                const struct sp_generator_shape *shape, const struct sp_allocator *allocator,
                                struct sp_csr *a, struct sp_error *err)
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
