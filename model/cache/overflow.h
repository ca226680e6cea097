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
#ifndef SP_MODEL_OVERFLOW_H
#define SP_MODEL_OVERFLOW_H

#include <stdbool.h>

#include "base/reading.h"
#include "model/machine.h"

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

#endif
