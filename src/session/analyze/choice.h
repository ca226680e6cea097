/* Which kernel runs SpMV, and with `any_format` which format: all that can run are tried on some of
 * the matrix's own rows, and the best of them beside each other. Bytes and P_core do not tell:
 * short rows, their ends and gathers decide as well. */
#ifndef SP_SESSION_CHOICE_H
#define SP_SESSION_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/progress.h"
#include "base/status.h"
#include "kernels/kernel.h"
#include "session/analyze/setup_options.h"
#include "sparse/product/workload.h"

enum { SP_MOST_TRIED = 64 };

struct sp_tried {
    char format[32]; /* as typed */
    const struct sp_kernel *kernel;
    int32_t prefetch;
    double best_s; /* least time of an execution on the rows that were tried [s] */
    double time;   /* over that of the first one, from samples in turn */
};

struct sp_choice {
    int n;                                /* 0: nothing was tried */
    struct sp_tried tried[SP_MOST_TRIED]; /* what is preferred where times are equal comes first */
    int chosen;
    double share; /* of the entries that were tried */
    double took_s;
};

/* Puts the fastest into *workload (format where options->any_format, prefetch where
 * options->any_prefetch) and *kernel. Of those that are within 3 % of the fastest the first one:
 * CRS before other formats, kernels by rank, without prefetching, so that runs agree where nothing
 * differs. Rows: of all the matrix where it has no more than twice what the last-level cache holds,
 * else four runs of rows that have as much, fewer where gathers take long, with columns that none
 * of them has left out. Distances of prefetching are tried where x exceeds the second cache. A
 * format is left out where its bytes alone take longer than the best so far; half storage and
 * blocks need options->structure and the whole matrix. SP_ABSENT where no kernel runs;
 * SP_INTERRUPTED, SP_MEMORY. */
enum sp_status sp_choose(struct sp_workload *workload, const struct sp_setup_options *options, int n_domains,
                         const struct sp_progress *progress, const struct sp_kernel **kernel,
                         struct sp_choice *choice, struct sp_error *err);

/* Time of the fastest that prefetches x over the time without, of the chosen format and kernel;
 * *entries ahead. False: none was tried. */
bool sp_choice_prefetch(const struct sp_choice *choice, double *ratio, int32_t *entries);

/* Are non-temporal stores to be taken for this layout? They pay where y goes to memory anyway. */
bool sp_setup_wants_nt(const struct sp_setup_options *options, const struct sp_layout *layout, int n_domains);

#endif
