/* A cache model of the plainest kind, reference by reference: every set a list in the order of use. Slow, and
 * written to be read beside model/cache/cache.h, whose simulation must equal it. */
#ifndef SP_TESTS_PLAIN_CACHE_H
#define SP_TESTS_PLAIN_CACHE_H

#include <stdint.h>

#include "model/volume/traffic.h"

/* Lines that cross the outer interface of each level in the last of n_executions, per array. */
struct plain_counts {
    int n_levels;
    int64_t read[SP_MAX_CACHES][SP_N_ARRAYS], write[SP_MAX_CACHES][SP_N_ARRAYS];
    int64_t n_references; /* of one execution */
};
/* LRU, write-back, write-allocate; of the options: machine, state, skew, store_nt and the two offsets. Cold:
 * what is dirty at the end is written. */
enum sp_status plain_count(const struct sp_layout *layout, const struct sp_sim_options *options,
                           int n_executions, struct plain_counts *counts, struct sp_error *err);
/* Counters (a level, an array, reads or writes) in which the simulation differs from the plain model: 0 where
 * it is right. where: the first of them, "" without. */
int plain_differences(const struct plain_counts *counts, const struct sp_traffic *traffic, char *where,
                      size_t size);

#endif
