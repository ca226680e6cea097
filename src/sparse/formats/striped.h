/* STRIPED, column blocking: the rows of thread t (begin[t] .. begin[t + 1] - 1 of the partition) in
 * cells, cell_begin[t] .. cell_begin[t + 1] - 1: stripe by stripe of W columns, and in each stripe
 * block by block of SP_CELL_ROWS rows; in the first one of SP_FIRST_ROWS rows, which are set to
 * zero first (`clears`) and stay in the innermost cache. Entry j of cell c, one of cell[c].entry ..
 * cell[c + 1].entry - 1, adds to row cell[c].row + row_index[j], 16 bits. Inside a cell each group
 * of SP_GROUP_ROWS rows has first the first entries of its rows, then their second ones and so on,
 * so that additions seldom wait for the one before. ptr is that of CRS: what the partition and
 * thread_entries() count; kernels need it not. */
#ifndef SP_SPARSE_STRIPED_H
#define SP_SPARSE_STRIPED_H

#include "sparse/formats/layout.h"

enum { SP_FIRST_ROWS = 2048, SP_CELL_ROWS = 65536, SP_GROUP_ROWS = 512 };
/* W, in columns; the default is 2 MiB of x in f64. */
enum { SP_MIN_STRIPE = 64, SP_DEFAULT_STRIPE = 262144 };

struct sp_cell {
    int64_t entry;
    int32_t row, clears;
};

struct sp_stripes {
    int64_t n_cells;
    struct sp_cell *cell; /* [n_cells + 1] */
    int64_t *cell_begin;  /* [n_threads + 1] */
    int64_t n_updated;    /* lines of 64 bytes of y that stripes after the first one update, each counted */
};

static inline const struct sp_stripes *sp_stripes_of(const struct sp_layout *layout)
{
    return layout->own;
}

#endif
