/* What a matrix looks like: lengths, places, symmetry, values, blocks. Exact where that is one pass
 * over the entries; counted on a seeded sample, with its error, where it is more (n_nz above
 * SP_STRUCTURE_SAMPLE entries). */
#ifndef SP_SPARSE_STRUCTURE_H
#define SP_SPARSE_STRUCTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "sparse/csr/csr.h"

enum { SP_STRUCTURE_SAMPLE = 1 << 20, SP_STRUCTURE_DISTINCT = 4096, SP_STRUCTURE_BLOCKS = 6 };

/* A share or a ratio; `error`: half the 95 % interval of a sampled one, 0 where counted. */
struct sp_estimate {
    double value, error;
    bool known; /* false: undefined for this matrix (not square, no entries) */
};

struct sp_block_fill {
    int32_t b_h, b_w;
    struct sp_estimate n_e;  /* blocks that hold an entry; error in blocks */
    struct sp_estimate beta; /* n_nz / (n_e b_h b_w) [THEORY 7] */
};

struct sp_structure {
    int64_t n_r, n_c, n_nz;
    enum sp_field field;
    enum sp_symmetry symmetry; /* of the file */
    int64_t n_zeros;           /* explicit zeros, counted */
    int64_t n_duplicates;

    /* entries per row */
    double n_nzr;  /* mean; 0 rows: 0 */
    double row_cv; /* standard deviation / mean; 0 without entries */
    int64_t row_min, row_median, row_p99, row_max;
    int64_t longest_row;  /* first row of row_max entries, 0-based */
    int64_t n_empty_rows; /* likewise columns: n_c - n_c_used */

    /* columns */
    double n_nzc;     /* n_nz / n_c */
    int64_t n_c_used; /* n_c' of THEORY 4: columns that occur */

    /* distance from the diagonal, |i - j| over the entries; meaningful for rectangular matrices
     * only as it stands */
    int64_t lower_bandwidth, upper_bandwidth; /* max of i - j and of j - i, at least 0 */
    int64_t profile; /* sum over rows of i - (first column), where positive: the lower envelope */
    double mean_distance;
    int64_t n_diagonal; /* entries on the diagonal, of min(n_r, n_c) */

    /* of the entries off the diagonal, the share whose mirror image is there / is there with the
     * same value. Square matrices with such entries only. */
    struct sp_estimate pattern_symmetry, value_symmetry;

    /* values; a pattern's are 1 */
    int64_t n_distinct;     /* different values, exact up to SP_STRUCTURE_DISTINCT */
    bool distinct_at_least; /* there are more than n_distinct */
    int64_t n_inexact_f32;  /* entries that fp32 would change */

    struct sp_block_fill block[SP_STRUCTURE_BLOCKS];
    /* of SELL-8 slots without sorting, the share with eight consecutive columns: u of THEORY 2 */
    struct sp_estimate unit_share;

    double crs_B;    /* [B] values, 32-bit indices and pointers of CRS (64-bit from 2^31 entries on) */
    double vector_B; /* [B] x and y */
};

/* Never changes `a`. SP_MEMORY; *s is zeroed then. */
enum sp_status sp_structure_analyse(const struct sp_csr *a, struct sp_structure *s, struct sp_error *err);

/* Can hardware that fetches ahead follow the gathers of x? */

/* Of the lines of x (`in_line` elements each) that a row gathers from and none of the rows shortly
 * before it did, the share whose neighbour in front was gathered from shortly before: a stream goes
 * on. From samples of neighbouring rows all over the matrix; NAN where there are no such lines. 1:
 * bands, stencils in natural order; 0: random columns. Fails with SP_MEMORY only. */
enum sp_status sp_streams_followed(const struct sp_csr *matrix, int64_t in_line, double *share,
                                   struct sp_error *err);

#endif
