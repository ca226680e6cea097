/* Can hardware events be counted here? One look that changes nothing. */
#ifndef SP_SYS_COUNTERS_H
#define SP_SYS_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>

struct sp_counters {
    bool core;    /* the event "instructions" can be opened */
    int error;    /* errno when not */
    int paranoid; /* /proc/sys/kernel/perf_event_paranoid; -100: unknown */
};

void sp_counters_read(const char *root, struct sp_counters *out);

/* Why counting does not work, as a sentence, and what would help ("" : nothing). */
const char *sp_counters_reason(const struct sp_counters *counters);
const char *sp_counters_remedy(const struct sp_counters *counters);

#endif
