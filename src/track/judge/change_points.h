/* Where did a series change? E-divisive (Matteson and James 2014): the split that maximises the
 * energy distance between what lies before and after it, tested by permutations, then each part
 * again. Deterministic: the permutations are seeded. */
#ifndef SP_TRACK_CHANGE_POINTS_H
#define SP_TRACK_CHANGE_POINTS_H

#include <stdint.h>

#include "base/status.h"

struct sp_change_point {
    int at;               /* index of the first value of the new level */
    double before, after; /* medians of the segments on both sides */
    double p;             /* of the permutation test: exact where all arrangements of the segment's values
                             were gone through, else (1 + exceeded)/(1 + permutations) */
};

struct sp_change_options {
    int least_segment;  /* values; 0: 3 */
    int n_permutations; /* 0: 199; fewer values than SP_CHANGE_EXACT_MOST + 1 are tested exactly */
    double p;           /* largest that is accepted; 0: 0.05 */
    double floor;       /* |ln(after/before)| below which a change is not reported; 0: all are */
    uint64_t seed;
};

/* The change points of x[n] > 0 in order of position, at most `most`, into out; *n_found of them. x
 * is taken by logarithm. n up to some thousands: the cost of a split is O(n^2) a permutation.
 * SP_MEMORY. */
enum sp_status sp_change_points(const double *x, int n, const struct sp_change_options *o,
                                struct sp_change_point *out, int most, int *n_found, struct sp_error *err);

/* Segments of up to so many values are tested by all their arrangements. */
enum { SP_CHANGE_EXACT_MOST = 8 };

/* The fewest values in which a change can be found at all with at least `least` values on each
 * side: with fewer even a step far beyond the noise comes by chance more often than p allows. */
int sp_change_least_values(int least, double p);

/* The largest scaled energy statistic over all splits of y[n] into two segments of at least `least`
 * values: nm/(n + m) (2/(nm) sum|x - y| - 1/n^2 sum|x - x'| - 1/m^2 sum|y - y'|). *at receives the
 * split, -1: n is too small. Scratch [2 n] doubles. */
double sp_energy_split(const double *y, int n, int least, double *scratch, int *at);

#endif
