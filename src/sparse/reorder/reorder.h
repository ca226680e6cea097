/* Reorderings of rows and columns: one file reorder_NAME.c and one row in reorder.c each.
 *
 * A method as a user types it is NAME[:NUMBER][+SIDE]: "rcm", "random:7", "metis:16+rows". The
 * sides:
 *   sym   rows and columns take one order, which needs a square matrix
 *   rows  columns stay        cols  rows stay        both  rows and columns get an order each
 * Without a side that of the table is taken; of rectangular matrices `both` in place of `sym`. */
#ifndef SP_SPARSE_REORDER_H
#define SP_SPARSE_REORDER_H

#include "sparse/csr/csr.h"
#include "sparse/csr/permute.h"
#include "sparse/product/workload.h"
#include "sparse/structure/structure.h"

enum sp_reorder_side {
    SP_REORDER_SYMMETRIC,
    SP_REORDER_ROWS,
    SP_REORDER_COLUMNS,
    SP_REORDER_BOTH,
    SP_N_REORDER_SIDES
};
/* "sym", "rows", "cols", "both". */
const char *sp_reorder_side_name(enum sp_reorder_side side);
int sp_reorder_side_from_name(const char *name); /* -1: none */

/* What a method looks at. Lists: of a row its columns, of a column its rows; one order of both is
 * that of the rows. Graph: of a vertex its neighbours, in A + A^T for one order of both, else in
 * the graph of rows and columns (sp_graph_bipartite()), of whose order rows and columns each keep
 * their part. Degrees: in A + A^T for one order of both, else as lists. */
enum sp_reorder_sight { SP_REORDER_LISTS, SP_REORDER_GRAPH, SP_REORDER_DEGREES };

struct sp_reordering {
    const char *name;            /* "rcm" */
    const char *form;            /* "random[:SEED]" */
    const char *summary;         /* one line */
    const char *(*absent)(void); /* sp_reordering_absent(); NULL: every build has it */
    bool takes_number;
    bool is_seed;   /* the number is one: rows and columns then differ */
    int64_t number; /* where the user gives none */
    enum sp_reorder_side side;
    enum sp_reorder_sight sight;
    /* perm[pattern->n_r], new to old (sparse/csr/permute.h), of what the pattern's rows stand for.
     * Deterministic: the same for any number of threads. */
    enum sp_status (*make)(const struct sp_pattern *pattern, uint64_t number, int32_t *perm,
                           struct sp_error *err);
};

extern const struct sp_reordering sp_reordering_table[]; /* ends with name NULL */

/* NULL, or why this build cannot make it. */
const char *sp_reordering_absent(const struct sp_reordering *reordering);

/* A method that was understood. */
struct sp_reorder_choice {
    const struct sp_reordering *row; /* of the table */
    uint64_t number;
    enum sp_reorder_side side;
};

/* SP_USAGE: no such method, or one order for both sides of a rectangular matrix; SP_ABSENT: this
 * build has no such method. */
enum sp_status sp_reorder_parse(const char *method, int64_t n_r, int64_t n_c,
                                struct sp_reorder_choice *choice, struct sp_error *err);

/* The order that a method finds, without applying it; the caller frees it with
 * sp_permutations_free(). Errors as above, and SP_MEMORY. "none" has no arrays. */
enum sp_status sp_reorder_find(const char *method, const struct sp_csr *a, struct sp_permutations *order,
                               struct sp_error *err);

/* The matrix in the new order. perm[n_r] receives the permutation of the rows unless it is NULL. */
enum sp_status sp_reorder(const char *method, const struct sp_csr *a, const struct sp_allocator *allocator,
                          int32_t *perm, struct sp_csr *b, struct sp_error *err);

/* What a matrix would look like in another order, before it is rewritten: the places of its
 * entries, and what formats and threads make of them. Equal to what sp_structure_analyse(),
 * sp_sell_beta(), sp_blocks_count() and the partition say of the rewritten matrix. alpha is
 * previewed by traces of sp_layout_make_permuted(). */

struct sp_preview_options {
    int32_t C; /* of SELL */
    int64_t sigma;
    int32_t b_h, b_w; /* of blocks */
    int n_threads;
    enum sp_schedule schedule; /* of rows in CRS */
    int64_t block;             /* of cyclic */
    bool exact;                /* blocks of long matrices are counted, not sampled */
};

struct sp_preview {
    int64_t lower_bandwidth, upper_bandwidth, profile; /* as in struct sp_structure */
    double mean_distance;                              /* |i - j| over the entries */
    double beta;                                       /* of SELL-C-sigma */
    double lambda;                                     /* entries: max/mean over threads; 1 without entries */
    struct sp_estimate n_e; /* blocks of b_h x b_w; SP_STRUCTURE_SAMPLE entries are looked at unless exact */
};

/* SP_MEMORY; *preview is zeroed then. */
enum sp_status sp_preview_order(const struct sp_permuted *permuted, const struct sp_preview_options *options,
                                struct sp_preview *preview, struct sp_error *err);

#endif
