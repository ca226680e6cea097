/* SpMMV and SpMM in BCSR: what the bodies of all instruction sets share. Private to kernels/cpu. */
#ifndef SP_KERNELS_CPU_DENSE_BCSR_H
#define SP_KERNELS_CPU_DENSE_BCSR_H

#include "kernels/cpu/spmm/dense_cpu.h"

/* A part of Y that stays in registers while all blocks [begin, end) of a block row are read: `rows`
 * rows of the block row from `row` on, and n_vectors vectors of columns. The first begins at column
 * k, the others follow, and the last one begins at k + last: it overlaps the one before where r is
 * no multiple of a vector. */
struct bcsr_tile {
    int64_t begin, end;
    int64_t row, y_row; /* inside the block row, and of Y */
    int rows, n_vectors;
    int64_t k, last;
};
typedef void bcsr_tile_function(const struct sp_dense_args *args, const struct bcsr_tile *tile);

enum { BCSR_MAX_ROWS = 16, BCSR_MAX_VECTORS = 4 };

/* The units [first, end) by tiles of `lanes` columns a vector and at most `registers` vectors of
 * Y. */
void sp_dense_bcsr_units(const struct sp_dense_args *args, int64_t first, int64_t end,
                         bcsr_tile_function *tile, int lanes, int registers);

/* SP_ABSENT for what these kernels do not do: column-major operands. */
enum sp_status sp_dense_bcsr_accepts(const struct sp_layout *layout, struct sp_error *err);

/* Lanes of a vector that suits a width: the largest power of two up to both. */
static inline int sp_dense_bcsr_lanes(int64_t r, int lanes)
{
    while (lanes > r)
        lanes /= 2;
    return lanes;
}

#endif
