/* Counts through perf_event_open(2): opening and reading. What they are worth: model/count_log.h. */
#ifndef SP_SYS_PERF_COUNT_H
#define SP_SYS_PERF_COUNT_H

#include <stdint.h>

#include "base/status.h"
#include "sys/counters/memory_pmu.h"

/* What one descriptor says: the count, and for how long it was asked for and was on a counter [ns]. */
struct sp_perf_sample {
    uint64_t value, enabled_ns, running_ns;
};

/* Opens an event of one thread (cpu -1; thread 0: the caller, with what it starts; else its id) or of a whole
 * processor; starts counting at once. SP_ABSENT with
 * the system's reason and a remedy. The descriptor is the caller's: close(). */
enum sp_status sp_perf_open(uint32_t type, const uint64_t config[3], int cpu, int thread, int *descriptor,
                            struct sp_error *err);
/* False where the system gives no sample. */
bool sp_perf_read(int descriptor, struct sp_perf_sample *sample);

#endif
