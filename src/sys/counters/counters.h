/* Hardware events: can they be counted here, by this process; one event opened and read. */
#ifndef SP_SYS_COUNTERS_H
#define SP_SYS_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "sys/processes.h"

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

/* Which floating-point events the cores have: a code means something else, or nothing, on
 * others. */
enum sp_flop_events {
    SP_FLOPS_NONE,  /* none that is known */
    SP_FLOPS_INTEL, /* FP_ARITH_INST_RETIRED: Broadwell and later, not the small cores */
    SP_FLOPS_ZEN,   /* Zen, Zen+ and Hygon's */
    SP_FLOPS_ZEN_2  /* Zen 2 and later */
};
enum sp_flop_events sp_flop_events_read(const char *root);

/* The sorts of cores of a hybrid processor: each has counters of its own, with a type that stands
 * in the upper half of config of the kernel's general events (PERF_TYPE_HARDWARE, _HW_CACHE), which
 * are the large cores' without one. Elsewhere one, of type 0. */
enum { SP_MAX_CORE_SORTS = 3 };
int sp_core_sorts_read(const char *root, uint64_t type[SP_MAX_CORE_SORTS]);

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

/* Opens an event of one thread (cpu -1; thread 0: the caller, with what it starts; else its id),
 * outside of the kernel as any user may, or of a whole processor; starts counting at once. What
 * happens in the kernel alone (switches, migrations) counts there, for who may. SP_ABSENT with the
 * system's reason and a remedy. The descriptor is the caller's: close(). */
enum sp_status sp_perf_open(uint32_t type, const uint64_t config[3], int cpu, int thread, int *descriptor,
                            struct sp_error *err);
/* False where the system gives no sample. */
bool sp_perf_read(int descriptor, struct sp_perf_sample *sample);

/* Who else may hold the hardware counters: monitors of the site, profilers, other jobs. Only what
 * this user may see; what could not be looked at is counted too. */

enum { SP_HOLDERS_MAX = 16 };

struct sp_holder {
    int pid;
    unsigned uid;
    char name[16];
    int n_descriptors; /* open perf_event descriptors that were seen */
    const char *what;  /* what a program of this name does to the counters; NULL: not a known name. Static */
    bool of_gpu;       /* it is the GPU's counters that it takes */
};

struct sp_holders {
    int n, n_more; /* stored, and seen beyond those */
    struct sp_holder holder[SP_HOLDERS_MAX];
    int n_processes; /* user processes that /proc shows */
    int n_looked;    /* whose descriptors could be listed */
    bool listed;     /* all processes; else the time was over first */
    bool cut;        /* the time was over before all descriptors were looked at */
    bool container;  /* a PID namespace of its own: the host's processes cannot be seen */
    bool hidden;     /* /proc is mounted with hidepid: other users' processes cannot be seen */
    int n_users;     /* other users than root, system services (below 1000) and this one with processes */
    bool lock;       /* LIKWID's lock file is there: only its owner may use LIKWID */
    unsigned lock_uid;
};

/* `self` and `uid`: this process and user. Ends at `deadline` (sp_now()). */
void sp_holders_read(const char *root, const struct sp_processes *processes, int self, unsigned uid,
                     double deadline, struct sp_holders *out);

/* What a program of this name (the kernel's, cut after 15 characters) does to counters, or NULL. */
const char *sp_monitor_known(const char *name, bool *of_gpu);

/* A session around this process, from its environment: "likwid-perfctr (LIKWID_MODE)", or "" .
 * `look` is getenv or a test's own. Returns text. */
char *sp_profiler_around(char *(*look)(const char *name), char *text, unsigned size);
/* "SLURM 4711", "" outside of a batch job. Returns text. */
char *sp_batch_job(char *(*look)(const char *name), char *text, unsigned size);

#endif
