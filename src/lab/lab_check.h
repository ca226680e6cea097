/* What predictions and results of a lab are worth: pass, fail, undecided, skipped, and why. */
#ifndef SP_LAB_LAB_CHECK_H
#define SP_LAB_LAB_CHECK_H

#include <stdio.h>

#include "lab/lab_folder.h"

/* Predictions at the first run: what counts is copied into state.json with its digest, so that an
 * edit of predictions.json afterwards is seen, and what was given up (`lab run --unpredicted`) is
 * remembered. */

/* Before the first run; does nothing later. SP_OUTPUT. */
enum sp_status sp_lab_bind(struct sp_lab_folder *folder, struct sp_error *err);

/* What became of one question. */
struct sp_lab_bound {
    bool given_up;     /* it had no prediction when the first run began: its answer is not told */
    bool changed;      /* predictions.json says something else now */
    const json_t *was; /* what was bound; NULL: nothing */
};
struct sp_lab_bound sp_lab_bound_of(const struct sp_lab_folder *folder, const char *question);

/* How many questions were given up; of them, how many were predicted afterwards. */
int sp_lab_n_given_up(const struct sp_lab_folder *folder, int *n_late);
/* Does state.json say what was bound, with its digest? Each first run leaves that. */
bool sp_lab_is_bound(const struct sp_lab_folder *folder);
/* Is predictions.json, without what is late, still the file that was bound? True where nothing
 * was. */
bool sp_lab_is_as_bound(const struct sp_lab_folder *folder);

enum sp_lab_state {
    SP_LAB_PASS,
    SP_LAB_FAIL,
    SP_LAB_UNDECIDED, /* noise, or nothing was run yet */
    SP_LAB_SKIPPED,   /* no GPU, no counters */
    SP_LAB_OPEN,      /* compared, not judged */
    SP_N_LAB_STATES
};
const char *sp_lab_state_name(enum sp_lab_state state);

/* Samples whose quartiles lie further apart, (Q3 - Q1)/median, decide about times only what stays
 * clear when each side is moved by that much. */
#define SP_LAB_NOISE 0.1
/* The same where the machine allowed no verdict on times. */
#define SP_LAB_DOUBT 0.5

struct sp_lab_verdict {
    bool is_prediction;                     /* else a check of what was run */
    const char *id, *text, *because, *unit; /* borrowed from the lab */
    enum sp_lab_state state;
    bool missing, late, given_up, changed; /* of predictions; given up: by `lab run --unpredicted` */
    bool sent_late;                        /* after the first run, with or without one in time */
    double points;                         /* that it is worth */
    double ratio;                          /* a wrong number over the right one; NaN: none */
    const char *mistake;                   /* what a wrong value is, as lab.json names it; borrowed; NULL */
    /* For people, numbers without unit; "" nothing. `within`: how far a prediction may be off. */
    char got[48], wanted[96], within[32], reason[400];
};

/* The one word for what became of a prediction: "given up", "changed", "missing", "late" (no other
 * one was sent), else of its state, as of a check. */
const char *sp_lab_outcome(const struct sp_lab_verdict *verdict);

/* `words` (got or wanted) with the unit behind it, none for "1"; "" stays "". Returns text. */
char *sp_lab_with_unit(const struct sp_lab_verdict *verdict, const char *words, char *text, size_t size);

enum { SP_LAB_MOST_VERDICTS = 64 };
struct sp_lab_verdicts {
    int n, n_state[SP_N_LAB_STATES];
    struct sp_lab_verdict verdict[SP_LAB_MOST_VERDICTS];
};

/* Judges predictions, then checks, in the lab's order. SP_INPUT: its formulas are wrong. */
enum sp_status sp_lab_judge(const struct sp_lab_results *results, struct sp_lab_verdicts *verdicts,
                            struct sp_error *err);
/* SP_OK all that could be decided is right, SP_NO something failed, SP_UNDECIDED. */
enum sp_status sp_lab_summary(const struct sp_lab_verdicts *verdicts);

/* Points earned, lost for good, and not decided yet; what is open or skipped counts for nothing. */
struct sp_lab_points {
    double earned, undecided, of;
};
struct sp_lab_points sp_lab_points_of(const struct sp_lab_verdicts *verdicts);

#endif
