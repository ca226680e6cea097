/* The roofline: the time of an execution is that of its slowest resource, and the roof of the level
 * that the data really come from [THEORY 8]. */
#ifndef SP_MODEL_ROOFLINE_H
#define SP_MODEL_ROOFLINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/reading.h"
#include "model/machine.h"
#include "model/volume/volume.h"
#include "sparse/formats/layout.h"

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

/* Where the data live. Bytes that all threads share out between them, and bytes that each cache
 * instance may need whole (x). */
struct sp_footprint {
    double shared_out_B; /* matrix and y: each instance holds its threads' part */
    double each_B;       /* x: touched from anywhere */
    bool by_array;       /* array_B is filled in; else values stand for all that is shared out */
    double array_B[SP_N_ARRAYS];
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

/* The innermost level that holds everything between executions when warm; memory when cold, when
 * nothing fits, or when the machine describes no caches. A level counts as holding the data below
 * 0.9 of its capacity: the rest is other people's. A GPU's L1 keeps nothing between kernels, so
 * only its last level can hold them. Where ways are kept for some arrays, these must fit there and
 * the others into the rest: needed_B and capacity_B are those of the fuller part. n_domains:
 * last-level instances that the threads use. */
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

/* One level further in than sizes say, as where a simulation shows little to cross. level > 0. */
void sp_residence_inward(struct sp_residence *residence, const struct sp_machine *machine);

/* Z: last-level capacity of the domains used [B]; 0 where no cache is described. */
double sp_llc_capacity_B(const struct sp_machine *machine, int n_domains);

/* Capacity of all caches in use in front of a level [B], what it may not see again: those of the
 * next level in; 0 in front of the innermost. level: as in sp_residence. */
double sp_inner_capacity_B(const struct sp_machine *machine, int level, int n_threads, int n_domains);

/* The roof at a level ("L2", "L3", "MEM") for n_threads: load_mix, else load, triad, copy (in this
 * order; write-allocate corrected where it says so). mode NULL: any. NULL when the machine has
 * none. */
const struct sp_ceiling *sp_roof_of(const struct sp_machine *machine, const char *level, int n_threads,
                                    const char *mode, bool *exact);

/* What n_threads in n_domains draw of a level: the ceiling known for them, else a part of the one
 * known for the next larger number (of the largest, where it is smaller), modelled: of memory and
 * of a shared last level the part of the domains in use, of other levels that of the threads, and
 * at most n_threads times what one thread draws where that is known. The interval goes down to the
 * part of the threads, of memory up to all: whether a domain can draw more than its part is not
 * described. *from: that ceiling; NULL, SP_NONE: none is known. */
struct sp_value sp_roof_for(const struct sp_machine *machine, const char *level, int n_threads, int n_domains,
                            const char *mode, const struct sp_ceiling **from);

/* What the model says of a workload on a described machine, without running it [THEORY 2, 8]. */

struct sp_predict_inputs {
    int64_t n_r, n_c, n_nz; /* n_r, n_nz > 0 */
    int format;
    int32_t C;     /* SELL kinds */
    double beta;   /* n_nz / stored entries, 1 for CRS */
    double u;      /* share of unit-stride slots, SELLU */
    bool permuted; /* SELL with sigma > 1 */
    enum sp_precision precision;
    enum sp_index index;
    int row_ptr_B; /* as in the workload */
    int64_t r;     /* right-hand sides, SpMMV and SpMM; 0: 1. Not used where a layout is given */
    const struct sp_layout *layout; /* counts the bytes of any operation; NULL: by formula */
    double work;                    /* W [flop]; 0: that of r SpMVs */
    struct sp_value alpha;          /* with interval; not SP_NONE */
    struct sp_value w;              /* with interval; value >= 1 */
    struct sp_value moved_B;  /* simulated, through the interface of the data's home, where caches keep a part
                                 of the data; SP_NONE: all of V */
    struct sp_value beyond_B; /* simulated, from and to memory, where a cache that is the data's home loses a
                                 part of them; SP_NONE: nothing */

    const struct sp_machine *machine;
    int n_threads;            /* >= 1 */
    int n_domains;            /* last-level domains that they use, >= 1 */
    const char *mode;         /* core-to-core mode of the roof; NULL: any */
    bool warm;                /* repeated executions: the data may live in a cache */
    int n_inward;             /* levels further in than sizes say that a simulation shows the data to live */
    struct sp_value core;     /* P_core of all threads [flop/s]; SP_NONE: not known */
    struct sp_value roof_Bps; /* SP_NONE: look up the machine's ceiling for the level */
};

enum { SP_MAX_ROOF_TERMS = 4 };

struct sp_prediction {
    struct sp_volume volume;       /* at the values of alpha and w */
    struct sp_value volume_B;      /* total, interval of alpha and w; modelled, wherever alpha comes from */
    struct sp_value balance;       /* B_C [B/flop] */
    double work;                   /* W [flop] */
    int home;                      /* index of the cache that holds the data, n_caches: memory */
    struct sp_residence residence; /* the level whose roof is taken: home, or the next one outward that has a
                                      bandwidth, as if the data came from there */
    struct sp_value roof_Bps;      /* b_S of that level; SP_NONE: the machine has none */
    const struct sp_ceiling *roof; /* where it came from; NULL: given, or none */
    struct sp_roof_term term[SP_MAX_ROOF_TERMS];
    int n_terms;
    struct sp_roofline roofline; /* time, performance, binding term */
    const char *binding;         /* its name; "unknown" where no ceiling is known */
};

/* Threads of one domain share its last level, which holds their part of the matrix, of the row
 * operand and of the result, and all of the gathered operands that they touch; those are counted
 * whole. */
struct sp_footprint sp_footprint_of_layout(const struct sp_layout *layout);

/* P = min(P_peak, P_core, b_level/B_C), the roof that of the level where the data live. A cache
 * level without a described bandwidth falls back to the next one outward that has one: `residence`
 * says which, `home` where the data are. */
struct sp_prediction sp_predict(const struct sp_predict_inputs *inputs);

#endif
