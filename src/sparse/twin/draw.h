/* Inside sp_twin_make: chances made of the features, and the entries off the diagonal. */
#ifndef SP_SPARSE_TWIN_DRAW_H
#define SP_SPARSE_TWIN_DRAW_H

#include "base/random.h"
#include "sparse/twin/twin.h"

/* SP_TWIN_LINE columns, in the list of the row that had them last. */
struct sp_twin_line {
    int32_t row, col; /* that row, or SP_TWIN_NEVER or SP_TWIN_FULL; one of the columns that it has */
    int32_t before, after;
};
enum { SP_TWIN_NEVER = -1, SP_TWIN_FULL = -2 };

struct sp_twin_copy {
    int32_t col;
    double chance;
};

/* Rows are drawn in order, looking back. The caller has the arrays, fills those marked so. */
struct sp_twin_draw {
    const struct sp_twin *t;
    int64_t scale, n_r, n_c;
    bool square;
    struct sp_random random;
    /* filled */
    int32_t *full;   /* [n_r] entries of the rows, the diagonal included */
    int32_t *length; /* [n_r] the same; mirrored: without the diagonal, less those that earlier rows made */
    int32_t *room;   /* [n_c] entries that columns may still get; mirrored: length */
    int64_t *stubs;  /* [n_c + 1] sums of the columns' lengths, for draws in proportion to them */
    bool *diagonal;  /* [n_r] is there one? Only where the matrix is square */
    /* results: row i has col[begin[i]] .. col[begin[i + 1]], ascending; mirrored: right part */
    int64_t *begin, n_col; /* [n_r + 1]; size of col */
    int32_t *col;
    /* work arrays */
    int32_t *taken;            /* [n_c] last row that has the column, -1 */
    int32_t *last;             /* [n_r] first of the lines that the row had last, -1: none */
    int32_t *scratch;          /* [n_c] */
    struct sp_twin_copy *copy; /* [n_c] */
    struct sp_twin_line *line; /* [n_c / SP_TWIN_LINE + 1] */
    /* where drawing is; zero at first */
    int64_t owed;                     /* entries that earlier rows lack; below 0: have too many */
    int64_t cursor;                   /* where columns with room are looked for */
    bool relaxed;                     /* columns may get more than was drawn for them */
    int64_t birth[SP_TWIN_BIRTHS];    /* sums over all parts */
    int64_t n_lag[SP_TWIN_STEPS + 1]; /* likewise */
};

void sp_twin_draw_rows(struct sp_twin_draw *w);

/* sp_twin_make() with the chances as they are. */
enum sp_status sp_twin_draw_matrix(const struct sp_twin *chances, int64_t scale, uint64_t seed, int n_threads,
                                   const struct sp_allocator *allocator, struct sp_csr *a,
                                   struct sp_error *err);

/* The chances whose twin of scale 1 and this seed, measured as the original was, is nearest to
 * `goal`; they are weights, no counts any more. *tuned is released with free(). SP_MEMORY. */
enum sp_status sp_twin_tune(const struct sp_twin *goal, uint64_t seed, int n_threads, struct sp_twin **tuned,
                            struct sp_error *err);

#endif
