/* What a cache loses because the system puts pages where it likes.
 *
 * A physically indexed cache of W ways has room for W pages of each colour, the sets that a page covers. Data
 * that take a share s of the cache have W s pages of a colour in the mean, and where the system takes pages
 * as they come, their number is Poisson distributed. A colour with more than W pages keeps nothing under LRU
 * when the data are gone through again and again: each line is the oldest when its turn comes. So the share
 * that is fetched anew is
 *
 *     l = E[n; n > W]/(W s) = P(n >= W),   n Poisson distributed with mean W s
 *
 * for pages of any size below that of a way; larger ones are contiguous, and l is 0 or 1. R. E. Kessler,
 * M. D. Hill, Page placement algorithms for large real-indexed caches, ACM TOCS 10 (1992). */
#ifndef SP_MODEL_PLACEMENT_H
#define SP_MODEL_PLACEMENT_H

/* l of data that take `share` of a cache of `ways`, 0 ... 1. */
double sp_placement_lost(double share, int ways);

#endif
