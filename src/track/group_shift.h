/* Has a metric moved between two groups of records? Values on the level of runs, sessions, and what a change
 * has to exceed because sessions of unchanged code differ too [UX 4]. */
#ifndef SP_TRACK_GROUP_SHIFT_H
#define SP_TRACK_GROUP_SHIFT_H

#include <time.h>

#include "track/judge.h"

/* When it ran, since the epoch; 0: it does not say. */
time_t sp_entry_seconds(const struct sp_entry *entry);

/* Is `earlier` of the session that ends with `newest` and goes back to `later` at least? */
bool sp_entry_is_of_session(const struct sp_entry *earlier, const struct sp_entry *later,
                            const struct sp_entry *newest);

/* Of all runs of the records, each group in the order of their start. *noise: the standard deviation of ln of
 * the metric from one run to the next in the same record; 0 where a record has one value. */
struct sp_shift sp_shift_of_groups(const struct sp_entry *const *before, int n_before,
                                   const struct sp_entry *const *after, int n_after,
                                   const struct sp_judge_options *o, double *noise);

#endif
