/* What was tried of the hints: each prediction beside what was observed, the word for what became
 * of it, and which tries win. Figures alone decide; nothing is run here. */
#ifndef SP_SESSION_TRIES_H
#define SP_SESSION_TRIES_H

#include "model/hints/hints.h"
#include "session/trial/trial.h"

/* What became of a prediction [lo, hi] of the time saved, g observed with the interval [g.lo,
 * g.hi]. */
enum sp_outcome {
    SP_NOT_TRIED,
    SP_CONFIRMED, /* the intervals meet, and g.lo > 0; or lo <= 0, g > 0 and no wider than the prediction */
    SP_EXCEEDED,  /* g.lo > hi */
    SP_LESS,      /* g.hi < lo, yet g.lo > 0: a gain, but a smaller one */
    SP_REFUTED,   /* g.hi < lo, and no gain is seen: g.lo <= 0 */
    SP_OPEN,      /* the intervals meet, but what was observed tells no gain */
    SP_OTHER_CONDITIONS, /* the run itself took another time than the prediction was made for */
    SP_N_OUTCOMES
};
const char *sp_outcome_name(enum sp_outcome outcome); /* "confirmed", ... */
/* Under the conditions that the prediction was made for. */
enum sp_outcome sp_outcome_of(double lo, double hi, struct sp_value gain);

/* One thing tried. */
struct sp_try {
    char id[8];                   /* of the hint; "": a combination, or the honest baseline */
    char ids[80];                 /* of all hints in a combination: "A01 E02" */
    int round;                    /* 1: a hint of the run; 2, ...: of the run with what had won until then */
    const struct sp_hint *chance; /* what its rule would not have proposed; NULL: a hint; borrowed */
    struct sp_change own;         /* of variant.change, what this try adds to what it was tried on top of */
    struct sp_variant variant;
    double lo, hi;         /* predicted share of the time saved against the run */
    double own_lo, own_hi; /* predicted for this change by itself, against what it was added to */
    double for_s;          /* time of the run that the prediction was made for [s]; 0: unknown */
    char confidence[12];
    struct sp_trial trial; /* status SP_ABSENT with the reason: not tried */
    enum sp_outcome outcome;
};

/* Time of the run beside the trial over that which the prediction was made for; NAN: not known. */
double sp_try_conditions(const struct sp_try *one);
/* From prediction, observation and conditions. */
enum sp_outcome sp_try_outcome(const struct sp_try *one);

enum { SP_MAX_TRIES = 40 };

struct sp_tries {
    double budget_s, cost_s; /* allowed, and taken in all */
    struct sp_try honest;    /* pinned, equal shares, huge pages; variant.change.n 0: the run is so */
    char run_is[96];         /* what the run is like, where there is nothing to try: "pinned, ..." */
    int n;
    struct sp_try one[SP_MAX_TRIES]; /* hints alone, then combinations, in the order in which they were run */
    int best;                        /* of one[]; -1: nothing is faster than the run */
    struct sp_try confirmed;         /* the best again, in processes of its own; none: trial.n_processes 0 */
    bool interrupted;                /* before all was tried and confirmed */
    char command[400];               /* of the best */
};

/* Samples of a trial get one of so many parts of the budget, those of a process that confirms the
 * best half of one; so many processes confirm it, where there is time. */
enum { SP_TRY_PARTS = 12, SP_TRY_PROCESSES = 3 };

/* What a trial is expected to take, and a confirming process [s]: as long as the longest so far,
 * before the first one its samples. */
double sp_tries_trial_s(const struct sp_tries *tries);
double sp_tries_process_s(const struct sp_tries *tries);
/* With spent_s gone, can a step of step_s be taken, and the best be confirmed after it? Nothing is
 * begun that cannot. */
bool sp_tries_has_time(const struct sp_tries *tries, double spent_s, double step_s);
/* Processes for which there is time, 0 ... SP_TRY_PROCESSES. */
int sp_tries_processes(const struct sp_tries *tries, double spent_s);

/* What a try gave on top of the gain that its round began with. */
double sp_try_gain_alone(const struct sp_try *one, double from_gain);

/* Is `gain` worth the options that come on top of one that gave `before`? */
bool sp_try_is_worth_adding(double gain, double before);

/* Was it measured, and is all of its interval a gain? */
bool sp_try_is_gain(const struct sp_try *one);

/* The fastest that computes the same numbers; NULL: none is faster than the run. One of a later
 * round must save another point. */
const struct sp_try *sp_tries_best(const struct sp_tries *tries);

/* The fastest of those that are not `done` (one for each try) and whose gain, at its lower end, is
 * above `gain`; NULL: none. */
const struct sp_try *sp_tries_contender(const struct sp_tries *tries, const bool *done, double gain);

/* The next best of one[from ... to - 1] whose own options are not among those that its round has
 * added already; used[i]: left out. NULL: none. */
const struct sp_try *sp_tries_next(const struct sp_tries *tries, int from, int to,
                                   const struct sp_variant *added, const bool *used);

/* hints[].observed, .outcome, .conditions, .trial of a record. */
void sp_record_tried_hints(struct sp_record *record, const struct sp_tries *tries);
/* The same, and its object `tries`. */
void sp_record_tries(struct sp_record *record, const struct sp_tries *tries);

/* Hints put to the proof: each is applied to the run alone, the best are combined, what wins is
 * measured again in fresh processes; what was predicted stands beside what was observed, also where
 * it was wrong. */

/* The analysis, then its hints within budget_s [s]: written into the record's hints and `tries`.
 * Returns what the analysis does; an interruption of the trials keeps those that were made. */
enum sp_status sp_analyze_and_try(const struct sp_subject *subject, const struct sp_analyze_options *options,
                                  double budget_s, const struct sp_progress *progress,
                                  struct sp_record *record, struct sp_error *err);

#endif
