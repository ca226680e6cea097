#include "io/matrix/mtx_scan.h"

void sp_mtx_number_array(const struct sp_mtx_header *h, int64_t first, struct sp_mtx_chunk *chunk)
{
    if (chunk->n == 0)
        return;
    const int64_t skip = h->symmetry == SP_SKEW_SYMMETRIC;
    int64_t row = first, col = 0;
    if (h->symmetry == SP_GENERAL) {
        row = first % h->n_r;
        col = first / h->n_r;
    } else {
        for (; row >= h->n_r - skip - col; col++)
            row -= h->n_r - skip - col;
        row += col + skip;
    }
    for (int64_t k = 0; k < chunk->n; k++) {
        chunk->row[k] = (int32_t)row;
        chunk->col[k] = (int32_t)col;
        if (++row == h->n_r) {
            col++;
            row = h->symmetry == SP_GENERAL ? 0 : col + skip;
        }
    }
}
