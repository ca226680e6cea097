/* Volumes that are known: loops whose bytes through the memory interface follow from their arrays,
 * run under counters to see whether these can be believed [DESIGN: trust]. */
#ifndef SP_PROBES_KNOWN_VOLUME_H
#define SP_PROBES_KNOWN_VOLUME_H

#include "base/job.h"
#include "probes/probe.h"

struct sp_known_options {
    int n_threads;
    int64_t bytes;   /* of the arrays of all threads, out of all caches */
    int64_t inner_B; /* of a thread's set that stays in its caches */
};

enum { SP_MAX_KNOWN = 12 };

/* Zero-initialise; sp_known_volumes_close(), safe twice. The jobs point into it: do not move it. */
struct sp_known_volumes {
    struct sp_known_options options;
    double *memory; /* owned, each thread's part touched by it */
    int64_t n;      /* items of it */
    int n_known;
    struct sp_known known[SP_MAX_KNOWN];
    struct sp_job job[SP_MAX_KNOWN];
    struct sp_known_state {
        struct sp_known_volumes *all;
        int kind, loads_per_store;
    } state[SP_MAX_KNOWN];
};

/* load-only, store-only, copy, mixes of 3, 7 and 15 loads a store, non-temporal stores (where the
 * instruction set has them), a gather that takes each line once, and loads that stay in caches. */
enum sp_status sp_known_volumes_open(const struct sp_known_options *options, struct sp_known_volumes *volumes,
                                     struct sp_error *err);
void sp_known_volumes_close(struct sp_known_volumes *volumes);

#endif
