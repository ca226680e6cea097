/* The class of what limits a run: memory bandwidth, latency, imbalance, in-core execution. It is read off the
 * runs that had one thing taken away: all gathers from L1, equal shares, data in the inner
 * caches (P_core). What no such run shows stays unknown. */
#ifndef SP_MODEL_BOTTLENECK_H
#define SP_MODEL_BOTTLENECK_H

#include <stdbool.h>

#include "model/losses.h"

enum sp_bottleneck {
    SP_BOTTLENECK_UNKNOWN,
    SP_BOTTLENECK_BANDWIDTH, /* transfers at the roof of the level fill the time */
    SP_BOTTLENECK_LATENCY,   /* gathers wait beyond what their bytes take */
    SP_BOTTLENECK_IMBALANCE, /* threads wait for the last one */
    SP_BOTTLENECK_IN_CORE,   /* as slow with data in the inner caches */
    SP_N_BOTTLENECKS
};
/* "bandwidth", "latency", "imbalance", "in-core", "unknown": as in records. */
const char *sp_bottleneck_name(enum sp_bottleneck bottleneck);

/* Times of one execution [s]; SP_NONE: such a run was not made. */
struct sp_bottleneck_inputs {
    struct sp_value time_s, core_s, linear_s, equal_s;
    const struct sp_losses *losses; /* of the same run */
};

struct sp_bottleneck_found {
    enum sp_bottleneck kind;
    bool proved;   /* by a run with the cause taken away; else by the model's parts alone */
    double share;  /* of the time, that goes with the cause; 0 with SP_BOTTLENECK_UNKNOWN */
    char why[200]; /* a sentence with the figures */
};

/* The cause with the largest share wins where that is LEAST (0.2) and more: imbalance, then latency or
 * in-core execution, whichever of the two adds more; else bandwidth where transfers take MOST (0.7) of the
 * time; else unknown. Unknown, too, where transfers or execution alone would take more than 110 % of the
 * time: `why` says which input that makes doubtful. */
struct sp_bottleneck_found sp_bottleneck_of(const struct sp_bottleneck_inputs *inputs);

#endif
