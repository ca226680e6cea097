/* A workload made runnable. Probes know jobs, kernels make them. */
#ifndef SP_BASE_JOB_H
#define SP_BASE_JOB_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct sp_layout; /* src/sparse/formats/layout.h: what the job executes, for probes that simulate instead of
                   * running
                   */

/* Filled by run(): seconds that each thread was busy in the whole call, all repetitions together.
 * thread_s is the caller's array [n_threads] or NULL when it does not want to know. */
struct sp_run_stats {
    double *thread_s;
    int n_threads;
};

/* An array that an execution reads from end to end, more or less. */
struct sp_job_array {
    const void *at; /* borrowed */
    size_t size_B;
};
enum { SP_MAX_JOB_ARRAYS = 3 };

struct sp_job {
    const char *name; /* borrowed: the kernel's name */
    void *state;      /* owned by the kernel that prepared it */
    /* Executes the operation `repetitions` >= 1 times and returns when the work is done. Allocates
     * nothing. `stats` may be NULL. */
    enum sp_status (*run)(void *state, int64_t repetitions, struct sp_run_stats *stats, struct sp_error *err);
    const struct sp_layout *layout; /* borrowed */
    int n_threads;
    struct sp_job_array operand[SP_MAX_JOB_ARRAYS]; /* dense operands, beside the layout's arrays */
    int n_operands;
    const struct sp_job_array *instead; /* [n_instead] arrays that it reads and the layout does not know, in
                                           place of the layout's; NULL: none; borrowed */
    int n_instead;
};

#endif
