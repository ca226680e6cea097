/* The execution-cache-memory model (ECM): the time of one execution from the time in the core and
 * the times of the transfers between neighbouring levels, composed by the machine's overlap rule.
 *
 * Sources: G. Hager, J. Treibig, J. Habich, G. Wellein, "Exploring performance and power properties
 * of modern multi-core chips via simple machine models", Concurrency Computat.: Pract. Exper. 28
 * (2016) 189-210, doi:10.1002/cpe.3180; H. Stengel, J. Treibig, G. Hager, G. Wellein, "Quantifying
 * performance bottlenecks of stencil computations using the execution-cache-memory model", ICS
 * 2015, doi:10.1145/2751205.2751240 (the notation {T_OL | T_nOL | T_L1L2 | ...}); J. Hofmann, C. L.
 * Alappat, G. Hager, D. Fey, G. Wellein, "Bridging the architecture gap: abstracting
 * performance-relevant properties of modern server processors", Supercomputing Frontiers and
 * Innovations 7(2) 2020, doi:10.14529/jsfi200204 (overlap rules beside Intel's).
 *
 * The formulas are T_k, T_none (nothing overlaps but execution: Intel Xeon), T_full (everything
 * does: AMD Zen), T_1, T_n and n_sat of model/formulas/time.txt.
 *
 * f between 0 and 1 is ours: for machines of which neither rule holds. w_k as well: a write that
 * goes the other way while reads come costs less than a read (w = 0: nothing, w = 1: as much). */
#ifndef SP_MODEL_ECM_H
#define SP_MODEL_ECM_H

#include <stdbool.h>

#include "base/reading.h"
#include "model/machine.h"

/* What crosses one interface in one execution, all threads together. */
struct sp_ecm_transfer {
    char name[12];                   /* "L1L2", "L2L3", "L3Mem" */
    struct sp_value read_B, write_B; /* towards the core; away from it: evictions, write-backs, victims */
    struct sp_value one_Bps;         /* b_k: what one thread draws; SP_NONE: not known */
    struct sp_value write_weight;    /* w_k, 0 ... 1; SP_NONE: not known, taken as 0 ... 1 */
    bool shared;                     /* threads compete for it */
    struct sp_value all_Bps;         /* shared: B_k, what n_threads draw together; SP_NONE: not known */
};

struct sp_ecm_inputs {
    struct sp_value core_s; /* T_OL: what overlaps with transfers, all work by one thread [s] */
    struct sp_value load_s; /* T_nOL: loads from L1, likewise [s] */
    int n_transfers;
    struct sp_ecm_transfer transfer[SP_MAX_LEVELS]; /* inner to outer */
    struct sp_value overlap;                        /* f, 0 ... 1; SP_NONE: the rule is not known */
    bool coupled; /* overlap and bandwidths were fitted together: overlap.hi belongs to one_Bps.lo, and
                     overlap.lo to one_Bps.hi */
    struct sp_value error; /* of the fitted rule, relative: widens the interval; SP_NONE: no widening */
    int n_threads;         /* >= 1, with equal shares of the work */
};

struct sp_ecm_times {
    struct sp_value core_s, load_s;                 /* T_OL, T_nOL as given */
    struct sp_value transfer_s[SP_MAX_LEVELS];      /* T_k of one thread */
    struct sp_value shared_s[SP_MAX_LEVELS];        /* at B_k; SP_NONE: private, or B_k is not known */
    struct sp_value none_s, all_s;                  /* the two extreme rules, one thread */
    struct sp_value one_s;                          /* T_1; SP_NONE: says what is missing */
    struct sp_value time_s;                         /* T_n */
    struct sp_value residence_s[SP_MAX_LEVELS + 1]; /* T_1 if transfers ended k interfaces out; [0]: core */
    struct sp_value n_sat; /* n_s for the outermost transfer; SP_NONE: nothing crosses, or B is not known */
    int bound; /* -2: T_OL or T_nOL is the longest part, -1: T_1/n decides without one, k: shared_s[k] does */
};

/* The composition. Ends of intervals: all parts long and no more overlap than overlap.lo, and the
 * converse; coupled: the least and the most of the three pairs that were fitted. Known parts stand
 * although others are unknown: an unknown time says what is missing. A part with 0 B takes 0 s
 * whatever its bandwidth. Asserts that known bandwidths are positive and f, w within 0 ... 1. */
struct sp_ecm_times sp_ecm_of(const struct sp_ecm_inputs *inputs);

/* T_1 of plain numbers: core T_OL, load T_nOL, transfer[n]. */
double sp_ecm_compose(double core, double load, const double *transfer, int n, double f);

/* The machine's part: names, bandwidths, weights, overlap, error, and what n_threads in n_domains
 * draw of shared levels (sp_roof_for()). traffic[n_levels]: of one execution, as sp_sim_traffic()
 * gives it for all the machine's caches (n_levels = n_caches). core_s and load_s are copied. mode:
 * as in sp_roof_for(). */
struct sp_ecm_inputs sp_ecm_inputs_of(const struct sp_machine *machine, const struct sp_traffic *traffic,
                                      int n_levels, struct sp_value core_s, struct sp_value load_s,
                                      int n_threads, int n_domains, const char *mode);

/* T_nOL of load_B bytes that pass from L1 to registers, by the L1 load bandwidth of one thread
 * (modelled). A gather counts its bytes, so for gathers it is a lower bound. SP_NONE where the
 * machine has none. */
struct sp_value sp_ecm_load_s(const struct sp_machine *machine, double load_B);
/* T_OL of `work` [flop] by the arithmetic peak of one thread (simd, else fma, else scalar;
 * modelled): a lower bound where P_core is not known. f32: single precision. SP_NONE where the
 * machine has none. */
struct sp_value sp_ecm_peak_s(const struct sp_machine *machine, double work, bool f32);

/* The overlap rule of a machine and what one thread draws over each interface, fitted to the
 * streams that were measured in each level with one thread.
 *
 * Per line that is loaded, streams move over every interface inside the level of their data
 *     load, load_mix  1 line in
 *     copy            2 lines in (one of them the write-allocate), 1 out
 *     triad           3 lines in, 1 out
 * and their T_OL is the time measured in L1, their T_nOL the L1 time of their loads. For each
 * overlap f the time of a line t_k and the weight of writes w_k are fitted level by level from the
 * inside, by the least sum of squares of T_model/T_measured - 1 over the streams; f is the one that
 * leaves the least residual. Load alone fits every f, so copy or triad is needed in at least two
 * levels beyond L1. Even these tell little where writes may cost anything between nothing and a
 * read: w then stands in for f, and the interval of f is wide. The time of any of these streams is
 * then well predicted all the same; what depends on f are mixtures of levels. */

/* overlap: value with the interval of f whose residual is nearly as small; error: its residual
 * (root mean square); interfaces: all of them, one_Bps which falls as f rises: its ends are those
 * fitted to the ends of f; origin measured. Where it cannot be fitted overlap is SP_NONE,
 * n_interfaces 0, and `how` says what is missing. */
struct sp_machine_ecm sp_ecm_fit(const struct sp_machine *machine);

/* Fits anew where the machine's rule is not a stated one, and keeps the old one where that
 * fails. */
void sp_ecm_refit(struct sp_machine *machine);

#endif
