/* Can the gate fail, and does it keep still? Series with known noise and a known change, drawn with
 * a seeded generator, are judged as track check judges real ones, all of a check together. */
#ifndef SP_TRACK_REHEARSAL_H
#define SP_TRACK_REHEARSAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "track/store/entry.h"

/* Histories of measurements that nobody made: series of a machine over commits, with known noise
 * and known faults, so that anybody can put a gate to the test. Drawn with a seeded generator. */

enum sp_made_fault_kind {
    SP_MADE_STEP,    /* from commit `at` to before `until` slower by `by` */
    SP_MADE_DRIFT,   /* slower by `by` more with each commit */
    SP_MADE_BYTES,   /* moves more bytes by `by`, and takes as much longer */
    SP_MADE_MODE,    /* all runs are in the other mode */
    SP_MADE_MACHINE, /* the machine is slower by `by`: its sentinels and roofs, too, and every series */
    SP_MADE_COMMON,  /* every series is slower by `by`, the machine is not */
    SP_N_MADE_FAULTS
};

struct sp_made_fault {
    enum sp_made_fault_kind kind;
    int series;    /* from 1; 0: all */
    int at, until; /* commits, from 0; until 0: to the end */
    double by;     /* relative */
};

struct sp_made_options {
    int n_commits, n_sessions; /* sessions: a commit */
    int n_runs, n_series;
    double noise, session; /* standard deviations of ln, from run to run and from session to session */
    double common;         /* likewise, of what all series of a session share */
    double spikes;         /* share of runs that take longer, by 20 % on average (exponential) */
    double modes;          /* half of the runs are in a mode that is slower by so much; 0: one mode */
    uint64_t seed;
    const struct sp_made_fault *fault; /* [n_faults] */
    int n_faults;
};

/* The entry of one session: series, commit and session from 0. */
void sp_made_entry(const struct sp_made_options *o, int series, int commit, int session, struct sp_entry *e);

/* "KIND:COMMIT[-UNTIL][:PERCENT[:SERIES]]", commits and series from 1; series "all". SP_USAGE. */
enum sp_status sp_made_fault_parse(const char *text, struct sp_made_fault *fault, struct sp_error *err);

/* A record of it, as `track add` takes it: origins say "constructed". */
enum sp_status sp_made_record(const struct sp_made_options *o, int series, int commit, int session,
                              struct sp_record *record, struct sp_error *err);

struct sp_rehearsal_options {
    double change;  /* after/before - 1 that is put in; 0: nothing is */
    double noise;   /* run-to-run standard deviation of ln x */
    double session; /* standard deviation of ln x from session to session */
    double common;  /* likewise, of what all series of a session share */
    double spikes;  /* share of runs that take longer */
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
