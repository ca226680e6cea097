/* Hints put to the proof: each is applied to the run alone, the best are combined, what wins is measured
 * again in fresh processes; what was predicted stands beside what was observed, also where it was wrong. */
#ifndef SP_SESSION_TRY_HINTS_H
#define SP_SESSION_TRY_HINTS_H

#include "session/trial.h"

/* What became of a prediction [lo, hi] of the time saved, g observed with the interval [g.lo, g.hi]. */
enum sp_outcome {
    SP_NOT_TRIED,
    SP_CONFIRMED, /* the intervals meet, and g.lo > 0; or lo <= 0, and g is no wider than the prediction */
    SP_EXCEEDED,  /* g.lo > hi */
    SP_LESS,      /* g.hi < lo, yet g.lo > 0: a gain, but a smaller one */
    SP_REFUTED,   /* g.hi < lo, and no gain is seen: g.lo <= 0 */
    SP_OPEN       /* the intervals meet, but what was observed is too wide to tell */
};
const char *sp_outcome_name(enum sp_outcome outcome); /* "confirmed", ... */
enum sp_outcome sp_outcome_of(double lo, double hi, struct sp_value gain);

/* One thing tried. */
struct sp_try {
    char id[8];   /* of the hint; "": a combination, or the honest baseline */
    char ids[80]; /* of all hints in a combination: "A01 E02" */
    int round;    /* 1: a hint of the run; 2, ...: of the run with what had won until then */
    struct sp_variant variant;
    double lo, hi;         /* predicted share of the time saved against the run */
    double own_lo, own_hi; /* predicted for this change by itself, against what it was added to */
    char confidence[12];
    struct sp_trial trial; /* status SP_ABSENT with the reason: not tried */
    enum sp_outcome outcome;
};

enum { SP_MAX_TRIES = 40 };

struct sp_tries {
    double budget_s, cost_s; /* allowed, and taken in all */
    struct sp_try honest; /* pinned, equal shares of entries, huge pages; variant.change "": the run is so */
    int n;
    struct sp_try one[SP_MAX_TRIES]; /* hints alone, then combinations, in the order in which they were run */
    int best;                        /* of one[]; -1: nothing is faster than the run */
    struct sp_try confirmed;         /* the best again, in processes of its own; none: trial.n_processes 0 */
    char command[400];               /* of the best */
};

/* The analysis, then its hints within budget_s [s]: written into the record's hints and `tries`. Returns what
 * the analysis does; an interruption of the trials keeps those that were made. */
enum sp_status sp_analyze_and_try(const struct sp_subject *subject, const struct sp_analyze_options *options,
                                  double budget_s, const struct sp_progress *progress,
                                  struct sp_record *record, struct sp_error *err);

/* hints[].observed, .outcome, .trial; the object `tries`. */
void sp_record_tries(struct sp_record *record, const struct sp_tries *tries);

#endif
