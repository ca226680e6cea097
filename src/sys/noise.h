/* What makes times differ from run to run here, as facts. -1 and "": unknown, not guessed. */
#ifndef SP_SYS_NOISE_H
#define SP_SYS_NOISE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

struct sp_noise {
    /* clock */
    char governor[24], driver[24],
        preference[28];                /* of the first CPU: "powersave", "intel_pstate", "balance_power" */
    bool governor_mixed;               /* CPUs differ */
    double min_Hz, max_Hz, highest_Hz; /* limits set, and what the hardware allows; 0 unknown */
    int turbo;                         /* 1 on, 0 off, -1 unknown */
    const char *turbo_path;            /* file that switches it, static; NULL unknown */
    bool turbo_inverted;               /* 1 in that file means off */
    int on_mains;                      /* 0: on battery; -1: no supply is described */
    int64_t throttled;                 /* times that heat held a package's clock down since boot */
    double uptime_s;                   /* -1 */

    /* threads and memory */
    int smt;              /* hardware threads share cores: 1, 0, -1 */
    char smt_control[20]; /* "on", "off", "forceoff", "notsupported", "notimplemented" */
    int numa_balancing;
    char huge_enabled[12], huge_defrag[20]; /* the chosen word of transparent_hugepage/{enabled,defrag} */
    int64_t swap_total_B, swap_used_B;      /* -1 */

    /* others */
    double load[3];          /* averages over 1, 5, 15 min; -1 */
    int running;             /* tasks that want to run now, this one included; -1 */
    int n_online, n_allowed; /* CPUs; -1 */
};

/* From ROOT/sys and ROOT/proc. Files of up to 4096 CPUs are looked at. */
void sp_noise_read(const char *root, struct sp_noise *out);

/* Time of all processors since boot, in clock ticks: the first line of ROOT/proc/stat. */
struct sp_cpu_times {
    int64_t total, idle, stolen;
};
bool sp_cpu_times_read(const char *root, struct sp_cpu_times *out);

/* Did other work take the processors during a sample? The threads of a team are asked for their
 * processor time, switches and places before and after it: what they did not get of the wall time,
 * while they wanted it, went to somebody else. What slows a processor without taking it (a
 * neighbour in its caches, a lower clock) is not seen here. */

/* One thread at one moment. */
struct sp_thread_clock {
    double wall_s, processor_s; /* since any moment in the past; time stolen from a virtual machine is not in
                                   processor_s where the kernel is told of it */
    double queued_s;            /* ready to run, but without a processor; -1: the kernel does not say */
    int64_t involuntary, voluntary; /* switches: taken off, gone to sleep */
    int cpu;                        /* where it is, -1: unknown */
};

/* Of each thread of an OpenMP team of n_threads, clock[n_threads]; the team has met when this
 * returns. Call outside of parallel regions, on both sides of what is timed; costs some
 * microseconds. */
void sp_thread_clocks(int n_threads, struct sp_thread_clock *clock);

struct sp_disturbance {
    bool disturbed;    /* a thread lost more than 5 % of the time, or moved */
    double lost_share; /* of the wall time, of the thread that lost most while it wanted to run */
    int64_t taken_off; /* involuntary switches of all threads */
    int n_moved;       /* threads that are on another processor than before */
};

/* What happened between two looks at the same team. A thread that slept by itself waited for
 * others: the time that it lacks counts only where it was taken off its processor, too, else as far
 * as the kernel says that it queued. */
struct sp_disturbance sp_disturbance_between(const struct sp_thread_clock *before,
                                             const struct sp_thread_clock *after, int n_threads);

/* SPMODEL_ASSUME=clean: nobody looks for disturbances, for tests; records say so. */
bool sp_disturbance_is_ignored(void);

/* Faults put in on purpose, so that tests can show that they are found:
 * SPMODEL_FAULT=pages,straggler:0.2,order. A record of a run with faults has the flag "fault". */

/* Is the fault in SPMODEL_FAULT? *level receives its number, else 1; it may be NULL. Known faults:
 * "pages" (no huge pages although they are asked for), "straggler" (one thread is held back by this
 * share of each execution), "order" (rows and columns in a random order although none is asked
 * for). */
bool sp_fault(const char *name, double *level);

/* SP_USAGE where SPMODEL_FAULT names a fault that there is none of. */
enum sp_status sp_fault_check(struct sp_error *err);

/* The variable as it is; "" where it is not set. */
const char *sp_faults(void);

#endif
