/* What a cache loses of data that fit it, because its sets fill unevenly.
 *
 * Data that take a share s of a cache of W ways have W s lines for each set in the mean. Where physical pages
 * or a hash of the address scatter them, their number in a set is Poisson distributed, and a set with more
 * than W keeps nothing under LRU when the data are gone through again and again: each line is the oldest when
 * its turn comes. So the share that is fetched anew is
 *
 *     l = E[n; n > W]/(W s) = P(n >= W),   n Poisson distributed with mean W s
 *
 * R. E. Kessler, M. D. Hill, Page placement algorithms for large real-indexed caches, ACM TOCS 10 (1992).
 * Counters of A64FX (W = 16, published of 483 matrices) show 0.16 to 0.42 for s = 0.75 to 0.9, where this
 * says 0.16 to 0.37; but 0.01 at s = 0.65 (0.07) and 0.9 at 1.04 (0.6), and nothing of it where the ways are
 * divided between arrays. It is a description, not a proof of the cause. */
#ifndef SP_MODEL_OVERFLOW_H
#define SP_MODEL_OVERFLOW_H

/* l of data that take `share` of a cache of `ways`, 0 ... 1. */
double sp_sets_lost(double share, int ways);

#endif
