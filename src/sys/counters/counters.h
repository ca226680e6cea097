/* Hardware events: can they be counted here, by this process; one event opened and read. */
#ifndef SP_SYS_COUNTERS_H
#define SP_SYS_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum { SP_LEVEL_UNKNOWN = -100 };

/* One look that changes nothing. */
struct sp_counters {
    bool core;    /* the event "instructions" can be opened */
    int error;    /* errno when not */
    int paranoid; /* /proc/sys/kernel/perf_event_paranoid, or SP_LEVEL_UNKNOWN */
};

void sp_counters_read(const char *root, struct sp_counters *out);

/* Why counting does not work, as a sentence, and what would help ("" : nothing). */
const char *sp_counters_reason(const struct sp_counters *counters);
const char *sp_counters_remedy(const struct sp_counters *counters);

/* What the system lets this process count, from files alone: nothing is opened for counting. */
struct sp_permissions {
    int paranoid;     /* /proc/sys/kernel/perf_event_paranoid, SP_LEVEL_UNKNOWN */
    int nmi_watchdog; /* 1: it takes a counter of every core; 0; -1 unknown */

    /* Effective capabilities of this process; they count only in the first user namespace. */
    bool caps_known;
    bool perfmon, sys_admin, sys_rawio;
    bool user_namespace; /* a container's own: the capabilities above give no right to count */
    int seccomp; /* 0 none, 1 strict, 2 a filter (containers: often forbids perf_event_open); -1 unknown */
    char lockdown[24]; /* "none", "integrity", "confidentiality"; "" where the kernel has none */

    bool is_x86;                     /* /proc/cpuinfo names a vendor: there are model specific registers */
    bool msr_module;                 /* loaded or built in, as far as /sys/module tells */
    bool msr;                        /* /dev/cpu/0/msr is there */
    bool msr_readable, msr_writable; /* by its mode; the kernel asks for CAP_SYS_RAWIO on top */
    char msr_allow_writes[12];       /* "on", "off", "default"; "" unknown */

    char access_daemon[512]; /* likwid-accessD without ROOT, "" not found */
    bool daemon_setuid;      /* or holds file capabilities */
    bool daemon_of_root;
};

/* `search`: directories as in $PATH (NULL: none). The daemon is looked for there, in the sbin
 * beside each bin, and where packages put it. */
void sp_permissions_read(const char *root, const char *search, struct sp_permissions *out);

/* May this process open events of its own threads, of whole processors (memory controllers need
 * that), and model specific registers? Only what files tell: a sandbox can still refuse. */
bool sp_may_count_threads(const struct sp_permissions *permissions);
bool sp_may_count_processors(const struct sp_permissions *permissions);
bool sp_may_use_msr(const struct sp_permissions *permissions);

/* What one descriptor of perf_event_open(2) says (what it is worth: model/count_log.h): the count,
 * and for how long it was asked for and was on a counter [ns]. */
struct sp_perf_sample {
    uint64_t value, enabled_ns, running_ns;
};

/* Opens an event of one thread (cpu -1; thread 0: the caller, with what it starts; else its id) or
 * of a whole processor; starts counting at once. SP_ABSENT with the system's reason and a remedy.
 * The descriptor is the caller's: close(). */
enum sp_status sp_perf_open(uint32_t type, const uint64_t config[3], int cpu, int thread, int *descriptor,
                            struct sp_error *err);
/* False where the system gives no sample. */
bool sp_perf_read(int descriptor, struct sp_perf_sample *sample);

#endif
