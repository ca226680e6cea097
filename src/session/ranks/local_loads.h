/* How often a rank loads each element of x that it needs, and how long its blocks are in
 * the core, by simulation of its own part. */
#ifndef SP_SESSION_LOCAL_LOADS_H
#define SP_SESSION_LOCAL_LOADS_H

#include "base/progress.h"
#include "base/status.h"
#include "model/ranks/distributed.h"
#include "sparse/csr/csr.h"
#include "sparse/ranks/halo.h"

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

/* Each rank's two blocks on the caches of d->machine, of the last level the share of one rank, warm
 * or cold as `d` says; loads are 1 for blocks that caches hold and for those without entries. d has
 * a machine. SP_MEMORY, SP_INTERRUPTED. */
enum sp_status sp_local_loads_make(const struct sp_csr *a, const struct sp_ranks *ranks,
                                   const struct sp_halo *halo, const struct sp_distribution *d,
                                   enum sp_precision precision, const struct sp_progress *progress,
                                   struct sp_local_loads *out, struct sp_error *err);
/* Safe twice and on a zeroed one. */
void sp_local_loads_free(struct sp_local_loads *l);

#endif
