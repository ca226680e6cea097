/* The methods of reordering side by side on one matrix, before anything is rewritten. */
#ifndef SP_CLI_REORDER_PREVIEW_H
#define SP_CLI_REORDER_PREVIEW_H

#include <stdio.h>

#include "base/progress.h"
#include "base/status.h"
#include "model/machine.h"
#include "sparse/csr/csr.h"
#include "sparse/ranks/ranks.h"
#include "sparse/reorder/reorder.h"

enum { SP_MOST_METHODS = 32, SP_METHOD_TEXT = 48 };

struct sp_reorder_methods {
    char method[SP_MOST_METHODS][SP_METHOD_TEXT]; /* as sp_reorder_parse() takes it */
    int n;
};

/* "all", or methods separated by commas; `side` (NULL: each its own) is added to those that say
 * none. SP_USAGE for a list that is too long; the methods themselves are not looked at. */
enum sp_status sp_reorder_methods_read(const char *list, const char *side, struct sp_reorder_methods *methods,
                                       struct sp_error *err);

struct sp_reorder_preview_options {
    const struct sp_machine *machine; /* its caches */
    struct sp_preview_options structure;
    bool exact;        /* alpha from every line, blocks from every entry */
    double patience_s; /* for each order of METIS [s]; may be INFINITY */
    const struct sp_progress *progress;
};

/* One line of the table. */
struct sp_reorder_line {
    const char *method;
    enum sp_status status; /* other than SP_OK: `why` it has no figures */
    char why[768];
    double find_s;
    struct sp_preview preview;
    struct sp_value alpha; /* simulated */
    double bytes;          /* of one SpMV through that level, against the order of the input; 0: not known */
};

struct sp_reorder_preview {
    struct sp_reorder_line line[SP_MOST_METHODS];
    int n;
    double spmv_s;   /* of the matrix as it is, measured; 0: not known */
    int64_t cache_B; /* one instance of the cache that alpha is of; 0: the data fit the innermost one */
    int level;       /* its number */
    int best;        /* the line of least alpha, of equal ones the first that costs least to find; -1: none */
    struct sp_permutations best_order; /* the caller's */
};

/* A method that fails has its reason in its line; other errors end the preview. */
enum sp_status sp_reorder_preview(const struct sp_csr *a, const struct sp_reorder_methods *methods,
                                  const struct sp_reorder_preview_options *options,
                                  struct sp_reorder_preview *preview, struct sp_error *err);

/* Seconds of one SpMV by the fastest CRS kernel on the matrix as it is, measured, with these
 * threads and shares; 0: no kernel can run it, or other work disturbed every run. */
enum sp_status sp_reorder_spmv_seconds(const struct sp_csr *a, const struct sp_preview_options *structure,
                                       double *seconds, struct sp_error *err);

/* whole: with what is wider than 80 columns, profile, mean distance and blocks. */
void sp_reorder_print(const struct sp_reorder_preview *preview,
                      const struct sp_reorder_preview_options *options, bool whole, FILE *out);

/* The same for programs: a row a line, and a document of schema spmodel.orders/1 (docs/records.md).
 * What is not known is an empty cell, or null. */
void sp_reorder_csv(const struct sp_reorder_preview *preview, FILE *out);
void sp_reorder_json(const struct sp_reorder_preview *preview,
                     const struct sp_reorder_preview_options *options, const char *matrix,
                     const struct sp_csr *a, FILE *out);

/* What finding and applying one order took [s], and how many SpMVs that is; spmv_s 0: not known. */
void sp_reorder_print_costs(double found, double applied, double spmv_s, int n_threads, FILE *out);

/* What a new order costs beside finding it; sides as the method has them. */
void sp_reorder_print_elsewhere(enum sp_reorder_side side, FILE *out);

/* reorder --ranks: the rows of a matrix over ranks, each rank's side by side. */

struct sp_reorder_ranks {
    int n;                 /* ranks; 0: as many as the partition file has parts */
    const char *partition; /* as of model; NULL: no ranks are asked for */
    const char *parts;     /* file for the part of each row; NULL: none */
};

/* Writes the part of each row to r->parts, where there is one: of the matrix as it is, or
 * `ordered`, as the ranks' order has it. SP_OUTPUT, SP_MEMORY. */
enum sp_status sp_reorder_ranks_write(const struct sp_reorder_ranks *r, const struct sp_ranks *d,
                                      bool ordered, struct sp_error *err);

/* Two lines: halo and imbalance of equal rows in the order of the input, and of this division. */
enum sp_status sp_reorder_ranks_print(const struct sp_csr *a, const struct sp_ranks *d, const char *partition,
                                      const struct sp_progress *progress, FILE *out, struct sp_error *err);

#endif
