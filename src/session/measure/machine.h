/* Measures the ceilings of this machine: bandwidths per memory level and thread count, arithmetic
 * peaks, the effective capacity of the last-level cache, each with samples, interval and
 * conditions.
 *
 * Ceilings are sampled in rounds, one sample of each, so that drifts of the machine hit all alike.
 * The latency between the threads' processors is taken before and after each sample. A sample is
 * dropped when the mode changed under it, when another program held a processor for more than 5 %
 * of it, or when it is below half of the best of its kind; modes are never mixed. Ceilings that
 * contradict each other (model/machine.h) are sampled again, and the slower ones left out if they
 * still do. */
#ifndef SP_SESSION_MEASURE_MACHINE_H
#define SP_SESSION_MEASURE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/progress.h"
#include "base/status.h"
#include "kernels/ceiling.h"
#include "kernels/gpu_module.h"
#include "kernels/kernel.h"
#include "model/machine.h"
#include "sys/machine/topology.h"

struct sp_measure_options {
    bool quick;              /* 1 and n threads, fewer ceilings and samples */
    bool loads_only;         /* nothing but the load ceilings of n_threads */
    int n_threads;           /* 0: one a core that is allowed (sys/machine/topology.h) */
    const char *isa;         /* NULL: the best here; "avx512", "avx2", "portable" */
    double budget_s;         /* 0: 8 s quick, 90 s full; a fifth more where figures contradict each other */
    size_t arena_B;          /* largest working set; 0: as much as honest and affordable, 256 MiB ... 2 GiB */
    const char *name;        /* of the machine; NULL: made from the CPU's name */
    enum sp_gpu_api gpu_api; /* of a GPU: whose module measures */
    bool as_remembered;      /* figures in doubt serve as they are: there is no time to measure them again */
};

/* What happened besides, for a remark or the record. */
struct sp_measure_notes {
    bool on_gpu; /* neither threads nor pages of this machine were concerned */
    bool pinned;
    int n_samples, n_disturbed, n_mode_changed;  /* taken, and dropped for either reason */
    int n_implausible;                           /* ceilings that could not be, measured twice and left out */
    double touch_s;                              /* first touch of the arena */
    double arena_B, huge_share;                  /* huge_share < 0: unknown */
    double core_to_core_lo_s, core_to_core_hi_s; /* range of latencies seen; 0: none */
    double seconds;
    char remark[512]; /* sentences about what limits trust, "" when nothing does */
};

/* `notes` and `progress` may be NULL. Threads are pinned while it runs and released afterwards.
 * SP_INTERRUPTED when the user stops it; SP_MEMORY when not even a small arena can be had. */
enum sp_status sp_machine_measure(const struct sp_measure_options *options, struct sp_machine *out,
                                  struct sp_measure_notes *notes, const struct sp_progress *progress,
                                  struct sp_error *err);

/* A quick machine of this environment from DIRECTORY/machine-ENVKEY-Nt.json, of one thread from any
 * of them, or measured now, in at most about 7 s, and stored there (the directory is made). Where
 * n_threads leave cores free, it has the load ceilings of all cores, too: what more threads would
 * draw. It is measured again when the file lacks the memory ceiling for the thread count or is
 * damaged. Figures in doubt (machine->measured.doubt) are used, and now and then measured again for
 * at most about 4 s (sp_machine_improve()), unless `as_remembered`. More threads than processors
 * take the figures of one thread a core, unless theirs are remembered. The last level's capacity is
 * pooled over all files of the environment. `directory` NULL: nothing is stored. *cached tells
 * which. That it cannot be stored is no failure: notes->remark says so. */
enum sp_status sp_machine_quick_cached(const char *directory, const struct sp_measure_options *options,
                                       struct sp_machine *out, bool *cached, struct sp_measure_notes *notes,
                                       const struct sp_progress *progress, struct sp_error *err);

/* Adds a measurement with n_threads (0: one a core that is allowed) to what is remembered of its
 * environment, so that *measured becomes what will be read the next time. SP_ABSENT: it has not
 * what is asked for first, the load bandwidth of memory. */
