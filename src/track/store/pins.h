/* Accepted baselines of a store: what a series is held against besides its last records, so that
 * small steps cannot add up unseen. One file a series and environment, replaced as a whole. */
#ifndef SP_TRACK_PINS_H
#define SP_TRACK_PINS_H

#include "track/store/index.h"

enum { SP_MOST_PINNED = 16 };

/* Makes these records the baseline of their series (all of one series and environment, oldest
 * first, n >= 1); `why` may be NULL. SP_OUTPUT. */
enum sp_status sp_pins_set(const struct sp_store *store, const struct sp_entry *const *entry, int n,
                           const char *why, struct sp_error *err);
/* Forgets the baseline of the entry's series and environment; *had: there was one. */
enum sp_status sp_pins_drop(const struct sp_store *store, const struct sp_entry *of, bool *had,
                            struct sp_error *err);
/* The entries of the baseline that this one's metric is held against, oldest first, borrowed from
 * the index: out[*n], *n <= SP_MOST_PINNED, 0: none is accepted. That of its series and
 * environment; where the metric is simulated, the latest of its series that was simulated with the
 * same caches, in whatever environment. SP_INPUT: a file is damaged, or names records that the
 * store does not have; where the metric is simulated other files may be good, and out[*n] is then
 * the latest of those: the error is to be reported, and they hold. */
enum sp_status sp_pins_find(const struct sp_store *store, const struct sp_entry *of, enum sp_tracked metric,
                            const struct sp_index *index, const struct sp_entry **out, int *n,
                            struct sp_error *err);

#endif
