#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "sparse/csr/builder.h"
#include "sparse/csr/csr.h"
#include "sparse/generate/family.h"
#include "sparse/twin/draw.h"
#include "sparse/twin/twin.h"

/* Counts are sums over entries or rows, so that no sum of them overflows below this. */
static const int64_t MOST = INT64_C(1) << 40;

static bool are_counts(const int64_t *n, size_t n_items)
{
    for (size_t k = 0; k < n_items; k++)
        if (n[k] < 0 || n[k] > MOST)
            return false;
    return true;
}

/* Every part has as many lengths as rows, and none is longer than `longest`. */
static bool lengths_hold(struct sp_twin_lengths *l, int64_t n, int64_t longest)
{
    int64_t rows_of[SP_TWIN_LENGTHS] = {0};
    l->n = n;
    l->n_parts = sp_twin_length_parts(n);
    if (!are_counts(l->sum, SP_TWIN_LENGTHS) ||
        !are_counts(&l->count[0][0], sizeof l->count / sizeof l->count[0][0]) ||
        !are_counts(&l->next[0][0], sizeof l->next / sizeof l->next[0][0]))
        return false;
    for (int32_t p = 0; p < l->n_parts; p++) {
        int64_t rows = n * p / l->n_parts - n * (p + 1) / l->n_parts;
        for (int class = 0; class < SP_TWIN_LENGTHS; class ++) {
            rows += l->count[p][class];
            rows_of[class] += l->count[p][class];
        }
        if (rows != 0)
            return false;
    }
    for (int class = 0; class < SP_TWIN_LENGTHS; class ++)
        if (l->sum[class] > longest * rows_of[class])
            return false;
    return true;
}

const char *sp_twin_complete(struct sp_twin *t)
{
    if (t->n_r < 0 || t->n_r > SP_MAX_DIMENSION || t->n_c < 0 || t->n_c > SP_MAX_DIMENSION)
        return t->n_r < 0 || t->n_r > SP_MAX_DIMENSION ? "n_r" : "n_c";
    if (t->n_nz < 0 || t->n_nz > MOST)
        return "n_nz";
    if ((t->mirrored && t->n_r != t->n_c) || t->mirrored < (t->symmetry != SP_GENERAL))
        return "mirrored";
    if (t->n_diagonal < 0 || t->n_diagonal > (t->n_r == t->n_c ? t->n_r : 0))
        return "n_diagonal";
    if (t->n_atoms < 0 || t->n_atoms > SP_TWIN_ATOMS || !are_counts(t->atom_count, SP_TWIN_ATOMS))
        return "n_atoms";
    for (int k = 0; k < t->n_atoms; k++)
        if (t->atom_offset[k] < -t->n_c || t->atom_offset[k] > t->n_c)
            return "atom_offset";
    t->n_parts = sp_twin_place_parts(t->n_r);
    t->n_column_parts = sp_twin_place_parts(t->n_c);
    if (!lengths_hold(&t->rows, t->n_r, t->n_c))
        return "row_length";
    int64_t n_nz = 0;
    for (int class = 0; class < SP_TWIN_LENGTHS; class ++)
        n_nz += t->rows.sum[class];
    if (n_nz != t->n_nz)
        return "n_nz";
    if (!t->mirrored && !lengths_hold(&t->columns, t->n_c, t->n_r))
        return "column_length";
    const struct {
        const char *name;
        const int64_t *first;
        size_t size;
    } counts[] = {{"shift", &t->shift[0][0], sizeof t->shift},
                  {"offered", &t->offered[0][0], sizeof t->offered},
                  {"copied", &t->copied[0][0], sizeof t->copied},
                  {"birth", &t->birth[0][0], sizeof t->birth},
                  {"gap", t->gap, sizeof t->gap},
                  {"lag", &t->lag[0][0], sizeof t->lag},
                  {"same_column", t->same_column, sizeof t->same_column},
                  {"grid", &t->grid[0][0], sizeof t->grid},
                  {"near", t->near, sizeof t->near},
                  {"reuse", t->reuse, sizeof t->reuse}};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
        if (!are_counts(counts[k].first, counts[k].size / sizeof(int64_t)))
            return counts[k].name;
    return NULL;
}

enum { BLOCK = 4096 };

