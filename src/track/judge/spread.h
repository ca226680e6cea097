/* How far sessions of unchanged code lie from each other: the scale of every verdict on a noisy
 * metric. Each series has a few sessions to tell; what they say is moderated by a prior, as known
 * from expression arrays (Smyth 2004): the other series of the machine, or, while those are few,
 * what machines usually do. Values are logarithms; derivation: docs/tracking.md. */
#ifndef SP_TRACK_SPREAD_H
#define SP_TRACK_SPREAD_H

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
