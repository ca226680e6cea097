#include <stdlib.h>
#include <string.h>

#include "sparse/csr/csr.h"
#include "sparse/csr/sort.h"

/* Columns up to the diagonal of row `place` of the window, folded, ascending and each once; how many. */
static int64_t fold_row(const struct sp_csr *a, int64_t first, int64_t place, int64_t window,
                        int32_t *columns, int32_t *scratch)
{
    const int64_t row = first + place, reach = place < window ? place : window;
    int64_t n = 0, n_kept = 0;
    for (int64_t k = a->row_ptr[row]; k < a->row_ptr[row + 1] && a->col[k] <= row; k++) {
        int64_t distance = row - a->col[k];
        if (distance == 0)
            columns[n++] = (int32_t)place;
        else if (reach > 0)
            columns[n++] = (int32_t)(place - 1 - (distance - 1) % reach);
    }
    sp_sort_i32(columns, n, scratch);
    for (int64_t k = 0; k < n; k++)
        if (k == 0 || columns[k] != columns[k - 1])
            columns[n_kept++] = columns[k];
    return n_kept;
}

/* Rows are filled from the top: a row has all of its lower triangle before the first of its mirror images. */
static void put(struct sp_csr *a, int64_t row, int64_t column, double value)
{
    int64_t at = a->row_ptr[row + 1]++;
    a->col[at] = (int32_t)column;
    a->val[at] = value;
}

/* From the lower triangle: row i has the columns lower[from[i]] .. lower[from[i + 1]]. */
static enum sp_status mirror(int64_t n, const int32_t *lower, const int64_t *from, struct sp_csr *folded,
                             struct sp_error *err)
{
    int64_t n_nz = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = from[i]; k < from[i + 1]; k++)
            n_nz += lower[k] == i ? 1 : 2;
    enum sp_status status = sp_csr_alloc(n, n, n_nz, SP_FIELD_REAL, NULL, folded, err);
    if (status != SP_OK)
        return status;
    folded->symmetry = SP_SYMMETRIC;
    int64_t *next = folded->row_ptr + 1; /* where the next entry of a row goes; at last where the row ends */
    memset(folded->row_ptr, 0, (size_t)(n + 1) * sizeof *next);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = from[i]; k < from[i + 1]; k++) {
            next[i]++;
            next[lower[k]] += lower[k] != i;
        }
    for (int64_t i = 0, sum = 0; i < n; i++) {
        int64_t length = next[i];
        next[i] = sum;
        sum += length;
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = from[i]; k < from[i + 1]; k++) {
            double value = 1 + (double)(k % 64) / 64;
            put(folded, i, lower[k], value);
            if (lower[k] != i)
                put(folded, lower[k], i, value);
        }
    return SP_OK;
}

enum sp_status sp_csr_fold_symmetric(const struct sp_csr *a, int64_t first, int64_t n_rows, int64_t window,
                                     struct sp_csr *folded, struct sp_error *err)
{
    const int64_t n = a->row_ptr[first + n_rows] - a->row_ptr[first];
    void *lower = NULL, *scratch = NULL, *from = NULL;
    enum sp_status status = sp_new_array(n, sizeof(int32_t), "columns of a window", &lower, err);
    if (status == SP_OK)
        status = sp_new_array(n, sizeof(int32_t), "columns of a window", &scratch, err);
    if (status == SP_OK)
        status = sp_new_array(n_rows + 1, sizeof(int64_t), "rows of a window", &from, err);
    if (status == SP_OK) {
        int64_t *row = from;
        for (int64_t i = 0; i < n_rows; i++)
            row[i + 1] = row[i] + fold_row(a, first, i, window, (int32_t *)lower + row[i], scratch);
        status = mirror(n_rows, lower, row, folded, err);
    } else {
        memset(folded, 0, sizeof *folded);
    }
    free(lower);
    free(scratch);
    free(from);
    return status;
}
