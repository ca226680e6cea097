/* Which blocks of b_h x b_w hold entries, found without converting a matrix: what BCSR stores
 * [THEORY 7]. Blocks are aligned: block (I, J) has the rows I b_h .. I b_h + b_h - 1 and the
 * columns J b_w .. */
#ifndef SP_SPARSE_BCSR_H
#define SP_SPARSE_BCSR_H

#include <stdint.h>

#include "base/status.h"
#include "sparse/csr/csr.h"
#include "sparse/csr/permute.h"

struct sp_blocks {
    int32_t b_h, b_w;
    int64_t n_block_rows;    /* ceil(n_r / b_h) */
    int64_t n_e;             /* blocks that hold an entry */
    int64_t least, most;     /* ceil(n_nz / (b_h b_w)) <= n_e <= min(ceil(n_r/b_h) ceil(n_c/b_w), n_nz) */
    double fill;             /* beta = n_nz / (n_e b_h b_w); 1 without entries */
    double row_mean, row_sd; /* blocks in a block row; 0 without rows */
    int64_t row_max;
};

/* Exact, O(n_nz), in parallel; `order` NULL: as the matrix is. The permutations must have passed
 * sp_permutation_check(). SP_MEMORY; *blocks is zeroed then. */
enum sp_status sp_blocks_count(const struct sp_pattern *pattern, int32_t b_h, int32_t b_w,
                               const struct sp_permutations *order, struct sp_blocks *blocks,
                               struct sp_error *err);

/* One thread's walk over sets of rows: the distinct block columns in which they have entries. */
struct sp_block_walk {
    struct sp_pattern pattern;
    const int32_t *row_perm; /* borrowed */
    const int32_t *new_col;  /* [n_c] borrowed: the inverse of the order's col_perm */
    int32_t *column;         /* [n] distinct block columns, in the order of their first entries */
    int32_t *place;          /* [n_columns] 1 + where a block column is in `column`; 0: it is not there */
    int32_t *scratch;
    int64_t n;
};

/* n of them, in `walks`, the caller's; blocks of at least b_w columns may be looked for. What each
 * needs is touched by its user. SP_MEMORY; all are zeroed then. */
enum sp_status sp_block_walks_make(const struct sp_pattern *pattern, const int32_t *row_perm,
                                   const int32_t *new_col, int32_t b_w, int n, struct sp_block_walk *walks,
                                   struct sp_error *err);
void sp_block_walks_free(struct sp_block_walk *walks, int n);

/* Leaves the rows before; block columns of the rows [first, end), cut off at n_r; returns n. */
int64_t sp_block_walk_rows(struct sp_block_walk *walk, int64_t first, int64_t end, int32_t b_w);

#endif