enum sp_status sp_machine_remember(const char *directory, int n_threads, struct sp_machine *measured,
                                   struct sp_error *err);

/* What is remembered of this environment for n_threads (0: one a core). SP_ABSENT: nothing. */
enum sp_status sp_machine_remembered(const char *directory, int n_threads, struct sp_machine *out,
                                     struct sp_error *err);

/* Removes all that is remembered of an environment. */
void sp_machine_forget(const char *directory, const char *env_key);

/* A later measurement of the same machine added to what is remembered of it. Where that is in doubt
 * and the later one is not, its figures replace those; where only the later one is, it adds what
 * there was not; else the faster ones stay, since disturbances only slow down. Capacities are
 * pooled (model/cache/capacity.h), the implausible is dropped. */
enum sp_status sp_machine_improve(struct sp_machine *remembered, const struct sp_machine *later,
                                  struct sp_error *err);

/* Measures the ceilings of a GPU by the kernels of the GPU module: memory (load, copy, triad; over
 * resident warps), L2, FMA, launch, latency, and the effective size of the L2 from loads of growing
 * sets. Rounds take one sample of each in turn. */

/* As sp_machine_measure(), of device 0 of options->gpu_api. SP_ABSENT says why there is none. */
enum sp_status sp_machine_measure_gpu(const struct sp_measure_options *options, struct sp_machine *out,
                                      struct sp_measure_notes *notes, const struct sp_progress *progress,
                                      struct sp_error *err);

/* A quick machine of the first GPU from DIRECTORY/machine-gpu-NAME.json (machine-opencl-NAME.json),
 * or measured now and stored there. It is measured again where the file is of another device or
 * driver. `directory` NULL: nothing is stored; that it cannot be is no failure. */
enum sp_status sp_gpu_machine_cached(enum sp_gpu_api api, const char *directory, struct sp_machine *out,
                                     const struct sp_progress *progress, struct sp_error *err);

/* Times of rows and chunks by their lengths on this machine (model/unit_costs.h): constructed
 * matrices in the caches, by every kernel of CRS and SELL that can run here, by one thread and by
 * all; and what gathers wait for page tables (model/cache/page_walks.h). */

/* Fills machine->unit in passes over everything, of which the shortest times stay: disturbances
 * only slow down. There are as many as budget_s allows, three if twice that suffices, and one at
 * least. The calling thread's team is bound already. isa as in sp_kernel_candidates(). What cannot
 * be run is left out. SP_INTERRUPTED, SP_MEMORY. */
enum sp_status sp_measure_units(const struct sp_topology *topology, int n_threads, const char *isa,
                                double budget_s, const struct sp_progress *progress,
                                struct sp_machine *machine, struct sp_error *err);

/* Fills machine->page: for huge pages in the arena, and for 4 KiB ones in memory of its own, by one
 * thread and by all. As many lines as half of the L2 holds are gathered from more and more pages,
 * so that nothing but the pages changes. Nothing is begun after budget_s; what cannot be measured
 * is left out. */
void sp_measure_pages(const struct sp_ceiling_arena *arena, const struct sp_topology *topology, int n_threads,
                      double budget_s, const struct sp_progress *progress, struct sp_machine *machine);

/* The machine that a command works with: named, from a file, or this one, measured once. */

/* `name` NULL: this machine from the cache of its environment, measured in a quick version with
 * n_threads (0: one for each core) when there is none; figures in doubt are measured again where
 * the command measures for 1 s at least anyway (`budget_s`). */
enum sp_status sp_this_machine(const char *name, int n_threads, double budget_s,
                               const struct sp_progress *progress, struct sp_machine *machine,
                               struct sp_error *err);

/* The same of the first GPU. SP_ABSENT says what is missing. */
enum sp_status sp_this_gpu(enum sp_gpu_api api, const char *name, const struct sp_progress *progress,
                           struct sp_machine *machine, struct sp_error *err);

/* The caches of this machine as the system states them, without measuring: enough to simulate. */

/* SP_ABSENT where the system describes none. */
enum sp_status sp_this_caches(struct sp_machine *machine, struct sp_error *err);

#endif
