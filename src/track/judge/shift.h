/* Has a quantity moved between two groups of runs? Everything is on run level: one value, its
 * median, for each process, because samples of one process share what that process got (pages,
 * places), and pooling them finds changes where there are none [UX 4]. All values are positive;
 * changes are ratios. */
#ifndef SP_TRACK_SHIFT_H
#define SP_TRACK_SHIFT_H

#include <stdint.h>

#define SP_SHIFT_FLOOR 0.03

/* One group of runs: x[n] > 0, borrowed. */
struct sp_group {
    int n;
    const double *x;
};

enum sp_move {
    SP_MOVE_NONE, /* no change beyond the floor, and none twice as large is likely */
    SP_MOVE_UP,
    SP_MOVE_DOWN,
    SP_MOVE_UNDECIDED /* too few runs, or too much noise: n_more */
};

struct sp_shift_options {
    double floor;      /* least relative change that counts; 0: SP_SHIFT_FLOOR */
    double noise;      /* run-to-run standard deviation of ln x, known from history; 0: of the two groups */
    double confidence; /* of the interval; 0: 0.95 */
    uint64_t seed;
};

struct sp_shift {
    enum sp_move move;
    double change, lo, hi; /* after/before - 1: Hodges-Lehmann estimate and bootstrap interval */
    double p;              /* Welch's t test of ln x, two-sided; 1 where it cannot be computed */
    double noise;          /* run-to-run standard deviation of ln x that was used */
    double floor;          /* that was used: at least the asked one, more where the noise asks for it */
    int n_more;            /* SP_MOVE_UNDECIDED: about so many more runs a side would do; else 0 */
};

/* Least number of runs a side. */
enum { SP_SHIFT_LEAST_RUNS = 3 };

/* Decides by estimate, interval and p: up or down where the estimate exceeds the floor, which noise
 * raises, the interval excludes "no change", and p is below what the confidence leaves; none where
 * the interval stays below twice the floor that was asked for; else undecided. */
struct sp_shift sp_shift_of(struct sp_group before, struct sp_group after, const struct sp_shift_options *o);

/* Median of all ratios after/before (Hodges and Lehmann 1963, of logarithms) - 1. n >= 1. */
double sp_shift_estimate(struct sp_group before, struct sp_group after);

/* Two-sided p of Welch's t test on x; 1: fewer than 2 values. *t and *df may be NULL. */
double sp_welch(struct sp_group before, struct sp_group after, double *t, double *df);

/* Two-sided p of Student's t with df degrees of freedom. */
double sp_student_p(double t, double df);

/* Rejected of n hypotheses at false discovery rate q (Benjamini, Hochberg 1995); how many. */
int sp_discoveries(const double *p, int n, double q, unsigned char *rejected);

/* Standard deviation of ln x within groups, pooled over them; 0 where no group has two values. */
double sp_noise_within(const struct sp_group *group, int n_groups);

/* How far sessions of unchanged code lie from each other: the scale of every verdict on a noisy
 * metric. Each series has a few sessions to tell; what they say is moderated by a prior, as known
 * from expression arrays (Smyth 2004): the other series of the machine, or, while those are few,
 * what machines usually do. Values are logarithms; derivation: docs/tracking.md. */

/* A variance and the degrees of freedom that it is known with; df 0: unknown. */
struct sp_spread {
    double variance, df;
};

/* Mean and sum of squares about it of the last SP_MOMENTS_MOST of y[n] (n >= 1), with values beyond
 * 2.5 robust standard deviations of the median drawn in to there (from five values on): one bad
 * session neither moves a level nor blinds it. */
enum { SP_MOMENTS_MOST = 512 };
struct sp_moments {
    int n;
    double mean, squares, df; /* squares/df is the variance, known with df degrees of freedom */
};
struct sp_moments sp_moments_of(const double *y, int n);

/* Variance of a session from the steps [n] between sessions that follow each other: half their mean
 * square, robust as above, so that neither one change of level nor a slow trend counts as noise. */
struct sp_spread sp_spread_of_steps(const double *step, int n);

/* Of the median of n independent values of variance 1. */
double sp_variance_of_median(int n);

/* Standard deviation of runs, robust: from the |deviations| [n] of runs from the median of their
 * record, without the run that is the median itself. 0: none. */
double sp_spread_of_runs(const double *deviation, int n);

/* What is taken of a machine of which nothing is known: sessions differ by 1.4 % and by what the
 * noise of their runs makes of their median; worth fourteen degrees of freedom. */
struct sp_spread sp_spread_usual(double noise_of_runs, int runs);

/* The prior of a machine's series, from the variances of n of them: its variance, and how alike
 * they are (df; never more than all of them together have). With fewer than three known ones it is
 * `usual`. */
struct sp_spread sp_spread_of_machine(const struct sp_spread *series, int n, struct sp_spread usual);

/* Sum of squares with nu degrees of freedom, moderated by a prior: (d_0 s_0^2 + S)/(d_0 + nu).
 * Where the sessions show a larger variance s^2, d_0 counts (s_0^2/s^2)^6 of itself: half as large
 * a variance again leaves a tenth of it. A prior that counts where it does not fit takes sessions
 * that happen to agree for a quiet machine, and finds slowdowns where there are none. */
struct sp_spread sp_spread_moderated(double squares, double nu, struct sp_spread prior);

#endif
