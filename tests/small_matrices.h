/* Small matrices that are nasty in one way each, for tests of layouts and kernels. */
#ifndef SP_TESTS_SMALL_MATRICES_H
#define SP_TESTS_SMALL_MATRICES_H

#include <check.h>
#include <stdlib.h>

#include "base/hash.h"
#include "sparse/csr/csr.h"

enum small_matrix {
    SMALL_NOTHING,     /* 0 x 0 */
    SMALL_NO_COLUMNS,  /* 7 x 0 */
    SMALL_NO_ENTRIES,  /* 9 x 4 */
    SMALL_SINGLE,      /* 1 x 1 */
    SMALL_TRIDIAGONAL, /* n_r no multiple of any C */
    SMALL_STENCIL,     /* 27-point on 7 x 6 x 5 */
    SMALL_RANDOM,      /* with many empty rows, wide */
    SMALL_DENSE_ROW,   /* one full row, one entry in the others */
    SMALL_ARROW,       /* first row, first column, diagonal */
    SMALL_EMPTY_ENDS,  /* entries in the middle third only */
    SMALL_SKEWED,      /* row lengths from 0 to n_c */
    SMALL_COLUMN,      /* 70 x 1 */
    SMALL_FOLDED,      /* a column more than once in a row, as sp_csr_fold makes it */
    SMALL_COMPLEX,     /* complex values */
    N_SMALL_MATRICES
};

static inline bool small_has(enum small_matrix kind, int64_t i, int64_t j, int64_t n_c)
{
    uint64_t dice = sp_random_at(7, (uint64_t)(i * 4096 + j)) % 1000;
    switch (kind) {
    case SMALL_SINGLE:
    case SMALL_COLUMN:
        return kind == SMALL_SINGLE || i % 3 != 1;
    case SMALL_TRIDIAGONAL:
        return i - j <= 1 && j - i <= 1;
    case SMALL_STENCIL: {
        int64_t dx = i % 7 - j % 7, dy = i / 7 % 6 - j / 7 % 6, dz = i / 42 - j / 42;
        return dx * dx <= 1 && dy * dy <= 1 && dz * dz <= 1;
    }
    case SMALL_RANDOM:
        return i % 5 != 2 && dice < 60;
    case SMALL_DENSE_ROW:
        return i == 17 || j == (i * 13) % n_c;
    case SMALL_ARROW:
        return i == 0 || j == 0 || i == j;
    case SMALL_EMPTY_ENDS:
        return i >= 30 && i < 61 && dice < 200;
    case SMALL_SKEWED:
        return (j * 7 + i) % n_c < (i * i) % (n_c + 1);
    case SMALL_COMPLEX:
        return dice < 250;
    default:
        return false;
    }
}

/* The value of the n-th entry: all differ, none is zero, exact in f32; and which entry a value belongs to. */
static inline double small_value(int64_t n)
{
    return (double)(n + 1) / 64 * (n % 2 ? -1 : 1);
}
static inline int64_t small_value_place(double value)
{
    return (int64_t)((value < 0 ? -value : value) * 64) - 1;
}

static inline struct sp_csr small_matrix(enum small_matrix kind)
{
    static const int64_t sizes[N_SMALL_MATRICES][2] = {
        {0, 0},    {7, 0},     {9, 4},   {1, 1},   {37, 37}, {210, 210}, {101, 167},
        {64, 300}, {131, 131}, {91, 40}, {75, 83}, {70, 1},  {0, 0},     {45, 33}};
    struct sp_csr a;
    if (kind == SMALL_FOLDED) {
        struct sp_csr stencil = small_matrix(SMALL_STENCIL);
        ck_assert_int_eq(sp_csr_fold(&stencil, 40, 100, 19, &a, NULL), SP_OK);
        sp_csr_free(&stencil);
        return a;
    }
    int64_t n_r = sizes[kind][0], n_c = sizes[kind][1], n = 0;
    for (int64_t i = 0; i < n_r; i++)
        for (int64_t j = 0; j < n_c; j++)
            n += small_has(kind, i, j, n_c);
    enum sp_field field = kind == SMALL_COMPLEX ? SP_FIELD_COMPLEX : SP_FIELD_REAL;
    ck_assert_int_eq(sp_csr_alloc(n_r, n_c, n, field, NULL, &a, NULL), SP_OK);
    n = 0;
    for (int64_t i = 0; i < n_r; i++) {
        for (int64_t j = 0; j < n_c; j++) {
            if (!small_has(kind, i, j, n_c))
                continue;
            double value = small_value(n);
            a.col[n] = (int32_t)j;
            if (field == SP_FIELD_COMPLEX) {
                a.val[2 * n] = value;
                a.val[2 * n + 1] = 3 - value;
            } else {
                a.val[n] = value;
            }
            n++;
        }
        a.row_ptr[i + 1] = n;
    }
    return a;
}

/* The pattern of `kind` and its mirror image, square; entries below the diagonal and on it have small_value()
 * of their number, those above `sign` times that. -1: skew-symmetric, with a diagonal of zeros. */
static inline struct sp_csr small_symmetric(enum small_matrix kind, int sign)
{
    struct sp_csr whole = small_matrix(kind), a;
    const int64_t n = whole.n_r > whole.n_c ? whole.n_r : whole.n_c, n_c = whole.n_c;
    sp_csr_free(&whole);
    ck_assert_int_eq(sp_csr_alloc(n, n, n * n, SP_FIELD_REAL, NULL, &a, NULL), SP_OK);
    double *value = calloc((size_t)(n * n) + 1, sizeof *value); /* [n x n] of the lower triangle */
    int64_t k = 0, n_lower = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++)
            if (small_has(kind, i, j, n_c) || small_has(kind, j, i, n_c))
                value[i * n + j] = small_value(n_lower++);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) {
            double v = i >= j ? value[i * n + j] : sign * value[j * n + i];
            if (v == 0)
                continue;
            a.col[k] = (int32_t)j;
            a.val[k++] = i == j && sign < 0 ? 0 : v;
        }
        a.row_ptr[i + 1] = k;
    }
    free(value);
    struct sp_csr all = a;
    ck_assert_int_eq(sp_csr_fold(&all, 0, n, n > 0 ? n : 1, &a, NULL), SP_OK);
    all.n_nz = n * n;
    sp_csr_free(&all);
    return a;
}

#endif
