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
    double floor;  /* least relative change that counts; 0: SP_SHIFT_FLOOR */
    double noise;  /* run-to-run standard deviation of ln x, known from history; 0: of the two groups */
    double confidence; /* of the interval; 0: 0.95 */
    uint64_t seed;
};

struct sp_shift {
    enum sp_move move;
    double change, lo, hi; /* after/before - 1: Hodges-Lehmann estimate and bootstrap interval */
    double p;              /* Welch's t test of ln x, two-sided; 1 where it cannot be computed */
    double noise;          /* run-to-run standard deviation of ln x that was used */
    double floor;          /* that was used: at least the asked one, more where the noise asks for it */
    int n_more; /* SP_MOVE_UNDECIDED: about so many more runs a side would do; else 0 */
};

/* Least number of runs a side. */
enum { SP_SHIFT_LEAST_RUNS = 3 };

/* Decides by estimate and interval: up or down where the estimate exceeds the floor, which noise
 * raises, and the interval excludes "no change"; none where the interval stays below twice the
 * floor that was asked for; else undecided. */
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

#endif
