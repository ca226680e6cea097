/* What storing the values of a matrix in f32 changes (precision mixed). */
#ifndef SP_SPARSE_ROUNDING_H
#define SP_SPARSE_ROUNDING_H

#include <stdint.h>

#include "sparse/csr/csr.h"

struct sp_rounding {
    int64_t n_changed; /* values that are not f32 numbers; of complex ones, parts */
    double largest;  /* max |fl(a) - a| / |a|: at most 2^-24 where nothing under- or overflows; INFINITY: one
                        does overflow */
    double normwise; /* ||fl(A) - A||_F / ||A||_F */
};

/* Values that are not finite count as unchanged. One parallel pass. */
void sp_rounding_of(const struct sp_csr *a, struct sp_rounding *rounding);

#endif
