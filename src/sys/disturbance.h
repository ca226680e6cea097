/* Did other work take the processors during a sample? The threads of a team are asked for their
 * processor time, switches and places before and after it: what they did not get of the wall time,
 * while they wanted it, went to somebody else. What slows a processor without taking it (a
 * neighbour in its caches, a lower clock) is not seen here. */
#ifndef SP_SYS_DISTURBANCE_H
#define SP_SYS_DISTURBANCE_H

#include <stdbool.h>
#include <stdint.h>

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

#endif
