#include "kernels/cpu/bcsr/dense_bcsr.h"

#include "base/option/option_words.h"

/* Rows of the next piece of a block row with `left` rows left. */
static int piece_rows(int64_t left, int n_vectors, int registers)
{
    if (left >= 16 && 16 * n_vectors <= registers)
        return 16;
    if (left >= 8 && 8 * n_vectors <= registers)
        return 8;
    return left >= 4 ? 4 : (int)left;
}

static void block_row(const struct sp_dense_args *a, int64_t unit, bcsr_tile_function *tile, int lanes,
                      int registers)
{
    const int64_t r = a->r, b_h = a->layout->b_h, n_vectors = (r + lanes - 1) / lanes;
    const int most = registers / 4 < BCSR_MAX_VECTORS ? registers / 4 : BCSR_MAX_VECTORS;
    struct bcsr_tile t = {.begin = sp_dense_pointer(a, unit), .end = sp_dense_pointer(a, unit + 1)};
    for (int64_t v = 0; v < n_vectors; v += t.n_vectors) {
        /* equal parts: of five vectors three and two, not four and one */
        int64_t parts = (n_vectors - v + most - 1) / most;
        t.n_vectors = (int)((n_vectors - v + parts - 1) / parts);
        t.k = t.n_vectors == 1 && v == n_vectors - 1 ? r - lanes : v * lanes;
        int64_t last = (v + t.n_vectors - 1) * lanes;
        t.last = (last < r - lanes ? last : r - lanes) - t.k;
        for (t.row = 0; t.row < b_h; t.row += t.rows) {
            t.rows = piece_rows(b_h - t.row, t.n_vectors, registers);
            t.y_row = unit * b_h + t.row;
            tile(a, &t);
        }
    }
}

void sp_dense_bcsr_units(const struct sp_dense_args *a, int64_t first, int64_t end, bcsr_tile_function *tile,
                         int lanes, int registers)
{
    for (int64_t unit = first; unit < end; unit++)
        block_row(a, unit, tile, lanes, registers);
}

enum sp_status sp_dense_bcsr_accepts(const struct sp_layout *layout, struct sp_error *err)
{
    if (layout->order == SP_ROW_MAJOR)
        return SP_OK;
    return sp_fail(err, SP_ABSENT, "use " SP_O_ORDER " row",
                   "blocks are multiplied by row-major operands only");
}
