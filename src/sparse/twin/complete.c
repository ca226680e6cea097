#include <stddef.h>

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
