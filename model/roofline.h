/* The roofline: the time of an execution is that of its slowest resource, and the roof of the level that the
 * data really come from [THEORY 8]. */
#ifndef SP_MODEL_ROOFLINE_H
#define SP_MODEL_ROOFLINE_H

#include <stdbool.h>

#include "base/reading.h"
#include "model/machine.h"

/* One resource: it needs amount/rate seconds. Flops with flop/s, or bytes of a level with B/s. */
struct sp_roof_term {
    const char *name;       /* "memory bandwidth", "L3 bandwidth", "in-core", "peak" */
    struct sp_value amount; /* [flop] or [B] */
    struct sp_value rate;   /* [flop/s] or [B/s]; SP_NONE: this term is left out */
};

struct sp_roofline {
    struct sp_value time_s; /* of the binding term, interval from all of them; SP_NONE: no term is known */
    struct sp_value performance; /* [flop/s] P = min(P_peak, P_core, b_level/B_level ...) */
    int binding;                 /* index of the term, -1: none */
};

/* work: useful operations [flop]. */
struct sp_roofline sp_roofline(double work, const struct sp_roof_term *term, int n_terms);

/* Where the data live. Bytes that all threads share out between them, and bytes that each cache instance may
 * need whole (x). */
struct sp_footprint {
    double shared_out_B; /* matrix and y: each instance holds its threads' part */
    double each_B;       /* x: touched from anywhere */
};

struct sp_residence {
    int level;         /* index into machine->cache, n_caches: memory */
    char name[8];      /* "L1", "L2", "L3", "MEM": the level whose ceiling is the roof */
    double needed_B;   /* per instance of that level (memory: of the last level) */
    double capacity_B; /* of one instance, effective where it was measured; 0: no cache described */
    int n_instances;
    const char *doubt; /* static text: why another level may hold them, as the last level's effective capacity
                          is an interval; NULL: nothing speaks against it */
};

/* The innermost level that holds everything between executions when warm; memory when cold, when nothing
 * fits, or when the machine describes no caches. A level counts as holding the data below 0.9 of its
 * capacity: the rest is other people's. A GPU's L1
 * keeps nothing between kernels, so only its last level can hold them. n_domains: last-level instances that
 * the threads use. */
struct sp_residence sp_residence_of(const struct sp_machine *machine, struct sp_footprint footprint,
                                    int n_threads, int n_domains, bool warm);

/* Of a cache that the data may fill: the rest is other people's. */
extern const double sp_residence_own_share;

/* Instances of cache `level` that n_threads in n_domains use. */
int sp_instances_of(const struct sp_machine *machine, int level, int n_threads, int n_domains);

/* The doubts that there are, at the two ends of the interval. */
extern const char sp_residence_fits_upper_end[], sp_residence_exceeds_lower_end[];
/* A load-only run over the arrays drew what only a cache can give. */
extern const char sp_residence_drawn_from_cache[];

/* One level further in than sizes say, as where a simulation shows next to nothing to cross. level > 0. */
void sp_residence_inward(struct sp_residence *residence, const struct sp_machine *machine);

/* Z: last-level capacity of the domains used [B]; 0 where no cache is described. */
double sp_llc_capacity_B(const struct sp_machine *machine, int n_domains);

/* Capacity of all caches in use in front of a level [B], what it may not see again: those of the next level
 * in; 0 in front of the innermost. level: as in sp_residence. */
double sp_inner_capacity_B(const struct sp_machine *machine, int level, int n_threads, int n_domains);

/* The roof at a level ("L2", "L3", "MEM") for n_threads: load_mix, else load, triad, copy (in this order;
 * write-allocate corrected where it says so). mode NULL: any. NULL when the machine has none. */
const struct sp_ceiling *sp_roof_of(const struct sp_machine *machine, const char *level, int n_threads,
                                    const char *mode, bool *exact);

/* What n_threads in n_domains draw of a level: the ceiling known for them, else a part of the one known for
 * the next larger number (of the largest, where it is smaller), modelled: of memory and of a shared last
 * level the part of the domains in use, of other levels that of the threads, and at most n_threads times what
 * one thread draws where that is known. The interval goes down to the part of the threads, of memory up to
 * all: whether a domain can draw more than its part is not described. *from: that ceiling; NULL, SP_NONE:
 * none is known. */
struct sp_value sp_roof_for(const struct sp_machine *machine, const char *level, int n_threads, int n_domains,
                            const char *mode, const struct sp_ceiling **from);

/* The light ECM of one core: T = max(T_core, sum of T_level), n_sat = ceil(T/T_mem) cores saturate memory.
 * transfer_s[n_levels], outermost (memory) last; n_sat 0 where there is no memory time. */
struct sp_ecm {
    double time_s;
    int n_sat;
};
struct sp_ecm sp_ecm_light(double core_s, const double *transfer_s, int n_levels);

#endif
