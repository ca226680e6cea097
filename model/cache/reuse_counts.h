/* What the two ways of finding stack distances hand to the one that makes the curve. */
#ifndef SP_MODEL_REUSE_COUNTS_H
#define SP_MODEL_REUSE_COUNTS_H

#include "model/cache/domains.h"
#include "model/cache/reuse.h"
#include "model/cache/stack_distance.h"
#include "model/trace/trace.h"

enum sp_reuse_kind { SP_REUSE_X, SP_REUSE_Y, SP_REUSE_REST, SP_N_REUSE_KINDS };
/* Followed lines of x fall into groups, whose scatter tells how far the estimate can be trusted. */
enum { SP_REUSE_GROUPS = 16 };

/* References of one domain by the bucket of their distance. */
struct sp_reuse_counts {
    int n_groups;                                     /* 1 in an exact count */
    int64_t first[SP_N_REUSE_KINDS][SP_REUSE_GROUPS]; /* lines touched, each counted once */
    int64_t within[SP_N_REUSE_KINDS][SP_REUSE_GROUPS][SP_STACK_BUCKETS]; /* again in the execution */
    int64_t across[SP_N_REUSE_KINDS][SP_REUSE_GROUPS][SP_STACK_BUCKETS]; /* first in it, again since the
                                                                            last one */
    double weight;          /* lines that a followed one stands for */
    int64_t n_x_lines;      /* distinct lines of x */
    int64_t n_followed;     /* of them */
    int64_t stream_lines;   /* lines that are not followed: each is touched in one stretch */
    int64_t stream_y_lines; /* of them: y */
    int64_t nt_lines;       /* written past the caches */
    int64_t footprint;      /* distinct lines, those between executions not included */
    int64_t n_references;
};

/* Fills *counts (zeroed by the caller) for the threads that `trace` was opened with, those of a
 * domain, as an exact count does. */
enum sp_status sp_reuse_count_sampled(struct sp_trace *trace, const struct sp_reuse_options *options,
                                      double rate, struct sp_domains *domains, int domain,
                                      struct sp_reuse_counts *counts, struct sp_error *err);

#endif