/* Lengths of rows and columns, less the diagonal, and the sums of the latter. */
static void draw_targets(struct sp_twin_draw *w, uint64_t seed)
{
    const struct sp_twin *t = w->t;
    sp_twin_draw_lengths(&t->rows, w->scale, sp_random_at(seed, 1), w->length);
    memcpy(w->full, w->length, (size_t)w->n_r * sizeof *w->full);
    if (!t->mirrored)
        sp_twin_draw_lengths(&t->columns, w->scale, sp_random_at(seed, 2), w->room);
    for (int64_t j = 0; j < w->n_c; j++)
        w->stubs[j + 1] = w->room[j];
    sp_prefix_sum(w->stubs, w->n_c);
    struct sp_random random = {sp_random_at(seed, 3)};
    for (int64_t i = 0; w->square && i < w->n_r; i++) {
        w->diagonal[i] = w->length[i] > 0 && sp_random_below(&random, t->n_r) < t->n_diagonal;
        w->room[i] -= w->diagonal[i];
    }
}

struct entries {
    int64_t n;
    int32_t row[BLOCK], col[BLOCK];
    double val[2 * BLOCK];
};

static void value_of(const struct sp_twin *t, uint64_t seed, int32_t i, int32_t j, double *value)
{
    const double v = fabs(sp_generator_value(seed, i, j));
    value[0] = t->field == SP_FIELD_PATTERN ? 1 : t->field == SP_FIELD_INTEGER ? 1 + floor(8.99 * v) : v;
    if (t->field == SP_FIELD_COMPLEX)
        value[1] = i == j && t->symmetry == SP_HERMITIAN ? 0 : fabs(sp_generator_value(~seed, i, j));
}

/* Gives all entries of the rows [first, end) to the builder, for either pass. */
static bool hand_over(const struct sp_twin_draw *w, uint64_t seed, int thread, int64_t first, int64_t end,
                      bool place, struct entries *e, struct sp_csr_builder *b)
{
    const int parts = w->t->field == SP_FIELD_COMPLEX ? 2 : 1;
    bool good = true;
    e->n = 0;
    for (int64_t i = first; i < end; i++)
        for (int64_t k = w->begin[i] - w->diagonal[i]; k < w->begin[i + 1]; k++) {
            /* the lower triangle is what files hold, where skew-symmetric values are positive */
            int32_t j = k < w->begin[i] ? (int32_t)i : w->col[k], row = (int32_t)i;
            e->row[e->n] = w->t->mirrored ? j : row;
            e->col[e->n] = w->t->mirrored ? row : j;
            if (place)
                value_of(w->t, seed, e->row[e->n], e->col[e->n], e->val + parts * e->n);
            if (++e->n < BLOCK)
                continue;
            if (place)
                good &= sp_csr_builder_place(b, thread, e->n, e->row, e->col, e->val);
            else
                sp_csr_builder_count(b, thread, e->n, e->row, e->col);
            e->n = 0;
        }
    if (place)
        good &= sp_csr_builder_place(b, thread, e->n, e->row, e->col, e->val);
    else
        sp_csr_builder_count(b, thread, e->n, e->row, e->col);
    return good;
}

static enum sp_status build(const struct sp_twin_draw *w, uint64_t seed, int n_threads,
                            const struct sp_allocator *allocator, struct sp_csr *a, struct sp_error *err)
{
    const struct sp_twin *t = w->t;
    const enum sp_symmetry symmetry = !t->mirrored                ? SP_GENERAL
                                      : t->symmetry == SP_GENERAL ? SP_SYMMETRIC
                                                                  : t->symmetry;
    struct sp_csr_builder b;
    struct entries *entries;
    enum sp_status status =
        sp_new_array(n_threads, sizeof *entries, "entries on their way", (void **)&entries, err);
    if (status != SP_OK)
        return status;
    status = sp_csr_builder_open(&b, w->n_r, w->n_c, t->field, symmetry, n_threads, allocator, err);
    for (int place = 0; place < 2 && status == SP_OK; place++) {
        bool good = true;
#pragma omp parallel for num_threads(n_threads) schedule(static) reduction(&& : good)
        for (int thread = 0; thread < n_threads; thread++)
            good = hand_over(w, seed, thread, w->n_r * thread / n_threads, w->n_r * (thread + 1) / n_threads,
                             place, &entries[thread], &b);
        if (!good)
            status = sp_fail(err, SP_BUG, NULL, "the entries of a twin changed on the way");
        else if (!place)
            status = sp_csr_builder_seal(&b, err);
        else
            status = sp_csr_builder_finish(&b, a, err);
    }
    sp_csr_builder_free(&b);
    free(entries);
    if (status == SP_OK && t->symmetry == SP_GENERAL)
        a->symmetry = SP_GENERAL;
    return status;
}

