/* The effective capacity of a cache: an interval, pooled over several measurements. One measurement
 * on a shared machine may be off by a factor of three, and says so by no means of its own. */
#ifndef SP_MODEL_CAPACITY_H
#define SP_MODEL_CAPACITY_H

#include <stdbool.h>
#include <stdint.h>

#include "model/machine.h"

/* Adds a measurement made at `when` (ISO 8601) to those that `cache` has, in order of time, and
 * pools them. One that it has already is not added twice; where there is no room the oldest goes.
 * inner_B: the next level inward, 0: none. Unknown ones are left out. */
void sp_capacity_add(struct sp_cache *cache, struct sp_value measured, const char *when, int64_t inner_B);

/* effective_B from the measurements: their median, and from the smaller of the median of their
 * lower ends and the 10 % quantile of their values to the same at the other end, so that neither
 * one outlier nor one wide interval decides; within the limits below. Without a list what stands
 * there is cut to them. */
void sp_capacity_pool(struct sp_cache *cache, int64_t inner_B);

/* No cache keeps more than its stated size, nor less than the next one inward: cuts effective_B to
 * that. True: there was something to cut. */
bool sp_capacity_limit(struct sp_cache *cache, int64_t inner_B);

/* Adds to the last level of `to` what that of `from` has. Of the same cache only (level and stated
 * size). Of two capacities for streams the larger one stays, since others only take away, with the
 * interval of both. */
void sp_capacity_merge(struct sp_machine *to, const struct sp_machine *from);

#endif
