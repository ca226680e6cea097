/* The effective capacity of a cache: an interval, pooled over several measurements. One measurement
 * on a shared machine may be off by a factor of three, and says so by no means of its own. */
#ifndef SP_MODEL_CAPACITY_H
#define SP_MODEL_CAPACITY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/reading.h"
#include "model/machine.h"
#include "model/roofline.h"

/* Adds a measurement made at `when` (ISO 8601) to those that `cache` has, in order of time, and
 * pools them. One that it has already is not added twice; where there is no room the oldest goes.
 * inner_B: the next level inward, 0: none. Unknown ones are left out. */
void sp_capacity_add(struct sp_cache *cache, struct sp_value measured, const char *when, int64_t inner_B);

/* No cache keeps more than its stated size, nor less than the next one inward: cuts effective_B to
 * that. True: there was something to cut. */
bool sp_capacity_limit(struct sp_cache *cache, int64_t inner_B);

/* Adds to the last level of `to` what that of `from` has. Of the same cache only (level and stated
 * size). Of two capacities for streams the larger one stays, since others only take away, with the
 * interval of both. */
void sp_capacity_merge(struct sp_machine *to, const struct sp_machine *from);

/* What a cache loses of data that fit it, because its sets fill unevenly.
 *
 * Data that take a share s of a cache of W ways have W s lines for each set in the mean. Where
 * physical pages or a hash of the address scatter them, their number in a set is Poisson
 * distributed, and a set with more than W keeps nothing under LRU when the data are gone through
 * again and again: each line is the oldest when its turn comes. So the share that is fetched anew
 * is
 *
 *     l = E[n; n > W]/(W s) = P(n >= W),   n Poisson distributed with mean W s
 *
 * R. E. Kessler, M. D. Hill, Page placement algorithms for large real-indexed caches, ACM TOCS 10
 * (1992). Counters of A64FX (W = 16, published of 483 matrices) show 0.16 to 0.42 for s = 0.75 to
 * 0.9, where this says 0.16 to 0.37; but 0.01 at s = 0.65 (0.07) and 0.9 at 1.04 (0.6). Where ways
 * are kept for the matrix, the vectors lose as much in the ways that are left: of ecology1's y 0.25
 * and 0.37 were written back with s = 0.82 and 0.88 (0.27, 0.36); the matrix in its own ways does
 * not. It is a description, not a proof of the cause.
 *
 * The simulation of warm executions has it (model/volume/traffic.h), of caches that are known to be
 * LRU ones: that other policies lose as much nobody has seen. */

/* l of data that take `share` of a cache of `ways`, 0 ... 1. */
double sp_sets_lost(double share, int ways);

/* A last level whose sets lose lines so: an LRU cache of sets of which the machine says that it
 * keeps nothing of longer streams (SP_KEEPS_NOTHING). */
bool sp_overflow_is_of(const struct sp_cache *cache);
/* The arrays that lose lines, and the bytes that there are for them: all of the cache, or what is
 * left where some of its ways are kept for others. */
bool sp_overflow_is_in(const struct sp_cache *cache, enum sp_array array);
double sp_overflow_room_B(const struct sp_cache *cache);

/* Shares of data of `share` times the room. */
struct sp_overflow {
    double lost; /* fetched anew in all, l. */
    double most; /* as if two ways were taken by what else is about; all of it where the data do not fit */
    double kept; /* what some sets may keep where a simulation of contiguous addresses keeps nothing */
};
/* Of data of twice the room or more nothing is said: all 0. */
struct sp_overflow sp_overflow_of(const struct sp_cache *cache, double share);
/* Share of an array in ways of its own that is fetched twice at most, because lines fetched ahead
 * are pushed out before they are used: 0.25/k^2 of k ways. Fitted: of mycielskian15, which streams,
 * counters show 0.062, 0.027, 0.016, 0.008 with 2 to 5 ways (0.063, 0.028, 0.016, 0.010). */
double sp_overflow_twice(const struct sp_cache *cache, enum sp_array array);

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
