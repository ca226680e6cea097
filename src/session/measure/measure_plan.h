/* Parts of measure_machine.c: what is sampled, and the search for the last level's capacity. */
#ifndef SP_SESSION_MEASURE_PLAN_H
#define SP_SESSION_MEASURE_PLAN_H

#include "base/progress.h"
#include "kernels/ceiling.h"
#include "model/machine.h"
#include "sys/machine/core_to_core.h"
#include "sys/machine/topology.h"

enum { SP_MEASURE_MAX_JOBS = 400, SP_MEASURE_MAX_SAMPLES = 64 };

struct sp_measure_sample {
    double rate;                       /* [B/s], [flop/s] or, of gathers, [1/s] */
    struct sp_core_look before, after; /* its latency: of the farthest pair looked at */
    bool disturbed;
};

struct sp_measure_job {
    enum sp_ceiling_kind kind;
    char level[8];
    int n_threads;
    size_t bytes; /* working set of all threads; 0 for flops */
    int w;        /* bytes counted per byte stored */
    double target_s;
    struct sp_ceiling_run run;
    int64_t repetitions;
    int n_samples;
    struct sp_measure_sample sample[SP_MEASURE_MAX_SAMPLES];
};

/* Fills jobs[SP_MEASURE_MAX_JOBS] from the caches that the topology claims; `arena_B` is the memory
 * level's working set and the largest. Returns how many. Levels whose working set would not fit
 * between the level before and the arena are left out. */
int sp_measure_plan(const struct sp_topology *topology, int n_threads, bool quick, size_t arena_B,
                    struct sp_measure_job *jobs);

/* Of the quick plan for n_threads nothing but their load ceilings, of which roofs are made (load
 * and load_mix, sp_roof_of()): a point of each level's saturation curve. */
int sp_measure_plan_loads(const struct sp_topology *topology, int n_threads, size_t arena_B,
                          struct sp_measure_job *jobs);

/* Working set for cache k and m threads [B]: half of a private level; of a shared one well beyond
 * what the private ones hold and at most half of what is claimed; 0: not to be had. */
size_t sp_measure_working_set(const struct sp_topology *topology, int k, int m);

/* Effective capacity of the last level by the latency of random walks over growing sets beyond L2
 * (l2_B). Walks about `budget_s`. *lo_s and *hi_s: latencies of the smallest and the largest of
 * them. SP_NONE with the reason where no knee is seen. */
struct sp_value sp_measure_llc(const struct sp_ceiling_arena *arena, int64_t l2_B, int64_t stated_B,
                               double budget_s, double *lo_s, double *hi_s,
                               const struct sp_progress *progress);

/* What n_threads in n_domains find again in one last-level cache of data that they stream through,
 * pass after pass, by the bandwidth over sets from a quarter of what is stated, beyond the threads'
 * L2 (l2_B each), to three times that. No pass is begun after budget_s. */
struct sp_value sp_measure_cycle(const struct sp_ceiling_arena *arena, int n_threads, int n_domains,
                                 int64_t l2_B, int64_t stated_B, const char *isa, double budget_s,
                                 const struct sp_progress *progress, enum sp_keeping *law);

/* The part of it that needs no machine: sizes [B], ascending, seconds a byte in each and from
 * memory, `outer`. The first size is in the cache. *law: by which the sizes agree best on a
 * capacity. SP_NONE with the reason where memory is hardly slower or nothing outgrows the cache. */
struct sp_value sp_measure_cycle_of(int n, const double *size_B, const double *seconds, double outer,
                                    double stated_B, enum sp_keeping *law);

/* The part of sp_measure_llc() that needs no machine: sizes [B] ascending and latencies [s] of n
 * walks, size and latency of L2, and the capacity that the machine states, 0: nothing; no capacity
 * above it is tried. */
struct sp_value sp_measure_knee(int n, const double *size_B, const double *latency_s, double l2_B,
                                double stated_B, double l2_s);

/* "Intel(R) Xeon(R) Processor", 2 cores -> "intel-xeon-processor-2c"; 0: without the cores. */
void sp_measure_name(const char *model, int n_cores, char *name, size_t size);
/* Now, "2026-11-21T10:02:14Z". */
void sp_measure_now(char *text, size_t size);
/* Seconds since such a date; NAN where it is none. */
double sp_measure_age(const char *when);

#endif
