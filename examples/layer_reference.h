/* Layers as plainly as they are defined, in double: what the fast ones are checked against. */
#ifndef SP_EXAMPLES_LAYER_REFERENCE_H
#define SP_EXAMPLES_LAYER_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "sparse/csr/csr.h"

/* Y' = min(max(W X + bias, 0), most) of the first n inputs. x, y [n_r x ld], row-major. */
void reference_layer(const struct sp_csr *w, const double *x, double *y, int64_t ld, int64_t n, double bias,
                     double most);

/* Is y (f32) the layer of x (f32), both [n_r x ld], as far as rounding allows? A sum of k products and the
 * bias has an error of at most (k + 1) u of the sum of their sizes, u = 2^-24; max and min do not enlarge it.
 * Returns the number of elements that are wrong. */
int64_t reference_differences(const struct sp_csr *w, const float *x, const float *y, int64_t ld, int64_t n,
                              double bias, double most);

#endif
