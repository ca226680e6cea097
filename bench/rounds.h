/* What benchmarks share whose candidates run in turn: places of threads, the clock, and ratios over the
 * rounds. */
#ifndef SP_BENCH_ROUNDS_H
#define SP_BENCH_ROUNDS_H

#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "base/reading.h"
#include "sys/machine/topology.h"

/* Pins *n_threads threads, 0 for all, whose number is then in *n_threads; where the system refuses, it says so. */
static inline enum sp_status bench_pin(int *n_threads, struct sp_error *err)
{
    struct sp_topology topology;
    struct sp_binding binding;
    enum sp_status status = sp_topology_read(&topology, err);
    if (status != SP_OK)
        return status;
    status = sp_binding_plan(&topology, *n_threads, SP_COMPACT, &binding, err);
    if (status == SP_OK) {
        *n_threads = binding.n_threads;
        if (sp_binding_apply(&binding, err) != SP_OK)
            printf("not pinned: %s\n", err->what);
        sp_binding_free(&binding);
    }
    sp_topology_free(&topology);
    return status;
}

/* Seconds since an arbitrary point; of one thread those that it had a core, so that time given to others
 * does not count. */
static inline double bench_now(int n_threads)
{
    if (n_threads > 1)
        return sp_now();
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Quartiles over n rounds; n 0: nothing is known. */
struct bench_ratio {
    double low, median, high;
    int n;
};

/* Sorts nothing of the caller's: x[n], n > 0. */
static inline struct bench_ratio bench_quartiles(const double *x, int n)
{
    return (struct bench_ratio){sp_quantile(x, n, 0.25), sp_median(x, n), sp_quantile(x, n, 0.75), n};
}

#endif
