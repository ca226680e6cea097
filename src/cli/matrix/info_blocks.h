/* What `spmodel info --blocks` prints: BCSR with given blocks, counted without converting. */
#ifndef SP_CLI_INFO_BLOCKS_H
#define SP_CLI_INFO_BLOCKS_H

#include <stdint.h>
#include <stdio.h>

#include "base/status.h"
#include "sparse/csr/csr.h"

enum { SP_MOST_BLOCKS = 16 };

struct sp_block_list {
    int32_t b_h[SP_MOST_BLOCKS], b_w[SP_MOST_BLOCKS];
    int n;
};

/* "2x2,4x4,16x8" into the list; 0, or -1 where it is none. */
int sp_block_list_parse(const char *text, struct sp_block_list *list);

/* For each block: n_e between its bounds, fill, bytes against CRS, blocks of a block row (mean, deviation,
 * most), and n_e after rows, then rows and columns, are clustered by Jaccard distance: counted under the
 * permutation, before anything is rewritten [THEORY 7]. */
enum sp_status sp_info_blocks(const struct sp_csr *a, const struct sp_block_list *list, FILE *out,
                              struct sp_error *err);

#endif
