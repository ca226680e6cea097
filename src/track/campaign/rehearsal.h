/* Can the gate fail, and does it keep still? Series with known noise and a known change, drawn with
 * a seeded generator, are judged as track check judges real ones, all of a check together. */
#ifndef SP_TRACK_REHEARSAL_H
#define SP_TRACK_REHEARSAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

struct sp_rehearsal_options {
    double change;  /* after/before - 1 that is put in; 0: nothing is */
    double noise;   /* run-to-run standard deviation of ln x */
    double session; /* standard deviation of ln x from session to session */
    double common;  /* likewise, of what all series of a session share */
    double spikes;  /* share of runs that take longer (track/campaign/made_history.h) */
    double modes;   /* distance of two modes that runs are in by chance; 0: one mode */
    int n_runs;     /* a session */
    int n_sessions; /* before the one that is judged */
    int n_trials;
    int confirm;   /* rounds of track check --confirm=N: what it would measure again is drawn and judged as
                      there */
    int n_series;  /* judged together in a check, 0: 1; the change is put into the first one */
    int n_beside;  /* other series of the machine, which are not judged: they tell of its noise */
    double fdr;    /* as of sp_judge_all(); 0: SP_JUDGE_FDR */
    bool accepted; /* the first session is the accepted baseline */
    uint64_t seed;
};

struct sp_rehearsal {
    int n_trials;                                   /* checks */
    int n_ok, n_regressed, n_improved, n_undecided; /* verdicts on the first series of each */
    int n_alarms;                                   /* checks in which an unchanged series seems regressed */
};

/* SP_MEMORY. */
enum sp_status sp_rehearse(const struct sp_rehearsal_options *o, struct sp_rehearsal *result,
                           struct sp_error *err);

#endif