enum sp_status sp_twin_estimate(const struct sp_twin *t, int64_t scale, int n_threads, int64_t *n_r,
                                int64_t *n_c, int64_t *n_nz, double *bytes, struct sp_error *err)
{
    *n_r = *n_c = *n_nz = 0;
    *bytes = 0;
    const int64_t most = t->n_r > t->n_c ? t->n_r : t->n_c;
    if (scale < 1 || scale > SP_MAX_DIMENSION || most * scale > SP_MAX_DIMENSION)
        return sp_fail(err, SP_USAGE, "take a scale from 1 on that leaves the matrix below 2147483648 rows",
                       "a twin of %lld x %lld cannot be scaled by %lld", (long long)t->n_r, (long long)t->n_c,
                       (long long)scale);
    *n_r = t->n_r * scale;
    *n_c = t->n_c * scale;
    *n_nz = t->n_nz * scale;
    *bytes = sp_csr_bytes(*n_r, *n_nz, t->field) + sp_csr_builder_bytes(*n_r, n_threads) +
             4.0 * (double)*n_nz + 13.0 * (double)*n_r + 16.5 * (double)*n_c;
    return SP_OK;
}

static enum sp_status take(struct sp_twin_draw *w, struct sp_error *err)
{
    static const char what[] = "a twin";
    enum sp_status status = sp_new_array(w->n_r, sizeof *w->length, what, (void **)&w->length, err);
    w->room = w->length;
    if (status == SP_OK && !w->t->mirrored)
        status = sp_new_array(w->n_c, sizeof *w->room, what, (void **)&w->room, err);
    if (status == SP_OK)
        status = sp_new_array(w->n_c + 1, sizeof *w->stubs, what, (void **)&w->stubs, err);
    if (status == SP_OK)
        status = sp_new_array(w->n_r, sizeof *w->diagonal, what, (void **)&w->diagonal, err);
    if (status == SP_OK)
        status = sp_new_array(w->n_r + 1, sizeof *w->begin, what, (void **)&w->begin, err);
    if (status == SP_OK)
        status = sp_new_array(w->n_c, sizeof *w->taken, what, (void **)&w->taken, err);
    if (status == SP_OK)
        status = sp_new_array(w->n_c / SP_TWIN_LINE + 1, sizeof *w->line, what, (void **)&w->line, err);
    if (status == SP_OK)
        status = sp_new_array(w->n_r, sizeof *w->last, what, (void **)&w->last, err);
    if (status == SP_OK)
        status = sp_new_array(w->n_r, sizeof *w->full, what, (void **)&w->full, err);
    if (status == SP_OK)
        status = sp_new_array(w->n_c, sizeof *w->copy, what, (void **)&w->copy, err);
    if (status == SP_OK)
        status = sp_new_array(w->n_c, sizeof *w->scratch, what, (void **)&w->scratch, err);
    return status;
}

static void release(struct sp_twin_draw *w)
{
    if (w->room != w->length)
        free(w->room);
    free(w->length);
    free(w->stubs);
    free(w->diagonal);
    free(w->begin);
    free(w->taken);
    free(w->line);
    free(w->last);
    free(w->full);
    free(w->copy);
    free(w->scratch);
    sp_large_free(NULL, w->col, w->n_col, sizeof *w->col);
}

enum sp_status sp_twin_draw_matrix(const struct sp_twin *t, int64_t scale, uint64_t seed, int n_threads,
                                   const struct sp_allocator *allocator, struct sp_csr *a,
                                   struct sp_error *err)
{
    struct sp_twin_draw w = {
        .t = t, .scale = scale, .square = t->n_r == t->n_c, .random = {sp_random_at(seed, 0)}};
    int64_t n_nz, n_most = 0;
    double bytes;
    memset(a, 0, sizeof *a);
    enum sp_status status = sp_twin_estimate(t, scale, n_threads, &w.n_r, &w.n_c, &n_nz, &bytes, err);
    if (status == SP_OK)
        status = take(&w, err);
    if (status == SP_OK) {
        draw_targets(&w, seed);
        for (int64_t i = 0; i < w.n_r; i++)
            n_most += w.length[i] > 0 ? w.length[i] : 0;
        w.n_col = n_most + n_most / 4 + 2 * w.n_r + 8 * w.n_c;
        void *p;
        status = sp_large_alloc(NULL, w.n_col, sizeof *w.col, "a twin", &p, err);
        w.col = p;
    }
    if (status == SP_OK) {
        sp_twin_draw_rows(&w);
        status = build(&w, sp_random_at(seed, 4), n_threads, allocator, a, err);
    }
    release(&w);
    return status;
}

enum sp_status sp_twin_make(const struct sp_twin *t, int64_t scale, uint64_t seed, int n_threads,
                            const struct sp_allocator *allocator, struct sp_csr *a, struct sp_error *err)
{
    struct sp_twin *tuned;
    memset(a, 0, sizeof *a);
    enum sp_status status = sp_twin_tune(t, seed, n_threads, &tuned, err);
    if (status == SP_OK)
        status = sp_twin_draw_matrix(tuned, scale, seed, n_threads, allocator, a, err);
    free(tuned);
    return status;
}
