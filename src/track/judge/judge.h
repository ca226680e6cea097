/* The verdict on the newest measurement of a series [UX 4]. */
#ifndef SP_TRACK_JUDGE_H
#define SP_TRACK_JUDGE_H

#include "track/judge/attribution.h"
#include "track/judge/group_shift.h"

enum sp_verdict_of_track {
    SP_TRACK_OK,
    SP_TRACK_REGRESSED,
    SP_TRACK_IMPROVED,
    SP_TRACK_INCONCLUSIVE,  /* n_more runs would do */
    SP_TRACK_NOT_COMPARABLE /* `why` names the field that differs */
};
const char *sp_track_verdict_name(enum sp_verdict_of_track verdict); /* "ok", "regressed", ... */

/* Was it measured again, and did that say the same? */
enum sp_confirmed { SP_UNCONFIRMED, SP_CONFIRMED, SP_NOT_CONFIRMED };

struct sp_judgement {
    const struct sp_entry *newest, *oldest; /* borrowed; of the group judged */
    const struct sp_entry *other;           /* not comparable: the latest of another environment; else NULL */
    enum sp_tracked metric;
    enum sp_verdict_of_track verdict;
    struct sp_shift shift; /* against the rolling baseline; of a metric without noise change and floor only */
    int n_before, n_after; /* records of the rolling baseline, and those judged: the newest and those before
                              it of the same session */
    bool has_pinned;
    struct sp_shift pinned; /* against the accepted baseline */
    bool pin_decides;       /* the verdict and the attribution are of `pinned` */
    double noise;           /* standard deviation of ln of the metric from run to run within records */
    double p;               /* of the one comparison; of both min(1, 2 min p), because either may decide */
    bool is_exact;          /* the metric has no noise, simulated or counted: it is compared as it is, without
                               statistics */
    struct sp_attribution attribution;
    char why[480]; /* of inconclusive and not comparable; what decided: "against the accepted baseline" */
    bool is_one_of_several; /* the same series is judged elsewhere, too: titles have to say where this is of;
                               left to the caller */
    enum sp_confirmed confirmed;
    char confirmation[400]; /* what another session said, why there was none, or how to have one; "" */
};

/* Records of one series of one environment, by start: entry[i] points to [n] entries; the newest
 * ones that come from the same commit and tool and lie within SP_SESSION_S of each other, and those
 * measured to confirm another one with it, make the group that is judged: the last
 * SP_MOST_OF_SESSION of them. */
enum { SP_MOST_OF_SESSION = 32 };

/* Judges the newest of `list` [n], all of one series, by start; others of the series in other
 * environments may be among them, and make "not comparable" where nothing else is there to compare
 * with. pinned [n_pinned]: entries of the accepted baseline, oldest first; what was measured after
 * the newest of the list is none. The series begins anew there: other records up to the last of
 * them are no baseline, and the newest of the list is ok where it is one of them. */
void sp_judge(const struct sp_entry *const *list, int n, const struct sp_entry *const *pinned, int n_pinned,
              const struct sp_judge_options *o, struct sp_judgement *out);

/* Was `later` measured to confirm what `earlier` said, or what `earlier` was to confirm? */
bool sp_entry_confirms(const struct sp_entry *later, const struct sp_entry *earlier);

/* Two given groups of records, each of one configuration; `why`: they cannot be compared. */
void sp_judge_two(const struct sp_entry *const *before, int n_before, const struct sp_entry *const *after,
                  int n_after, const struct sp_judge_options *o, struct sp_judgement *out);

/* Has a record a value of this metric for each of its runs, or one for all? */
bool sp_tracked_is_by_run(enum sp_tracked metric);

/* Of many series at once: regressed and improved stay so only where they are discoveries at false
 * discovery rate q (Benjamini and Hochberg; usually SP_JUDGE_FDR); the others become inconclusive.
 * What another session has confirmed stays, and is none of the tests. */
#define SP_JUDGE_FDR 0.05
void sp_judge_many(struct sp_judgement *judgement, int n, double q);

/* The comparison that decided, and what it was with: "accepted", "records before". */
const struct sp_shift *sp_judgement_shift(const struct sp_judgement *j);
const char *sp_judgement_baseline(const struct sp_judgement *j);

/* Exit code of a verdict [UX 4]: regressed 1, inconclusive and not comparable 5, else 0. */
int sp_track_exit_code(enum sp_verdict_of_track verdict);

/* A verdict judged again when its request was measured once more: one session that was unlucky
 * regresses, two in a row hardly ever do. */

/* Judges again: list [n] is what sp_judge() was given, and behind it the n_new sessions that were
 * measured since, whose `confirms` names the newest before them. What stays *regressed* has
 * regressed together with the first session, and by itself; of itself alone it is *inconclusive*.
 * Sets verdict, confirmed and confirmation of *j, which holds the first verdict. SP_MEMORY. */
enum sp_status sp_judge_again(const struct sp_entry *const *list, int n, int n_new,
                              const struct sp_entry *const *pinned, int n_pinned,
                              const struct sp_judge_options *options, struct sp_judgement *j,
                              struct sp_error *err);

/* sp_judge(), and what sessions said that were measured to confirm the others. SP_MEMORY. */
enum sp_status sp_judge_confirmed(const struct sp_entry *const *list, int n,
                                  const struct sp_entry *const *pinned, int n_pinned,
                                  const struct sp_judge_options *options, struct sp_judgement *j,
                                  struct sp_error *err);

/* Would another session be of use? Verdicts that something was compared for, that are not good, and
 * that no other session has confirmed. */
bool sp_judge_wants_confirmation(const struct sp_judgement *j);

/* Makes *regressed* inconclusive where no other session has confirmed it, runs differ by more than
 * the floor that was asked for (0: SP_SHIFT_FLOOR), and the change is at most five times as large
 * as they do: a machine that moves that much from run to run also has bad sessions. */
void sp_judge_hold(struct sp_judgement *j, double floor);

#endif
