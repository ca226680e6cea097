/* How good hints are: what they predicted against what was observed when they were tried, rule by
 * rule, and against the predictor that promises nothing. */
#ifndef SP_TRACK_HINT_SCORE_H
#define SP_TRACK_HINT_SCORE_H

#include <stdbool.h>

#include "io/record/record.h"

/* One hint that was tried, from a record with `tries`. */
struct sp_scored_hint {
    char id[8];
    char matrix[64];
    char change[96];
    char confidence[12];
    double lo, hi; /* predicted share of the time saved */
    double observed, observed_lo, observed_hi;
    bool is_other; /* the run itself took another time than the prediction was made for: it does not score */
    bool is_covered; /* the two intervals meet */
    bool is_refuted;
};

/* Of some of them. Errors are |middle of the prediction - observed|. */
struct sp_hint_score {
    char id[8]; /* of the rule; "": of several */
    int n, n_covered, n_refuted;
    int n_other; /* tried under other conditions than the prediction was made for; not among n */
    int n_high, n_high_refuted;          /* of confidence high */
    double median_error, mean_error;     /* NAN where n is 0 */
    double median_nothing, mean_nothing; /* of the predictor "gain = 0": |observed| */
};

/* Zero-initialise; sp_hint_scores_free(). */
struct sp_hint_scores {
    int n, most;
    struct sp_scored_hint *hint; /* [n] owned */
    int n_records, n_without;    /* records taken; those in which no hint was tried */
};

/* Hints that were applied alone to the run and measured; others do not score. */
enum sp_status sp_hint_scores_add(struct sp_hint_scores *scores, const struct sp_record *record,
                                  struct sp_error *err);
/* Which of them count. */
struct sp_hint_choice {
    const char *id; /* of one rule; NULL: of all */
    double least;   /* |observed| is at least so large */
    double within;  /* the observation is known to so much, half of its interval; 0: however noisy it is */
};
struct sp_hint_score sp_hint_scores_of(const struct sp_hint_scores *scores, struct sp_hint_choice choice);
void sp_hint_scores_free(struct sp_hint_scores *scores);

#endif
