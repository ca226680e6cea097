/* Variants, which differ from a run by a few options (what hints propose and sweeps scan), and
 * their trials: variant and run measured in turn. Both have their own arrays at the same time, both
 * results are checked against the reference, and what counts is the median of paired ratios, so
 * that a machine that drifts cannot pass for a gain. */
#ifndef SP_SESSION_TRIAL_H
#define SP_SESSION_TRIAL_H

#include "base/option/run_option.h"
#include "session/analyze/analyze.h"
#include "session/analyze/setup.h"

/* Zero-initialise: the run itself. */
struct sp_variant {
    struct sp_change change;
    const struct sp_kernel *kernel; /* the fastest, where a trial has found it; NULL: to be chosen */
    int32_t prefetch;               /* with kernel: what it was found with */
};

/* Adds options; one that is there already takes the new value. SP_USAGE: one may not be changed or
 * does not take its value; *variant is as before then. */
enum sp_status sp_variant_add(struct sp_variant *variant, const struct sp_change *change,
                              struct sp_error *err);

/* Are these options and values that a variant takes, formats and schedules included? SP_USAGE with
 * the right forms. */
enum sp_status sp_variant_check(const struct sp_change *change, struct sp_error *err);

/* Its order of rows and columns, "": as in the run; does it leave out entries of value 0? */
const char *sp_variant_order(const struct sp_variant *variant);
bool sp_variant_drops_zeros(const struct sp_variant *variant);

/* Do both come to the same configuration of this run? The order in which options were added does
 * not matter, nor does an option that names what the run has anyway. */
bool sp_variant_is_same(const struct sp_variant *a, const struct sp_variant *b,
                        const struct sp_analyze_options *run);

/* The run's options with the variant's in their place; the texts are borrowed from both. The order
 * of rows and columns is not among them, nor are zeros left out: sp_trials_order() does both. */
struct sp_analyze_options sp_variant_options(const struct sp_variant *variant,
                                             const struct sp_analyze_options *run);

/* Of fewer pairs nobody knows how much the next one differs. */
enum { SP_FEWEST_PAIRS = 3 };

/* What a trial found out. Plain data: it goes through pipes. */
struct sp_trial {
    enum sp_status status; /* SP_OK, or why it could not be measured: error */
    struct sp_error error;
    char kernel[64];
    int32_t prefetch;
    double reorder_s, layout_s; /* order found and applied, zeros left out; layout made: its set-up [s] */
    struct sp_value time;       /* of one execution [s] */
    struct sp_value base_time;  /* of the run beside it [s] */
    struct sp_value gain;       /* share of the time per useful operation that is saved; < 0: it is slower */
    int64_t n_pairs;
    int64_t n_clean, n_disturbed, n_crowded; /* pairs taken, as in struct sp_pairs */
    bool crowded;                            /* those kept were taken while cores were shared */
    bool disturbed;    /* all of them were; error.what says by whom; takes_disturbed only */
    int n_processes;   /* in which it was measured */
    double max_error;  /* of the result, relative to sum |a_ij x_j| (struct sp_spmv_check) */
    double measured_s; /* of its samples [s] */
    double cost_s;     /* that the trial took in all [s] */
};

struct sp_trials {
    const struct sp_subject *subject;
    const struct sp_analyze_options *options; /* of the run */
    const struct sp_kernel *kernel;           /* of the run */
    const struct sp_progress *progress;
    const struct sp_setup *base; /* of the run: &own, or lent; NULL: to be made by the next trial */
    struct sp_setup own;
    bool takes_disturbed;  /* a pair is better than none, clean or not; else SP_UNDECIDED in trial->status */
    struct sp_csr ordered; /* as the last trial had it, which the next one may want too */
    char ordered_by[64];
    double reorder_s;
};

/* Sets the run up anew, with the kernel that it had (NULL: the fastest). Zero-initialise;
 * sp_trials_close(). */
enum sp_status sp_trials_open(const struct sp_subject *subject, const struct sp_analyze_options *options,
                              const struct sp_kernel *kernel, const struct sp_progress *progress,
                              struct sp_trials *trials, struct sp_error *err);
/* With the run as it is set up already: borrowed until the end; sp_trials_confirm() needs one of
 * its own. */
void sp_trials_borrow(const struct sp_subject *subject, const struct sp_analyze_options *options,
                      const struct sp_setup *run, const struct sp_progress *progress,
                      struct sp_trials *trials);
void sp_trials_close(struct sp_trials *trials);

/* The matrix in the variant's order, and without zeros where it leaves them out, which the trials
 * own until another order is asked for. SP_ABSENT: the run itself has been reordered, and its
 * subject does not have the original. */
enum sp_status sp_trials_order(struct sp_trials *trials, const struct sp_variant *variant,
                               struct sp_csr *borrowed, struct sp_error *err);

/* Measures the variant for `budget_s` [s], set-up not counted. What this variant cannot be measured
 * for is in trial->status; the function itself fails only with SP_INTERRUPTED and SP_MEMORY for its
 * own arrays. */
enum sp_status sp_trials_run(struct sp_trials *trials, const struct sp_variant *variant, double budget_s,
                             struct sp_trial *trial, struct sp_error *err);

/* Again, in n_processes fresh ones, each with arrays of its own for both; budget_s for each. The
 * gain is the median of theirs, its interval holds those of all. Closes the base, whose arrays
 * would be in the way; it is opened again by the next trial. */
enum sp_status sp_trials_confirm(struct sp_trials *trials, const struct sp_variant *variant, double budget_s,
                                 int n_processes, struct sp_trial *trial, struct sp_error *err);

/* Useful operations of an execution of the variant over those of the run: more vectors do more.
 * Entries of value 0 do nothing that is missed where the variant leaves them out, so that it is
 * counted for an entry; and a product is the same in whatever precision: the parts that complex
 * numbers add to a real matrix are no use. */
double sp_trial_work(const struct sp_workload *variant, const struct sp_workload *run);

/* Set-up of the trial in executions of the run; after how many executions it has paid, INFINITY:
 * never. */
double sp_trial_setup_executions(const struct sp_trial *trial);
double sp_trial_pays_after(const struct sp_trial *trial);

#endif
