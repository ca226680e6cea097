/* The sessions of a series: the unit of every verdict. One value a session, less what its mode and
 * what all series of the machine did in it explain. */
#ifndef SP_TRACK_SESSIONS_H
#define SP_TRACK_SESSIONS_H

#include "track/judge/levels.h"
#include "track/judge/shift.h"
#include "track/store/entry.h"

enum { SP_SESSION_S = 6 * 3600 };

/* Of the same commit and tool, and within SP_SESSION_S: measured again at once, they share what the
 * machine was like. A record that was measured to confirm another one is a session of its own. */
bool sp_entries_share_session(const struct sp_entry *earlier, const struct sp_entry *later);

/* Was `later` measured to confirm what `earlier` said, or what `earlier` was to confirm? */
bool sp_entry_confirms(const struct sp_entry *later, const struct sp_entry *earlier);

/* Has a record a value of this metric for each of its runs, or one for all? */
bool sp_tracked_is_by_run(enum sp_tracked metric);

/* Two records, or two groups of them, by all their runs: what `compare` does, which knows nothing
 * of other sessions. *noise: standard deviation of ln from one run to the next in the same
 * record. */
struct sp_shift sp_shift_of_runs(const struct sp_entry *const *before, int n_before,
                                 const struct sp_entry *const *after, int n_after, enum sp_tracked metric,
                                 double floor, uint64_t seed, double *noise);

/* sp_sessions_free(). All of one series, comparable, by start; entries are borrowed. */
struct sp_sessions {
    int n;
    const struct sp_entry **list; /* [n_records] that know the metric */
    int n_records;
    int *first;   /* [n + 1] of each session its first record in the list */
    double *y;    /* [n] ln of the metric, turned so that more is worse: the lower quartile of its
                          runs, since what disturbs a run makes it slower; less its mode's offset */
    int *commit;  /* [n] ordinal of the source, never falling */
    double noise; /* standard deviation of ln from run to run, robust; 0: one value a record */
    int runs;     /* of the newest record */
    int first_accepted, n_accepted;  /* sessions that were accepted */
    double offset[SP_N_ENTRY_MODES]; /* ln of each mode over the usual one; NAN: unknown */
    char modes[160];                 /* "a mode change: ..."; "" */
    bool is_other_mode; /* the newest records are in a mode that was never seen before: they are left out */
};

/* Of list[n] those that know the metric; pinned [n_pinned]: accepted ones, which begin and end a
 * session. SP_MEMORY. */
enum sp_status sp_sessions_of(const struct sp_entry *const *list, int n, const struct sp_entry *const *pinned,
                              int n_pinned, enum sp_tracked metric, struct sp_sessions *out,
                              struct sp_error *err);
void sp_sessions_free(struct sp_sessions *s);
/* Were all runs of this session in another mode than those of the one before? */
bool sp_sessions_turned(const struct sp_sessions *s, int session);

/* A mode that runs used to be in, and none of the newest sessions is. */
struct sp_lost_mode {
    int at;   /* the first session without it; -1: none is lost */
    int mode; /* an entry's */
    int n_runs;
    double share; /* of the runs before that were in it */
    double by;    /* ln of the mean run since over the mean run before, by their modes alone */
    double p;     /* that so many runs are in other modes by chance */
};
/* The one of which that is least likely: share of the runs before as a beta distribution, which is
 * as much wider as the share differs from session to session more than from run to run
 * (docs/tracking.md). Only modes that the metric is better in. */
struct sp_lost_mode sp_sessions_lost_mode(const struct sp_sessions *s);

/* Of a session from one to the next: half the mean square of the steps between them, robust, so
 * that neither one change of level nor a slow trend counts as noise. */
struct sp_spread sp_sessions_spread(const struct sp_sessions *s);

/* What all series of a machine did together, session by session. sp_common_free(). */
struct sp_common {
    int n;
    double *y;                      /* [n] ln, as above */
    int *commit;                    /* [n] */
    const struct sp_entry **newest; /* [n] a record of each */
    double
        share; /* of it that is no noise of the series, which has been taken out of them; 0: it is all noise */
    int n_series;
};

enum { SP_COMMON_LEAST = 5 }; /* series in a session */

/* Takes what is common to SP_COMMON_LEAST or more of the series [n] out of each of them, as far as
 * it is more than their own noise; of each what the others did. Sessions belong together by source
 * and time; those without a named commit do not. SP_MEMORY. */
enum sp_status sp_common_take_out(struct sp_sessions *const *series, int n, struct sp_common *out,
                                  struct sp_error *err);
void sp_common_free(struct sp_common *c);

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
