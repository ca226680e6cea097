/* Events of the job's own threads through perf_event: instructions, cycles, stalls, last-level
 * misses, flops, and what the kernel counts itself everywhere: processor time, page faults,
 * switches, migrations. */
#ifndef SP_PROBES_PERF_EVENTS_H
#define SP_PROBES_PERF_EVENTS_H

#include "base/job.h"
#include "base/reading.h"

enum { SP_MAX_CORE_EVENTS = 16 };

struct sp_core_event {
    const char *name;     /* "instructions" ... */
    const char *unit;     /* "1", "s", "flop" */
    struct sp_value each; /* in one execution, all threads; SP_NONE with the reason */
    double running_share; /* of the time on a counter: below 1 it was scaled up */
};

struct sp_core_events {
    int n;
    struct sp_core_event event[SP_MAX_CORE_EVENTS];
    int64_t repetitions;
    double seconds; /* of all repetitions */
    int n_threads;  /* of this process that were counted */
};

/* Runs the job for about `seconds` under the events of all threads of the process, several at a
 * time as the counters allow. Events that are not there say why in their value. SP_OK, or what the
 * job returns. */
enum sp_status sp_core_events_observe(const struct sp_job *job, double seconds, struct sp_core_events *out,
                                      struct sp_error *err);

#endif
