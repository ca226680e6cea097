/* HALF: row i holds its entries of columns <= i, ptr[i] .. ptr[i + 1] of col and val; each stands
 * for its mirror image as well, whose value is `mirror` (1 or, of a skew-symmetric matrix, -1)
 * times its own. Row i therefore updates y of its columns too: thread t, with rows begin[t] ..
 * begin[t + 1] - 1, those from share[t].lowest on, which rows before begin[t] belong to other
 * threads. Either two phases keep threads apart (`phased`): rows up to share[t].split - 1 write
 * nothing from share[t + 1].lowest on, the others nothing before begin[t]; or each thread sums up
 * for rows of others in a window of its own, of begin[t] - share[t].lowest rows, which are added to
 * y at the end. */
#ifndef SP_SPARSE_HALF_H
#define SP_SPARSE_HALF_H

#include "sparse/formats/layout.h"

struct sp_half_share {
    int64_t lowest; /* first row that the thread updates; begin[t] where it keeps to its own */
    int64_t split;  /* first row of its second phase; with windows: from here on all rows keep to its own */
};

struct sp_half {
    struct sp_half_share *share; /* [n_threads + 1], the last one n_r */
    int mirror;
    bool phased;
};

static inline const struct sp_half *sp_half_of(const struct sp_layout *layout)
{
    return layout->own;
}

/* Rows of the window of thread t, and of all threads. */
int64_t sp_half_window(const struct sp_layout *layout, int thread);
int64_t sp_half_windows(const struct sp_layout *layout);

#endif
