/* What a cache keeps, from one execution to the next, of data that are somewhat larger than it.
 *
 * A product goes through its N bytes in the same order again and again. A cache of C < N bytes
 * keeps
 *
 * - nothing under LRU: each line is the oldest when its turn comes;
 *
 * - a share h = exp(-(1 - h) N/C) under random replacement: a line of s bytes meets (1 - h) N/s evictions
 * until its turn, and survives each with probability 1 - s/C;
 *
 * - a share C/N under the best replacement, and adaptive insertion comes near that.
 *
 * By which of the last two its L3 keeps data `machine measure` finds out (sp_cache.keeping); both
 * virtual machines that were looked at kept C/N. Counters showed that A64FX's L2 keeps nothing.
 *
 * J. E. Smith, J. R. Goodman, Instruction cache replacement policies and organizations, IEEE Trans.
 * Computers C-34 (1985): loops larger than a cache. M. K. Qureshi, A. Jaleel, Y. N. Patt, S. C.
 * Steely, J. Emer, Adaptive insertion policies for high performance caching, ISCA 2007: near the
 * best. Processors do not say what their caches do; where it was not measured, random replacement
 * stands for them. The interval goes from LRU to the best.
 *
 * The simulated bytes are those of LRU. Here a share of what they say is fetched anew is taken
 * off. */
#ifndef SP_MODEL_KEPT_H
#define SP_MODEL_KEPT_H

#include <stdbool.h>

#include "base/reading.h"
#include "model/machine.h"
#include "model/roofline.h"

/* h of random replacement, 0 ... 1; 1 where the cycle fits. */
double sp_kept_by_random(double cycle_B, double capacity_B);

struct sp_kept {
    int cache;  /* index of the cache of whose contents a part is in question; -1: none, the data fit or are
                   far  larger */
    bool holds; /* they fit its capacity, though not the lower end of that */
    struct sp_value fetched; /* share that comes from the next level out in each execution, modelled: where
                                the cache holds them, of what passes into it, else of what LRU fetches */
};

/* home: index of the cache that holds the data, n_caches: memory. traffic[n_levels]: of all the
 * machine's caches, LRU, warm executions; less: none is in question. Caches with another policy
 * neither: their simulation keeps what they keep. */
struct sp_kept sp_kept_of(const struct sp_machine *machine, struct sp_footprint footprint, int home,
                          int n_threads, int n_domains, const struct sp_traffic *traffic, int n_levels);

/* The traffic with `fetched` of the bytes in question; nothing changes where there are none. */
void sp_kept_traffic(const struct sp_kept *kept, double fetched, struct sp_traffic *traffic);

/* The same with its value, and the interval of kept->fetched; modelled. */
void sp_kept_share_out(const struct sp_kept *kept, struct sp_traffic *traffic);

/* The time of volume_B through the interface of the data's home [s]: what is fetched at the outer
 * level's rate and the rest at the inner one's, one after the other; at the lower end both at once.
 * rate_Bps: [0] of the cache in question, [1] of the next level out. SP_NONE where a rate is not
 * known. */
struct sp_value sp_kept_transfers_s(const struct sp_kept *kept, struct sp_value volume_B,
                                    const struct sp_value rate_Bps[2]);

#endif
