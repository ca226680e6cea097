/* Strong scaling of a distributed SpMV, predicted from the matrix: partitions of its rows, their
 * halos, times (model/ranks/distributed.h), and what would help. Nothing is run. */
#ifndef SP_SESSION_SCALING_H
#define SP_SESSION_SCALING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/progress.h"
#include "base/status.h"
#include "io/record/record.h"
#include "model/ranks/distributed.h"
#include "sparse/csr/csr.h"
#include "sparse/product/workload.h"
#include "sparse/ranks/halo.h"

enum { SP_MOST_COUNTS = 32, SP_MOST_REMEDIES = 10, SP_HALO_BINS = 64 };

struct sp_scaling_request {
    int count[SP_MOST_COUNTS]; /* ranks, ascending */
    int n_counts;              /* 0: as many ranks as the partition file has parts */
    int per_node;              /* ranks of a node; 0: as many as the machine has cores for, else all on one */
    int n_threads;             /* of a rank, >= 1 */
    const char *partition;     /* "rows", or a partition file; borrowed */
    struct sp_workload workload; /* of CRS: its precision, index and row pointers */
    double w;
    bool simulate; /* x of each rank's own part from the cache simulation; else each element once */
    bool cold;
    bool remedies;                    /* look for what would help */
    const struct sp_machine *machine; /* NULL: no times */
    const struct sp_network *network; /* NULL: no times of the exchange */
};

/* Entries up to which a partitioner is tried unasked: about a second. */
enum { SP_MOST_DIVIDED = 3000000 };

/* Who sends to whom, ranks in up to SP_HALO_BINS groups of neighbours. */
struct sp_halo_map {
    int n_bins, ranks_of_bin;
    double *bytes; /* [n_bins n_bins] to bin i from bin j at i n_bins + j; owned */
};

/* What could be done, at the count of ranks that was examined. */
struct sp_remedy {
    char name[64];         /* "another partition: metis" */
    char how[96];          /* what to type, or to do */
    char why_not[128];     /* not examined; "": it was */
    const char *partition; /* where it is another one: its row of sp_division_table */
    double time_s;         /* of an SpMV with it */
    double gain;           /* times faster than without, > 1 better */
};

struct sp_scaling {
    char name[128]; /* of the matrix */
    int64_t n_r, n_c, n_nz;
    struct sp_scaling_request request; /* its counts as used */
    int n;
    struct sp_distributed count[SP_MOST_COUNTS];
    struct sp_halo_rank *ranks[SP_MOST_COUNTS]; /* [count] of each; owned */
    struct sp_distributed node;                 /* one node, all its ranks: what speedups are over */
    struct sp_halo_map map;                     /* of the last count */
    int takes_over; /* index of the first count whose exchange takes longer than the ranks' own work; -1 */
    int fastest;    /* index of the count with the least time; -1: no times are known */
    int worth;      /* index of the last count of at least half efficiency; -1: none */
    int examined;   /* index of the count that remedies are for */
    struct sp_remedy remedy[SP_MOST_REMEDIES];
    int n_remedies;
    int best; /* remedy of the largest gain above 1.02; -1: none helps */
};

/* SP_USAGE where a partition file has another number of parts than ranks are asked for, or a node
 * fewer cores than threads; SP_INPUT, SP_ABSENT, SP_MEMORY, SP_INTERRUPTED. */
enum sp_status sp_scaling_make(const struct sp_scaling_request *request, const struct sp_csr *a,
                               const char *name, const struct sp_progress *progress, struct sp_scaling *out,
                               struct sp_error *err);
/* Safe twice and on a zeroed one. */
void sp_scaling_free(struct sp_scaling *s);

/* The division that a partition's name or file gives n_ranks. */
enum sp_status sp_scaling_divide(const char *partition, const struct sp_csr *a, int n_ranks,
                                 struct sp_ranks *d, struct sp_error *err);

/* How many times faster than one node; SP_NONE without times. */
struct sp_value sp_scaling_speedup(const struct sp_scaling *s, int i);

/* The remedy that is the partition with the least time; NULL: that of the request takes the
 * least. */
const struct sp_remedy *sp_scaling_best_partition(const struct sp_scaling *s);

/* A record (docs/records.md) of status "modelled", its part `scaling`. */
enum sp_status sp_scaling_record(const struct sp_scaling *s, const char *command, struct sp_record *record,
                                 struct sp_error *err);

/* Halo and times of one division. `rank` (may be NULL) receives the ranks' sizes, to be freed by
 * the caller; `map` (may be NULL) who sends to whom. */
struct sp_scaling_ask {
    const struct sp_ranks *ranks;
    int per_node, n_threads, r;
    bool simulate;
};
enum sp_status sp_scaling_count(const struct sp_scaling *s, const struct sp_csr *a,
                                const struct sp_scaling_ask *ask, const struct sp_progress *progress,
                                struct sp_distributed *out, struct sp_halo_rank **rank,
                                struct sp_halo_map *map, struct sp_error *err);

/* How often a rank loads each element of x that it needs, and how long its blocks are in
 * the core, by simulation of its own part. */

/* Ranks beyond this are sampled: as many, evenly over all, and the one with most entries; others
 * take the mean of these. */
enum { SP_SIMULATED_RANKS = 32 };

struct sp_local_loads {
    double *local, *remote; /* [n ranks] loads over each element once; owned */
    /* [n ranks] in the core [s]: rows by their lengths (model/unit_costs.h), and gathers from
     * beyond the innermost cache, all ranks of a node at it; what the machine does not describe is
     * 0; owned */
    double *local_core_s, *remote_core_s;
    int n_simulated;
};

/* Each rank's two blocks, stored as `of` says (precision, index, row pointers), on the caches of
 * d->machine, of the last level the share of one rank, warm or cold as `d` says; loads are 1 for
 * blocks that caches hold and for those without entries. d has a machine. SP_MEMORY,
 * SP_INTERRUPTED. */
enum sp_status sp_local_loads_make(const struct sp_csr *a, const struct sp_ranks *ranks,
                                   const struct sp_halo *halo, const struct sp_distribution *d,
                                   const struct sp_workload *of, const struct sp_progress *progress,
                                   struct sp_local_loads *out, struct sp_error *err);
/* Safe twice and on a zeroed one. */
void sp_local_loads_free(struct sp_local_loads *l);

#endif
