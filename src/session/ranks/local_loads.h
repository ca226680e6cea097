/* How often a rank loads each element of x that it needs, by simulation of its own part. */
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
    double *local, *remote; /* [n ranks] owned */
    int n_simulated;
};

/* Each rank's two blocks on the caches of d->machine, of the last level the share of one rank, warm
 * or cold as `d` says; 1 for blocks that caches hold and for those without entries. d has a
 * machine. SP_MEMORY, SP_INTERRUPTED. */
enum sp_status sp_local_loads_make(const struct sp_csr *a, const struct sp_ranks *ranks,
                                   const struct sp_halo *halo, const struct sp_distribution *d,
                                   enum sp_precision precision, const struct sp_progress *progress,
                                   struct sp_local_loads *out, struct sp_error *err);
/* Safe twice and on a zeroed one. */
void sp_local_loads_free(struct sp_local_loads *l);

#endif
