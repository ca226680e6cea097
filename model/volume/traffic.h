/* Simulated traffic of SpMV: bytes per array and per level of the hierarchy [THEORY 9]. */
#ifndef SP_MODEL_TRAFFIC_H
#define SP_MODEL_TRAFFIC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/reading.h"
#include "base/status.h"
#include "model/cache/cache.h"
#include "model/machine.h"
#include "model/trace/trace.h"
#include "sparse/formats/layout.h"

enum sp_sim_state {
    SP_SIM_WARM,   /* one of many executions that follow each other */
    SP_SIM_COLD,   /* one execution from empty caches; what is dirty at its end counts as written */
    SP_SIM_BETWEEN /* as warm, but between_B of other vectors are read between two executions: this is not
                      counted, the lines of y that it pushes out are */
};

struct sp_sim_options {
    const struct sp_machine *machine; /* its caches, inner to outer; borrowed. Lines with sectors are
                                         simulated as lines of one sector each */
    bool llc_only; /* one fully associative level of the last level's capacity: fastest. The random
                      and RRIP policies then have the last level's ways */
    int64_t llc_B; /* capacity of the last level instead of the machine's believed one, 0: that */
    int policy;    /* enum sp_policy of the last level, -1: the machine's */
    int n_domain;  /* last-level instances; threads of different ones share nothing */
    const int *domain_of_thread; /* [layout threads] 0 .. n_domain - 1; NULL: all in domain 0 */
    enum sp_sim_state state;
    int64_t between_B;
    double skew;                   /* fraction of its share by which thread t + 1 lags behind thread t */
    bool store_nt;                 /* y bypasses the caches; counted at memory only */
    size_t x_offset_B, y_offset_B; /* of x[0] and y[0] in a line */
    uint64_t seed;                 /* of the random policy */
    struct sp_depths *depths;      /* sp_sim_ways()'s own; NULL */
    const struct sp_walk *walk;    /* accesses that somebody tells (model/trace/trace.h), in place of the
                                      layout's;    NULL */
    /* Called about every 10 ms with the share done; true: stop with SP_INTERRUPTED. NULL: never. */
    bool (*progress)(void *context, double share);
    void *context;
};

/* Of what simulated bytes are: one more with every change after which the same layout, machine and
 * options give other bytes. Records carry it, and tracking compares none of different versions. */
enum { SP_TRAFFIC_VERSION = 6 };

/* Warm, all in one domain, the machine's policies. */
struct sp_sim_options sp_sim_default(const struct sp_machine *machine);

/* What was simulated, beside the traffic. */
struct sp_sim_facts {
    int n_levels;
    int64_t llc_B;        /* capacity of one last level as simulated [B] */
    int64_t n_references; /* element accesses of one execution */
    int n_executions;     /* that were simulated, the counted one included; a part counts as one */
};

/* traffic[k]: between level k + 1 of the simulated ones and the next one outward; traffic[n_levels
 * - 1]: memory. Values have origin SP_SIMULATED. Warm: executions are repeated until the traffic is
 * that of a repetition: under LRU a part of one that fills the caches suffices where levels are not
 * inclusive or victim; else until the memory traffic changes by less than 0.1 %, at most 6. Of a
 * last level that is known to be an LRU cache the memory traffic has what sets that overflow
 * change, with an interval (model/cache/capacity.h). facts may be NULL. SP_USAGE where the layout
 * or machine cannot be simulated. */
enum sp_status sp_sim_traffic(const struct sp_layout *layout, const struct sp_sim_options *options,
                              struct sp_traffic traffic[SP_MAX_LEVELS], int *n_levels,
                              struct sp_sim_facts *facts, struct sp_error *err);

/* Reads from memory for every division of the last level's ways between the arrays of its partition
 * and the others, all from one simulation. */
struct sp_ways {
    int n;                       /* ways of the level; 0: not simulated */
    double read_B[SP_MOST_WAYS]; /* [w], w = 1 ... n - 1: with w ways for the arrays of the partition */
    double most_B[SP_MOST_WAYS]; /* read_B at most, where sets overflow (model/cache/capacity.h) */
    double x_B[SP_MOST_WAYS];    /* of x in read_B */
};

/* Whether all divisions of the last level can be simulated at once, once arrays are named. */
bool sp_ways_are_simulated(const struct sp_machine *machine);

/* The division that reads least at most: the middle of the longest run of those that read as little
 * within 2 %; 0: none is simulated. */
int sp_ways_best(const struct sp_ways *ways);
/* What division w reads less than whole_B [B], which may be negative; the interval is that of
 * read_B to most_B, and of a way more or less: caches do not divide as exactly as that. Origin
 * SP_SIMULATED. */
struct sp_value sp_ways_saved(const struct sp_ways *ways, double whole_B, int w);

/* options->machine: its last level has a partition, whose ways do not matter. SP_USAGE where the
 * last level is no LRU cache of sets, or is a victim or inclusive one: then depths do not tell. */
enum sp_status sp_sim_ways(const struct sp_layout *layout, const struct sp_sim_options *options,
                           struct sp_ways *ways, struct sp_error *err);

/* alpha = bytes of x from memory / (s_x n_nz) [THEORY 1]; NAN for a matrix without entries. */
double sp_traffic_alpha(const struct sp_layout *layout, const struct sp_traffic *memory);

/* Less than a quarter of the matrix crosses here: the data live further in, whatever sizes say. */
bool sp_traffic_is_idle(const struct sp_layout *layout, const struct sp_traffic *here);
double sp_traffic_idle_B(const struct sp_layout *layout); /* that quarter [B] */

#endif
