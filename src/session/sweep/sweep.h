/* A scan over configurations of a run: every value of every axis, pruned by the model, each point
 * measured in turn with the run.
 *
 * A point cannot be faster than max(V/b_S, W/P_core) (session/record/format_model.h): a point whose
 * bound lies above the best time observed is left out, and nothing is lost. The axes are walked in
 * groups, orders first, each group around the best so far: what the walk leaves out so is a choice,
 * and is counted apart. */
#ifndef SP_SESSION_SWEEP_H
#define SP_SESSION_SWEEP_H

#include "io/record/record.h"
#include "session/measure/conditions.h"
#include "session/trial/trial.h"

enum { SP_MAX_AXES = 10, SP_MAX_AXIS_VALUES = 32 };

/* An option and the values that are scanned; the first one is the run's. */
struct sp_sweep_axis {
    enum sp_option option;
    int group; /* 0, 1, ...: those of one group are crossed with each other */
    int n;
    char value[SP_MAX_AXIS_VALUES][40];
};

/* Comma-separated values of axis->option, but that of a format a number after "sell:8," belongs to
 * it. SP_USAGE: none, or too many; `typed` is what the error calls the option. */
enum sp_status sp_sweep_axis_parse(const char *typed, const char *list, struct sp_sweep_axis *axis,
                                   struct sp_error *err);

struct sp_sweep_options {
    int n_axes;
    struct sp_sweep_axis axis[SP_MAX_AXES];
    double budget_s; /* measuring time of all points together [s], shared among them */
    double point_s;  /* of one point at most [s] */
    bool exhaustive; /* every combination is measured, whatever the model says */
};

enum sp_sweep_fate {
    SP_SWEEP_MEASURED,
    SP_SWEEP_DISTURBED,  /* fewer than SP_FEWEST_PAIRS were not: it has no figure; trial.error says why */
    SP_SWEEP_BOUND,      /* cannot be faster than the best: bound_s */
    SP_SWEEP_BUDGET,     /* the others took three times the budget */
    SP_SWEEP_IMPOSSIBLE, /* its parts do not go together, or not here: trial.error says why */
    SP_SWEEP_FAILED,     /* it was begun, and something went wrong: likewise */
};

/* Rows that the walk has at most. */
int64_t sp_sweep_rows(const struct sp_sweep_options *options);

/* Measuring time of the next row [s], where given_s went to those before it and n_left are left
 * with it: an equal share of the rest. A row that is measured has a few samples in any case. */
double sp_sweep_share(const struct sp_sweep_options *options, double given_s, int64_t n_left);

/* Is no further row begun, after so long in all and so long of measuring [s]? */
bool sp_sweep_is_over(double budget_s, double measured_s, double wall_s);

/* The fate of a trial that ended so, measured ones aside: what cannot be had together, or here, is
 * no failure. */
enum sp_sweep_fate sp_sweep_fate_of(enum sp_status status);
/* Of one that may have been disturbed, which then takes back its gain. */
enum sp_sweep_fate sp_sweep_take(struct sp_trial *trial);

struct sp_sweep_point {
    struct sp_variant variant;
    double bound_s; /* least time by the model, for the work of the run; 0: none known */
    enum sp_sweep_fate fate;
    struct sp_trial trial;
    bool tied; /* with the best: their intervals meet */
};

/* Zero-initialise; sp_sweep_free(). */
struct sp_sweep {
    int64_t n_combinations; /* of all values of all axes */
    int n, most;
    struct sp_sweep_point *point;    /* [n], the fastest first, then what was left out; owned */
    int best;                        /* of them: the fastest, but the run itself where it is tied; -1: none */
    struct sp_conditions conditions; /* of all samples */
    struct sp_value base_time;       /* of the run, beside the first point [s] */
    struct sp_change run_options;    /* of the run, which commands repeat */
    double cost_s;
};

/* SP_INTERRUPTED keeps what was measured. */
enum sp_status sp_sweep_run(const struct sp_subject *subject, const struct sp_analyze_options *options,
                            const struct sp_sweep_options *sweep_options, const struct sp_progress *progress,
                            struct sp_sweep *sweep, struct sp_error *err);
/* Sorts the points, says which are tied, finds the best and the machine's state. */
void sp_sweep_rank(struct sp_sweep *sweep);
void sp_sweep_free(struct sp_sweep *sweep);

/* The record of a sweep: problem, structure, machine, and `sweep` in place of an analysis. */
void sp_record_sweep(struct sp_record *record, const struct sp_subject *subject,
                     const struct sp_analyze_options *options, const struct sp_sweep *sweep, double budget_s);

#endif
