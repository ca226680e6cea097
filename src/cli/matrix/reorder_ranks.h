/* reorder --ranks: the rows of a matrix over ranks, each rank's side by side. */
#ifndef SP_CLI_REORDER_RANKS_H
#define SP_CLI_REORDER_RANKS_H

#include <stdio.h>

#include "base/progress.h"
#include "base/status.h"
#include "sparse/csr/csr.h"
#include "sparse/ranks/ranks.h"

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
