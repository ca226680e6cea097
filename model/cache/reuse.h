/* Traffic for every LRU cache size from one pass over the address stream: stack distances [THEORY
 * 9].
 *
 * The distance of a reference is the number of distinct lines touched since its line was touched
 * last; a fully associative LRU cache of c lines misses exactly when it is at least c (or the line
 * is new). Warm: the first touches in an execution have the distances that a preceding execution
 * leaves behind; they follow from the order of last and of first touches, so no second pass is
 * needed.
 *
 * Exact: every line. Sampled: one line, chosen by a hash, of each 2^k consecutive lines of x (and
 * of y where it is scattered); distances among them are scaled up, while the arrays that stream by
 * are counted exactly (cf. SHARDS, Waldspurger et al. 2015, where everything is sampled, and
 * without strata). */
#ifndef SP_MODEL_REUSE_H
#define SP_MODEL_REUSE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/reading.h"
#include "base/status.h"
#include "model/cache/partition.h"
#include "model/cache/stack_distance.h"
#include "model/trace/trace.h"
#include "sparse/formats/layout.h"

struct sp_reuse_options {
    int line_B;                  /* 0: 64 */
    int n_domain;                /* last-level caches, each of the size in question; 0: 1 */
    const int *domain_of_thread; /* as in struct sp_sim_options; NULL: all in domain 0 */
    double skew;
    bool store_nt;
    size_t x_offset_B, y_offset_B;
    int64_t between_B; /* other lines touched between two executions; warm only */
    double
        rate; /* share of lines to sample, rounded down to 1/2^k; >= 1: exact; 0: 2^14 to 2^15 lines of x */
    uint64_t seed;
    bool (*progress)(void *context, double share); /* as in struct sp_sim_options */
    void *context;
};

/* One cache size. In an exact curve lo and hi equal the value; in a sampled one they are about a
 * 95 % interval: of the groups' scatter, widened by the uncertainty of the distances. */
struct sp_reuse_size {
    int64_t capacity_B;                              /* of each domain's cache */
    double alpha_warm, alpha_warm_lo, alpha_warm_hi; /* x from memory / (s_x n_nz); NAN without entries */
    double alpha_cold, alpha_cold_lo, alpha_cold_hi;
    double warm_B, cold_B; /* through the memory interface, read and written, all arrays */
};

struct sp_reuse {
    int n_sizes;
    struct sp_reuse_size
        *size;           /* [n_sizes] ascending, 16 an octave from 16 lines up to the footprint; owned */
    int64_t n_x_lines;   /* distinct lines of x, summed over domains; exact in both modes */
    double alpha_min;    /* line * n_x_lines / (s_x n_nz) [THEORY 2] */
    int64_t x_once_B;    /* smallest of the sizes at which a cold execution loads x once, to 1 % */
    int64_t footprint_B; /* of all distinct lines of the domain that touches most */
    bool exact;
    double rate;          /* share of the lines of x that were followed */
    int64_t n_references; /* element accesses of one execution */
};

/* SpMV is sampled where it is long. Operations with dense operands are followed whole; where that
 * would take more than some seconds there are no sizes (n_sizes 0). */
enum sp_status sp_reuse_curve(const struct sp_layout *layout, const struct sp_reuse_options *options,
                              struct sp_reuse *reuse, struct sp_error *err);
void sp_reuse_free(struct sp_reuse *reuse);

/* alpha of caches of capacity_B each, with its interval, simulated: between two of the sizes by
 * linear interpolation over the logarithm of the capacity. SP_NONE without sizes. */
struct sp_value sp_reuse_alpha(const struct sp_reuse *reuse, int64_t capacity_B, bool cold);

/* Bytes through the memory interface at that capacity, in the same way; NAN without sizes. */
double sp_reuse_bytes(const struct sp_reuse *reuse, int64_t capacity_B, bool cold);

/* Widens what was simulated at capacity.value by what the curve says between its ends: at the upper
 * one in proportion, as it may be nothing; at the lower one by the difference. Without sizes
 * nothing is changed and false is returned. */
bool sp_reuse_widen(const struct sp_reuse *reuse, struct sp_value capacity, bool cold, struct sp_value *alpha,
                    struct sp_value *bytes_B);

/* alpha of warm executions in caches of capacity_B each that replace a line by chance (each fill
 * any of the lines, as in model/cache/capacity.h): a line outlives the fills of a time with
 * probability exp(-bytes filled/C), bytes that hit fill nothing. The time in which u distinct bytes
 * are touched follows from the curve, whose bytes that miss are the slope of the distinct bytes
 * over time (P. J. Denning, S. C. Schwartz, Properties of the working-set model, CACM 15, 1972);
 * what fills in an execution is what so misses. For a cycle this is the law of sp_kept_by_random().
 * NAN without sizes. */
double sp_reuse_alpha_by_chance(const struct sp_reuse *reuse, double capacity_B);

/* The largest of the sizes that is not above capacity_B; NULL when all are. */
const struct sp_reuse_size *sp_reuse_at(const struct sp_reuse *reuse, int64_t capacity_B);

/* What the two ways of finding stack distances hand to the one that makes the curve. */

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
