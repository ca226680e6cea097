/* What a record says of the ways in which a GPU's threads can share a kernel's work, as points of a roofline.
 */
#ifndef SP_PLOTS_GPU_WAYS_H
#define SP_PLOTS_GPU_WAYS_H

#include "io/record/record.h"

enum sp_way_level { SP_WAY_L1, SP_WAY_L2, SP_WAY_MEM, SP_N_WAY_LEVELS };

struct sp_way_point {
    double x, lo, hi; /* [flop/B] work over the bytes of the level; x 0: there is none */
};

struct sp_gpu_way_drawn {
    char text[160];       /* "CRS lanes 8  219 Gflop/s, memory bandwidth" */
    int number;           /* from 1 */
    double y, y_lo, y_hi; /* [Gflop/s] */
    bool measured;
    bool is_bound; /* all stays in the L2, whose bandwidth is not known: the rate is a lower bound */
    struct sp_way_point at[SP_N_WAY_LEVELS];
};

enum { SP_MOST_WAYS_DRAWN = 13 };

/* The modelled ways in the record's order, then the kernel that ran; returns how many, 0 where the record has
 * no levels. */
int sp_gpu_ways_read(const struct sp_record *record, struct sp_gpu_way_drawn way[SP_MOST_WAYS_DRAWN]);

#endif
