/* Bytes that SpMM and SDDMM move where blocks of rows stage the rows of X that they need [THEORY 4, 5]. */
#ifndef SP_MODEL_VOLUME_STAGED_H
#define SP_MODEL_VOLUME_STAGED_H

#include "model/volume/volume_spmv.h"

struct sp_staged_reuse {
    double of_x; /* entries of a block for each of its distinct columns, the mean over entries: what staging
                    divides the traffic of X by */
    double r_t;  /* columns of the width for which an entry is read once: what divides the traffic of A */
};

/* Of a layout, for the misses of a cache of `cache_B` bytes: a block's entries are read once where the
 * largest block and its buffer fit the cache together, else once for each tile of the width. */
struct sp_staged_reuse sp_staged_reuse_of(const struct sp_layout *layout, double cache_B);

/* With s_i = 2, p the bytes of the layout's pointers and m = ceil(r/r_t):
 *   SpMM   V = m ((s_a + s_i) n_nz/beta + 4 n_nz/of_x + p) + r (s_x n_nz/of_x + w s_y n_r)
 *   SDDMM  V = m (s_i n_nz + 4 n_nz/of_x + p) + (s_a + 2 (m - 1) s_y + w s_y) n_nz + r s_x (n_r' + n_nz/of_x)
 * Exact where the buffers stay in the cache and blocks find no row of X that another block left there; an
 * upper bound where they do. */
struct sp_volume sp_volume_staged(const struct sp_layout *layout, struct sp_staged_reuse reuse, double w);

#endif
