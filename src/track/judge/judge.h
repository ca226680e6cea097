/* The verdict on the newest measurement of a series [UX 4]. */
#ifndef SP_TRACK_JUDGE_H
#define SP_TRACK_JUDGE_H

#include "track/judge/comparable.h"
#include "track/judge/sessions.h"

enum sp_verdict_of_track {
    SP_TRACK_OK,
    SP_TRACK_REGRESSED, /* open: worse than before, and neither mended nor accepted since */
    SP_TRACK_MACHINE,   /* the same, and the machine's own sentinels saw it: not the code */
    SP_TRACK_IMPROVED,
    SP_TRACK_INCONCLUSIVE,  /* n_more sessions would do */
    SP_TRACK_NOT_COMPARABLE /* `why` names the field that differs */
};
const char *sp_track_verdict_name(enum sp_verdict_of_track verdict); /* "ok", "regressed", ... */

/* How a metric is compared. */
struct sp_judge_options {
    enum sp_tracked metric;
    double floor;   /* least relative change that counts; 0: 0.03 */
    int n_baseline; /* new sessions (of an exact metric: records) are held against so many of the last
                       ones; what is open stays so; 0: all */
    double fdr;     /* of unchanged checks so many may seem worse; 0: SP_JUDGE_FDR */
    uint64_t seed;  /* of the bootstrap between two records */
};
#define SP_JUDGE_FDR 0.01

/* Was it measured again, and did that say the same? */
enum sp_confirmed { SP_UNCONFIRMED, SP_CONFIRMED, SP_NOT_CONFIRMED };

enum sp_change_kind { SP_CHANGE_NONE, SP_CHANGE_STEP, SP_CHANGE_TREND, SP_CHANGE_MODE };
const char *sp_change_kind_name(enum sp_change_kind kind); /* "step", "trend", "mode change"; "" */

/* One change for the worse that is open: its first record, and the last one before it. */
struct sp_open_change {
    enum sp_change_kind kind;
    const struct sp_entry *since, *before; /* borrowed */
    double by;                             /* after/before - 1 */
    double slope, slope_lo, slope_hi;      /* of a trend: a commit, relative */
};

struct sp_judgement {
    const struct sp_entry *newest, *oldest; /* borrowed; of the sessions judged together */
    const struct sp_entry *other;           /* not comparable: the latest of another environment; else NULL */
    enum sp_tracked metric;
    enum sp_verdict_of_track verdict;
    struct sp_shift shift; /* change, lo, hi: of the newest sessions, or of what is open; floor: from where on
                                they count; p: as one test; noise: of a session */
    int n_before, n_after; /* sessions (of an exact metric and of `compare`: records) on both sides */
    enum sp_change_kind kind;
    struct sp_open_change open[SP_MOST_OPEN]; /* [n_open], the oldest first */
    int n_open;
    int seen;                      /* sessions at what is open */
    const struct sp_entry *mended; /* the newest session ended what was open since this one; NULL */
    bool is_accepted;              /* held against an accepted baseline */
    double pinned_change;          /* against the accepted sessions; NAN: none */
    double noise;                  /* standard deviation of ln of the metric from run to run within records */
    bool is_exact;   /* the metric has no noise, simulated or counted: it is compared as it is, without
                                  statistics */
    double common;   /* what all series of the machine did in the newest session, taken out; 0 */
    int n_common;    /* of how many series, where that alone is worse by more than chance; else 0 */
    bool is_suspect; /* ok, but only just: worth another session where one can be had */
    struct sp_attribution attribution;
    char why[480];           /* of inconclusive and not comparable; what else there is to say */
    bool is_one_of_several;  /* the same series is judged elsewhere, too: titles have to say where this is of;
                                left to the caller */
    int undecided;           /* sessions in a row, the newest among them, as far as was looked back */
    bool is_out_of_patience; /* these were too many: red */
    enum sp_confirmed confirmed;
    char confirmation[400]; /* what another session said, why there was none, or how to have one; "" */
};

/* One series as it is to be judged: list[n], n >= 1, comparable, by start (others are there only
 * where nothing is comparable); pinned [n_pinned]: the accepted baseline, oldest first; what was
 * measured after the newest of the list is none. The series begins anew there. */
struct sp_judged_series {
    const struct sp_entry *const *list;
    int n;
    const struct sp_entry *const *pinned;
    int n_pinned;
    bool is_context; /* is not judged itself: it tells of its machine */
};

/* Judges the newest of each series [n], all together: series of one environment share what is known
 * of its noise, what they all did is taken out, and a change of the newest session counts as a
 * discovery among all that are judged (Benjamini and Hochberg). out[n]; context gets none.
 * SP_MEMORY. */
enum sp_status sp_judge_all(const struct sp_judged_series *series, int n, const struct sp_judge_options *o,
                            struct sp_judgement *out, struct sp_error *err);

/* The same of one series alone. */
enum sp_status sp_judge(const struct sp_entry *const *list, int n, const struct sp_entry *const *pinned,
                        int n_pinned, const struct sp_judge_options *o, struct sp_judgement *out,
                        struct sp_error *err);

/* Two given groups of records, each of one configuration, by their runs. */
void sp_judge_two(const struct sp_entry *const *before, int n_before, const struct sp_entry *const *after,
                  int n_after, const struct sp_judge_options *o, struct sp_judgement *out);

/* "accepted", "records before". */
const char *sp_judgement_baseline(const struct sp_judgement *j);

/* Exit code of a verdict [UX 4]: regressed 1, the machine 8, inconclusive and not comparable 5,
 * else 0. */
int sp_track_exit_code(enum sp_verdict_of_track verdict);

/* The same of a judgement, which is 1 where nothing was decided for too long. */
int sp_judgement_exit_code(const struct sp_judgement *j);
/* Of a verdict that decides nothing: was nothing decided in the last `patience` sessions, each
 * judged alone when it was the newest? */
enum sp_status sp_judge_lose_patience(const struct sp_judged_series *series, const struct sp_judge_options *o,
                                      int patience, struct sp_judgement *j, struct sp_error *err);

/* Would another session be of use? Verdicts that something was compared for, that are not good or
 * only just, and that no other session has confirmed. */
bool sp_judge_wants_confirmation(const struct sp_judgement *j);

/* What the series [n] tell of their machines, as sp_judge_all() takes it into account: how far
 * sessions differ, and what all series did, which is taken out. Accepted baselines play no part.
 * The lists have to live as long. SP_MEMORY. sp_learned_free(). */
struct sp_learned;
enum sp_status sp_learn_all(const struct sp_judged_series *series, int n, const struct sp_judge_options *o,
                            struct sp_learned **out, struct sp_error *err);
void sp_learned_free(struct sp_learned *learned);

/* Where one of them changed its level, for better or worse, oldest first: out[most], *n_found.
 * floor: as of the options. SP_MEMORY. */
struct sp_located {
    struct sp_open_change change;
    struct sp_attribution attribution;
    bool same_source; /* on both sides: no commit did it */
};
enum sp_status sp_judge_locate(const struct sp_learned *learned, int which, const struct sp_judge_options *o,
                               struct sp_located *out, int most, int *n_found, int *n_sessions,
                               struct sp_error *err);

#endif
