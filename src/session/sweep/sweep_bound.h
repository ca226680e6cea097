/* The least time that the model leaves a configuration: what a sweep may rule it out by, so that every part
 * errs on the side of the configuration. */
#ifndef SP_SESSION_SWEEP_BOUND_H
#define SP_SESSION_SWEEP_BOUND_H

#include "model/machine.h"
#include "sparse/product/workload.h"

/* No n threads move more through this level's interface [B/s]: n times the best of one thread, and the best
 * of all thread counts where one of them is n or more. Upper ends of intervals, whatever the kind of stream.
 * 0: not known. */
double sp_bandwidth_bound(const struct sp_machine *machine, const char *level, int n_threads);

/* No execution of the workload takes less for its transfers [s]: sp_format_least_volume(), less what caches
 * keep from one execution to the next (sp_volume_floor()), at sp_bandwidth_bound() of the level where the
 * arrays live. SpMV and SpMMV; n_c_used: columns with entries. 0: not known. */
double sp_transfer_bound(const struct sp_workload *workload, int64_t n_c_used,
                         const struct sp_machine *machine, bool warm);

#endif
