/* Counts through perf_event_open(2): opening, reading, and the arithmetic that decides whether a count can be
 * used. */
#ifndef SP_SYS_PERF_COUNT_H
#define SP_SYS_PERF_COUNT_H

#include <stdint.h>

#include "base/status.h"
#include "sys/memory_pmu.h"

/* What one descriptor says: the count, and for how long it was asked for and was on a counter [ns]. */
struct sp_perf_sample {
    uint64_t value, enabled_ns, running_ns;
};

enum sp_count_trust {
    SP_COUNT_EXACT,       /* on a counter all the time */
    SP_COUNT_MULTIPLEXED, /* shared its counter: scaled up, so an estimate */
    SP_COUNT_NONE         /* never on a counter, or the numbers contradict each other */
};

/* The count between two samples, scaled up to the time asked for; *trust may be NULL. NAN with SP_COUNT_NONE.
 */
double sp_perf_count(struct sp_perf_sample before, struct sp_perf_sample after, enum sp_count_trust *trust);

/* Difference of two readings of a counter of `bits` bits that wrapped around at most once; bits in 1 ... 64.
 */
uint64_t sp_count_delta(uint64_t before, uint64_t after, int bits);

/* Opens an event of this process (cpu -1) or of a whole processor; starts counting at once. SP_ABSENT with
 * the system's reason and a remedy. The descriptor is the caller's: close(). */
enum sp_status sp_perf_open(uint32_t type, const uint64_t config[3], int cpu, int *descriptor,
                            struct sp_error *err);
/* False where the system gives no sample. */
bool sp_perf_read(int descriptor, struct sp_perf_sample *sample);

#endif
