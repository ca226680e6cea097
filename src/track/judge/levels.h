/* The levels that a series has been on, one session after the other: where it got worse and has not
 * been mended since, by how much, and whether in a step or as a trend. A pure function of the
 * sessions: nothing is forgotten, and nothing has to be stored. Derivation: docs/tracking.md. */
#ifndef SP_TRACK_LEVELS_H
#define SP_TRACK_LEVELS_H

#include <stdbool.h>

#include "base/status.h"
#include "track/judge/shift.h"

struct sp_level_series {
    int n;
    const double *y;    /* [n] ln of the metric, turned so that more is worse; by start */
    const int *commit;  /* [n] ordinal of its source, never falling; NULL: each has its own */
    int first_accepted; /* sessions [first_accepted, + n_accepted) begin the series anew */
    int n_accepted;     /* 0: none */
};

struct sp_level_options {
    double floor;           /* least change that counts, ln; 0: every one */
    double alpha;           /* share of unchanged series that may seem worse at a check */
    struct sp_spread prior; /* of a session (track/judge/shift.h) */
    bool no_trends;         /* steps alone */
    int most_before;        /* new sessions are held against so many of the newest of a level; 0: all */
};

enum { SP_MOST_OPEN = 6 };

/* Something that got worse. */
struct sp_level_change {
    int at;        /* first session of it */
    double by;     /* ln, against what was before it */
    bool is_trend; /* it grows still, by `slope` a commit within lo ... hi [ln] */
    bool of_pin;   /* seen against the accepted sessions alone: small steps that add up */
    double slope, lo, hi;
};

struct sp_level_state {
    struct sp_level_change open[SP_MOST_OPEN]; /* [n_open] not mended, the oldest first */
    int n_open;
    bool is_confirmed; /* more than one session has shown the last of them */
    int seen;          /* sessions at what is open */
    bool is_better;    /* the newest sessions are better than before by more than chance */
    int mended;        /* the newest session ended what was opened here; -1: it did not */

    /* The newest sessions against what they are held against: before all that is open, else the
     * level without them. */
    int k, m;              /* sessions on both sides */
    double base;           /* ln: what they are held against */
    double change, lo, hi; /* ln, 95 % */
    double needed;         /* ln: m sessions count from here on: at least the floor */
    double sigma, df;      /* of one session, and how well that is known */
    double p;              /* of the newest sessions, as one test of whether they are worse than the level
                              that they should be on; of what is open, that it is there by chance */
    int p_at;              /* the first of those sessions; -1: none is worse by the floor */
    double p_by;           /* ln */
};

/* SP_MEMORY. n >= 1. */
enum sp_status sp_levels_follow(const struct sp_level_series *series, const struct sp_level_options *o,
                                struct sp_level_state *out, struct sp_error *err);

/* Worse than the level before: opens what p and p_at say, for one that is a discovery among
 * many. */
void sp_levels_open(struct sp_level_state *state);

/* The change points that lie behind the present: every change of level and every trend, also of
 * what was mended or improved since; at most `most`, oldest first. SP_MEMORY. */
enum sp_status sp_levels_locate(const struct sp_level_series *series, const struct sp_level_options *o,
                                struct sp_level_change *out, int most, int *n_found, struct sp_error *err);

#endif
