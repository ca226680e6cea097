/* Has a metric moved between two groups of records? Values on the level of runs, sessions, and what
 * a change has to exceed because sessions of unchanged code differ too [UX 4]. */
#ifndef SP_TRACK_GROUP_SHIFT_H
#define SP_TRACK_GROUP_SHIFT_H

#include "track/judge/shift.h"
#include "track/store/entry.h"

/* How a metric is compared. */
struct sp_judge_options {
    enum sp_tracked metric;
    double floor;      /* least relative change that counts; 0: 0.03 */
    double confidence; /* of intervals; 0: 0.95 */
    int n_baseline;    /* most records before the newest that make the rolling baseline; 0: 10 */
    uint64_t seed;
};

enum { SP_SESSION_S = 6 * 3600 };

/* Of the same commit and tool, and within SP_SESSION_S. A record that confirms another one is of
 * its session, too, whenever it was measured: sp_entry_confirms(). */
bool sp_entries_share_session(const struct sp_entry *earlier, const struct sp_entry *later);

/* How far sessions of one series lie from each other, whether or not the code has changed once. */
struct sp_steadiness {
    int n_sessions;
    bool is_known;   /* sessions are enough to tell */
    double noise;    /* standard deviation of ln of the metric from session to session */
    double farthest; /* |ln| of the farthest that one session has been and came back from */
};
struct sp_steadiness sp_steadiness_of(const struct sp_entry *const *list, int n, enum sp_tracked metric);

/* How far a session of unchanged code may lie from n_sessions others, as a relative change; where
 * sessions are too few to tell, and runs alone differ by more than the floor (0: SP_SHIFT_FLOOR),
 * the machine is taken to differ as much from session to session. 0: nothing is known. */
double sp_steadiness_limit(const struct sp_steadiness *s, int n_sessions, double noise_of_runs, double floor);

/* One value a session, the median of its records, the oldest session first; first[i]: its first
 * record. Both have room for n. Returns how many sessions know the metric. */
int sp_session_values(const struct sp_entry *const *list, int n, enum sp_tracked metric, double *value,
                      int *first);

/* Of all runs of the records, each group in the order of their start. *noise: the standard
 * deviation of ln of the metric from one run to the next in the same record; 0 where a record has
 * one value. */
struct sp_shift sp_shift_of_groups(const struct sp_entry *const *before, int n_before,
                                   const struct sp_entry *const *after, int n_after,
                                   const struct sp_steadiness *steadiness, const struct sp_judge_options *o,
                                   double *noise);

/* What of a series a check judges: where several machines write into one store, the newest record
 * of each of them has its own verdict, and none hides that of another. */

/* One record to be judged, the last of `list`, and those before it that can be compared with it;
 * where there are none, all that came before it, so that the verdict can say why. */
struct sp_newest {
    const struct sp_entry *newest; /* = list[n - 1] */
    const struct sp_entry **list;  /* [n] owned; entries borrowed */
    int n;
};

/* Which records may be judged at all; the others are only compared with. */
typedef bool sp_entry_filter(const void *context, const struct sp_entry *entry);

/* list[n]: a series by start. Of every environment (where bytes are simulated: of all caches) the
 * newest record that the filter lets through, by start, if it ran within a day of the newest of all
 * or measured the same commit: what a machine measured before that has been judged then. At most
 * `most` of them, the newest ones. SP_MEMORY. newest[0 .. *n_newest) are to be freed with
 * sp_newest_free(). */
enum sp_status sp_newest_find(const struct sp_entry *const *list, int n, enum sp_tracked metric,
                              sp_entry_filter *filter, const void *context, struct sp_newest *newest,
                              int most, int *n_newest, struct sp_error *err);
void sp_newest_free(struct sp_newest *newest);

#endif
